"""CPU seconds of bootstraps of bits and small integers: kernel counts times prices, by the size of a word.

A profile's `gates` has a price for each "kernel/bytes of a word".
"""

from collections.abc import Mapping

from fheasible.libraries.gates import Gates, GateSet, priced

Prices = Mapping[str, float]


def seconds(gates: Gates, of: GateSet, method: str, operation: str, prices: Prices) -> float | None:
    """None where a kernel has no price."""
    counts = gates.work(of, method, operation)
    names = {kernel: priced(of, kernel) for kernel in counts}
    if not counts or any(name not in prices for name in names.values()):
        return None
    return sum(count * prices[names[kernel]] for kernel, count in counts.items())
