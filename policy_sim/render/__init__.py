"""Drawing what it is given; the only place that rounds."""
