"""Pages on the user's own machine: each screen is one call of what the commands call too."""
