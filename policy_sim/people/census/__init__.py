"""The Census Bureau's tables, from its web service or from files as it delivers them."""
