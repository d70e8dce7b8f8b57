"""The walk through the space, and the answer."""
