"""OpenFHE 1.6.1: its parameters, its way of each operation, what it keeps in memory and writes."""
