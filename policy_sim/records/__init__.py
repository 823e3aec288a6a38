"""Files of records: their classes, and their risk with and without the census."""
