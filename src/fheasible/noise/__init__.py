"""How precise a program's results are at given parameters, and how surely they are correct."""
