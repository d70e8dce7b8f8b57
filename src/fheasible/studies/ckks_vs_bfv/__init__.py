"""CKKS against BFV, function by function, in Lattigo [BabGS20]."""
