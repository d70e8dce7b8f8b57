"""The speed of swap: from passes by hand, and live."""

from pathlib import Path

import pytest

from fheasible.calibration.swap import calibrate_swap, fitted, swap_speed
from fheasible.errors import LimitImpossible
from fheasible.estimation.swapping import SwapSpeed
from fheasible.measurement.limited.probe import FILL, READ, WRITE
from fheasible.measurement.limited.speed import USED_BYTES, SwapPass
from fheasible.measurement.machine import this_machine
from fheasible.store.store import Store
from measurement.limited.test_confined import reason_against

B = USED_BYTES


def passes(read: float, written: float) -> list[SwapPass]:
    """Passes that take exactly so long for each byte, and slower ones that something else disturbed."""
    moved = [(READ, B, B // 8), (WRITE, B, B)]
    quick = [SwapPass(name, r * read + w * written, r, w) for name, r, w in moved]
    slow = [SwapPass(p.name, 3 * p.seconds, p.read_bytes, p.written_bytes) for p in quick]
    return [SwapPass(FILL, 9.0, 0, B), *slow, *quick, *slow]


def test_the_quickest_passes_give_the_seconds_of_each_byte() -> None:
    found = fitted(passes(2e-9, 1e-9), "here", "now")
    assert (found.read_seconds, found.written_seconds) == pytest.approx((2e-9, 1e-9))
    assert (found.machine, found.created) == ("here", "now")
    assert found.seconds(1e9, 2e9) == pytest.approx(4.0)


def test_where_passes_do_not_tell_them_apart_every_byte_takes_as_long() -> None:
    alike = [SwapPass(READ, 2.0, B, B), SwapPass(WRITE, 1.0, B, B // 2)]
    found = fitted([*alike, SwapPass(WRITE, 0.9, B, 2 * B)])
    assert found.read_seconds == found.written_seconds > 0


def test_a_machine_that_hardly_swaps_has_no_speed() -> None:
    with pytest.raises(LimitImpossible, match="hardly swapped") as caught:
        fitted([SwapPass(READ, 1.0, B // 8, 0), SwapPass(WRITE, 1.0, B, B)])
    assert "as root" in caught.value.remedy


def test_a_speed_survives_json() -> None:
    speed = SwapSpeed(1e-9, 2e-9, "m", "now")
    assert SwapSpeed.from_json(speed.to_json()) == speed


@pytest.mark.slow
@pytest.mark.skipif(bool(reason_against()), reason=reason_against())
def test_this_machine_has_a_speed_which_is_kept(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        assert swap_speed(store) is None
        made = calibrate_swap(store)
        assert swap_speed(store) == made
    assert made.machine == this_machine().fingerprint
    assert made.seconds(1e6, 1e6) > 0
