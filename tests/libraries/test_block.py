"""Columns of parameter sets answer like each of the sets."""

import numpy as np
import pytest

from fheasible.libraries.block import block_of
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import IntegerParameters, Parameters, request_for


def _sets(library: str, **settings: object) -> list[Parameters]:
    requests = [
        request_for("ckks", 5, scale_bits=s, ring_dimension=1 << 15, **settings)  # type: ignore[arg-type]
        for s in (35, 40, 45)
    ]
    return [CATALOGUE[library].parameters(r) for r in requests]


@pytest.mark.parametrize(
    ("library", "settings"),
    [("seal", {}), ("lattigo", {"special_bits": (55, 55)}), ("openfhe", {"technique": "flexibleauto"})],
)
def test_a_block_answers_like_each_of_its_sets(library: str, settings: dict[str, object]) -> None:
    sets, lib = _sets(library, **settings), CATALOGUE[library]
    block = block_of(sets)
    assert len(block) == 3
    for i, one in enumerate(sets):
        assert (block.limbs, lib.limbs_per_digit(block)) == (one.limbs, lib.limbs_per_digit(one))
        assert [q[i] for q in block.q] == pytest.approx(one.q, rel=1e-15)
        assert [s[i] for s in block.scales] == list(one.scales)
        assert block.log_qp[i] == pytest.approx(one.log_qp, abs=1e-9)
        assert block.nominal[i] == one.nominal == 2.0 ** [35, 40, 45][i]


def test_sets_of_other_lengths_make_no_block() -> None:
    short, long = (
        CATALOGUE["seal"].parameters(request_for("ckks", d, ring_dimension=1 << 15)) for d in (3, 4)
    )
    with pytest.raises(ValueError, match="equally many"):
        block_of([short, long])


def test_a_block_without_special_primes_has_none_of_their_bits() -> None:
    one = IntegerParameters("seal", "bfv", 4096, (97, 193), plain_modulus=17)
    assert np.array_equal(block_of([one, one]).log_p, [0.0, 0.0])
