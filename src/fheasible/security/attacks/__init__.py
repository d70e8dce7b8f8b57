"""Attacks on LWE and on NTRU keys, one file each, and what they stand on: lattices, reduction, guessing."""
