"""Published studies, row by row next to what the model gives."""
