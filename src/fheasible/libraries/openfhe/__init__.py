"""OpenFHE 1.6.1: its parameters, its algorithm for each operation, its memory and its files."""
