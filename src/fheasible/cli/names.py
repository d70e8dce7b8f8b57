"""Libraries and schemes as they write themselves."""


def title(library: str) -> str:
    """'OpenFHE' of 'openfhe'; a name that is not known stays as it is."""
    from fheasible.libraries.catalogue import CATALOGUE

    known = CATALOGUE.get(library)
    return known.title if known else library


def setting(library: str, scheme: str) -> str:
    """'OpenFHE CKKS'."""
    return f"{title(library)} {scheme.upper()}"
