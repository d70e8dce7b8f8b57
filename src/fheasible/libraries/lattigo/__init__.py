"""Lattigo 6.1.1: its parameters, its way of each operation, what it keeps in memory and writes."""
