"""A table that is looked up while a value is bootstrapped [AKP25]: three parts, the first for many tables.

The operand holds integers m of 0, ..., p - 1 in its coefficients, as q_0·m/p. So the first parts of a
bootstrap bring I + m/p to the slots. The result holds f(m) in its coefficients.
"""

from fheasible.errors import UsageError
from fheasible.schemes.rns.bootstrap.aligned import Aligned, Value
from fheasible.schemes.rns.bootstrap.bootstrap import joined, to_coefficients, to_slots
from fheasible.schemes.rns.bootstrap.keys import BootstrapKeys
from fheasible.schemes.rns.bootstrap.procedure import Table
from fheasible.schemes.rns.bootstrap.scaling import lowered
from fheasible.schemes.rns.bootstrap.table import Entries, turned, typical, values
from fheasible.schemes.rns.bootstrap.tables import Tables
from fheasible.schemes.rns.ciphertext import Ciphertext
from fheasible.schemes.rns.ckks import CKKS


def lookup(
    scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, tables: Tables, entries: Entries | None = None
) -> Ciphertext:
    """The entries in the coefficients, at the level and scale of the result. None: `typical` entries."""
    return decoded(
        scheme, keys, looked_up(scheme, keys, angles(scheme, keys, x, tables), tables, entries), tables
    )


def angles(scheme: CKKS, keys: BootstrapKeys, x: Ciphertext, tables: Tables) -> list[Value]:
    """exp(2πi·m/p) in the slots, whatever the table's entries are."""
    on, table = _aligned(scheme, keys, tables), table_of(tables)
    parts = to_slots(on, keys, lowered(scheme, x, 0), tables)
    return [turned(on, part, table, tables.procedure.reduction) for part in parts]


def looked_up(
    scheme: CKKS, keys: BootstrapKeys, parts: list[Value], tables: Tables, entries: Entries | None = None
) -> Value:
    """The entries in the slots."""
    on, table = _aligned(scheme, keys, tables), table_of(tables)
    entries = typical(table) if entries is None else entries
    made = [values(on, part, table, entries) for part in parts]
    if not table.boolean:
        made = [Value(scheme.add(y.x, scheme.swap_rows(keys.keys, y.x)), y.degree) for y in made]
    return joined(on, made, tables)


def decoded(scheme: CKKS, keys: BootstrapKeys, y: Value, tables: Tables) -> Ciphertext:
    """The slots as coefficients."""
    return to_coefficients(_aligned(scheme, keys, tables), keys, y.x, tables, 1)


def table_of(tables: Tables) -> Table:
    if tables.procedure.table is None:
        raise UsageError("this bootstrap looks no table up", "give it one")
    return tables.procedure.table


def _aligned(scheme: CKKS, keys: BootstrapKeys, tables: Tables) -> Aligned:
    return Aligned(scheme, keys.keys, tables.method.alignment)
