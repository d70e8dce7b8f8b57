"""Which line of the user's program is told."""

import sys
from dataclasses import dataclass, field, replace

from fheasible.circuit.where import here


@dataclass
class Told:
    line: str = field(init=False, default_factory=here)


def test_code_that_a_package_writes_and_runs_is_not_the_users_line() -> None:
    line = sys._getframe().f_lineno + 1
    assert replace(Told()).line.endswith(f"test_where.py:{line}")


def test_code_that_the_user_writes_and_runs_is_the_users_line() -> None:
    found: dict[str, str] = {}
    exec("\nfound['line'] = here()", {"found": found, "here": here})
    assert found["line"] == "<string>:2"
