"""The ring of BFV, BGV and CKKS: residues modulo many primes, one limb each; counted or computed."""
