"""FHEW: bits and small integers as LWE ciphertexts modulo q, refreshed modulo a larger Q."""
