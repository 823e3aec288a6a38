"""The formulas checked by simulation: make people one by one, release, link at random among equals, count."""
