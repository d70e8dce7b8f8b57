"""The ring dimensions that are explored; each library is explored up to its own largest."""

RINGS = tuple(1 << k for k in range(12, 18))
