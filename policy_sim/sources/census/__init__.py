"""The Bureau's own tables: from its service, from its files, and from the cache that keeps them."""
