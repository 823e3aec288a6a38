"""The words that everything else is written in: errors, states, fields, statuses, kinds of arrays."""
