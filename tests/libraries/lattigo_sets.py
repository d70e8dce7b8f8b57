"""The eight default sets of Lattigo's bootstrapping, from circuits/ckks/bootstrapping/default_parameters.go.

`DOCUMENTED` are the bits of precision that this file says of the sets at N = 2^15.
"""

from fheasible.libraries.parameters import CkksRequest

from .asking_lattigo import request

ARCSINE = {"decode_bits": (42,) * 3, "encode_bits": (58,) * 4, "message_bits": 2, "inverse_degree": 7}
NARROW = {
    "decode_bits": (30,) * 3, "decode_levels": 2, "encode_bits": (53,) * 4, "reduction_bits": 55,
}  # fmt: skip
SMALL = {"decode_bits": (30, 30), "decode_levels": 1}

SETS: dict[str, CkksRequest] = {
    "N16QP1546H192H32": request(16, (60,) + (40,) * 9, (61,) * 5, 40, weight=192),
    "N16QP1547H192H32": request(16, (60,) + (45,) * 5, (61,) * 4, 45, weight=192, **ARCSINE),
    "N16QP1553H192H32": request(16, (55,) + (60,) * 7, (61,) * 5, 30, weight=192, **NARROW),
    "N15QP768H192H32": request(
        15, (33, 50, 25), (51, 51), 25, weight=192, encode_bits=(49,) * 2, reduction_bits=50, **SMALL
    ),
    "N16QP1767H32768H32": request(16, (60,) + (40,) * 13, (61,) * 6, 40, weight=32768),
    "N16QP1788H32768H32": request(16, (60,) + (45,) * 9, (61,) * 5, 45, weight=32768, **ARCSINE),
    "N16QP1793H32768H32": request(16, (55,) + (60,) * 12 + (30,), (61,) * 5, 30, weight=32768, **NARROW),
    "N15QP880H16384H32": request(
        15, (40,) + (31,) * 4, (56, 56), 31, weight=16384, encode_bits=(52,) * 2, reduction_bits=55, **SMALL
    ),
}
DOCUMENTED = {"N15QP768H192H32": 15.4, "N15QP880H16384H32": 17.3}
