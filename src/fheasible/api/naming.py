"""The names of libraries and schemes as their authors write them."""


def title(library: str) -> str:
    """The title of a library: 'OpenFHE' for 'openfhe'. An unknown name stays as it is."""
    from fheasible.libraries.lookup_catalogue import title_of

    return title_of(library)


def setting(library: str, scheme: str) -> str:
    """A library and a scheme in words: 'OpenFHE CKKS'."""
    return f"{title(library)} {scheme.upper()}"
