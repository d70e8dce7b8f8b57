"""A recommendation proved by running it."""
