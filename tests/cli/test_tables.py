"""Tables, paragraphs and vectors as a terminal shows them."""

from hypothesis import given
from hypothesis import strategies as st

from fheasible.api.layout import vector
from fheasible.cli.tables import paragraph


@given(st.lists(st.integers(-(2**70), 2**70), min_size=6))
def test_a_long_vector_shows_its_first_elements_and_its_length(values: list[int]) -> None:
    shown = vector(values)
    assert shown.startswith(f"[{values[0]:,}, ")
    assert shown.endswith(f", ... {len(values):,} values]")


def test_a_vector_of_one_is_a_number() -> None:
    assert vector([0.28867513459481287]) == "0.28867513"
    assert vector([58864]) == "58,864"


def test_short_vectors_are_shown_whole() -> None:
    assert vector([1, 2, 3]) == "[1, 2, 3]"


@given(st.lists(st.text("abcdefgh-/", min_size=1, max_size=60), min_size=1, max_size=40))
def test_a_paragraph_keeps_every_word_and_the_width(words: list[str]) -> None:
    shown = paragraph("why:", " ".join(words))
    assert shown.split() == ["why:", *words]
    assert max(map(len, shown.splitlines())) <= 100
