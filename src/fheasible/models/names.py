"""Names of signals and tensors as inputs and outputs of an application may have them."""

import re
from collections.abc import Iterable


def unique(names: Iterable[str]) -> list[str]:
    """The names, each once, of letters, digits and the signs _ . - alone: a[3] becomes a.3."""
    found: list[str] = []
    for name in names:
        cleaned = re.sub(r"[^\w.-]", "_", re.sub(r"[\[<](\d+)[\]>]", r".\1", name)).strip("_.-")[:90]
        cleaned = cleaned or "value"
        numbers = (f"{cleaned}_{k}" for k in range(2, 10**6))
        found.append(cleaned if cleaned not in found else next(n for n in numbers if n not in found))
    return found
