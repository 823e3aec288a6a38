"""Tables, case files and rates that a health department publishes."""
