"""A chosen set as code for a library: the recommended one of that library, or the user's own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fheasible import __version__, units
from fheasible.aliases import Json
from fheasible.api import asking
from fheasible.api.command import command
from fheasible.api.emittable import elsewhere, of_the_target
from fheasible.api.installed import best
from fheasible.api.layout import Part, paragraph, text_of
from fheasible.api.lookup_answer import best as best_lookups
from fheasible.api.lookup_answer import command as lookup_command
from fheasible.api.lookups import Lookups
from fheasible.api.options import Options
from fheasible.api.platform import Execution, Talk
from fheasible.api.residues import Residues
from fheasible.api.text import TextPage
from fheasible.circuit.trace import App
from fheasible.emission.facts import Facts
from fheasible.emission.folder import check, write
from fheasible.emission.package import lookup_package, vector_package
from fheasible.emission.targets.catalogue import target as target_of
from fheasible.emission.targets.target import LookupTarget, Target, VectorTarget
from fheasible.errors import InfeasibleParameters
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.failing import never, wrong_in
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.search.search import Exploration
from fheasible.libraries.catalogue import library
from fheasible.schemes.tfhe.parameters import TfheParameters

BY = f"Fheasible {__version__}"


@dataclass(frozen=True, slots=True, repr=False)
class Emitted:
    """The folder with its files, and what they are."""

    target: Target
    folder: Path
    files: tuple[str, ...]
    facts: Facts
    candidate: Json

    def __str__(self) -> str:
        page = TextPage()
        return "\n".join(text_of(self.lines(page), page.width))

    def __repr__(self) -> str:
        return f"<fheasible.Emitted {self.facts.app} to {self.target.name} in {self.folder}>"

    @property
    def document(self) -> Json:
        return {
            "app": self.facts.app,
            "target": self.target.name,
            "folder": str(self.folder),
            "files": list(self.files),
            "command": self.facts.command,
            **self.candidate,
        }

    def lines(self, page: TextPage) -> Iterator[Part]:
        f, steps = self.facts, self.target.steps
        yield f"{f.app} for {f.library_title} {f.library_version} in {self.folder}: {len(self.files)} files"
        yield f"security: {f.security}; predicted precision: {f.precision}"
        if f.evaluate_seconds is not None:
            yield f"predicted time of the evaluation: {units.seconds(f.evaluate_seconds)} of CPU time"
        if self.target.checked:
            yield paragraph("not tried:", self.target.checked, page.width)
        yield ""
        yield f"  cd {self.folder}"
        for line in (*steps.build, steps.keys, steps.encrypt, steps.evaluate, steps.decrypt):
            yield f"  {line}"


def emit(
    app: App | str | Path,
    to: str,
    out: Path,
    asked: Options,
    params: Mapping[str, str] | None,
    talk: Talk,
) -> Emitted:
    """Writes the application into the folder `out`, as code for the target `to`. Nothing is executed.

    UsageError where a file that is not ours is in the way, InfeasibleParameters where nothing fits, and
    UnsupportedOperation where the target cannot express the program.
    """
    target = target_of(to)
    asked = of_the_target(asked, target)
    check(out, target.static_files() | dict.fromkeys(("README.md", "parameters.json"), b""))
    problem, c = choose(app, target, asked, params, talk)
    return emit_chosen(problem, c, target, asking.name_of(app, asked.data) or problem.circuit.name, out)


def choose(
    app: App | str | Path, target: Target, asked: Options, params: Mapping[str, str] | None, talk: Talk
) -> tuple[Problem, Candidate | LookupCandidate]:
    """The set that is emitted: the recommended one, or that of `params`. InfeasibleParameters where nothing
    fits."""
    platform = Lookups(target.longest) if isinstance(target, LookupTarget) else Residues()
    platform.refuse(asked)
    if params:
        return platform.pinned(app, asked, Execution(params=params), talk)
    found = platform.explore(app, asked, talk).exploration
    try:
        return found.problem, best(found) if isinstance(found, Exploration) else best_lookups(found)
    except InfeasibleParameters as error:
        raise elsewhere(error, target) from None


def emit_chosen(
    problem: Problem, c: Candidate | LookupCandidate, target: Target, name: str, out: Path
) -> Emitted:
    """Writes the application with that set into the folder `out`; `name` is the application as commands take
    it."""
    if isinstance(c, Candidate):
        assert isinstance(target, VectorTarget)
        facts = _facts(problem, c, target, name)
        told = library(c.library).worker_parameters(c.parameters)
        files = vector_package(target, c.program, c.parameters, told, facts)
    else:
        assert isinstance(target, LookupTarget)
        assert isinstance(c.parameters, TfheParameters)  # as all sets of the target's library are
        facts = _lookup_facts(problem, c, target, name)
        files = lookup_package(target, c.encoded.program, c.parameters, facts)
    write(out, files)
    return Emitted(target, out, tuple(sorted(files)), facts, c.to_json(pareto=False))


def _lookup_facts(problem: Problem, c: LookupCandidate, target: Target, name: str) -> Facts:
    estimate = c.estimate
    wrong = wrong_in(estimate.log2_failure)
    exact = f"exact, {wrong}" if never(estimate.log2_failure) else f"exact, but {wrong}"
    return Facts(
        app=problem.circuit.name,
        command="\n    ".join(lookup_command(name, c, target=target.name)),
        made_by=BY,
        library_title=c.library.title,
        library_version=c.library.version,
        security=f"{units.security(estimate.security_bits)}s by today's estimate",
        precision=wrong if problem.real else exact,
        evaluate_seconds=estimate.cpu_seconds["evaluate"] if estimate.cpu_seconds else None,
        data=problem.data,
        expected=problem.truth,
        source_of_data=problem.source,
        threads=estimate.threads,
    )


def _facts(problem: Problem, c: Candidate, target: Target, name: str) -> Facts:
    estimate, lib = c.estimate, library(c.library)
    bits = estimate.precision_bits
    return Facts(
        app=problem.circuit.name,
        command="\n    ".join(command(name, c, target=target.name)),
        made_by=BY,
        library_title=lib.title,
        library_version=lib.version,
        security=f"{units.security(estimate.security_bits)}s by today's estimate",
        precision="exact" if bits is None else f"{units.bits(bits)}s of the largest result",
        evaluate_seconds=estimate.cpu_seconds["evaluate"] if estimate.cpu_seconds else None,
        data=problem.data,
        expected=problem.truth,
        source_of_data=problem.source,
        rounded=c.scheme == "ckks" and not problem.real,
        threads=c.threads,
    )
