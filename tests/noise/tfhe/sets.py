"""TFHE-rs's named sets, as `make_tfhe_rs_sets.py` read them from its source."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fheasible.schemes.tfhe.parameters import (
    Errors,
    Gadget,
    Gaussian,
    ModulusSwitch,
    TfheParameters,
    TUniform,
)

ROWS = json.loads((Path(__file__).parent / "tfhe_rs_sets.json").read_text())["sets"]


@dataclass(frozen=True)
class NamedSet:
    """`p_fail` is log2 of the failure rate that TFHE-rs states at this 2-norm; `nominal`: the class of the
    set alone, rather than its rate. `cost`: TFHE-rs's algorithmic cost."""

    name: str
    parameters: TfheParameters
    norm2: float
    p_fail: float
    nominal: bool
    cost: float | None


def named_sets() -> list[NamedSet]:
    return [_named(row) for row in ROWS]


def named_set(name: str) -> NamedSet:
    return next(each for each in named_sets() if each.name == name)


def _named(row: dict[str, Any]) -> NamedSet:
    parameters = TfheParameters(
        lwe_dimension=row["n"],
        glwe_dimension=row["k"],
        polynomial_size=row["N"],
        lwe_errors=_errors(row["lwe"]),
        glwe_errors=_errors(row["glwe"]),
        pbs=Gadget(*row["pbs"]),
        ks=Gadget(*row["ks"]),
        message_modulus=row["message"],
        carry_modulus=row["carry"],
        modulus_switch=ModulusSwitch.CENTERED if row["centered"] else ModulusSwitch.STANDARD,
        grouping=row["grouping"],
    )
    return NamedSet(row["name"], parameters, row["norm2"], row["p_fail"], row["nominal"], row["cost"])


def _errors(found: dict[str, Any]) -> Errors:
    if found["kind"] == "gaussian":
        return Gaussian(found["std"])
    return TUniform(found["bound"], found["bits"])
