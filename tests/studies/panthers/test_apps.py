"""The other published applications, in the clear, beside their rules in Python's integers."""

from hypothesis import given
from hypothesis import strategies as st

from fheasible.circuit.trace import App
from fheasible.studies.panthers import published_apps
from fheasible.studies.panthers.applications import in_the_clear
from fheasible.studies.panthers.apps.croissant import croissant
from fheasible.studies.panthers.apps.medical import ANSWERS, FLAGS, NUMBERS, medical

byte = st.integers(0, 255)


def bits_of(name: str, value: int) -> dict[str, int]:
    return {f"{name}{i}": value >> i & 1 for i in range(8)}


def number(app: App, bits: dict[str, int]) -> int:
    made = in_the_clear(app, {name: [bit] for name, bit in bits.items()})
    return sum(values[0] << i for i, values in enumerate(made.values()))


def test_croissants_cost_23_each_modulo_256() -> None:
    for count in range(256):
        assert number(croissant, bits_of("x", count)) == 23 * count % 256


@given(st.tuples(*[st.booleans()] * 5), st.tuples(*[byte] * 6), st.integers(0, 2**53 - 1))
def test_the_diagnosis_counts_the_nine_risks(
    flags: tuple[bool, ...], values: tuple[int, ...], stream: int
) -> None:
    told = dict(zip(FLAGS, map(int, flags), strict=True))
    for name, value in zip(NUMBERS, values, strict=True):
        told |= bits_of(name, value)
    masks = {name: stream >> i & 1 for i, name in enumerate(ANSWERS)}
    given_ = {name: told[name] ^ masks[name] for name in ANSWERS}
    man, *others = flags
    age, cholesterol, height, weight, exercise, drinks = values
    risks = [*others, age > (50 if man else 60), cholesterol < 40, (weight - 10) % 256 > height]
    risks += [exercise < 30, drinks > (3 if man else 2)]
    assert number(medical, given_ | {f"stream_{n}": m for n, m in masks.items()}) == sum(risks)


def test_ours_take_no_more_products_than_the_published_gates() -> None:
    for name, gates in published_apps.PUBLISHED.items():
        ours = published_apps.own(name)
        assert ours.products <= gates.products
        assert ours.depth <= gates.depth
    assert published_apps.own("croissant").products == 14  # three adders of 6, 5 and 3 carries
