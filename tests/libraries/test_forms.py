"""What is stored of requests and parameters is what they were."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from fheasible.libraries.bootstrapping import Bootstrapping, BootstrapRequest
from fheasible.libraries.forms import parameters_form, parameters_of, request_form, request_of
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Wave

PLAIN = CkksRequest("ckks", 5, scale_bits=40)

optional = st.none() | st.integers(1, 60)
bits = st.none() | st.lists(st.integers(20, 60), min_size=1, max_size=4).map(tuple)
asked = st.builds(
    BootstrapRequest, optional, optional, optional, optional, optional, encode_bits=bits, decode_bits=bits
)
procedures = st.builds(
    Procedure,
    st.just(16),
    st.just((2, 2)),
    st.just((1, 3)),
    st.builds(Reduction, st.integers(2, 600), st.integers(1, 100), wave=st.sampled_from(Wave)),
    st.integers(0, 20),
    optional,
    encode_shared=st.sampled_from([(), (2,)]),
)


@given(asked, procedures, optional)
def test_a_bootstrapped_set_comes_back_from_json_as_it_was(
    asked: BootstrapRequest, procedure: Procedure, weight: int | None
) -> None:
    request = replace(PLAIN, bootstrap=asked)
    p = CkksParameters(
        "openfhe", "ckks", 64, (97, 113), (193,), request=request,
        bootstrap=Bootstrapping(procedure, (97, 113, 257), (193,), 2, weight),
    )  # fmt: skip
    assert request_of(json.loads(json.dumps(request_form(request)))) == request
    assert parameters_of(json.loads(json.dumps(parameters_form(p)))) == p


def test_a_set_without_bootstrap_is_stored_as_before_there_was_any() -> None:
    assert "bootstrap" not in request_form(PLAIN)
    assert "bootstrap" not in parameters_form(CkksParameters("openfhe", "ckks", 64, (97,), request=PLAIN))
