"""What an attack yields, costs and pays, and what a publisher does about it."""
