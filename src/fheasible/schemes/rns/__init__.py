"""BFV, BGV and CKKS, each algorithm once, over the RNS ring."""
