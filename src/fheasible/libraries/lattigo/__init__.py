"""Lattigo 6.1.1: its parameters, its algorithm for each operation, its memory and its files."""
