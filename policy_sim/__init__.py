"""How many people could be named from a release of health records, and at what price."""
