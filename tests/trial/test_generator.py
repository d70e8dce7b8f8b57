"""The same applications everywhere, as users write them, and of every kind that was promised."""

import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from fheasible.api.asking import problem_of
from fheasible.errors import CircuitError
from fheasible.exploration.problem.problem import Problem
from fheasible.trial.application import DATA, Application
from fheasible.trial.files import wish_of, write
from fheasible.trial.generator import application

MANY = 1500


@pytest.fixture(scope="module")
def many() -> list[Application]:
    return [application(0, number) for number in range(MANY)]


def test_a_draw_is_the_same_in_every_version_of_python() -> None:
    from fheasible.trial.draw import Draw

    draw = Draw("fheasible")
    # random.Random("fheasible").random(), by CPython 3.6, 3.8, 3.10, 3.11, 3.12 and 3.13
    assert [round(draw.share(), 12) for _ in range(2)] == [0.848946443596, 0.982447881769]


def test_applications_do_not_depend_on_the_process() -> None:
    code = (
        "from hashlib import sha256; from fheasible.trial.generator import application;"
        "print(sha256(''.join(application(3, i).source for i in range(50)).encode()).hexdigest())"
    )
    environment = {"PYTHONHASHSEED": "77", "LC_ALL": "C", "TZ": "Pacific/Apia"}
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    ).stdout.strip()
    assert told == sha256("".join(application(3, i).source for i in range(50)).encode()).hexdigest()


def test_applications_come_back_from_json(many: list[Application]) -> None:
    for app in many[:200]:
        assert Application.from_json(app.to_json()) == app


def problems(apps: list[Application], folder: Path) -> Iterator[Problem | CircuitError]:
    """Through the ordinary path."""
    for app in apps:
        source, data = write(app, folder)
        try:
            yield problem_of(source, data, app.data.seed)
        except CircuitError as error:
            yield error


@pytest.mark.long
def test_every_application_can_be_traced_or_is_constant(many: list[Application], tmp_path: Path) -> None:
    found = list(problems(many[:400], tmp_path))
    errors = [e.message for e in found if isinstance(e, CircuitError)]
    assert all("does not depend on any input" in message for message in errors)
    assert 0 < len(errors) < 0.1 * len(found)


def test_every_wish_can_be_meant(many: list[Application]) -> None:
    for app in many:
        wish_of(app)


def test_values_stay_in_the_ranges_that_the_generator_keeps(many: list[Application], tmp_path: Path) -> None:
    """Else a promise to an approximated function would be broken, and Problem would say so."""
    apps = [a for a in many[:1000] if "low=" in a.source.partition("def ")[2]]
    assert len(apps) > 30
    assert not any("promised" in str(p) for p in problems(apps, tmp_path) if isinstance(p, CircuitError))


@pytest.mark.parametrize(
    ("what", "least"),
    [
        (r"fh\.(reals|integers)\(1,", 40),
        (r"fh\.(reals|integers)\(2,", 40),
        (r"fh\.(reals|integers)\(3,", 40),
        (r"fh\.(reals|integers)\((511|513|1023|1025|2047|2049|4095|4097|8191|8193|16383|16385),", 40),
        (r"fh\.(reals|integers)\(60000,", 2),
        (r"low=-0\.01, high=0\.01", 20),
        (r"low=-3\.0, high=-1\.0", 10),
        (r"high=10000\.0", 5),
        (r"-\d+(\.\d+)? \* |\* \(-\d", 40),
        (r"\* 0\b|\b0 \* ", 10),
        (r"\* 1\b|\b1 \* ", 10),
        (r"fh\.(sum|mean|inner_product)", 150),
        (r"fh\.bootstrap", 5),
        (r"fh\.rotate|\.rotate\(", 50),
        (r"\[1:\]|\[: len|\[::2\]", 30),
        (r"\[::-1\]", 5),
        (r"fh\.concatenate", 20),
        (r"fh\.where", 20),
        (r"fh\.(maximum|minimum|relu|sort)", 20),
        (r"fh\.lookup", 10),
        (r"fh\.matrix", 5),
        (r"fh\.conv2d", 5),
        (r"[xyv]\d* (//|%|>>|\^|&|\|) ", 20),
        (r"[xyv]\d* (==|!=|>=?|<=?) ", 30),
        (r" @ |fh\.matmul", 80),
        (r"\*\* (1024|2048)|, (1024|2048)\)", 2),
        (r"fh\.polynomial", 30),
        (r"degree=", 30),
        (r"bits=", 5),
        (r"high=(1e-0[4-8]|[0-9]+00000\.0)", 15),
        (r"fh\.(sigmoid|tanh|exp|sqrt|log|reciprocal|absolute)\([^\n]*high=-?[\d.]+\)", 20),
        (r"modulo=65537", 30),
        (r"modulo=(1000|256|65536)\b", 1),
        (r"for _ in range\(14\)", 5),
        (r"minimise_depth=False", 50),
        (r"x - x|0 \* x|x - 2 \* x \+ x", 10),
        (r"def \w+\(\w+, \w+, \w+, \w+\)", 10),
        (r"\{?\[\(i \+ \d\) % \d+\]", 10),
    ],
)
def test_every_kind_of_application_is_drawn(many: list[Application], what: str, least: int) -> None:
    assert sum(bool(re.search(what, app.source)) for app in many) >= least


def test_every_kind_of_wish_is_drawn(many: list[Application]) -> None:
    told = [" ".join(app.options) for app in many]
    kinds = (
        "--precision absolute", "--precision relative", "--precision 1", "--security 256", "--quantum",
        "--failure", "--shared-results", "--max-time", "--max-memory", "--max-ciphertext", "--max-keys",
        "--objective memory", "--objective communication", "--objective cost", "--objective time:0.7",
        "--requests",
    )  # fmt: skip
    for kind in kinds:
        assert sum(kind in words for words in told) >= 5, kind
    assert {app.data.kind for app in many} == {"drawn", *DATA}
