"""fheasible verify: run what explore recommends, and set it beside what was predicted."""

from dataclasses import replace

from fheasible.cli import options
from fheasible.cli.pinned import PinnedWishes
from fheasible.cli.session import TerminalSession


def verify(
    session: TerminalSession,
    app: options.App,
    wishes: PinnedWishes,
    repetitions: options.RunRepetitions = None,
    timeout: options.Timeout = None,
    counters: options.Counters = False,
    memory_limit: options.MemoryLimited = None,
) -> int | None:
    """Run what explore recommends.

    It runs the best candidate whose library is installed. It shows each figure as predicted and as measured,
    with the relative error (CPU time: the least of the repetitions; wall time: their median), and the
    decrypted result beside the cleartext result. If a set is refused, or its result is less precise than
    asked, this is reported and stored, and the next set of another kind is run; the exit code is then 3,
    whatever that run gives. If a library's worker is out of date or does not answer, this is reported with
    the remedy, and the best set of another library is run; the exit code is then 1. With --library reference
    the best set of the ring schemes is run.

    With --max-memory and --swap, the run has that memory and swap, as the set was judged by. With
    --memory-limit the run alone is limited.

    \b
    Example:
      fheasible verify examples/2_std_dev.py --precision 15 --data examples/data/day_length.csv
      fheasible verify examples/3_depth_ten.py --library lattigo --json
      fheasible verify examples/2_std_dev.py --max-memory 256MiB --swap
      fheasible verify examples/7_ten_products.py --library reference
    """
    from fheasible.api.platform import Execution
    from fheasible.api.platforms import platform_of
    from fheasible.cli.ran import shown

    asked = wishes.options()
    swap = wishes.swap if asked.max_bytes is None else None
    memory = options.Limits(memory_limit=memory_limit, swap=swap).limit()
    if asked.max_bytes is None:  # then it is the swap of that limit alone
        asked = replace(asked, swap=None)
    platform = platform_of(asked.libraries)
    platform.refuse(asked)
    answer = platform.explore(app, asked, session)
    how = Execution(repetitions=repetitions, timeout=timeout, counters=counters, memory=memory)
    return shown(session, platform.verify(answer, how, session))
