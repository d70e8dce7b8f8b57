"""TFHE: small integers and truth values, one ciphertext each, refreshed by a table look-up."""
