"""How many of nine risks of heart disease a patient has, by eleven encrypted answers [CarNguSirCosMar16].

Every answer arrives under a stream cipher, whose key stream comes encrypted as well. A risk is: age above 50
(a man) or 60, a history of the heart, smoking, diabetes, high blood pressure, HDL cholesterol below 40,
weight less 10 (modulo 256) above height, less than 30 minutes of exercise, more than 3 (a man) or 2 drinks.
"""

from typing import Any

import fheasible as fh
from fheasible.studies.panthers.apps.bits import above, counted, greater, one_more

FLAGS = ("man", "history", "smoker", "diabetes", "pressure")
NUMBERS = ("age", "cholesterol", "height", "weight", "exercise", "drinks")
BITS = 8
ANSWERS = (*FLAGS, *(f"{name}{i}" for name in NUMBERS for i in range(BITS)))
MINUS_TEN = 256 - 10

_BIT = fh.integers(1, modulo=2)


@fh.app(**dict.fromkeys((*ANSWERS, *(f"stream_{name}" for name in ANSWERS)), _BIT))
def medical(**given: Any) -> dict[str, Any]:
    told = {name: given[name] + given[f"stream_{name}"] for name in ANSWERS}
    number = {name: [told[f"{name}{i}"] for i in range(BITS)] for name in NUMBERS}
    man = told["man"]

    def above_for(name: str, of_man: int, of_woman: int) -> Any:
        otherwise = above(number[name], of_woman)
        return man * (above(number[name], of_man) + otherwise) + otherwise

    risks = [
        *(told[name] for name in FLAGS[1:]),
        above_for("age", 50, 60),
        above(number["cholesterol"], 39) + 1,
        above(number["exercise"], 29) + 1,
        above_for("drinks", 3, 2),
    ]
    heavy = greater(_less_ten(number["weight"]), number["height"])  # its products in succession are the most
    return {f"risks{i}": bit for i, bit in enumerate(one_more(counted(risks), heavy))}


def _less_ten(x: Any) -> list[Any]:
    """x - 10 modulo 256: the sum with a public number, whose carry is a product or a sum less a product."""
    total, carry = [], None
    for i, bit in enumerate(x):
        plus = MINUS_TEN >> i & 1
        total.append(bit + plus if carry is None else bit + carry + plus)
        if carry is None:
            carry = bit if plus else None
        else:
            carry = bit + carry + bit * carry if plus else bit * carry
    return total
