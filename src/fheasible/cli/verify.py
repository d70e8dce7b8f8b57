"""fheasible verify: run what explore recommends, and set it beside what was predicted."""

from fheasible.cli import options
from fheasible.cli.session import TerminalSession


def verify(
    session: TerminalSession,
    app: options.App,
    wishes: options.Wishes,
    repetitions: options.Repetitions = 3,
    timeout: options.Timeout = None,
) -> int | None:
    """Really run what explore recommends.

    It is the best candidate whose library is installed. Each figure is shown as predicted, as
    measured, and with its relative error (CPU time: the least of the repetitions; wall time: their
    median), and the decrypted result beside the cleartext one. Where a set is refused, or its result is
    not as precise as asked, that is said and stored, and the next of another kind is run: the exit code
    is 3 then, whatever comes of that. Where a library's worker is out of date or does not answer, that is
    said with the remedy, and the best set of another library is run: the exit code is 1 then. With
    --library reference the best set of the ring schemes is run.

    \b
    Example:
      fheasible verify examples/2_std_dev.py --precision 15 --data examples/data/day_length.csv
      fheasible verify examples/3_depth_ten.py --library lattigo --json
      fheasible verify examples/7_ten_products.py --library reference
    """
    from fheasible.api.platform import Execution
    from fheasible.api.platforms import platform_of
    from fheasible.cli.ran import shown

    asked = wishes.options()
    platform = platform_of(asked.libraries)
    platform.refuse(asked)
    answer = platform.explore(app, asked, session)
    return shown(
        session, platform.verify(answer, Execution(repetitions=repetitions, timeout=timeout), session)
    )
