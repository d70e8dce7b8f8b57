"""The precision of CKKS programs."""
