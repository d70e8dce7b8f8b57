"""The paper's claims on BFV, BGV and CKKS; those on TFHE wait for that scheme."""

from functools import partial

from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.schemes_and_libraries import claims_parameters as parameters
from fheasible.studies.schemes_and_libraries import claims_times as times
from fheasible.studies.schemes_and_libraries.equations import BV, EQUATION_1, EQUATION_2
from fheasible.studies.schemes_and_libraries.experiments import (
    CHAINS,
    DEPTH,
    KEYS,
    LIMITED,
    OPERATIONS,
    UNLIMITED,
)
from fheasible.studies.schemes_and_libraries.printed import DEPTHS, LIBRARIES, PUBLISHED, SCHEMES, TITLES

said = PUBLISHED.said
NO_TFHE = "this study has no cells of TFHE yet"


def claims() -> tuple[Claim, ...]:
    """All claims, in the paper's order."""
    deep = tuple(e.name for e in DEPTH.values())
    return (
        Claim(
            "OpenFHE and Lattigo both have BFV, BGV and CKKS",
            "Table II",
            "each of the six runs here and decrypts to the right result",
            parameters.has,
            deep,
        ),
        Claim(
            "BFV and BGV pack N integers into a plaintext, CKKS N/2 numbers",
            "Table I",
            "vectors of 32,768 fill one ciphertext of BFV and BGV at N = 2^15 and of CKKS at N = 2^16, and "
            "the results are right",
            parameters.packs,
            deep,
        ),
        Claim(
            "the moduli of CKKS at each multiplicative depth",
            said(*(f"table3.log_q.ckks.{lib}.{d}" for lib in LIBRARIES for d in DEPTHS)),
            "the library's own rules give the same log q within 1 bit, for as many products as the depth",
            parameters.ckks_moduli,
            tuple(DEPTH[lib, "ckks"].name for lib in LIBRARIES),
        ),
        Claim(
            "the moduli of BFV and BGV in OpenFHE at each multiplicative depth",
            said(*(f"table3.log_q.{s}.openfhe.{d}" for s in ("bfv", "bgv") for d in DEPTHS)),
            "OpenFHE's rules give the same log q within 1 bit, for as many products as the depth",
            parameters.integer_moduli,
            (*(DEPTH["openfhe", s].name for s in ("bfv", "bgv")), KEYS.name),
        ),
        Claim(
            "the moduli of BFV and BGV in Lattigo suffice for their depth",
            said(*(f"table3.log_q.{s}.lattigo.{d}" for s in ("bfv", "bgv") for d in DEPTHS)),
            "a chain of primes of at most 59 bits with that log q carries as many products as the depth",
            parameters.lattigo_chains,
            tuple(e.name for e in CHAINS.values()),
        ),
        *(
            Claim(
                f"in {TITLES[lib]}, BGV is faster than BFV, and BFV faster than CKKS, at every depth",
                "Section IV.B.1",
                "CPU time of encryption, all products and decryption, for each number of products that all "
                f"three were run with; differences below {100 * times.ALIKE:.0f} % decide nothing",
                partial(times.order, lib),
                tuple(DEPTH[lib, s].name for s in SCHEMES),
            )
            for lib in LIBRARIES
        ),
        Claim(
            "Lattigo's BGV is the fastest of all schemes and libraries at every depth",
            "Section IV.B.1",
            "the same times; OpenFHE's BGV is slower or alike for every number of products",
            times.fastest,
            (
                DEPTH["lattigo", "bgv"].name,
                DEPTH["openfhe", "bgv"].name,
                *(e.name for e in OPERATIONS.values()),
            ),
        ),
        *(
            Claim(
                f"for {scheme.upper()}, Lattigo is faster at small depth and OpenFHE at large depth",
                "Section IV.B.1",
                "the same times: Lattigo faster for the fewest products, OpenFHE for the most",
                partial(times.crossing, scheme),
                tuple(DEPTH[lib, scheme].name for lib in LIBRARIES),
            )
            for scheme in ("bfv", "ckks")
        ),
        Claim(
            "CKKS takes more memory than BFV and BGV",
            "Section IV.B.1",
            "peak memory of the process, for every number of products, in both libraries",
            times.ckks_memory,
            deep,
        ),
        Claim(
            "OpenFHE takes less memory than Lattigo for all schemes and depths",
            "Section IV.B.1",
            "peak memory of the process, for every scheme and number of products",
            times.openfhe_memory,
            deep,
        ),
        Claim(
            "time and memory grow linearly with the depth",
            "Section IV.B.1",
            f"no measured point is farther than {100 * times.STRAIGHT:.0f} % of the range from a straight "
            "line, for "
            "time and memory of all six",
            times.linear,
            deep,
        ),
        Claim(
            "the parameters are those of 128-bit security: N = 2^12 for the inner product",
            said("table5.eq2.2.ring", "table5.eq2.2.log_q"),
            "log QP is at most what the Guidelines of 2024 allow for 128 bits at N = 2^12",
            parameters.secure,
            (EQUATION_2["openfhe"].name, BV.name),
        ),
        Claim(
            "an inner product takes CKKS one product and no bootstrapping, whatever its length",
            "Section IV.B.3, Equation 2",
            "depth 1 and one encrypted product for n = 2 to 100, and the longest takes at most three times "
            "as "
            "long as n = 20",
            parameters.inner,
            tuple(e.name for e in EQUATION_2.values()),
        ),
        Claim(
            "a product of 20 to 100 values takes CKKS 2 to 5 bootstraps",
            said("section4.bootstraps"),
            "without bootstrapping, there is no set for these lengths within N = 2^16",
            parameters.long,
            tuple(e.name for e in EQUATION_1.values()),
        ),
        Claim(
            "with less memory, execution takes longer",
            "Section V.B, Figure 7 (there: TFHE; here: OpenFHE CKKS)",
            "wall time rises from each limit to the next smaller one that binds, and the smallest takes at "
            "least twice as long as no limit",
            times.limited,
            (UNLIMITED.name, *(e.name for e in LIMITED.values())),
        ),
        *(_waiting(claim, published) for claim, published in _WAITING),
    )


_WAITING = (
    ("OpenFHE generates a gate key 1.764 times faster than TFHEpp", said("table6.ratio.gate_key")),
    ("TFHEpp bootstraps 17.261 times faster than OpenFHE", said("table6.ratio.bootstrapping")),
    (
        "the product of 40 or more values takes TFHE less time and memory than CKKS, and fewer than 20 CKKS",
        "Section IV.B.3, Figure 5",
    ),
    ("the inner product takes CKKS less time and memory than TFHE for all n", "Section IV.B.3, Figure 6"),
    ("with 0.5 to 3 GB of memory TFHEpp is faster than OpenFHE in total", "Section V.B, Figure 7, Table VII"),
    ("less memory lowers the instructions per cycle of TFHEpp", "Section V.B, Figure 8"),
)


def _waiting(claim: str, published: str) -> Claim:
    finding = ClaimFinding("-", None, NO_TFHE)
    return Claim(claim, published, "waits for TFHE", lambda results: finding)
