"""Faneela et al.: SEAL against OpenFHE, sums and products in BGV and CKKS, across platforms [Faneela25]."""
