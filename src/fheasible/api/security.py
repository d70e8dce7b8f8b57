"""fh.security: how hard parameter sets are to break, by the estimator and by the tables."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from fheasible import units
from fheasible.aliases import Json
from fheasible.api import html, security_text
from fheasible.api.keywords import told_in_python
from fheasible.api.layout import Part, text_of
from fheasible.api.text import TextPage
from fheasible.errors import UsageError
from fheasible.security.assessed_keys import assess_keys
from fheasible.security.assessment import Assessed, AssessedSets, Attackers, assess
from fheasible.security.keys import EPHEMERAL, KeyUse
from fheasible.security.tables import SIGMA
from fheasible.store.rows import plain

if TYPE_CHECKING:
    from fheasible.reports.figures import Figure

RINGS = tuple(1 << log_n for log_n in range(11, 17))  # the rings of a sweep that names none


class SecurityAnswer:
    """The security of one parameter set or of many.

    `document` is that of `fheasible security --json`. `bits`, `attack` and `warnings` are those of the set,
    or of the least secure one of many.
    """

    def __init__(
        self, document: Json, lines: Callable[[int], Iterator[Part]], found: Assessed | None = None
    ) -> None:
        self.document = document
        self.found = found  # every set; None where two secrets of one set are judged
        self._lines = lines

    @property
    def sets(self) -> list[Json]:
        """A document for each set."""
        several: list[Json] = self.document.get("sets", [self.document])
        return several

    @property
    def bits(self) -> float:
        """log2 of the operations of the cheapest known attack."""
        return float(self._weakest["bits"])

    @property
    def attack(self) -> str:
        """The name of that attack."""
        return str(self._weakest["attack"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the standards or the estimate warn about."""
        return tuple(self._weakest.get("warnings", ()))

    @property
    def _weakest(self) -> Json:
        weakest = min(self.sets, key=lambda one: float(one["bits"]))
        return weakest if "attack" in weakest else weakest["keys"][weakest["decides"]] | weakest

    def to_json(self) -> Json:
        """The document of `fheasible security --json`."""
        found: Json = plain(self.document)
        return found

    def lines(self, page: TextPage) -> Iterator[Part]:
        """The lines that a terminal shows."""
        return self._lines(page.width)

    def drawing(self) -> "Figure":
        """Security over log2 q, a curve for each ring. UsageError without a sweep."""
        from fheasible.reports.security import figure  # which loads the drawing of figures

        if self.found is None:
            raise UsageError("two secrets of one set have no figure", "leave ephemeral out")
        return figure(self.found)

    def __str__(self) -> str:
        page = TextPage()
        return "\n".join(text_of(self.lines(page), page.width))

    def __repr__(self) -> str:
        sets = f"{len(self.sets):,} sets, the weakest " if len(self.sets) > 1 else ""
        return f"<fheasible.SecurityAnswer {sets}{units.bits(self.bits)} ({self.attack})>"

    def _repr_html_(self) -> str:
        return html.answered(self.lines(TextPage(html.UNBROKEN)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """By what security is judged, as `fh.security` describes it."""

    secret: str = "ternary"
    sigma: float = SIGMA
    problem: str = "rlwe"
    model: str | None = None
    quantum: bool = False

    @property
    def attackers(self) -> Attackers:
        return Attackers.of(self.problem, self.model, self.quantum)

    def of_sets(self, n: Sequence[int], log_q: Sequence[float]) -> SecurityAnswer:
        """The security of every ring with every modulus. UsageError where either is missing."""
        if not n:
            raise UsageError("no ring degree is given", "add --n 16384, or --sets FILE.csv")
        if not log_q:
            raise UsageError("no modulus is given", "add --log-q 438: the bits of the whole modulus QP")
        return self.of_assessed(AssessedSets.product(n, log_q, self.secret, self.sigma))

    def of_assessed(self, sets: AssessedSets, full: bool = True) -> SecurityAnswer:
        """The security of those sets. `full`: with every attack and advice on each of them."""
        begun = time.perf_counter()
        return self._answer(assess(sets, self.attackers), begun, full)

    def sweep(self, n: Sequence[int], log_q: Sequence[float] = ()) -> SecurityAnswer:
        """The security of each ring over log2 q: between two values, or about the ring's limits."""
        from fheasible.reports.security import sweep  # which loads the drawing of figures

        begun = time.perf_counter()
        found = sweep(self.attackers, sorted(set(n or RINGS)), self.secret, self.sigma, log_q)
        return self._answer(found, begun, full=False)

    def of_bootstrapping(self, n: int, log_q: float, ephemeral: str) -> SecurityAnswer:
        """The security of one set with a second secret, as 'weight:bits'. UsageError for anything else."""
        begun = time.perf_counter()
        weight, _, bits = ephemeral.partition(":")
        try:
            own = float(bits)
        except ValueError:
            raise UsageError(
                f"--ephemeral {ephemeral} is not a weight and a modulus",
                "write 32:121 for weight 32 and a modulus of 121 bits",
            ) from None
        keys = (
            KeyUse(n, log_q, self.secret, sigma=self.sigma),
            KeyUse(n, own, f"sparse:{weight}", EPHEMERAL, self.sigma),
        )
        judged = assess_keys(keys, self.attackers)
        told = judged | {"seconds": time.perf_counter() - begun}
        return SecurityAnswer(told, partial(security_text.keys, judged))

    def _answer(self, found: Assessed, begun: float, full: bool) -> SecurityAnswer:
        if len(found) == 1 and full:
            document = found.document(0) | {"seconds": time.perf_counter() - begun}
            return SecurityAnswer(document, partial(security_text.one, document), found)
        rows = [found.document(i) if full else found.row(i) for i in range(len(found))]
        told: Json = {"sets": rows, "figures": [], "seconds": time.perf_counter() - begun}
        return SecurityAnswer(told, partial(security_text.many, told, self.attackers.model), found)


@told_in_python()
def security(
    n: int | Sequence[int],
    log_q: float | Sequence[float],
    secret: str = "ternary",
    *,
    ephemeral: str | None = None,
    sigma: float = SIGMA,
    problem: str = "rlwe",
    model: str | None = None,
    quantum: bool = False,
) -> SecurityAnswer:
    """The answer of `fheasible security`: the cheapest known attack, and what the tables say.

    `n`: the ring degree, or LWE dimension; `log_q`: log2 of the whole modulus QP; several of either are
    combined. `secret`: "ternary", "gaussian", "binary", or "sparse:h" with h coefficients that are not 0;
    `ephemeral`: the second secret of a bootstrapping, as "weight:bits". `sigma`: standard deviation of the
    errors. `problem`: "rlwe" or "ntru". `model`: the cost model of lattice reduction; `quantum`: attackers
    with quantum computers.

    Example:
        >>> judged = fh.security(n=16384, log_q=438)
        >>> judged.bits >= 120
        True
    """
    rings, moduli = _several("n", n), _several("log_q", log_q)
    judging = Judging(secret=secret, sigma=sigma, problem=problem, model=model, quantum=quantum)
    if ephemeral is None:
        return judging.of_sets([int(ring) for ring in rings], moduli)
    if len(rings) != 1 or len(moduli) != 1:
        raise UsageError("--ephemeral belongs to one set", "give one n and one log_q")
    return judging.of_bootstrapping(int(rings[0]), moduli[0], ephemeral)


def _several(name: str, given: float | Sequence[float]) -> list[float]:
    """The numbers that were given, one or several. UsageError for what is no number."""
    numbers = [given] if isinstance(given, int | float) else list(given)
    wrong = [value for value in numbers if isinstance(value, bool | str)]
    if wrong or isinstance(given, bool):
        raise UsageError(
            f"{name}={given!r} is not a number", f"write {name}=16384" if name == "n" else f"write {name}=438"
        )
    return [float(value) for value in numbers]
