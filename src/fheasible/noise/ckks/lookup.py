"""How far the entries are off that a bootstrap of CKKS looks up in a table, and how often one is wrong.

Up to the table, noise is that of any bootstrap. The table's own steps are taken on a sample of every operand:
its polynomials are flat at the entries, so that what they make of noise depends on the operand and on the
integer that raising the modulus adds. Errors are in units of entries; an error of 1/2 makes a result wrong.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log, log2
from typing import Final

import numpy as np

from fheasible.aliases import Floats
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.ckks.bootstrap import Stages, secret_weight
from fheasible.noise.ckks.late import late_entries
from fheasible.noise.ckks.modular_raising import bootstrap_failure_bits, joint_failure_bits
from fheasible.noise.ckks.reduction import integers, white
from fheasible.schemes.rns.bootstrap import table
from fheasible.schemes.rns.bootstrap.tables import reduction_depth

_SAMPLE: Final = 1 << 13  # operands on which the table is tried, all together
_LEAST: Final = 16  # of each operand
_SEED: Final = 17
_DIVISIONS: Final = 2  # by a prime or a modulus, after the result has its size
_WRONG: Final = 0.5  # of an entry
_MOST_POWER: Final = 8.0
_NEAR: Final = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class EntryErrors:
    """The errors of looked-up entries, by operand: their mean squares.

    `wrong`: the probability that a result is wrong, by operand. `failure_bits`: -log2 of the probability that
    any of all results is, for operands of which each is as probable. A bootstrap whose raising of the modulus
    goes too far is counted as wrong.
    """

    squares: Floats
    wrong: Floats
    failure_bits: float


@lru_cache(maxsize=64)
def entry_errors(p: CkksParameters, entries: tuple[float, ...] | None = None) -> EntryErrors:
    """The errors of the table with these entries, or with `table.typical` ones.

    The parameters must look a table up.
    """
    assert p.bootstrap is not None
    own = p.bootstrap.procedure
    assert own.table is not None
    stages, wanted = Stages(p), table.typical(own.table) if entries is None else np.array(entries)
    found, level = _sampled(stages, p, wanted / own.table.divisor)
    low = level - reduction_depth(own.reduction, stages.method) - table.depth(own.table)
    errors = found * own.table.divisor + (wanted * stages.gain(low))[:, None]
    decoding = stages.decoding(2 * float(np.mean(wanted**2)) / own.table.divisor**2, low)
    end = _DIVISIONS * stages.divided * (own.table.entries / float(p.q[0])) ** 2
    squares = np.mean(errors**2, axis=1) + decoding * own.table.divisor**2 + end
    logs = _log_wrong(squares, _power(errors))
    some = (float(np.logaddexp.reduce(logs)) - log(len(logs))) / log(2) + log2(2 * own.slots)
    failures = (max(-some, 0.0), bootstrap_failure_bits(p.ring_dimension, p.bootstrap))
    return EntryErrors(squares, np.exp(logs), joint_failure_bits(failures))


def _sampled(stages: Stages, p: CkksParameters, divided: Floats) -> tuple[Floats, int]:
    """(errors of what is looked up, operand by operand; the level at which the coefficients are in slots).

    Where the scale of raised coefficients is not what it is said to be, their integers are off in proportion.
    """
    noise, _, imaginary, level = stages.encoded()
    noise = max(noise - stages.skew**2 * stages.square, 0.0)
    draw, count = np.random.default_rng(_SEED), max(_SAMPLE // len(divided), _LEAST)
    places = np.repeat(np.arange(len(divided)), count)
    whole = integers(draw, stages.procedure.reduction, secret_weight(p), len(places))
    added = white(draw, len(places))
    x = (whole + places / len(divided)) * (1 + stages.skew)
    x = x + np.sqrt(noise) * added.real + 1j * np.sqrt(imaginary) * added.imag
    made = late_entries(stages.procedure, x, divided, stages.chain, level, stages.n, draw)
    return (made - divided[places]).reshape(len(divided), count), level


def _power(errors: Floats) -> float:
    """The power of a normal number that has the fourth moment of these errors, each divided by the root mean
    square for its operand; 1 at least.

    A table is flat at its entries, so that errors are squares or higher powers of the operand's noise.
    """
    squares = np.mean(errors**2, axis=1, keepdims=True)
    moment = float(np.mean(errors**4 / squares**2)) if squares.all() else 0.0
    low, high = 1.0, _MOST_POWER
    while high - low > _NEAR:
        middle = (low + high) / 2
        above = _log_moment(4 * middle) - 2 * _log_moment(2 * middle) > log(max(moment, 1.0))
        low, high = (low, middle) if above else (middle, high)
    return low


def _log_moment(order: float) -> float:
    """The logarithm of the mean of this power of a normal number's magnitude."""
    return order / 2 * log(2) + lgamma((order + 1) / 2) - lgamma(0.5)


def _log_wrong(squares: Floats, power: float) -> Floats:
    """The logarithm of the probability that an error is too large, by operand; errors are such a power of a
    normal number."""
    from scipy.special import log_ndtr  # few calls need it, and the import takes a tenth of a second

    reach = (_WRONG / np.sqrt(squares / exp(_log_moment(2 * power)))) ** (1 / power)
    return np.asarray(np.minimum(log(2) + log_ndtr(-reach), 0.0))
