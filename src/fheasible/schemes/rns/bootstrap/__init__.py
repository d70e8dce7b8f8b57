"""Bootstrapping of CKKS [CHKKS18]: a ciphertext whose levels are used up gets them back."""
