"""The names of the targets: all that the help of the command line needs of them."""

NAMES = ("openfhe-cpp", "openfhe-python", "seal-python", "lattigo-go", "seal-cpp", "tfhe-rs")
