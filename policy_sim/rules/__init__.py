"""Disclosure rules: which counts an agency does not publish, with the words and the source of each rule."""
