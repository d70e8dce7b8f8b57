"""How every worker behaves around its results: samples, sizes, refusals, and its end."""

import numpy as np
import pytest

from fheasible.measurement.conformance.client import Died, Worker
from fheasible.measurement.conformance.scripts import Json, Script
from fheasible.measurement.conformance.vectors import CKKS_ERROR, check, data, doubling, everything
from fheasible.measurement.registry import command

from .conftest import Workers
from .test_conformance import run
from .toys import CHAINED, INSECURE_LEVELS, TOYS, Toy, chain_toy, openfhe_toy

pytestmark = pytest.mark.worker

LIBRARIES = ("seal", "openfhe", "lattigo", "node-seal")
SIMPLE = {
    "seal": chain_toy("seal", "ckks"),
    "lattigo": chain_toy("lattigo", "ckks"),
    "node-seal": chain_toy("node-seal", "ckks"),
    "openfhe": openfhe_toy("ckks", "fixedmanual"),
}
each_library = pytest.mark.parametrize("library", LIBRARIES)
each_toy = pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)


def is_healthy(worker: Worker, library: str) -> bool:
    script = doubling(SIMPLE[library])
    check(script, worker.run(script.toy.parameters, script.message(), script.data()))
    return True


@each_library
def test_hello_names_the_library_and_what_it_can_do(workers: Workers, library: str) -> None:
    hello = workers[library].hello
    assert (hello["type"], hello["protocol"], hello["library"]) == ("hello", 1, library)
    assert {"ckks", "bgv", "bfv"} <= set(hello["schemes"])
    assert {"encrypt", "add", "mul", "relinearize", "rotate", "rescale"} <= set(hello["operations"])
    assert all(hello[key] for key in ("version", "binding", "build", "runtime"))
    assert hello["made_from"] == command(library).made_from


@pytest.mark.parametrize("library", CHAINED)
def test_a_chosen_chain_is_taken_as_it_is(workers: Workers, library: str) -> None:
    toy = SIMPLE[library]
    described, _ = workers[library].ask("describe", parameters=toy.parameters)
    assert (described["q"], described["p"]) == (toy.parameters["q"], toy.parameters["p"])


@pytest.mark.parametrize("technique", ["fixedmanual", "flexibleauto", "flexibleautoext"])
def test_openfhe_tells_the_scale_of_every_level(workers: Workers, technique: str) -> None:
    """S_(l-1) = S_l^2 / q_l in the flexible techniques; one scale for all in the fixed ones."""
    toy = openfhe_toy("ckks", technique)
    described, _ = workers["openfhe"].ask("describe", parameters=toy.parameters)
    scales, q = described["scales"], [int(x) for x in described["q"]]
    assert len(scales) == INSECURE_LEVELS + 1
    assert len(q) == toy.fresh + 1
    for level in range(1, len(scales)):
        expected = scales[level] if technique == "fixedmanual" else scales[level] ** 2 / q[level]
        assert scales[level - 1] == pytest.approx(expected, rel=1e-12)


@each_library
def test_every_operation_of_every_repetition_is_sampled(workers: Workers, library: str) -> None:
    script = everything(SIMPLE[library], 8)
    plan = {"repetitions": 3, "warmup": 2, "threads": 1, "min_seconds": 0, "keygens": 2}
    measured = run(workers, script, plan=plan)
    encrypts = np.array([o["action"] == "encrypt" for o in script.operations])
    assert measured.samples.shape == (3, len(script.operations), 2)
    assert measured.samples.dtype == np.float64
    assert (measured.samples > 0).all()
    cpu, wall = measured.samples[..., 0], measured.samples[..., 1]
    assert (cpu <= wall + 1e-4).all()  # one thread's
    phases = measured.reply["phases"]
    sizes = {name: np.array(phases[name]).shape for name in phases}
    each = {"encrypt": (3, 2), "evaluate": (3, 2), "decrypt": (3, 2)}
    assert sizes == {"context": (1, 2), "keygen": (2, 2), **each}
    assert np.allclose(phases["encrypt"], measured.samples[:, encrypts].sum(axis=1))
    assert np.allclose(phases["evaluate"], measured.samples[:, ~encrypts].sum(axis=1))
    assert all(np.array(phases[name]).min() > 0 for name in phases)


