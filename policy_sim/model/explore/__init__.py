"""Every policy of a lattice measured at once: cells are merged down the lattice."""
