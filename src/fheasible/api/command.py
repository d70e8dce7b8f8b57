"""The command that runs a candidate."""

from collections.abc import Sequence

from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.threads import said

_FOLLOWS = ("depth", "security", "plain_modulus")  # they follow from the application and --security
_USUAL_SECRET = ("secret", "uniform_ternary")
_WIDTH = 98


def command(app: str, c: Candidate, width: int = _WIDTH, target: str = "") -> list[str]:
    """The command that runs exactly this candidate, or that emits it for a target, in lines that a shell
    takes as one."""
    verb = [f"fheasible emit {app}", f"--to {target}"] if target else [f"fheasible run {app}"]
    words = [*verb, *([] if target else [f"--library {c.library}"]), f"--scheme {c.scheme}"]
    if c.request.security not in (None, 128):
        words.append(f"--security {c.request.security}")
    given = {k: v for k, v in c.settings.items() if k not in _FOLLOWS}
    if c.threads != 1:
        words.append(f"--threads {said(c.threads)}")
    words += [f"--param {name}={_value(v)}" for name, v in given.items() if (name, v) != _USUAL_SECRET]
    return wrapped(words, width)


def wrapped(words: Sequence[str], width: int = _WIDTH) -> list[str]:
    """The words of a command, in lines of a terminal's width that a shell takes as one."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > width:
            lines[-1] += " \\"
            lines.append(f"  {word}")
        else:
            lines[-1] += f" {word}"
    return lines


def _value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
