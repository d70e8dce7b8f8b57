"""What emission asks of a target: a library in a programming language."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from fheasible.aliases import Json
from fheasible.emission.lookup_statements import WrittenLookups
from fheasible.emission.statements import Statement, Written
from fheasible.libraries.parameters import Parameters
from fheasible.program.lookups import LookupProgram
from fheasible.program.types import Operation, Program

HOISTED: Final = "hoisted"  # the rotations that share digits
Calls = Mapping[str, str]
"""Each operation as a call, by its action or as `HOISTED`, with {x}, {y}, {steps}, {level}, {number},
{vector} and {digits} in it."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The commands of the README. `build` is empty where nothing is built."""

    need: str  # which tools, as a sentence
    build: Sequence[str]
    keys: str
    encrypt: str
    evaluate: str
    decrypt: str


class Target(ABC):
    """A library in a programming language."""

    name: str  # "seal-python"
    library: str  # as the catalogue names it
    static: tuple[str, ...]  # the folders of files that are the same for every application
    steps: Steps
    threads: str = ""  # how the number of threads is set, as a sentence; empty where there is one
    checked: str = ""  # what could not be tried where Fheasible is tested; empty where it was run

    def static_files(self) -> dict[str, bytes]:
        """The files that are the same for every application, by their paths in the folder."""
        root = files("fheasible.emission") / "static"
        return dict(each for folder in self.static for each in _below(root / folder, ""))


class VectorTarget(Target):
    """A library of BFV, BGV and CKKS."""

    @abstractmethod
    def calls(self, program: Program) -> Calls:
        """How the operations of a program are called."""

    @abstractmethod
    def evaluation(self, written: Written, program: Program) -> tuple[str, str]:
        """The path and the text of the file that evaluates the program."""

    def own_parameters(self, program: Program, told: Json) -> Json:
        """What the parameters' file has for this library alone; `told` is what its worker is told."""
        return {}

    def refusal(self, program: Program, parameters: Parameters) -> str:
        """Why the program cannot be written for this target, as a clause; empty where it can."""
        lacking = sorted({kind(o) for o in program.operations} - {"encrypt", *self.calls(program)})
        return f"it writes no {' or '.join(lacking)}" if lacking else ""


class LookupTarget(Target):
    """A library of table look-ups."""

    longest = 10_000  # steps: a person reads no more lines than that

    def project(self, app: str) -> dict[str, bytes]:
        """The static files as they are for this application: the project may be named after it."""
        return self.static_files()

    def refusal(self, program: LookupProgram) -> str:
        """Why the program cannot be written for this target, as a clause; empty where it can."""
        steps = len(program.steps)
        most = f"only programs of up to {self.longest:,} steps are written as code"
        return f"it takes {steps:,} steps, and {most}" if steps > self.longest else ""

    @abstractmethod
    def evaluation(self, written: WrittenLookups, program: LookupProgram) -> tuple[str, str]:
        """The path and the text of the file that evaluates the program."""


def kind(o: Operation) -> str:
    """The operation's name among calls."""
    return HOISTED if o.hoist else o.action.value


def call(of: Calls, s: Statement, number: str, vector: str) -> str:
    """The statement's call, with its plain operand as the language writes it."""
    o = s.operation
    x, y = (*s.args, "", "")[:2]
    return of[kind(o)].format(
        x=x, y=y, steps=o.steps, level=o.level, number=number, vector=vector, digits=s.digits
    )


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir() and each.name != "__pycache__":
            yield from _below(each, f"{path}{each.name}/")
        elif each.is_file():
            yield path + each.name, each.read_bytes()