@each_toy
def test_serialized_sizes_are_those_of_the_closed_forms(workers: Workers, toy: Toy) -> None:
    """Of N coefficients of 8 bytes per limb; the headers are the small rest."""
    script = everything(toy, 8)
    reply = run(workers, script).reply
    sizes, expected = reply["sizes"], closed_forms(toy, reply)
    rotations = {o["steps"] for o in script.operations if o["action"] == "rotate"}
    assert sizes["rotation_key_count"] == len(rotations)
    expected["rotation_keys"] = len(rotations) * expected["relinearization_key"]
    for key, value in expected.items():
        assert sizes[key] == pytest.approx(value, rel=0.1), key


def closed_forms(toy: Toy, reply: Json) -> dict[str, float]:
    n, limbs, special, digits = reply["ring_dimension"], len(reply["q"]), len(reply["p"]), reply["digits"]
    full = limbs if toy.library == "openfhe" else limbs + special  # whose keys are over Q alone
    return {
        "ciphertext": 16 * n * limbs,
        "public_key": 16 * n * full,
        "secret_key": 8 * n * full,
        "relinearization_key": digits * 16 * n * (limbs + special),
    }


@each_library
def test_sizes_can_be_left_out(workers: Workers, library: str) -> None:
    reply = run(workers, doubling(SIMPLE[library]), options={"sizes": False}).reply
    assert not reply["sizes"].get("public_key")


@each_library
def test_memory_grows_from_the_baseline_to_the_peak(workers: Workers, library: str) -> None:
    """Give or take what reading the request left, which may go back with what making the context leaves. In a
    process of its own, because WebAssembly's memory stays as large as it once was."""
    worker, script = workers.fresh(library), everything(SIMPLE[library], 8)
    memory = worker.run(script.toy.parameters, script.message(), script.data()).reply["memory"]
    assert worker.close() == 0
    assert 0 < memory["baseline_bytes"] <= memory["context_bytes"] + 2**20
    assert memory["peak_bytes"] >= memory["keys_bytes"] > memory["baseline_bytes"]


@each_library
def test_values_are_released_where_the_program_says_so(workers: Workers, library: str) -> None:
    """Many sums need no more memory than a few, unless all of them are held."""
    script, sums = Script(SIMPLE[library], 8), 300
    total = x = script.encrypt("x", data(script, 1))
    for _ in range(sums):
        total = script.add(total, x)
    script.output("total", total)
    program = script.message()
    held = {**program, "operations": [{**o, "frees": []} for o in program["operations"]]}
    peaks = []
    for message in (program, held):
        measured = workers[library].run(script.toy.parameters, message, script.data())
        check(script, measured)
        peaks.append(measured.reply["memory"]["peak_bytes"])
    ciphertext = measured.reply["sizes"]["ciphertext"]
    assert peaks[1] - peaks[0] > sums * ciphertext / 2


@each_library
def test_a_run_leaves_nothing_behind(workers: Workers, library: str) -> None:
    script = everything(SIMPLE[library], 8)
    replies = [run(workers, script).reply for _ in range(20)]
    baselines = [reply["memory"]["baseline_bytes"] for reply in replies]
    sizes = replies[0]["sizes"]
    assert baselines[-1] - baselines[4] < 5 * (sizes["relinearization_key"] + sizes["rotation_keys"])


@each_library
def test_bfv_refuses_to_rescale(workers: Workers, library: str) -> None:
    toy = openfhe_toy("bfv") if library == "openfhe" else chain_toy(library, "bfv")
    script = doubling(toy)
    program = script.message()
    program["operations"].append({"action": "rescale", "out": 2, "args": [1], "level": 0})
    reply, _ = workers[library].try_run(toy.parameters, program, script.data())
    assert (reply["type"], reply["kind"]) == ("refused", "UnsupportedOperation")


