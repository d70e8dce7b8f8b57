"""Microsoft SEAL 4.4.0: its parameters, its algorithm for each operation, its memory and its files."""
