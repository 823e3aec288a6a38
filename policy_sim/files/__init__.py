"""How files are found, read, checked and written; nothing here knows what they say."""
