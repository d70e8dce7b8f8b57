"""The statements that make an empty store, which every exploration without a results file begins with.

    python -m fheasible.store.empty

writes them to `empty.sql` beside this file: to work them out from the schema takes longer than to read all
that a search needs. Run it whenever the schema changes; a test compares them.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from fheasible.store import engine as opening

PLACE = Path(__file__).parent / "empty.sql"


@cache
def statements() -> str:
    """As they are in the file."""
    return (files("fheasible.store") / "empty.sql").read_text()


def worked_out() -> str:
    """As they follow from the schema."""
    engine = opening.in_memory()
    with opening.writing(engine) as connection:
        opening.set_up_tables(connection)
    raw = engine.raw_connection()
    found = "".join(f"{line}\n" for line in raw.driver_connection.iterdump())  # type: ignore[union-attr]
    raw.close()
    engine.dispose()
    return found


def main() -> None:
    PLACE.write_text(worked_out())


if __name__ == "__main__":
    main()
