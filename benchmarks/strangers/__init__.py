"""Files that nobody at the project made, through the four commands of README; an eye of its own looks for what left."""
