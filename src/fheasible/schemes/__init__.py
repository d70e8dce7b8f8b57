"""Each homomorphic scheme once, over the abstract ring: counted, traced and run by the same functions."""
