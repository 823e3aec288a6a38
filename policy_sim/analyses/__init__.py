"""Every analysis of a study: one question, one module."""
