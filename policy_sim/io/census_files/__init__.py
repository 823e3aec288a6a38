"""Files of the Census Bureau as it delivers them."""
