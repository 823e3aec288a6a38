"""Populations and published census facts as files, and the cache of fetched or loaded populations."""