INFEASIBLE: dict[str, tuple[Json, str]] = {
    "seal": ({**SIMPLE["seal"].parameters, "q": ["1048583", "1099511627689"]}, "coeff_modulus"),
    "node-seal": ({**SIMPLE["seal"].parameters, "q": ["1048583", "1099511627689"]}, "invalid modulus"),
    "lattigo": ({**SIMPLE["lattigo"].parameters, "q": ["1048575", "1099511627689"]}, ""),
    "openfhe": ({**SIMPLE["openfhe"].parameters, "security": 128}, "does not comply with HE standards"),
}


@each_library
@pytest.mark.parametrize("kind", ["describe", "run"])
def test_infeasible_parameters_are_refused_in_the_library_s_own_words(
    workers: Workers, library: str, kind: str
) -> None:
    parameters, words = INFEASIBLE[library]
    script = doubling(SIMPLE[library])
    if kind == "describe":
        reply, _ = workers[library].ask("describe", parameters=parameters)
    else:
        reply, _ = workers[library].try_run(parameters, script.message(), script.data())
    assert (reply["type"], reply["kind"]) == ("refused", "InfeasibleParameters")
    assert reply["message"]
    assert words in reply["message"]
    assert is_healthy(workers[library], library)


@pytest.mark.parametrize(
    ("library", "words"), [("seal", "security standard"), ("node-seal", "SEAL refuses these parameters")]
)
def test_seal_checks_security_only_when_asked_to(workers: Workers, library: str, words: str) -> None:
    parameters = {**SIMPLE[library].parameters, "security": 128}
    reply, _ = workers[library].ask("describe", parameters=parameters)
    assert (reply["type"], reply["kind"]) == ("refused", "InfeasibleParameters")
    assert words in reply["message"]


@pytest.mark.parametrize("library", ["seal", "node-seal"])
def test_seal_will_not_compute_what_anyone_could_read(workers: Workers, library: str) -> None:
    script = Script(SIMPLE[library], 8)
    x = script.encrypt("x", data(script, 1))
    script.output("nothing", script.sub(x, x))
    reply, _ = workers[library].try_run(script.toy.parameters, script.message(), script.data())
    assert (reply["type"], reply["kind"]) == ("refused", "UnsupportedOperation")
    assert "operation 1 (sub)" in reply["message"]
    assert "transparent" in reply["message"]


@pytest.mark.parametrize("library", ["seal", "openfhe"])
def test_chatter_on_stdout_cannot_corrupt_a_reply(workers: Workers, library: str) -> None:
    """Whatever is written to file descriptor 1, by Python or by native code, lands on stderr."""
    worker = workers.fresh(library)
    python, script = worker.command
    worker.close()
    chatty = (
        "import os, runpy, sys; sys.argv = sys.argv[1:]; sys.path.insert(0, os.path.dirname(sys.argv[0]));"
        "import worker.run as r; run = r.run;"
        "r.run = lambda *a: (os.write(1, b'chatter {\\n'), print('more chatter'), run(*a))[2];"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    worker = Worker([python, "-c", chatty, script], workers.folder)
    assert is_healthy(worker, library)
    assert worker.close() == 0
    assert "chatter {" in worker.last_words()
    assert "more chatter" in worker.last_words()


def test_openfhe_aborting_its_process_is_seen_as_death(workers: Workers) -> None:
    """A plaintext modulus that is not 1 modulo 2N cannot be packed, and OpenFHE takes its process along."""
    worker = workers.fresh("openfhe")
    script = doubling(openfhe_toy("bfv"))
    with pytest.raises(Died):
        worker.try_run({**script.toy.parameters, "plain_modulus": 65539}, script.message(), script.data())
    assert worker.process.returncode != 0


def test_a_real_result_is_not_accepted_by_chance() -> None:
    """The tolerance lies far below what the toy programs compute with."""
    script = everything(SIMPLE["seal"], 8)
    for name in script.outputs:
        assert np.abs(script.expected(name)).max() > 100 * CKKS_ERROR
