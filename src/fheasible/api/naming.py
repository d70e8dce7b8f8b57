"""The names of libraries and schemes as their authors write them."""


def title(library: str) -> str:
    """The title of a library: 'OpenFHE' for 'openfhe'. An unknown name stays as it is."""
    from fheasible.libraries.catalogue import BY_NAME

    known = BY_NAME.get(library)
    return known.title if known else library


def setting(library: str, scheme: str) -> str:
    """A library and a scheme in words: 'OpenFHE CKKS'."""
    return f"{title(library)} {scheme.upper()}"
