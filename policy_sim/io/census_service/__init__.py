"""The Census Bureau's tables from its web service."""
