"""OpenFHE, in C++."""

from dataclasses import replace

from fheasible.aliases import Json
from fheasible.emission.statements import Written
from fheasible.emission.targets import cpp
from fheasible.emission.targets.openfhe_python import THREADS, own_parameters
from fheasible.emission.targets.target import HOISTED, Calls, VectorTarget
from fheasible.program.types import Action, Program, Scheme

_COMMON: Calls = {
    Action.ADD: "s.context->EvalAdd({x}, {y})",
    Action.SUB: "s.context->EvalSub({x}, {y})",
    Action.NEG: "s.context->EvalNegate({x})",
    Action.MUL: "s.context->EvalMultNoRelin({x}, {y})",
    Action.SQUARE: "s.context->EvalMultNoRelin({x}, {x})",
    Action.RELINEARIZE: "s.context->Relinearize({x})",
    Action.RESCALE: "s.context->ModReduce({x})",
    Action.DROP: "s.drop({x}, {level})",
    Action.ROTATE: "s.context->EvalRotate({x}, {steps})",
    HOISTED: "s.turn({x}, {steps}, {digits})",
}
_CKKS: Calls = {
    **_COMMON,
    Action.ADD_SCALAR: "s.context->EvalAdd({x}, {number})",
    Action.MUL_SCALAR: "s.context->EvalMult({x}, {number})",
    Action.ADD_PLAIN: "s.add_vector({x}, {vector})",
    Action.MUL_PLAIN: "s.multiply_vector({x}, {vector})",
    Action.BOOTSTRAP: "s.bootstrap({x}, {level})",
}
_INTEGERS: Calls = {
    **_COMMON,
    Action.SWAP_ROWS: "s.swap_rows({x})",
    Action.ADD_SCALAR: "s.add_integers({x}, {number})",
    Action.MUL_SCALAR: "s.multiply_integers({x}, {number})",
    Action.ADD_PLAIN: "s.add_integers({x}, {vector})",
    Action.MUL_PLAIN: "s.multiply_integers({x}, {vector})",
}
AUTOMATIC = "s.context->Compress({x}, {level} + 1)"  # ModReduce does nothing in the automatic techniques
DIGITS = "s.context->EvalFastRotationPrecompute({x})"


class OpenFheCpp(VectorTarget):
    name = "openfhe-cpp"
    library = "openfhe"
    static = ("cpp", "openfhe_cpp")
    threads = THREADS
    checked = (
        "This code has not been run: where Fheasible is tested, OpenFHE has no C++ library. Its calls "
        "are those of the code for Python, which is run there, and their names are compared with OpenFHE's."
    )
    steps = replace(
        cpp.STEPS,
        need="It needs CMake, a C++17 compiler and OpenFHE 1.6 (installed, or in CMAKE_PREFIX_PATH).",
    )

    def calls(self, program: Program) -> Calls:
        own = _CKKS if program.scheme is Scheme.CKKS else _INTEGERS
        return {**own, Action.RESCALE: AUTOMATIC} if program.automatic else own

    def evaluation(self, written: Written, program: Program) -> tuple[str, str]:
        constants = "real_constants" if program.scheme is Scheme.CKKS else "integer_constants"
        return "server/evaluate.cpp", cpp.evaluation(written, self.calls(program), constants, DIGITS)

    def own_parameters(self, program: Program, told: Json) -> Json:
        return own_parameters(program, told)
