"""The explorer: one page that holds the people themselves and computes in the reader's browser."""
