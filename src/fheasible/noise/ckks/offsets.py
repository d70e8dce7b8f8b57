"""Offsets as a rehearsal draws them: the noise that the means of digits and of divisions bring.

Nearly all of an offset lies in one slot of the whole ring, next to the root 1 (`shape`), where it may be a
hundred times as large as all other noise. First order predicts what is left of it in an element or in a sum.
But a polynomial of such a slot may be far off, even where the slot is only a small part of a sum over many
slots.
"""

from collections.abc import Iterable
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fheasible.aliases import Floats
from fheasible.libraries.parameters import CkksParameters
from fheasible.noise.ckks.decryption import copies
from fheasible.noise.ckks.elements import added
from fheasible.noise.reach.gains import Gains
from fheasible.noise.reach.sources import DIVISION, OFFSETS, Source
from fheasible.noise.shape import shape
from fheasible.program.types import Program

Drawn = NDArray[np.complex128]  # (execution, place)

LEADING: Final = 64  # so many slots have 99.7 % of an offset's square: the sum of 1 / k^2 for odd k
RARE: Final = sqrt(2 * log(1000))  # deviations of its real part that a complex normal exceeds in 0.001
FAINT: Final = 2.0**-4  # times RARE: such an offset has hardly any square, and doubles still hold it


class Offsets:
    """Triples of executions: with offsets, with the opposite offsets, and with offsets so faint that they
    show only what is linear (`told`). In each slot an offset is as large as one key in a thousand makes it,
    in a random direction: it is multiplied by the secret, or by the errors of a switching key, and both are
    normal in every slot.

    `sources`: the sources of noise of every operation. `places`: the slots of one copy that have offsets.
    """

    def __init__(
        self,
        program: Program,
        p: CkksParameters,
        gains: Gains,
        sources: Iterable[Source],
        triples: int,
        seed: int,
    ) -> None:
        in_one_copy = copies(program, p) ** 2 * added(program, p, gains)  # their mean is read
        variances = dict(zip(gains.sources, in_one_copy.tolist(), strict=True))
        met = dict.fromkeys(offset for source in sources for offset in _with(source))
        deviations = {source: sqrt(variances.get(source._replace(key=0), 0.0)) for source in met}
        found = {source: deviation for source, deviation in deviations.items() if deviation and triples}
        self.places = np.argsort(-shape(program.slots), kind="stable")[:LEADING]
        self.executions = 3 * triples if found else 0
        self._drawn = _drawn(found, shape(program.slots)[self.places], triples, seed)

    def of(self, sources: Iterable[Source]) -> Drawn | None:
        """The offsets that come with these sources, in each execution and place; None if no offsets come with
        them."""
        found = [self._drawn[s] for source in sources for s in _with(source) if s in self._drawn]
        return np.asarray(sum(found[1:], found[0])) if found else None

    def told(self, moved: Floats) -> Floats:
        """What the executions with loud offsets change. Its linear part is made as large as usual, because
        first order tells how large this part may be; all else is as rare as it is here."""
        loud, opposite, faint = (moved[k::3] for k in range(3))
        linear = faint / FAINT
        beyond = linear * (1 - sqrt(2) / RARE)
        return np.concatenate([loud - beyond, opposite + beyond])


def _with(source: Source) -> tuple[Source, ...]:
    """The offsets that come with a source; that of the division comes with key switching, as in `Traced`."""
    if source.kind in OFFSETS:
        return (source,)
    return (DIVISION,) if source.kind == "key_switch" and source.own[1] == 1 else ()


def _drawn(deviations: dict[Source, float], shares: Floats, triples: int, seed: int) -> dict[Source, Drawn]:
    """A number for each source in each execution and place; `shares` are the shares of an offset's variance
    that the places have."""
    draw, size = np.random.default_rng(seed), (triples, 1, len(shares))
    signs = np.array([[1.0], [-1.0], [FAINT]])
    return {
        source: (signs * np.exp(2j * np.pi * draw.random(size))).reshape(3 * triples, -1)
        * (RARE * deviation * np.sqrt(shares))
        for source, deviation in deviations.items()
    }
