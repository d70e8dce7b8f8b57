"""The search among libraries of the TFHE family, by the same wish as that of other libraries."""
