"""The price of up to 255 croissants: 23 times an encrypted number, modulo 256 (in tenths of the currency)."""

from typing import Any

import fheasible as fh
from fheasible.studies.panthers.apps.bits import add

BITS = 8


@fh.app(**{f"x{i}": fh.integers(1, modulo=2) for i in range(BITS)})
def croissant(**given: Any) -> dict[str, Any]:
    x = [given[f"x{i}"] for i in range(BITS)]
    price = x
    for shift in (1, 2, 4):  # 23 = 1 + 2 + 4 + 16
        price = add(price, [0] * shift + x[: BITS - shift])
    return {f"price{i}": bit for i, bit in enumerate(price)}
