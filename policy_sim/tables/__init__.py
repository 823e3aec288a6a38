"""Tables of counts, cases and rates of a health department: what may be published, and what a reader derives."""
