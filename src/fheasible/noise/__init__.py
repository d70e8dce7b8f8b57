"""How precise and how surely correct a program's results are at given parameters."""
