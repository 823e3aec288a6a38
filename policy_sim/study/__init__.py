"""How a study is asked from Python: the question, what the study is made of, and its answers."""
