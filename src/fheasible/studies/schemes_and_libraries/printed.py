"""The paper's numbers, read from published.toml."""

from pathlib import Path

from fheasible.studies.published import load

PUBLISHED = load(Path(__file__).with_name("published.toml"))
DEPTHS = (2, 4, 6, 8, 10)
