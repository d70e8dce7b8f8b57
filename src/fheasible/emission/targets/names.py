"""The names of the targets: all that the help of the command line needs of them."""

NAMES = ("openfhe-python", "seal-python", "lattigo-go", "tfhe-rs")
