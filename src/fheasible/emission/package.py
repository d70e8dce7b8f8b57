"""All files of an emitted application."""

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from fheasible.aliases import Json
from fheasible.emission.description import description, file_names, lookup_description
from fheasible.emission.facts import Facts, Vectors
from fheasible.emission.lookup_statements import written_lookups
from fheasible.emission.readme import readme
from fheasible.emission.source import Source
from fheasible.emission.statements import vectors_of, written
from fheasible.emission.targets.target import LookupTarget, Target, VectorTarget
from fheasible.errors import UnsupportedOperation
from fheasible.libraries.parameters import Parameters
from fheasible.program.lookups import LookupProgram
from fheasible.program.types import Program, Scheme
from fheasible.schemes.tfhe.parameters import TfheParameters


def vector_package(
    target: VectorTarget, program: Program, parameters: Parameters, told: Json, facts: Facts
) -> dict[str, bytes]:
    """Every file by its path. `told` is what the library's worker is told of the parameters.

    UnsupportedOperation where the target cannot express the program.
    """
    _refuse(target, target.refusal(program, parameters), facts)
    names = written(program, Source())
    path, text = target.evaluation(names, program)
    told_all = description(program, parameters, facts, target.own_parameters(program, told))
    made = {
        **target.static_files(),
        path: text.encode(),
        "parameters.json": json_bytes(told_all),
        "README.md": readme(target, told_all, facts).encode(),
        **data_files(facts),
    }
    vectors = constants(program)
    return made | ({"server/constants.bin": vectors} if vectors else {})


def lookup_package(
    target: LookupTarget, program: LookupProgram, parameters: TfheParameters, facts: Facts
) -> dict[str, bytes]:
    """Every file by its path, for a program of table look-ups.

    UnsupportedOperation where the code would be too long to be read.
    """
    _refuse(target, target.refusal(program), facts)
    path, text = target.evaluation(written_lookups(program, Source()), program)
    told = lookup_description(program, parameters, facts)
    return {
        **target.project(facts.app),
        path: text.encode(),
        "parameters.json": json_bytes(told),
        "README.md": readme(target, told, facts).encode(),
        **data_files(facts),
    }


def _refuse(target: Target, why: str, facts: Facts) -> None:
    if why:
        raise UnsupportedOperation(
            f"--to {target.name} cannot write {facts.app} with these parameters: {why}",
            "take another target, or other parameters with --param",
        )


def constants(program: Program) -> bytes:
    """The plain vectors one after the other, as little-endian doubles or 64-bit integers, not rounded."""
    kind = "<f8" if program.scheme is Scheme.CKKS else "<i8"
    return b"".join(np.asarray(program.plains[i]).astype(kind).tobytes() for i in vectors_of(program))


def data_files(facts: Facts) -> dict[str, bytes]:
    """The client's data and the cleartext results, one number on each line."""
    return _texts("client/data", facts.data) | _texts("client/expected", facts.expected)


def _texts(folder: str, vectors: Vectors) -> dict[str, bytes]:
    names = file_names(list(vectors))
    return {f"{folder}/{name}.txt": _lines(v) for name, v in zip(names, vectors.values(), strict=True)}


def _lines(values: Any) -> bytes:
    return "".join(f"{value!r}\n" for value in np.asarray(values).tolist()).encode()


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """The document as JSON; every number can be read back without loss."""
    text = json.dumps(document, indent=1)
    lists = re.sub(r"\[[-+.eE\d\s,]*\]", lambda found: " ".join(found[0].split()), text)  # on one line each
    return (lists + "\n").encode()
