"""OpenFHE by its Python wheel."""

from dataclasses import replace

from fheasible.aliases import Json
from fheasible.emission.statements import Written
from fheasible.emission.targets import python
from fheasible.emission.targets.target import HOISTED, Calls, VectorTarget
from fheasible.program.types import Action, Program, Scheme

THREADS = (
    "OMP_NUM_THREADS sets their number.\n"
    "Without it, OpenFHE takes a thread for each core. Where other processes use the cores, that takes much "
    "longer than one thread."
)
_COMMON: Calls = {
    Action.ADD: "context.EvalAdd({x}, {y})",
    Action.SUB: "context.EvalSub({x}, {y})",
    Action.NEG: "context.EvalNegate({x})",
    Action.MUL: "context.EvalMultNoRelin({x}, {y})",
    Action.SQUARE: "context.EvalMultNoRelin({x}, {x})",
    Action.RELINEARIZE: "context.Relinearize({x})",
    Action.RESCALE: "context.ModReduce({x})",
    Action.DROP: "server.drop({x}, {level})",
    Action.ROTATE: "context.EvalRotate({x}, {steps})",
    HOISTED: "context.EvalFastRotation({x}, {steps}, {digits})",
    Action.ADD_PLAIN: "server.add_vector({x}, {vector})",
    Action.MUL_PLAIN: "server.multiply_vector({x}, {vector})",
}
_CKKS: Calls = {
    **_COMMON,
    Action.ADD_SCALAR: "context.EvalAdd({x}, {number})",
    Action.MUL_SCALAR: "context.EvalMult({x}, {number})",
    Action.BOOTSTRAP: "server.bootstrap({x}, {level})",
}
_INTEGERS: Calls = {
    **_COMMON,
    Action.SWAP_ROWS: "server.swap_rows({x})",
    Action.ADD_SCALAR: "server.add_integer({x}, {number})",
    Action.MUL_SCALAR: "server.multiply_integer({x}, {number})",
}
AUTOMATIC = "context.Compress({x}, {level} + 1)"  # ModReduce does nothing in the automatic techniques
DIGITS = "context.EvalFastRotationPrecompute({x})"


class OpenFhePython(VectorTarget):
    name = "openfhe-python"
    library = "openfhe"
    static = ("python", "openfhe_python")
    threads = THREADS
    steps = replace(
        python.STEPS,
        need="It needs CPython 3.10, for which the wheel of this version is built.",
        build=("python3.10 -m venv .venv", python.STEPS.build[1]),
    )

    def calls(self, program: Program) -> Calls:
        own = _CKKS if program.scheme is Scheme.CKKS else _INTEGERS
        return {**own, Action.RESCALE: AUTOMATIC} if program.automatic else own

    def evaluation(self, written: Written, program: Program) -> tuple[str, str]:
        calls = self.calls(program)
        local = python.used(written, calls, ("context", "constants"))
        return "server/evaluate.py", python.evaluation(written, calls, local, DIGITS)

    def own_parameters(self, program: Program, told: Json) -> Json:
        return own_parameters(program, told)


def own_parameters(program: Program, told: Json) -> Json:
    """What the parameters' file has for OpenFHE alone."""
    return {"automatic": program.automatic, "bootstraps": program.bootstraps, "openfhe": told}
