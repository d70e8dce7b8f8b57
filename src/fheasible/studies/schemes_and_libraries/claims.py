"""The paper's claims, in its order."""

from functools import partial

from fheasible.studies.claim import Claim
from fheasible.studies.schemes_and_libraries import claims_equations as equations
from fheasible.studies.schemes_and_libraries import claims_parameters as parameters
from fheasible.studies.schemes_and_libraries import claims_tfhe as tfhe
from fheasible.studies.schemes_and_libraries import claims_times as times
from fheasible.studies.schemes_and_libraries.equations import (
    BOOTSTRAPPED,
    BV,
    EQUATION_1,
    EQUATION_2,
    IN_TFHE,
    UNREFRESHED,
)
from fheasible.studies.schemes_and_libraries.experiments import (
    CHAINS,
    DEPTH,
    KEYS,
    LIMITED,
    OPERATIONS,
    UNLIMITED,
)
from fheasible.studies.schemes_and_libraries.limits import TFHE_LIMITS
from fheasible.studies.schemes_and_libraries.printed import (
    DEPTHS,
    LENGTHS,
    LIBRARIES,
    PUBLISHED,
    SCHEMES,
    TITLES,
)
from fheasible.studies.schemes_and_libraries.table6 import TABLE_6

said = PUBLISHED.said


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
        *_on_tfhe(),
    )


def _on_tfhe() -> tuple[Claim, ...]:
    table_6 = tuple(e.name for e in TABLE_6.values())
    equation_1 = (IN_TFHE[1].name, *(e.name for e in (*EQUATION_1.values(), *BOOTSTRAPPED.values())))
    limits = tuple(e.name for e in TFHE_LIMITS)
    return (
        Claim(
            "the sets of TFHE have 128 bits of security",
            said("table4.openfhe.n", "table4.tfhepp.n"),
            "both secrets of both sets have 128 bits or more by our estimator",
            tfhe.secure,
            table_6,
        ),
        Claim(
            "Zama's variant of TFHE evaluates floating point",
            "Table I",
            "a look-up with TFHEpp's set tells 2^10 values apart, and fails once in 2^20 at most",
            tfhe.floating_point,
            table_6,
        ),
        Claim(
            "OpenFHE generates a gate key 1.764 times faster than TFHEpp",
            said("table6.ratio.gate_key", "table6.openfhe.gate_key", "table6.tfhepp.gate_key"),
            "OpenFHE's STD128 takes less CPU time than TFHE-rs with TFHEpp's set",
            tfhe.gate_key,
            table_6,
        ),
        Claim(
            "TFHEpp bootstraps 17.261 times faster than OpenFHE",
            said("table6.ratio.bootstrapping", "table6.openfhe.bootstrapping", "table6.tfhepp.bootstrapping"),
            "TFHE-rs with TFHEpp's set takes at most twice as large a part of the CPU time of OpenFHE's "
            "STD128",
            tfhe.bootstrapping,
            table_6,
        ),
        Claim(
            "the gate keys of both libraries take about 3.3 GB",
            said("section4.memory"),
            "the keys of both sets of Table IV, as each library keeps them, have that size within 10 %",
            tfhe.memory,
            table_6,
        ),
        Claim(
            "the product of 40 or more values takes TFHE less time than CKKS, and fewer than 20 take CKKS "
            "less, computed as the paper does",
            "Section IV.B.3, Figure 5",
            "CKKS as written with Table V's bootstraps, TFHE with a ciphertext for each number: CKKS takes "
            "less CPU time below n = 20, and TFHE from n = 40 on",
            equations.long_as_in_the_paper,
            (*equation_1, *table_6),
        ),
        Claim(
            "the same, each computed as well as it can be",
            "Section IV.B.3, Figure 5",
            "CKKS with paired factors, TFHE with 12 bits after the point and paired factors: as above",
            equations.long_at_its_best,
            equation_1,
        ),
        Claim(
            "the inner product takes CKKS less time than TFHE for all n",
            "Section IV.B.3, Figure 6",
            "less CPU time for every n, at every precision of TFHE, and with a ciphertext for each number",
            equations.inner,
            (IN_TFHE[2].name, *(e.name for e in EQUATION_2.values())),
        ),
        Claim(
            "the moduli of CKKS for Equation 1",
            said(*(f"table5.eq1.{n}.log_q" for n in LENGTHS)),
            "OpenFHE's rules give the same log q within 1 bit, for as many levels as the depth",
            equations.moduli,
            tuple(e["openfhe"].name for e in (UNREFRESHED, BOOTSTRAPPED)),
        ),
        Claim(
            "Table V's depths take 2, 3, 4 and 5 bootstraps for n = 40, 60, 80 and 100",
            said("section4.bootstraps", *(f"table5.eq1.{n}.depth" for n in LENGTHS[2:])),
            "as many bootstraps bring back levels for n - 1 products, at 19 levels for each",
            equations.bootstraps,
            (BOOTSTRAPPED["openfhe"].name,),
        ),
        Claim(
            "the rings of Equation 1 have 128 bits of security",
            said("table5.eq1.40.ring", *(f"table5.eq1.{n}.log_q" for n in LENGTHS[2:])),
            "every set with bootstraps has 128 bits by our estimator",
            equations.secure,
            (BOOTSTRAPPED["openfhe"].name,),
        ),
        Claim(
            "with 0.5 to 3 GB of memory TFHEpp is faster than OpenFHE in total",
            "Section V.B, Figure 7",
            "keys and a hundred gates take TFHE-rs, with TFHEpp's set, less wall time than OpenFHE's STD128 "
            "without a limit and under each of the four",
            tfhe.limited,
            limits,
        ),
        Claim(
            "less memory lowers the instructions per cycle of TFHEpp",
            "Section V.B, Figure 8",
            "fewer instructions per cycle in TFHE-rs under the smallest limit than without a limit",
            tfhe.instructions,
            limits,
        ),
    )
