"""How a study is asked: the question, what the study is made of, and its answers."""
