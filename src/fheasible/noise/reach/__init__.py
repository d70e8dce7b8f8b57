"""How far the noise of each operation reaches the outputs of a CKKS program."""
