"""BFV, BGV and CKKS over the RNS ring; each algorithm is written once."""
