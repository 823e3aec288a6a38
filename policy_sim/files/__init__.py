"""Where folders are, and the lists that ship."""
