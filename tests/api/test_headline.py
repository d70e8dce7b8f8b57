"""What is said over the table: what was asked, in words."""

import fheasible as fh
from fheasible.api.headline import asked, counted, inputs_and_results
from fheasible.exploration.problem.wish import Wish, bits


def test_every_limit_that_is_set_is_said_and_no_other() -> None:
    assert asked(Wish(), real=False) == "security >= 128 bits; least time first"
    assert asked(Wish(quantum=True), real=True) == (
        "security >= 128 bits (quantum), precision >= 10 bits; least time first"
    )
    wish = Wish(
        192, precision=bits(15), max_seconds=0.5, max_bytes=2**30, max_ciphertext_bytes=2**20,
        max_key_bytes=3 * 2**20, objective="memory",
    )  # fmt: skip
    assert asked(wish, real=True) == (
        "security >= 192 bits, precision >= 15 bits, time <= 500 ms, memory <= 1.00 GiB, "
        "ciphertext <= 1.00 MiB, keys <= 3.00 MiB; least memory first"
    )


def test_what_an_objective_counts_by_is_said_where_it_is_unusual() -> None:
    wish = Wish(objective="cost", requests=1000, price_core_hour=0.05, price_gib=0.1)
    assert asked(wish, real=False).endswith(
        "least cost first (1,000 requests under one key set, 0.05 a core-hour, 0.1 a GiB)"
    )


def test_one_is_said_as_one() -> None:
    assert [counted(1, "library", "libraries"), counted(2000, "set")] == ["1 library", "2,000 sets"]


def test_matrices_and_columns_of_tables_are_named() -> None:
    matrix, column = fh.reals((3, 4), low=0, high=1), fh.reals(low=0, high=1)
    app = fh.app(A=matrix, B=matrix, t=fh.table(12, age=column))(lambda A, B, t: A.T @ B @ t.age[:4])
    assert inputs_and_results(app.trace()) == (
        "<lambda>: A and B: matrix of 3 x 4 encrypted reals in [0, 1] each and t.age: 12 encrypted reals in"
        " [0, 1] -> 4 reals"
    )


def test_residues_and_long_integers_are_said_digit_by_digit() -> None:
    x, y = fh.integers(3, modulo=2**32), fh.integers(2, low=-3, high=2**61 - 1)
    assert inputs_and_results(fh.app(x=x)(lambda x: x * x).trace()) == (
        "<lambda>: 3 encrypted integers modulo 4,294,967,296 -> 3 integers"
    )
    assert inputs_and_results(fh.app(y=y)(lambda y: y + 1).trace()) == (
        "<lambda>: 2 encrypted integers in [-3, 2,305,843,009,213,693,951] -> 2 integers"
    )


def test_results_of_one_length_are_counted() -> None:
    app = fh.app(x=fh.integers(8, low=0, high=9))(lambda x: [x + 1, fh.sum(x), x * 2, 3 - x])
    assert inputs_and_results(app.trace()).endswith(" -> 3 results of 8 integers each and 1 integer")
