"""Each homomorphic scheme once, over the abstract ring: the same functions are counted, traced and run."""
