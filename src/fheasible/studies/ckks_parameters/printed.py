"""The paper's numbers, read from published.toml."""

from pathlib import Path

from fheasible.studies.published import load

PUBLISHED = load(Path(__file__).with_name("published.toml"))
value, said = PUBLISHED.value, PUBLISHED.said
