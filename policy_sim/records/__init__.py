"""Files of records: their columns and classes, and their risk with and without the census."""
