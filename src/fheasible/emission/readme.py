"""The README of an emitted application."""

from collections.abc import Iterator, Sequence

from fheasible import units
from fheasible.aliases import Json
from fheasible.emission.facts import Facts
from fheasible.emission.targets.target import Target


def readme(target: Target, parameters: Json, facts: Facts) -> str:
    return (
        "\n".join([*_head(target, facts), "", *_parameters(parameters, facts), "", *_run(target, facts)])
        + "\n"
    )


def _head(target: Target, facts: Facts) -> Iterator[str]:
    yield f"# {facts.app} on encrypted data: {facts.library_title}"
    yield ""
    yield f"Written by {facts.made_by}, with"
    yield ""
    yield f"    {facts.command}"
    if target.checked:
        yield ""
        yield target.checked


def _parameters(p: Json, facts: Facts) -> Iterator[str]:
    yield "## Parameters"
    yield ""
    yield f"* library: {facts.library_title} {facts.library_version}; scheme: {p['scheme'].upper()}"
    if "q" in p:
        primes = f"{len(p['q'])} primes, and {len(p['p'])} special"
        n = units.power_of_two(p["ring_dimension"])
        yield f"* ring dimension N = {n}, log2 QP = {p['log2_qp']:.1f} ({primes})"
    if "tfhe" in p:
        s = p["tfhe"]
        yield f"* LWE dimension {s['lwe_dimension']}, polynomials of {s['polynomial_size']} coefficients,"
        yield f"  message {s['message_modulus']}, carry {s['carry_modulus']}"
    yield f"* security: {facts.security}"
    yield f"* predicted precision: {facts.precision}"
    if facts.evaluate_seconds is not None:
        yield f"* predicted time of the evaluation: {units.seconds(facts.evaluate_seconds)} of CPU time"
    yield "* `parameters.json` has every number in full precision; client and server read it"


def _run(target: Target, facts: Facts) -> Iterator[str]:
    steps = target.steps
    yield "## Run it"
    yield ""
    yield steps.need
    yield ""
    yield from _commands([*steps.build, "", steps.keys, steps.encrypt, steps.evaluate, steps.decrypt])
    yield ""
    yield "| folder | what is there | who has it |"
    yield "|---|---|---|"
    yield "| `client/` | the secret key, once it is made; data and results as text | the client alone |"
    yield "| `server/` | the evaluation: each line of the application above what it becomes | the server |"
    yield "| `common/`, `parameters.json` | what both must agree on | both |"
    yield "| `to_server/` | evaluation keys and encrypted inputs: copy it to the server | both |"
    yield "| `to_client/` | encrypted results: copy it back | both |"
    yield ""
    yield f"`client/data/` holds {facts.source_of_data}. Put your own numbers there, one on each line;"
    yield "`client/expected/` holds the cleartext results for the data that came with it."
    if target.threads:
        yield f"The set was chosen for {_threads(facts.threads)}. {target.threads}"


def _threads(number: int | None) -> str:
    if number is None:
        return "as many threads as the library takes"
    return "one thread" if number == 1 else f"{number} threads"


def _commands(lines: Sequence[str]) -> Iterator[str]:
    yield "```"
    yield from lines
    yield "```"
