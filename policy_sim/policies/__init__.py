"""What a custodian releases."""
