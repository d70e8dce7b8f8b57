"""Lattigo 6.1.1: its parameters, its algorithm for each operation, and what it keeps in memory and writes."""
