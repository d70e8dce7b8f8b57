"""The paper's numbers, read from published.toml."""

from pathlib import Path

from fheasible.studies.published import load

PUBLISHED = load(Path(__file__).with_name("published.toml"))
DEPTHS = tuple(range(2, 21))
COUNTS = (50, 100, 150, 200, 250, 300)
RINGS = (8192, 16384, 32768)
value, said = PUBLISHED.value, PUBLISHED.said


def ring(library: str, scheme: str, depth: int) -> int:
    """The ring dimension of Table 2."""
    return 1 << int(value(f"table2.{library}.{scheme}.{depth}"))


def column(library: str, scheme: str) -> tuple[int, ...]:
    """A column of Table 2 as ring dimensions, by depth."""
    return tuple(ring(library, scheme, depth) for depth in DEPTHS)
