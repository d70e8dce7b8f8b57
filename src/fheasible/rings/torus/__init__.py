"""Polynomials over the torus, for schemes of the TFHE family: one interface, counted or computed."""
