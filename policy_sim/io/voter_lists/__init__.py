"""Voter lists as files: TOML in, CSV, JSON and spreadsheets in and out."""
