"""Where the outside world comes in, and leaves as a noun."""
