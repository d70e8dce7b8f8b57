"""Tables and paragraphs of text: no line is wider than asked, and no word is lost."""

from hypothesis import given
from hypothesis import strategies as st

from fheasible.api.layout import Column, fitting, grid

COLUMNS = (
    Column("", left=True), Column("library", left=True), Column("log QP", spare=3), Column("time"),
    Column("ciphertext", spare=5), Column("settings", left=True),
)  # fmt: skip
WORD = st.text("abcdefgh0123456789^", min_size=1, max_size=9)
CELLS = st.tuples(st.just("*+"), WORD, WORD, WORD, WORD, st.lists(WORD, max_size=30).map(" ".join))


@given(st.lists(CELLS, min_size=1, max_size=6), st.integers(40, 140))
def test_no_line_is_wider_than_asked(rows: list[tuple[str, ...]], width: int) -> None:
    lines = [line for row in grid(COLUMNS, rows, width) for line in row]
    assert max(map(len, lines)) <= width


@given(st.lists(CELLS, min_size=1, max_size=6), st.integers(40, 140))
def test_every_cell_of_the_columns_that_are_left_is_shown_whole(
    rows: list[tuple[str, ...]], width: int
) -> None:
    kept = fitting(COLUMNS, rows, width)
    header, *shown = grid(COLUMNS, rows, width)
    for row, lines in zip(rows, shown, strict=True):
        words = " ".join(lines).split()
        assert words == " ".join(row[i] for i in kept).split()
    titles = [COLUMNS[i].title for i in kept]
    assert " ".join(header).split() in (" ".join(titles).split(), " ".join(titles[:-1]).split())


@given(st.lists(CELLS, min_size=1, max_size=6))
def test_where_there_is_room_cells_of_a_column_stand_under_each_other(rows: list[tuple[str, ...]]) -> None:
    _, *shown = grid(COLUMNS, rows, 1000)
    assert all(len(lines) == 1 for lines in shown)
    ends = {line[0].index(row[1]) for row, line in zip(rows, shown, strict=True)}
    assert ends == {3}


def test_what_can_be_spared_goes_first_and_what_cannot_stays() -> None:
    rows = [("*+", "openfhe", "429", "1.40 s", "3.00 MiB", "2^27")]
    assert fitting(COLUMNS, rows, 100) == [0, 1, 2, 3, 4, 5]
    assert fitting(COLUMNS, rows, 28) == [0, 1, 2, 3, 5]
    assert fitting(COLUMNS, rows, 18) == [0, 1, 3, 5]
    assert fitting(COLUMNS, rows, 5) == [0, 1, 3, 5]


def test_a_last_cell_without_room_stands_beneath() -> None:
    rows = [("*+", "openfhe", "429", "1.40 s", "3.00 MiB", "2^27 flexibleautoext 3 digits")]
    (_, (first, *more)) = grid(COLUMNS, rows, 40)
    assert first == "*+ openfhe    429 1.40 s   3.00 MiB"
    assert [line.strip() for line in more] == ["2^27 flexibleautoext 3 digits"]


def test_a_last_cell_that_would_take_many_lines_stands_beneath() -> None:
    columns = [Column("library"), Column("time"), Column("settings", left=True)]
    cell = "scale 55 bits, flexibleauto, 5 digits, 11 bootstraps to 8 levels, fresh inputs at 22"
    beside = list(grid(columns, [("openfhe", "1.4 s", cell)], 50))[1]
    assert len(beside) == 3  # of 36 columns
    beneath = list(grid(columns, [("openfhe", "1.4 s", cell)], 38))[1]
    assert beneath[0] == "openfhe 1.4 s"
    assert " ".join(line.strip() for line in beneath[1:]) == cell
