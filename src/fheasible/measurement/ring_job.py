"""A job that a child process runs on the exact ring, in a form that fits into a line of JSON."""

from dataclasses import asdict, dataclass, field

from fheasible.aliases import Json
from fheasible.schemes.catalogue import scheme
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import Plan
from fheasible.schemes.scheme import RingScheme

Vectors = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class RingJob:
    """A function of a scheme ("all": all five), or an application with its data and the expected result.

    The job is run `warmup` times unrecorded, then `repetitions` times; the values drawn follow from `seed`.
    `itemised` repetitions more follow, in which the operations of the ring are timed instead of the phases.
    """

    scheme: type[RingScheme]
    what: str
    parameters: RingParameters
    application: Plan | None = None
    data: Vectors = field(default_factory=dict)
    expected: Vectors = field(default_factory=dict)
    repetitions: int = 3
    warmup: int = 1
    seed: int = 0
    itemised: int = 0

    def to_json(self) -> Json:
        return {
            "scheme": self.scheme.name,
            "what": self.what,
            "parameters": asdict(self.parameters),
            "application": None if self.application is None else self.application.to_json(),
            "data": self.data,
            "expected": self.expected,
            "repetitions": self.repetitions,
            "warmup": self.warmup,
            "seed": self.seed,
            "itemised": self.itemised,
        }

    @staticmethod
    def from_json(told: Json) -> "RingJob":
        application = told["application"]
        own = {
            name: told[name]
            for name in ("what", "data", "expected", "repetitions", "warmup", "seed", "itemised")
        }
        return RingJob(
            scheme=scheme(told["scheme"]),
            parameters=RingParameters(**told["parameters"]),
            application=None if application is None else Plan.from_json(application),
            **own,
        )
