"""How people write a chain for each library, as tests write it: the figures are drawn, the text is ours."""

from collections.abc import Sequence


def cpp_seal(n: int, sizes: Sequence[int], scale: int) -> str:
    return f"""
        #include "seal/seal.h" // EncryptionParameters other(scheme_type::bfv);
        int main() {{
            EncryptionParameters parms(scheme_type::ckks);
            size_t poly_modulus_degree = {n};  /* {{ 1, 2 }} */
            parms.set_poly_modulus_degree(poly_modulus_degree);
            parms.set_coeff_modulus(CoeffModulus::Create(poly_modulus_degree, {{ {_list(sizes)} }}));
            double scale = pow(2.0, {scale});
            SEALContext context(parms);
            if (n > 3) {{ return 1; }}
        }}"""


def python_seal(n: int, sizes: Sequence[int], scale: int) -> str:
    return f"""
from seal import *

def example():
    parms = EncryptionParameters(scheme_type.ckks)
    degree = {n}
    parms.set_poly_modulus_degree(degree)
    parms.set_coeff_modulus(CoeffModulus.Create(degree, [{_list(sizes)}]))
    scale = 2.0 ** {scale}
    context = SEALContext(parms)
"""


def tenseal(n: int, sizes: Sequence[int], scale: int) -> str:
    return f"""
import tenseal as ts

SIZES = [{_list(sizes)}]
context = ts.context(ts.SCHEME_TYPE.CKKS, poly_modulus_degree={n}, coeff_mod_bit_sizes=SIZES)
context.global_scale = 2**{scale}
context.generate_galois_keys()
"""


def go_lattigo(log_n: int, q: Sequence[int], p: Sequence[int], scale: int, xs: str = "") -> str:
    return f"""
        package main

        func main() {{
            const levels = 4
            params, err := ckks.NewParametersFromLiteral(
                ckks.ParametersLiteral{{
                    LogN: {log_n}, // log2 of the ring's degree
                    LogQ: []int{{{_list(q)}}},
                    LogP: []int{{{_list(p)}}},
                    LogDefaultScale: {scale},{xs}
                }})
            if err != nil {{
                panic(err)
            }}
        }}"""


def orion(log_n: int, q: Sequence[int], p: Sequence[int], scale: int, more: str = "") -> str:
    return f"""
comment: a network of ours
ckks_params:
  LogN: {log_n}
  LogQ: [{_list(q)}]  # the chain
  LogP:
    - {_lines(p)}
  LogScale: {scale}
{more}
orion:
  margin: 2
  backend: lattigo
"""


def cpp_openfhe(depth: int, scale: int, first: int, more: str = "") -> str:
    return f"""
        #include "openfhe.h"
        #define FIRST {first}
        using namespace lbcrypto;
        int main(int argc, char* argv[]) {{
            const uint32_t depth = {depth};
            CCParams<CryptoContextCKKSRNS> parameters;
            parameters.SetMultiplicativeDepth(depth);
            parameters.SetScalingModSize({scale});
            parameters.SetFirstModSize(FIRST);
            {more}
            CryptoContext<DCRTPoly> cc = GenCryptoContext(parameters);
        }}"""


def python_openfhe(depth: int, scale: int, first: int, more: str = "") -> str:
    return f"""
from openfhe import *

def main():
    parameters = CCParamsCKKSRNS()
    parameters.SetMultiplicativeDepth({depth})
    parameters.SetScalingModSize({scale})
    parameters.SetFirstModSize({first})
    {more}
    cc = GenCryptoContext(parameters)

if __name__ == "__main__":
    main()
"""


def _list(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))


def _lines(sizes: Sequence[int]) -> str:
    return "\n    - ".join(map(str, sizes))
