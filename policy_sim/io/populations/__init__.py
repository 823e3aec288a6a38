"""Populations by name: shipped, kept after fetching or loading, and the user's own files."""
