"""De-identify a file of records: generalize, suppress, mask, and measure what is left of risk and of use."""
