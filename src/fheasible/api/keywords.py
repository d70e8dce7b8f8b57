"""The Python keywords of the command line's options. Errors are worded once, with options, and put into
keywords for Python."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from fheasible.errors import FheasibleError

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
}
SWITCHES: Final = {
    "--quantum": "quantum",
    "--shared-results": "shared_results",
    "--worst-case": "worst_case",
    "--trust-data": "trust_data",
    "--all": "everything",
    "--as-written": "as_written",
    "--ignore-security": "ignore_security",
}
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)( (?=\d))?")


def in_python(text: str) -> str:
    """The text with Python's keywords in place of options: 'give failure=40' for 'give --failure 40'. An
    option without a keyword stays as it is."""

    def word(found: re.Match[str]) -> str:
        option, value = found.groups()
        if option in SWITCHES:
            return f"{SWITCHES[option]}=True{value or ''}"
        return f"{KEYWORDS[option]}=" if option in KEYWORDS else found.group()

    return _OPTION.sub(word, text)


@contextmanager
def told_in_python() -> Iterator[None]:
    """A block whose errors name keywords in place of options."""
    try:
        yield
    except FheasibleError as error:
        error.message, error.remedy = in_python(error.message), in_python(error.remedy)
        error.args = (error.message,)
        raise
