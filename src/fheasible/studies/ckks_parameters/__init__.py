"""The guide to the parameters of CKKS, run anew [GKS25]."""
