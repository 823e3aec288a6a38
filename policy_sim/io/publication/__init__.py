"""The voter lists as a data set that others can cite: tables, codebook, method, checksums, references."""
