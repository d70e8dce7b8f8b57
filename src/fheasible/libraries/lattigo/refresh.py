"""How much work a bootstrap of Lattigo 6.1.1 is: the shared algorithm in Lattigo's variant, counted.

`METHOD` has the facts of circuits/ckks/{bootstrapping, dft, mod1, polynomial} [Lattigo]. The worker brings a
value to level 0 before, at the cost of two limbs, which is not counted.
"""

from collections import Counter

from fheasible.libraries.lattigo import bootstrap_memory
from fheasible.libraries.lattigo.bootstrap import METHOD
from fheasible.libraries.refreshing import Refreshing
from fheasible.schemes.rns.bootstrap.counting import Bases, counted
from fheasible.schemes.rns.variant import Variant


def counts(of: Refreshing, variant: Variant) -> Counter[str]:
    """The kernel counts of one bootstrap of a value at level 0, with `peak_limbs` and `operand_limbs`.

    The matrices and the keys were there before it.
    """
    bases = Bases(of.limbs, of.special)
    tally = counted(of.procedure, of.n, METHOD, variant, bases, level=0)
    tally["allocations"] = tally["peak_limbs"] = bootstrap_memory.made(of)
    return tally
