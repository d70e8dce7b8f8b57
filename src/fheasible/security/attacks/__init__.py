"""Attacks on LWE and on NTRU keys, one file each, and their basis: lattices, reduction, guessing."""
