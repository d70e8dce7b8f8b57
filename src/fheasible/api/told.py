"""What a report says before all figures: what the application computes, and the recommendation in five
lines."""

from collections.abc import Iterable, Mapping
from typing import Any

from fheasible.api.headline import inputs_and_results
from fheasible.api.summary import Line
from fheasible.circuit.node import Circuit, Op
from fheasible.emission.source import function_at


def told(circuit: Circuit, lines: Iterable[Line]) -> Mapping[str, Any]:
    """The fields that a stored exploration has for its report. `lines`: the five lines."""
    where = next((n.where for n in circuit.nodes() if n.op is Op.INPUT and n.where), "")
    return {
        "computes": inputs_and_results(circuit),
        "code": function_at(where),
        "summary": [[head.rstrip(":"), said] for head, said in lines],
    }
