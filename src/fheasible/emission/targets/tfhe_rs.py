"""TFHE-rs, in Rust."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from fheasible.emission.lookup_statements import LookupSection, LookupStatement, WrittenLookups
from fheasible.emission.targets.python import quoted
from fheasible.emission.targets.target import LookupTarget, Steps
from fheasible.program.lookups import LookupProgram, Step, Values

_PACKAGE = b'name = "emitted"'
INLINE = 8  # plain numbers that stand within a call; longer vectors have a name
_HEAD = """//! The application, line by line.

#![allow(non_snake_case, unused_variables)]

use std::collections::BTreeMap;

use common::Value;

use crate::operations::Server;
"""
_BEGIN = """
/// The digits of each output, least first, by name.
pub fn evaluate(s: &mut Server) -> BTreeMap<&'static str, Vec<Value>> {"""


class TfheRs(LookupTarget):
    name = "tfhe-rs"
    library = "tfhe_rs"
    static = ("tfhe_rs",)
    threads = "`threads` in parameters.json sets their number; null takes all cores."
    steps = Steps(
        need="It needs Rust 1.91.1 or later. The first build takes some minutes.",
        build=("cargo build --release",),
        keys="target/release/client keys",
        encrypt="target/release/client encrypt",
        evaluate="target/release/server",
        decrypt="target/release/client decrypt",
    )

    def project(self, app: str) -> dict[str, bytes]:
        """The files with a package that is named after the application. Cargo takes two packages of one name
        for the same one where they share a target folder (CARGO_TARGET_DIR), and would run the first."""
        name = "emitted-" + re.sub(r"[^A-Za-z0-9_-]", "_", app)
        own = b'name = "' + name.encode() + b'"'
        return {path: text.replace(_PACKAGE, own) for path, text in self.static_files().items()}

    def evaluation(self, written: WrittenLookups, program: LookupProgram) -> tuple[str, str]:
        plains = _Plains()
        body = [line for given in written.inputs for line in _received(given.name, given.values)]
        for section in written.sections:
            body += ["", *_section(section, plains)]
        returned = ", ".join(
            f"({quoted(out.name)}, s.output(&[{', '.join(out.values)}]))" for out in written.outputs
        )
        lines = [
            _HEAD,
            "/// The entries of each table, by the number that is looked up.",
            f"pub const TABLES: &[&[u64]] = &[{', '.join(_listed(t) for t in program.tables)}];",
            *(f"const PLAIN_{i}: &[i64] = {_listed(numbers)};" for i, numbers in enumerate(plains.long)),
            _BEGIN,
            *(f"    {line}" if line else "" for line in body),
            "",
            f"    BTreeMap::from([{returned}])",
            "}",
        ]
        return "server/evaluate.rs", "\n".join(lines) + "\n"


class _Plains:
    """Plain vectors as the code writes them; long ones get names."""

    def __init__(self) -> None:
        self.long: list[tuple[int, ...]] = []

    def __call__(self, plain: Values | None) -> str:
        numbers = () if plain is None else tuple(np.asarray(plain).tolist())
        if len(numbers) <= INLINE:
            return _listed(numbers)
        if numbers not in self.long:
            self.long.append(numbers)
        return f"PLAIN_{self.long.index(numbers)}"


def _listed(numbers: Sequence[int]) -> str:
    return f"&[{', '.join(map(str, numbers))}]"


def _received(name: str, values: Sequence[str]) -> Iterator[str]:
    yield f"let [{', '.join(values)}] = s.input({quoted(name)});"


def _section(section: LookupSection, plains: _Plains) -> Iterator[str]:
    if section.line.place:
        yield f"// {section.line.place}: {section.line.text}"
    for s in section.statements:
        yield f"let {s.out} = {_call(s, plains)};"
        if s.frees:
            yield f"s.free(&[{', '.join(s.frees)}]);"


def _call(s: LookupStatement, plains: _Plains) -> str:
    step, x = s.step, s.args[0] if s.args else ""
    match step.step:
        case Step.LINEAR:
            terms = ", ".join(f"({a}, {w})" for a, w in zip(s.args, step.weights, strict=True))
            return f"s.sum(&[{terms}], {plains(step.plain)}, {step.length})"
        case Step.PICK:
            return f"s.pick({x}, {plains(step.plain)})"
        case Step.JOIN:
            return f"s.join(&[{', '.join(s.args)}])"
        case Step.FOLD:
            return f"s.fold({x}, {step.group})"
        case Step.LOOKUP:
            return f"s.look_up({x}, {step.table})"
        case Step.TRIVIAL:
            return f"s.trivial({plains(step.plain)})"
    raise AssertionError(f"the client does {step.step}")
