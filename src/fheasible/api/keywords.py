"""The Python keywords of the command line's options. Either name may be given in Python. Errors are worded
once, with options, and put into keywords for Python."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Any, Final

from fheasible.errors import FheasibleError, UsageError
from fheasible.measurement.limited.limit import bytes_of
from fheasible.units import MIB

KEYWORDS: Final = {
    "--security": "security",
    "--precision": "precision",
    "--data": "data",
    "--library": "libraries",
    "--objective": "objective",
    "--scheme": "scheme",
    "--failure": "failure",
    "--max-time": "max_seconds",
    "--max-memory": "max_bytes",
    "--max-ciphertext": "max_ciphertext_bytes",
    "--max-keys": "max_key_bytes",
    "--requests": "requests",
    "--price-core-hour": "price_core_hour",
    "--price-gib": "price_gib",
    "--threads": "threads",
    "--seed": "seed",
    "--store": "store",
    "--timeout": "timeout",
    "--memory-limit": "memory_limit",
    "--noise": "noise",
    "--ephemeral": "ephemeral",
    "--model": "model",
    "--to": "to",
}
SWITCHES: Final = {
    "--quantum": "quantum",
    "--shared-results": "shared_results",
    "--worst-case": "worst_case",
    "--trust-data": "trust_data",
    "--all": "everything",
    "--as-written": "as_written",
    "--ignore-security": "ignore_security",
    "--composites": "composites",
}
_PARAM = re.compile(r"--param ([\w-]+)=([\w.-]+(?:,[\w.-]+)*)")
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)( (?=\d))?")


IN_MIB: Final = frozenset({"max_memory", "max_ciphertext", "max_keys"})  # sizes, where they are numbers


def by_keyword(typed: Mapping[str, Any]) -> dict[str, Any]:
    """What was given under the names of the command line's options, by Python's keywords: `library`,
    `max_time`, `max_memory="4GiB"`. Sizes mean what they mean there: a number is in MiB. Other names stay as
    they are. UsageError for what is given twice."""
    found: dict[str, Any] = {}
    for name, value in typed.items():
        option = f"--{name.replace('_', '-')}"
        keyword = KEYWORDS.get(option) or SWITCHES.get(option) or name
        if keyword in found or (keyword != name and keyword in typed):
            raise UsageError(f"{name}= and {keyword}= are the same, and both were given", "give one of them")
        found[keyword] = _bytes(option, value) if name in IN_MIB and value is not None else value
    return found


def _bytes(option: str, size: Any) -> int:
    if isinstance(size, str):
        return bytes_of(option, size)
    if isinstance(size, bool) or not isinstance(size, int | float) or not 0 <= size < inf:
        raise UsageError(f"{option} {size} is not a size", f'give {option} "512MiB", or a number of MiB')
    return int(size * MIB)


def in_python(text: str) -> str:
    """The text with Python's keywords in place of options: 'give failure=40' for 'give --failure 40'. An
    option without a keyword stays as it is."""

    def word(found: re.Match[str]) -> str:
        option, value = found.groups()
        if option in SWITCHES:
            return f"{SWITCHES[option]}=True{value or ''}"
        return f"{KEYWORDS[option]}=" if option in KEYWORDS else found.group()

    params = _PARAM.sub(lambda found: f'params={{"{found[1]}": "{found[2]}"}}', text)
    return _OPTION.sub(word, params.replace("--param", "params="))


@contextmanager
def told_in_python() -> Iterator[None]:
    """A block whose errors name keywords in place of options."""
    try:
        yield
    except FheasibleError as error:
        error.message, error.remedy = in_python(error.message), in_python(error.remedy)
        error.args = (error.message,)
        raise
