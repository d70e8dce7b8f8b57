"""Whether BFV and BGV programs decrypt correctly."""
