"""What lattice reduction achieves and what it costs, over arrays of block sizes and dimensions.

BKZ with block size beta yields a basis of root Hermite factor delta(beta). A `Model` prices the calls to the
shortest-vector oracle that this takes; every cost here is a base-2 logarithm. The models agree on delta and
differ by up to forty bits in the price, so that a figure means nothing without the name of its model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats, Ints
from fheasible.errors import UnknownName

MIN_BLOCK_SIZE = 40  # below it Chen's formula does not hold, and nothing of interest is secure
MAX_BLOCK_SIZE = 1 << 16  # 2^14000 operations: an attack that needs more is priced as if this sufficed
LIST_RATE = 0.2075  # log2(4/3) / 2: a sieve in dimension b stores 2^(0.2075 b) vectors [BDGL16]

# Experiments with BKZ 2.0 on 320-dimensional q-ary lattices: (beta, delta) [LatticeEstimator, reduction.py].
_MEASURED_DELTAS = (
    (2, 1.02190),
    (5, 1.01862),
    (10, 1.01616),
    (15, 1.01485),
    (20, 1.01420),
    (25, 1.01342),
    (28, 1.01331),
    (40, 1.01295),
)


def log_delta(beta: ArrayLike) -> Floats:
    """Natural logarithm of the root Hermite factor of BKZ-beta; it falls as beta grows.

    Above 40, delta = (beta / (2 pi e) (pi beta)^(1 / beta))^(1 / (2 (beta - 1))) [Chen13]. Up to 40, it comes
    from a table of measured values and is constant between the table's rows.
    """
    sizes = np.asarray(beta, dtype=np.float64)
    large = np.maximum(sizes, MIN_BLOCK_SIZE)
    formula = (np.log(large / (2 * np.pi * np.e)) + np.log(np.pi * large) / large) / (2 * (large - 1))
    known, deltas = np.array(_MEASURED_DELTAS).T
    row = np.clip(np.searchsorted(known, sizes, side="right") - 1, 0, None)
    return np.asarray(np.where(sizes > MIN_BLOCK_SIZE, formula, np.log(deltas)[row]))


LOG_DELTAS: Floats = log_delta(
    np.arange(MAX_BLOCK_SIZE + 1)
)  # indexed by beta: a look-up is quicker than the formula
LOG_DELTAS.setflags(write=False)


def delta(beta: ArrayLike) -> Floats:
    """Root Hermite factor of BKZ-beta: the first basis vector is delta^d vol^(1/d) long [Chen13]."""
    return np.exp(log_delta(beta))


def block_size(delta: ArrayLike) -> Floats:
    """The smallest integer beta >= 40 with delta(beta) <= delta; inf beyond `MAX_BLOCK_SIZE`."""
    wanted = np.log(np.asarray(delta, dtype=np.float64)) + 1e-12  # so that delta(beta) is answered by beta
    found = np.searchsorted(-LOG_DELTAS[MIN_BLOCK_SIZE:], -wanted) + float(MIN_BLOCK_SIZE)
    return np.where(found <= MAX_BLOCK_SIZE, found, np.inf)


def log_gaussian_heuristic(dimension: ArrayLike, log_volume: ArrayLike) -> Floats:
    """Natural logarithm of a shortest vector's length: (volume / the unit ball's)^(1 / dimension)."""
    from scipy.special import gammaln  # here: it takes a fifth of a second that tables do without

    d = np.asarray(dimension, dtype=np.float64)
    log_ball = d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
    return np.asarray((log_volume - log_ball) / d)


@dataclass(frozen=True, slots=True, eq=False)
class ShortVectors:
    """Many short vectors, as a dual attack needs them.

    `log_stretch` is log2 of how much longer they are than the first vector of the reduced basis. `log_cost`
    and `log_count` are log2 of their price and of their number. `sieve_dimension` is the dimension of the
    sieve that finds them.
    """

    log_stretch: Floats
    log_cost: Floats
    log_count: Floats
    sieve_dimension: Ints


@dataclass(frozen=True, slots=True)
class Model:
    """How lattice reduction is priced: log2 costs of one oracle call, of BKZ and of many short vectors.

    A call in dimension b costs 2^(slope b' + offset). A `progressive` model sieves up to b' = b less the
    dimensions that come for free, pays the factor 1 / (1 - 2^-slope) for the smaller sieves on the way, and
    makes as many calls as there are blocks. Another model has b' = b and makes `calls_per_dimension` d calls,
    or a single call where that is 0 (core-SVP). LLL, which costs d^3, is added unless `core`.
    """

    name: str
    source: str
    quantum: bool
    slope: float
    offset: float = 0.0
    progressive: bool = False
    calls_per_dimension: int = 0
    core: bool = False

    def reduction(self, beta: ArrayLike, d: ArrayLike) -> Floats:
        """log2 of the operations of BKZ-beta on a d-dimensional basis, d >= beta; d = beta is one call."""
        sizes, dimension = np.asarray(beta, dtype=np.float64), np.asarray(d, dtype=np.float64)
        cost = self._calls(sizes, dimension) + self._call(sizes)
        return cost if self.core else np.asarray(np.logaddexp2(3 * np.log2(dimension), cost))

    def short_vectors(self, beta: ArrayLike, d: ArrayLike, log_count: ArrayLike) -> ShortVectors:
        """At least 2^log_count short vectors after BKZ-beta, by repeating reduction and one large sieve.

        A progressive model goes on sieving beyond beta, in the dimension that costs as much as the reduction
        did [GuoJoh21]; the others sieve in dimension beta [ADPS16].
        """
        sizes, dimension = np.asarray(beta, dtype=np.int64), np.asarray(d, dtype=np.int64)
        sieve = self.sieve_dimension(sizes, dimension)
        once = self.reduction(sizes, dimension)
        if self.progressive:
            once = np.logaddexp2(once, self._overhead + self.slope * sieve + self.offset)
        log_list = LIST_RATE * sieve
        log_repeats = _log2_ceil(np.asarray(log_count) - log_list)
        stretch = (sieve - 1) * (LOG_DELTAS[sieve] - LOG_DELTAS[sizes]) / np.log(2) + np.log2(4 / 3) / 2
        return ShortVectors(stretch, log_repeats + once, log_repeats + log_list, sieve)

    def sieve_dimension(self, beta: ArrayLike, d: ArrayLike) -> Ints:
        """The dimension in which `short_vectors` sieves after BKZ-beta in dimension d."""
        sizes, dimension = np.asarray(beta, dtype=np.int64), np.asarray(d, dtype=np.int64)
        if not self.progressive:
            return np.broadcast_arrays(sizes, dimension)[0]
        own = sizes - np.floor(free_dimensions(sizes))
        blocks = np.maximum(dimension - sizes, 1)
        wider = np.floor(own + (np.log2(blocks) + self._overhead) / self.slope)
        return np.where(sizes < dimension, np.minimum(dimension, wider), own).astype(np.int64)

    def memory(self, beta: ArrayLike) -> Floats:
        """log2 of the vectors that the sieve of one oracle call stores."""
        sizes = np.asarray(beta, dtype=np.float64)
        return LIST_RATE * (sizes - free_dimensions(sizes) if self.progressive else sizes)

    @property
    def _overhead(self) -> float:
        """log2 of the factor for all smaller sieves beside the last one: a geometric series."""
        return -float(np.log2(1 - 2**-self.slope)) if self.progressive else 0.0

    def _call(self, beta: Floats) -> Floats:
        if not self.progressive:
            return self.slope * beta + self.offset
        sieve = self._overhead + self.slope * (beta - free_dimensions(beta)) + self.offset
        return np.where(beta < _SIEVES_FROM, _enumeration(beta), sieve)

    def _calls(self, beta: Floats, d: Floats) -> Floats:
        if self.progressive:
            small = np.where(beta < d, np.log2(8 * d), 0.0)
            return np.where(beta < _SIEVES_FROM, small, self._overhead + np.log2(np.maximum(d - beta, 1)))
        if not self.calls_per_dimension:
            return np.zeros(np.broadcast_shapes(beta.shape, d.shape))
        return np.where(beta < d, np.log2(self.calls_per_dimension * d), 0.0)


_SIEVES_FROM = 20  # the fits to sieves do not hold for smaller block sizes


def free_dimensions(beta: ArrayLike) -> Floats:
    """Dimensions of a block that need no sieve: beta ln(4/3) / ln(beta / (2 pi e)) [Ducas18]; 0 below 18."""
    sizes = np.asarray(beta, dtype=np.float64)
    spread: Floats = np.log(np.maximum(sizes, 18) / (2 * np.pi * np.e))
    return np.where(sizes < 18, 0.0, sizes * np.log(4 / 3) / spread)


def _enumeration(beta: Floats) -> Floats:
    """log2 of the cycles of enumeration at small beta: fit to Table 5.2 of [Chen13], 100 cycles per node."""
    sizes = np.maximum(beta, 1)
    nodes: Floats = 0.270188776350190 * sizes * np.log(sizes) - 1.0192050451318417 * sizes
    return np.asarray(nodes + 16.10253135200765 + np.log2(100))


def _log2_ceil(log_value: Floats) -> Floats:
    """log2 of 2^log_value rounded up to an integer, which is at least 1."""
    rounded = np.log2(np.ceil(np.exp2(np.clip(log_value, 0, 52))))
    return np.where(log_value > 52, log_value, rounded)


_MODELS = (
    Model(
        "matzov",
        "[MATZOV22], the fit to its figures in [LatticeEstimator]: list decoding, classical gates",
        quantum=False,
        slope=0.29613500308205365,
        offset=20.387885985467914,
        progressive=True,
    ),
    Model("bdgl16", "[BDGL16]", quantum=False, slope=0.292, offset=16.4, calls_per_dimension=8),
    Model("adps16", "[ADPS16]: core-SVP", quantum=False, slope=0.292, core=True),
    Model("laamospol14", "[LaaMosPol14]", quantum=True, slope=0.265, offset=16.4, calls_per_dimension=8),
    Model("adps16_quantum", "[ADPS16]: core-SVP", quantum=True, slope=0.265, core=True),
    Model("chaloy21", "[ChaLoy21]: core-SVP", quantum=True, slope=0.257, core=True),
)

MODELS: Mapping[str, Model] = MappingProxyType({model.name: model for model in _MODELS})
DEFAULT = "matzov"
# Under this model the quantum limits of the Guidelines [SparseLWEkit] have their levels. Under LaaMosPol14,
# which the limits of 2018 use, they would have forty bits more.
DEFAULT_QUANTUM = "chaloy21"


def model_named(name: str | Model) -> Model:
    """The cost model of that name, in any case, or the model itself; UnknownName with the choices."""
    if isinstance(name, Model):
        return name
    try:
        return MODELS[name.lower()]
    except KeyError:
        raise UnknownName(f"there is no cost model '{name}'", f"use one of {', '.join(MODELS)}") from None
