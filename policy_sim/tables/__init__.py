"""Tables of counts: what a reader derives of hidden cells, and what else must be hidden so that nothing follows."""
