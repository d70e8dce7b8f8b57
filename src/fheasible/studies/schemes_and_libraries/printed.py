"""The paper's numbers, read from published.toml, and what the study's parts have in common."""

from pathlib import Path

from fheasible.studies.published import load

PUBLISHED = load(Path(__file__).with_name("published.toml"))
APPS = Path(__file__).with_name("apps")
DEPTHS = (2, 4, 6, 8, 10)
LENGTHS = (2, 20, 40, 60, 80, 100)  # of Equations 1 and 2
LIBRARIES = ("openfhe", "lattigo")
SCHEMES = ("bfv", "bgv", "ckks")
TITLES = {"openfhe": "OpenFHE", "lattigo": "Lattigo", "seal": "SEAL", "tfhe_rs": "TFHE-rs"}
GIGABYTES = (0.5, 1, 2, 3)  # of memory in Table VII and Figure 7
