"""Each homomorphic scheme, written once over the abstract ring: the same functions are counted and run."""
