"""Records: the data-set side."""
