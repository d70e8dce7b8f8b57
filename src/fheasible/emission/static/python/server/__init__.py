"""The server: it evaluates on ciphertexts."""
