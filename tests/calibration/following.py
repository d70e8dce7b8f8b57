"""A program followed value by value, by the rules of program/types.py."""

from fheasible.program.types import Action, Operation, Program, Scheme

State = tuple[int, int, int]  # level, degree, size
LIGHT = (Action.ADD, Action.SUB, Action.NEG, Action.ADD_SCALAR)


def follow(program: Program) -> None:
    """AssertionError where an operand is missing or its level, degree or size is wrong."""
    exact = program.scheme is not Scheme.CKKS
    values: dict[int, State] = {}
    alive: set[int] = set()
    for o in program.operations:
        assert alive.issuperset(o.args), o
        assert o.out not in values, o
        values[o.out] = _result(o, [values[a] for a in o.args], exact, program.levels)
        assert values[o.out][0] == o.level, o
        if values[o.out][1] == 2:
            assert o.level > 0 or exact, "the last prime cannot hold a product's scale"
        alive = (alive | {o.out}) - set(o.frees)
    assert alive == {v for packed in program.outputs for v in packed.values}


def _result(o: Operation, args: list[State], exact: bool, top: int) -> State:
    match o.action:
        case Action.ENCRYPT:
            assert 0 <= o.level <= top
            return o.level, 1, 2
        case Action.ADD | Action.SUB:
            assert args[0] == args[1]
            return args[0]
        case Action.MUL | Action.SQUARE:
            assert {a[1:] for a in args} == {(1, 2)}
            assert len({a[0] for a in args}) == 1
            return args[0][0], 2, 3
        case Action.MUL_PLAIN | Action.MUL_SCALAR:
            assert args[0][1:] == (1, 2)
            return args[0][0], 2, 2
        case Action.RELINEARIZE:
            assert args[0][2] == 3
            return args[0][0], args[0][1], 2
        case Action.RESCALE:
            assert args[0][1:] == (2, 2)
            assert args[0][0] > 0
            return args[0][0] - 1, 1, 2
        case Action.DROP:
            assert o.level < args[0][0]
            return o.level, *args[0][1:]
        case Action.ROTATE | Action.SWAP_ROWS:
            assert args[0][1:] == (1, 2)
            assert exact or o.action is Action.ROTATE
    return args[0]
