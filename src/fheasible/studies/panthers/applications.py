"""The applications that are run, by name: Eq. 3, and those of the published code [FerLL18]."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from fheasible.circuit.trace import App
from fheasible.measurement.ring_job import Vectors
from fheasible.schemes.plan import Plan, plan
from fheasible.studies.panthers import application as equation
from fheasible.studies.panthers.apps.croissant import croissant
from fheasible.studies.panthers.apps.medical import medical
from fheasible.studies.panthers.parameters import EQUATION

SEED = 2018  # of the data


@dataclass(frozen=True, slots=True)
class Application:
    """An application modulo t: its steps as written, its data, and the result that decryption must give."""

    title: str
    steps: Callable[[int], Plan]
    inputs: Callable[[int], Vectors]
    expected: Callable[[int], Vectors]


def application(name: str) -> Application:
    return APPLICATIONS[name]


def _of_bits(title: str, app: App) -> Application:
    """An application of bits, which random bits are given."""
    return Application(
        title, lambda _: _steps(app), lambda _: _drawn(app), lambda _: in_the_clear(app, _drawn(app))
    )


@cache
def _steps(app: App) -> Plan:
    return plan(app.trace(), False)


def _drawn(app: App) -> Vectors:
    draw = Random(SEED)
    return {i.name: [draw.getrandbits(1)] for i in app.inputs}


def in_the_clear(app: App, bits: Vectors) -> Vectors:
    """What the application gives for plain bits."""
    made = app.function(**{name: values[0] for name, values in bits.items()})
    return {name: [int(value) % 2] for name, value in made.items()}


APPLICATIONS: Mapping[str, Application] = {
    EQUATION: Application("Eq. 3", equation.ten_products, equation.inputs, equation.expected),
    "croissant": _of_bits("the price of croissants", croissant),
    "medical": _of_bits("the medical diagnosis", medical),
}
