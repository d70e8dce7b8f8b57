"""The ring dimensions that are explored."""

RINGS = tuple(1 << k for k in range(12, 18))
LARGEST_RING = {"seal": 1 << 15, "lattigo": 1 << 16, "openfhe": 1 << 17}
