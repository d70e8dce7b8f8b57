"""SEAL, in C++."""

from dataclasses import replace

from fheasible.emission.statements import Written
from fheasible.emission.targets import cpp
from fheasible.emission.targets.target import Calls, VectorTarget
from fheasible.program.types import Action, Program, Scheme

_COMMON: Calls = {
    Action.ADD: "s.add({x}, {y})",
    Action.SUB: "s.sub({x}, {y})",
    Action.NEG: "s.negate({x})",
    Action.MUL: "s.multiply({x}, {y})",
    Action.SQUARE: "s.square({x})",
    Action.RELINEARIZE: "s.relinearize({x})",
    Action.RESCALE: "s.rescale({x}, {level})",
    Action.DROP: "s.drop({x}, {level})",
    Action.ROTATE: "s.rotate({x}, {steps})",
}
_CKKS: Calls = {
    **_COMMON,
    Action.ADD_SCALAR: "s.add_real({x}, {number}, {level})",
    Action.MUL_SCALAR: "s.multiply_real({x}, {number}, {level})",
    Action.ADD_PLAIN: "s.add_real({x}, {vector}, {level})",
    Action.MUL_PLAIN: "s.multiply_real({x}, {vector}, {level})",
}
_INTEGERS: Calls = {
    **_COMMON,
    Action.SWAP_ROWS: "s.swap_rows({x})",
    Action.ADD_SCALAR: "s.add_integer({x}, {number})",
    Action.MUL_SCALAR: "s.multiply_integer({x}, {number})",
    Action.ADD_PLAIN: "s.add_integer({x}, {vector})",
    Action.MUL_PLAIN: "s.multiply_integer({x}, {vector})",
}


class SealCpp(VectorTarget):
    name = "seal-cpp"
    library = "seal"
    static = ("cpp", "seal_cpp")
    steps = replace(
        cpp.STEPS,
        need="It needs CMake, a C++17 compiler and SEAL 4 (installed, or in CMAKE_PREFIX_PATH).",
    )

    def calls(self, program: Program) -> Calls:
        return _CKKS if program.scheme is Scheme.CKKS else _INTEGERS

    def evaluation(self, written: Written, program: Program) -> tuple[str, str]:
        constants = "real_constants" if program.scheme is Scheme.CKKS else "integer_constants"
        return "server/evaluate.cpp", cpp.evaluation(written, self.calls(program), constants)
