"""Lattigo, in Go."""

from collections.abc import Iterator

from fheasible.aliases import Json
from fheasible.emission.statements import Given, Section, Statement, Written
from fheasible.emission.targets.python import quoted
from fheasible.emission.targets.target import HOISTED, Calls, Steps, VectorTarget, call
from fheasible.libraries.lattigo.literal import literal
from fheasible.program.types import Action, Hoist, Program, Scheme

_COMMON: Calls = {
    Action.ADD: "must(s.evaluator.AddNew({x}, {y}))",
    Action.NEG: "s.negate({x})",
    Action.RELINEARIZE: "must(s.evaluator.RelinearizeNew({x}))",
    HOISTED: "s.turn({x}, {digits}, {steps})",
    Action.ADD_SCALAR: "s.addNumber({x}, {number})",
    Action.MUL_SCALAR: "s.multiplyNumber({x}, {number})",
    Action.ADD_PLAIN: "s.addVector({x}, {vector})",
    Action.MUL_PLAIN: "s.multiplyVector({x}, {vector})",
}
_CKKS: Calls = {
    **_COMMON,
    Action.SUB: "must(s.evaluator.SubNew({x}, {y}))",
    Action.MUL: "s.settled(must(s.evaluator.MulNew({x}, {y})))",
    Action.SQUARE: "s.settled(must(s.evaluator.MulNew({x}, {x})))",
    Action.RESCALE: "s.rescale({x})",
    Action.DROP: "s.drop({x}, {level})",
    Action.ROTATE: "must(s.evaluator.RotateNew({x}, {steps}))",
    Action.BOOTSTRAP: "s.bootstrap({x})",
}
_INTEGERS: Calls = {
    **_COMMON,
    Action.SUB: "s.sub({x}, {y})",
    Action.MUL: "must(s.evaluator.MulNew({x}, {y}))",
    Action.SQUARE: "must(s.evaluator.MulNew({x}, {x}))",
    Action.RESCALE: "s.switchTo({x}, {level})",
    Action.DROP: "s.switchTo({x}, {level})",
    Action.ROTATE: "must(s.evaluator.RotateColumnsNew({x}, {steps}))",
    Action.SWAP_ROWS: "must(s.evaluator.RotateRowsNew({x}))",
}
_HEAD = """package main

import (
	"emitted/common"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

func newScheme(p *common.Parameters, keys rlwe.EvaluationKeySet) *{kind} {{
	return {make}(p, keys)
}}

// evaluate is the application, line by line: the ciphertexts of each output, by name.
func evaluate(s *{kind}, inputs map[string][]*rlwe.Ciphertext) map[string][]*rlwe.Ciphertext {{"""


class LattigoGo(VectorTarget):
    name = "lattigo-go"
    library = "lattigo"
    static = ("lattigo_go",)
    steps = Steps(
        need="It needs Go 1.21 or later.",
        build=("mkdir -p bin", "go build -o bin/ ./client ./server"),
        keys="bin/client keys",
        encrypt="bin/client encrypt",
        evaluate="bin/server",
        decrypt="bin/client decrypt",
    )

    def calls(self, program: Program) -> Calls:
        return _CKKS if program.scheme is Scheme.CKKS else _INTEGERS

    def evaluation(self, written: Written, program: Program) -> tuple[str, str]:
        real = program.scheme is Scheme.CKKS
        kind, make = ("reals", "newReals") if real else ("integers", "newIntegers")
        lines = [_HEAD.format(kind=kind, make=make)]
        lines += [f"\t{line}" for given in written.inputs for line in _received(given)]
        for section in written.sections:
            lines += ["", *(f"\t{line}" for line in _section(section, self.calls(program)))]
        returned = ", ".join(f"{quoted(out.name)}: {{{', '.join(out.values)}}}" for out in written.outputs)
        lines += ["", f"\treturn map[string][]*rlwe.Ciphertext{{{returned}}}", "}"]
        return "server/evaluate.go", "\n".join(lines) + "\n"

    def own_parameters(self, program: Program, told: Json) -> Json:
        return {"bootstrap": literal(told)} if program.bootstraps else {}


def _received(given: Given) -> Iterator[str]:
    used = [name for name in given.values if name not in given.unused]
    if not used:
        yield f"take(inputs, {quoted(given.name)})"
    elif len(given.values) == 1:
        yield f"{used[0]} := take(inputs, {quoted(given.name)})[0]"
    else:
        base = f"{given.values[0].rpartition('_')[0]}_all"  # an input may be called s, or range
        yield f"{base} := take(inputs, {quoted(given.name)})"
        places = [(name, f"{base}[{i}]") for i, name in enumerate(given.values) if name in used]
        yield f"{', '.join(n for n, _ in places)} := {', '.join(place for _, place in places)}"


def _section(section: Section, calls: Calls) -> Iterator[str]:
    if section.line.place:
        yield f"// {section.line.place}: {section.line.text}"
    for s in section.statements:
        yield from _lines(s, calls)


def _lines(s: Statement, calls: Calls) -> Iterator[str]:
    """The statement. What is not used any more, Go frees by itself."""
    if s.operation.hoist is Hoist.FIRST:
        yield f"{s.digits} := s.digits({s.args[0]})"
    vector = "" if s.vector is None else f"s.constants[{s.vector}]"
    yield f"{s.out} := {call(calls, s, repr(s.number), vector)}"
    if s.out in s.frees:
        yield f"_ = {s.out}"
