"""Microsoft SEAL 4.4.0: its parameters, its way of each operation, what it keeps in memory and writes."""
