"""Tsuji and Oguchi: BFV, BGV, CKKS and Zama's TFHE in OpenFHE, Lattigo and TFHEpp, with limited memory."""
