"""A release project: what is asked of it, which thresholds its answers set, and the verdict on its figures."""
