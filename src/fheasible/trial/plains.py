"""Plain operands as users write them: numbers, lists, arrays, matrices; each with the range of its values."""

from fheasible.trial.builder import ApplicationBuilder, DrawnValue, Range

NUMBERS = (0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 10, 12, 100, -100, 255, 1000)
DECIMALS = (0.5, -0.5, 0.25, 0.1, -0.1, 0.01, -0.001, 1.5, -1.25, 3.14159, 2.71828, -0.7071, 1e-4, 0.333)


def number(b: ApplicationBuilder) -> float:
    """A random number; negative numbers, 0 and 1 are among them."""
    if b.modulo is not None and b.draw.chance(0.3):
        return b.draw.one((b.modulo - 1, b.modulo // 2, b.modulo + 3, -b.modulo + 1))
    if not b.real or b.draw.chance(0.4):
        return b.draw.one(NUMBERS)
    return b.draw.one(DECIMALS) if b.draw.chance(0.6) else b.draw.decimal(-3, 3)


def nonzero(b: ApplicationBuilder) -> float:
    return number(b) or (0.2 if b.real else 3)


def vector(b: ApplicationBuilder, v: DrawnValue) -> tuple[str, Range]:
    """A plain vector for a value: an expression in {0} with as many elements, and their range."""
    whole = (
        ("np.arange(len({0})) % 7 - 3", (-3, 3)),
        ("(5 * np.arange(len({0})) + 2) % 11 - 5", (-5, 5)),
        ("[0, 1, -1, 2] * (len({0}) // 4) + [-3] * (len({0}) % 4)", (-3, 2)),
        ("np.arange(len({0})) % 2", (0, 1)),
        ("1 - 2 * (np.arange(len({0})) % 2)", (-1, 1)),
        ("[-1] * len({0})", (-1, -1)),
        ("np.ones(len({0}), dtype=int)", (1, 1)),
        ("(np.arange(len({0})) == 0) * 1", (0, 1)),
        ("(np.arange(len({0})) % 3 == 1) * -4", (-4, 0)),
        ("np.where(np.arange(len({0})) % 2 == 0, -1, 2)", (-1, 2)),
        ("np.zeros(len({0}), dtype=int) - 2", (-2, -2)),
        ("[(-1) ** i * (i % 4) for i in range(len({0}))]", (-3, 2)),
    )
    reals = (
        ("(np.arange(len({0})) % 9 - 4) / 4", (-1, 1)),
        ("np.linspace(-1, 1, len({0}))", (-1, 1)),
        ("((37 * np.arange(len({0})) + 11) % 101) / 50 - 1", (-1, 1)),
        ("[0.5] * len({0})", (0.5, 0.5)),
        ("[-0.25, 0.0, 1.5] * (len({0}) // 3) + [2.0] * (len({0}) % 3)", (-0.25, 2)),
        ("1 / (1 + np.arange(len({0})))", (0, 1)),
        ("np.ones(len({0}))", (1, 1)),
        ("-np.ones(len({0})) / 3", (-1 / 3, 0)),
        ("(np.arange(len({0})) % 13 - 6) * 1e-3", (-0.006, 0.006)),
        ("1.0 * (np.arange(len({0})) < len({0}) // 2)", (0, 1)),
        ("np.float32(0.1) * np.ones(len({0}))", (0.1, 0.11)),
        ("np.hanning(len({0}) + 2)[1:-1]", (0, 1)),
        ("np.geomspace(1e-4, 1, len({0}))", (0, 1)),
    )
    text, found = b.draw.one(reals if b.real and b.draw.chance(0.75) else whole)
    return text, (float(found[0]), float(found[1])) if b.real else found


def matrix(b: ApplicationBuilder, rows: int) -> tuple[str, float]:
    """A plain matrix with a column for each element of {0}, and the largest size of its entries."""
    grid = f"np.add.outer(3 * np.arange({rows}), 5 * np.arange(len({{0}})))"
    whole = (
        (f"{grid} % 5 - 2", 2.0),
        (f"({grid} % 7 == 0) * -1", 1.0),
        (f"({grid} % 3 == 0) * 1", 1.0),
        (f"np.eye({rows}, len({{0}}), k=1, dtype=int)", 1.0),
        (f"np.tril(np.ones(({rows}, len({{0}})), dtype=int))", 1.0),
        (f"np.ones(({rows}, len({{0}})), dtype=int)", 1.0),
    )
    reals = (
        (f"({grid} % 11 - 5) / 10", 0.5),
        (f"({grid} % 17 - 8) / 8", 1.0),
        (f"1 / (1 + {grid})", 1.0),
        (f"np.eye({rows}, len({{0}})) * -0.5", 0.5),
        (f"np.triu(np.ones(({rows}, len({{0}})))) / len({{0}})", 1.0),
        (f"scipy.sparse.eye({rows}, len({{0}}), k=-1) * -0.25", 0.25),
        (f"scipy.sparse.diags([0.5, -1, 0.5], [-1, 0, 1], shape=({rows}, len({{0}})))", 1.0),
    )
    return b.draw.one(reals if b.real and b.draw.chance(0.7) else whole)
