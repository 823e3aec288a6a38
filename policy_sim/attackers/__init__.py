"""Who links, with what list, on which key."""
