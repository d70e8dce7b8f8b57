"""How much work a bootstrap of Lattigo 6.1.1 is: the shared algorithm in Lattigo's variant, counted.

`METHOD` has the facts of circuits/ckks/{bootstrapping, dft, mod1, polynomial} [Lattigo]. The worker brings a
value to level 0 before, at the cost of two limbs, which is not counted.
"""

from collections import Counter

from fheasible.libraries.lattigo import bootstrap_memory
from fheasible.libraries.lattigo.bootstrap import METHOD
from fheasible.libraries.refreshing import Refreshing
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.schemes.rns.bootstrap.bootstrap import bootstrap
from fheasible.schemes.rns.bootstrap.keys import given_bootstrap_keys
from fheasible.schemes.rns.bootstrap.tables import prepared
from fheasible.schemes.rns.ciphertext import RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import Variant


def counts(of: Refreshing, variant: Variant) -> Counter[str]:
    """The kernel counts of one bootstrap of a value at level 0, with `peak_limbs` and `operand_limbs`.

    The matrices and the keys were there before it.
    """
    ring = CountingRnsRing(of.limbs, of.special)
    scheme = CKKS(ring, RnsSpec(), variant)
    keys = given_bootstrap_keys(scheme, of.procedure, of.n, METHOD)
    tables, x = prepared(scheme, of.procedure, of.n, METHOD), scheme.operand(0)
    ring.restart()
    bootstrap(scheme, keys, x, tables)
    made = bootstrap_memory.made(of)
    tally = Counter(ring.tally) + Counter(operand_limbs=ring.operand_limbs)
    tally["allocations"] = tally["peak_limbs"] = made
    return tally
