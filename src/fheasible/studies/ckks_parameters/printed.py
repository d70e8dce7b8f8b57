"""The paper's numbers, read from published.toml."""

from pathlib import Path

from fheasible.studies.published import load

PUBLISHED = load(Path(__file__).with_name("published.toml"))


def value(key: str) -> float:
    return PUBLISHED[key].value


def said(*keys: str) -> str:
    """The numbers as the paper writes them, and where: '3.9%, 16.5% (Table III)'."""
    numbers = [PUBLISHED[key] for key in keys]
    places = dict.fromkeys(number.where for number in numbers)
    return f"{', '.join(number.text for number in numbers)} ({'; '.join(places)})"
