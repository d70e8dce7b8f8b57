"""Libraries and schemes as they write themselves."""

TITLES = {"openfhe": "OpenFHE", "seal": "SEAL", "lattigo": "Lattigo"}


def title(library: str) -> str:
    return TITLES.get(library, library)


def setting(library: str, scheme: str) -> str:
    """'OpenFHE CKKS'."""
    return f"{title(library)} {scheme.upper()}"
