"""The hospital records that states release, year by year."""
