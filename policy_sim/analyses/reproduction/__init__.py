"""Published studies, row by row beside what the model gives."""
