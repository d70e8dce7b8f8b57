"""Programs and parameters whose memory can be counted by hand."""

from fheasible.libraries.parameters import Parameters, parameters_for
from fheasible.program.schedule import with_frees
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

PRIME = (1 << 50) - 27
INSECURE_N = 1 << 12


def parameters(
    library: str, scheme: str, limbs: int, special: int = 1, digits: int = 1, key_switching: str = "hybrid"
) -> Parameters:
    """INSECURE ones: only numbers of limbs matter here."""
    own = {} if scheme == "ckks" else {"plain_modulus": 65537}
    primes, of_p = (PRIME,) * limbs, (PRIME,) * special
    return parameters_for(
        library, scheme, INSECURE_N, primes, of_p, digits, key_switching=key_switching, **own
    )


def program(scheme: str, level: int, *operations: Operation, inputs: int = 2) -> Program:
    """Fresh values 0, 1, ... at `level`, then the operations; the last one's value is the output."""
    fresh = [Operation(Action.ENCRYPT, i, (), level, source="x", chunk=i) for i in range(inputs)]
    every = [*fresh, *operations]
    last = every[-1].out
    return Program(
        Scheme(scheme),
        8,
        level,
        with_frees(every, [last]),
        (),
        (Packed("x", 8 * inputs, tuple(range(inputs))),),
        (Packed("result", 8, (last,)),),
    )


def product(scheme: str, level: int) -> Program:
    """x * y, relinearized: both factors die in the product."""
    return program(
        scheme,
        level,
        Operation(Action.MUL, 2, (0, 1), level),
        Operation(Action.RELINEARIZE, 3, (2,), level),
    )


def sums(scheme: str, level: int, values: int) -> Program:
    """A sum of `values` fresh values, all of them alive before the first addition."""
    adds = [
        Operation(Action.ADD, values + i, (i + 1, values + i - 1 if i else 0), level)
        for i in range(values - 1)
    ]
    return program(scheme, level, *adds, inputs=values)
