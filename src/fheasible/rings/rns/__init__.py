"""The ring of BFV, BGV and CKKS: residues modulo many primes, one limb for each; counted or computed."""
