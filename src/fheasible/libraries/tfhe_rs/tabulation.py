"""Makes the table of TFHE-rs's own sets of parameters from the crate's sources, once cargo has fetched them.

    python -m fheasible.libraries.tfhe_rs.tabulation ~/.cargo/registry/src/*/tfhe-1.8.2

It writes `libraries/data/tfhe_rs_sets.json`: numbers alone, by the names that the crate gives them.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fheasible.aliases import Json

PLACE = Path(__file__).parents[1] / "data" / "tfhe_rs_sets.json"
VERSION: Final = "v1_7"  # the newest family of sets that the crate's own names stand for
_KINDS: Final = ("classic", "multi_bit")  # ks32 has one set, whose key switch is modulo 2^32
_SET = re.compile(
    r"/// p-fail = 2\^(?P<failure>[-.\d]+), algorithmic cost ~ (?P<cost>[\d.]+), "
    r"2-norm = (?P<norm>\d+)[^\n]*\s*"
    r"pub const (?P<name>\w+)\s*:\s*\w+\s*=\s*(?P<body>[^;]*);"
)
_FIELD = re.compile(r"(\w+): (?:\w+(?:::\w+)*)\(([-.\de]+)\)")
_ERRORS = re.compile(
    r"(lwe|glwe)_noise_distribution: DynamicDistribution::(?:new_t_uniform\((\d+)\)|"
    r"new_gaussian_from_std_dev\(\s*StandardDev\(\s*([-.\de]+))"
)
_NUMBERS: Final = (
    "lwe_dimension", "glwe_dimension", "polynomial_size", "pbs_base_log", "pbs_level", "ks_base_log",
    "ks_level", "message_modulus", "carry_modulus",
)  # fmt: skip


def tabulate(crate: Path) -> list[Json]:
    """Every set of the family, with the failure probability, cost and 2-norm that the crate says of it."""
    folder = crate / "src" / "shortint" / "parameters"
    bodies = {name: body for name, body, _ in _found(folder)}
    chosen = [folder / VERSION / kind for kind in _KINDS]
    told = [found for place in chosen for found in _found(place)]
    return [_row(name, _resolved(body, bodies), said) for name, body, said in told]


def _found(folder: Path) -> Iterator[tuple[str, str, Json]]:
    for path in sorted(folder.rglob("*.rs")):
        for match in _SET.finditer(path.read_text()):
            said = {
                "log2_failure": float(match["failure"]),
                "cost": float(match["cost"]),
                "norm2": int(match["norm"]),
            }
            yield match["name"], match["body"], said


def _resolved(body: str, bodies: dict[str, str]) -> str:
    """The numbers of a set that stands for one of an earlier version."""
    while "{" not in body:
        body = bodies[body.strip().rsplit("::", 1)[1]]
    return body


def _row(name: str, body: str, said: Json) -> Json:
    fields = {key: number for key, number in _FIELD.findall(body) if key in _NUMBERS}
    errors = {
        f"{key}_errors": {"kind": "tuniform", "bound": int(bound)}
        if bound
        else {"kind": "gaussian", "std": float(std)}
        for key, bound, std in _ERRORS.findall(body)
    }
    group = re.search(r"LweBskGroupingFactor\((\d)\)", body)
    own: Json = {key: int(fields[key]) for key in _NUMBERS} | errors
    own |= {
        "torus_bits": 64,
        "order": "pbs_ks" if "EncryptionKeyChoice::Small" in body else "ks_pbs",
        "modulus_switch": "centered" if "CenteredMeanNoiseReduction" in body else "standard",
        "grouping": int(group[1]) if group else 1,
    }
    return {"name": name.removeprefix(f"{VERSION.upper()}_PARAM_"), "parameters": own} | said


if __name__ == "__main__":
    rows = tabulate(Path(sys.argv[1]))
    PLACE.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    print(f"{len(rows)} sets in {PLACE}")
