"""SEAL by its Python binding."""

from fheasible.aliases import Json
from fheasible.emission.statements import Written
from fheasible.emission.targets import python
from fheasible.emission.targets.target import Calls, VectorTarget
from fheasible.program.types import Action, Program, Scheme

_COMMON: Calls = {
    Action.ADD: "evaluator.add({x}, {y})",
    Action.SUB: "evaluator.sub({x}, {y})",
    Action.NEG: "evaluator.negate({x})",
    Action.MUL: "evaluator.multiply({x}, {y})",
    Action.SQUARE: "evaluator.square({x})",
    Action.RELINEARIZE: "evaluator.relinearize({x}, relinearization_key)",
    Action.DROP: "evaluator.mod_switch_to({x}, levels[{level}])",
}
_CKKS: Calls = {
    **_COMMON,
    Action.RESCALE: "server.rescale({x}, {level})",
    Action.ROTATE: "evaluator.rotate_vector({x}, {steps}, rotation_keys)",
    Action.ADD_SCALAR: "server.add_number({x}, {number}, {level})",
    Action.MUL_SCALAR: "server.multiply_number({x}, {number}, {level})",
    Action.ADD_PLAIN: "server.add_vector({x}, {vector}, {level})",
    Action.MUL_PLAIN: "server.multiply_vector({x}, {vector}, {level})",
}
_INTEGERS: Calls = {
    **_COMMON,
    Action.RESCALE: "evaluator.mod_switch_to_next({x})",
    Action.ROTATE: "evaluator.rotate_rows({x}, {steps}, rotation_keys)",
    Action.SWAP_ROWS: "evaluator.rotate_columns({x}, rotation_keys)",
    Action.ADD_SCALAR: "evaluator.add_plain({x}, server.integer({number}))",
    Action.MUL_SCALAR: "evaluator.multiply_plain({x}, server.integer({number}))",
    Action.ADD_PLAIN: "evaluator.add_plain({x}, server.integers({vector}))",
    Action.MUL_PLAIN: "evaluator.multiply_plain({x}, server.integers({vector}))",
}
_LOCAL = ("evaluator", "relinearization_key", "rotation_keys", "levels", "constants")


class SealPython(VectorTarget):
    name = "seal-python"
    library = "seal"
    static = ("python", "seal_python")
    steps = python.STEPS

    def calls(self, program: Program) -> Calls:
        return _CKKS if program.scheme is Scheme.CKKS else _INTEGERS

    def own_parameters(self, program: Program, told: Json) -> Json:
        vectors = (Action.ADD_PLAIN, Action.MUL_PLAIN)
        return {"vector_levels": sorted({o.level for o in program.operations if o.action in vectors})}

    def evaluation(self, written: Written, program: Program) -> tuple[str, str]:
        calls = self.calls(program)
        local = python.used(written, calls, _LOCAL)
        return "server/evaluate.py", python.evaluation(written, calls, local)
