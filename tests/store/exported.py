"""Rows of every kind as Hypothesis draws them, and stores that hold them."""

import io
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fheasible.store import kept_rows
from fheasible.store.lines import whole
from fheasible.store.rows import Entry, Explored, Sample
from fheasible.store.schema import OUTCOMES
from fheasible.store.store import Store

Json = dict[str, Any]
FEW = 3  # different values of what rows share


def packed(*values: float) -> bytes:
    made = io.BytesIO()
    np.savez_compressed(made, operations=np.array(values))
    return made.getvalue()


def table(number: int) -> bytes:
    return kept_rows.packed({"seconds": [float(number)]})


def environment(number: int) -> Json:
    return {
        "machine": f"m{number}", "cpu": "µ-CPU", "flags": ["avx2"], "library": "seal", "version": "4.4.0",
        "build": {}, "threads": 1, "load_before": 0.1 * number, "commit": None, "seed": 7,
    }  # fmt: skip


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70) | st.booleans()
documents = st.dictionaries(texts, texts | numbers | st.none() | st.lists(numbers, max_size=3), max_size=3)
environments = st.integers(1, FEW).map(environment)
outcomes = st.sampled_from(OUTCOMES)
entries = st.builds(
    Entry, texts, texts, texts, texts, documents, documents, outcomes, st.none() | documents,
    st.none() | documents, texts,
)  # fmt: skip
samples = st.builds(
    Sample, texts, st.sampled_from(("a", "b")), st.just("seal"), st.just("ckks"), documents,
    st.integers(0, 3), st.integers(0, 3), outcomes, texts, st.none() | documents, st.none() | documents,
    st.none() | st.lists(st.floats(0, 1), max_size=3).map(lambda found: packed(*found)),
)  # fmt: skip
contents = st.builds(lambda more, own: {**more, "seconds": own}, documents, st.floats(0, 9))
explored = st.builds(
    Explored, texts, texts, documents, contents, st.integers(1, FEW).map(table)
)  # fmt: skip
rows = st.lists(
    st.tuples(st.just("measurement"), entries, environments)
    | st.tuples(st.just("sample"), samples, environments)
    | st.tuples(st.just("exploration"), explored, environments)
    | st.tuples(st.just("trial"), documents, environments)
    | st.tuples(st.just("profile"), documents, st.none()),
    max_size=8,
)


def fill(store: Store, drawn: Any) -> None:
    for kind, row, circumstances in drawn:
        match kind:
            case "measurement":
                store.add_measurement(row, circumstances)
            case "sample":
                store.add_sample(row, circumstances)
            case "exploration":
                store.add_exploration(row, circumstances)
            case "trial":
                store.add_trial("seed 1", 4, row, circumstances)
            case _:
                store.add_profile("m1", "seal", "4.4.0", 1, row)


def exported(store: Store) -> list[str]:
    return [line.text for line in store.lines()]


def rewritten(lines: list[Any]) -> list[str]:
    """The lines of an export that holds these rows, with a header and an end."""
    return [line.text for line in whole(lines)]
