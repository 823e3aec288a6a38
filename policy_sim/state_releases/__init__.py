"""What states hand out of their people's hospital records, year by year."""
