"""De-identify a file of records: generalize, suppress and mask, then measure the remaining risk and utility."""
