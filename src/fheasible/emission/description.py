"""The parameters as one JSON file: all that client and server must agree on, in full precision."""

from collections.abc import Sequence
from math import log2

from fheasible.aliases import Json
from fheasible.emission.facts import Facts
from fheasible.emission.source import identifier
from fheasible.libraries.parameters import Parameters
from fheasible.program.lookups import Digits, LookupProgram
from fheasible.program.types import Action, Packed, Program
from fheasible.schemes.tfhe.parameters import TfheParameters

ZEROS, REPEAT = "zeros", "repeat"


def description(program: Program, p: Parameters, facts: Facts, own: Json) -> Json:
    """The file's content. `own` is what the library alone needs."""
    ckks = p.scheme == "ckks"
    return {
        "application": facts.app,
        "made_by": facts.made_by,
        "library": f"{facts.library_title} {facts.library_version}",
        "scheme": p.scheme,
        "ring_dimension": p.ring_dimension,
        "q": list(p.q),
        "p": list(p.p),
        "log2_qp": p.log_qp,
        "security": p.request.security if p.request else None,
        "plain_modulus": None if p.scheme == "ckks" else p.plain_modulus,
        "scales": list(p.scales) if p.scheme == "ckks" else [],
        "log2_scales": [log2(s) for s in p.scales] if p.scheme == "ckks" else [],
        "slots": program.slots,
        "two_rows": program.two_rows,
        "levels": program.levels,
        "relinearizes": program.relinearizes,
        "rotations": list(program.rotations),
        "swaps_rows": program.swaps_rows,
        "inputs": inputs(program, list(facts.data)),
        "outputs": outputs(program.outputs, ckks and facts.rounded),
        **own,
    }


def lookup_description(program: LookupProgram, p: TfheParameters, facts: Facts) -> Json:
    """The same of a program of table look-ups."""
    return {
        "application": facts.app,
        "made_by": facts.made_by,
        "library": f"{facts.library_title} {facts.library_version}",
        "scheme": "tfhe",
        "threads": facts.threads,
        "tfhe": p.to_json(),
        "inputs": _digits(program.inputs),
        "outputs": _digits(program.outputs),
    }


def _digits(all_digits: Sequence[Digits]) -> list[Json]:
    names = file_names([d.name for d in all_digits])
    return [
        {
            "name": d.name,
            "file": name,
            "length": d.length,
            "digits": len(d.values),
            "base": d.base,
            "low": d.low,
            "modulus": d.modulus,
            "fraction": d.fraction,
        }
        for d, name in zip(all_digits, names, strict=True)
    ]


def inputs(program: Program, given: Sequence[str]) -> list[Json]:
    """How each input is packed: the level of each of its ciphertexts, and what fills their last slots. For
    inputs that are joined to one vector, also where each of them lies. `given`: the inputs that have data."""
    levels = {o.out: o.level for o in program.operations if o.action is Action.ENCRYPT}
    files = dict(zip(given, file_names(given), strict=True))
    joined = [p.name for p in program.inputs if p.columns]
    files |= zip(joined, file_names([f"joined {name}" for name in joined]), strict=True)
    return [
        {
            "name": p.name,
            "file": files[p.name],
            "length": p.length,
            "ciphertexts": len(p.values),
            "levels": [levels[v] for v in p.values],
            "padding": REPEAT if p.tiled or p.length == 1 else ZEROS,
            "columns": [
                {
                    "name": c.name,
                    "file": files[c.name],
                    "length": c.length,
                    "start": c.start,
                    "step": c.step,
                    "room": c.room,
                }
                for c in p.columns
            ],
        }
        for p in program.inputs
    ]


def outputs(packed: Sequence[Packed], rounded: bool) -> list[Json]:
    """How each output lies in its ciphertexts; `rounded`: it is the nearest integers."""
    names = file_names([p.name for p in packed])
    return [
        {"name": p.name, "file": name, "length": p.length, "ciphertexts": len(p.values), "rounded": rounded}
        for p, name in zip(packed, names, strict=True)
    ]


def file_names(names: Sequence[str]) -> list[str]:
    """A name for a file of each, as close to its own as every file system allows."""
    plain = [identifier(name) for name in names]
    unlike = len({name.lower() for name in plain}) == len(plain)
    return [name if unlike else f"{name}_{i}" for i, name in enumerate(plain, start=1)]
