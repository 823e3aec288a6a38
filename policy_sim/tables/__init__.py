"""Tables of counts and files of cases: what follows from hidden cells, what else must be hidden, what may go out."""
