"""libraries add, check and remove: a library that the user brings along, with a stand-in for one, and with
SEAL's own worker under another name. Broken ones are found out, and leave nothing behind."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fheasible.libraries import added
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.lookup_catalogue import LOOKUP_LIBRARIES
from fheasible.measurement import adding, registry

STAND_IN = Path(__file__).parent / "stand_in"
MAXIMUM = """
import fheasible as fh

@fh.app(a=fh.integers(3, low=0, high=15))
def largest(a):
    return fh.maximum(a[0:1], fh.maximum(a[1:2], a[2:3]))
"""
Source = Callable[..., Path]


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """The stand-in's folder, with another manifest or with words of its worker replaced."""

    def make(manifest: str | None = None, *changes: tuple[str, str]) -> Path:
        folder = tmp_path / "source"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(STAND_IN, folder, ignore=shutil.ignore_patterns("__pycache__"))
        text = manifest if manifest is not None else (folder / "worker.toml").read_text()
        (folder / "worker.toml").write_text(text.replace("PYTHON", sys.executable))
        worker = (folder / "worker.py").read_text()
        for old, new in changes:
            assert old in worker
            worker = worker.replace(old, new)
        (folder / "worker.py").write_text(worker)
        return folder

    return make


def manifest(*lines: str) -> str:
    return "\n".join(['follows = "tfhe_rs"', 'start = ["PYTHON", "worker.py"]', *lines])


def listed(call: Any) -> dict[str, Any]:
    return {each["library"]: each for each in call("libraries", "list", "--json").json["libraries"]}


def nothing_is_left() -> bool:
    """Not even a folder."""
    return not added.registered() and not list(added.folder().glob("*"))


@pytest.mark.usefixtures("nothing_installed")
def test_an_added_library_is_listed_checked_and_removed(call: Any, source: Source) -> None:
    folder = source()
    answer = call("libraries", "add", "Mine", "--source", str(folder), "--json")
    assert answer.code == 0
    told = answer.json["added"]
    assert (told["library"], told["version"], told["schemes"]) == ("mine", "0.1", ["tfhe"])
    assert listed(call)["mine"]["source"] == str(folder)
    assert "was added from" in call("libraries").out
    doctor = {c["check"]: c for c in call("doctor", "--json").json["checks"]}
    assert doctor["mine"]["state"] == "ok"
    checked = call("libraries", "check", "mine", "--json")
    assert [a for a in checked.json["answers"] if not a["right"]] == []
    assert (checked.code, len(checked.json["answers"])) == (0, 32)
    assert call("libraries", "remove", "mine").code == 0
    assert nothing_is_left()
    assert (folder / "worker.py").is_file()
    assert "mine" not in listed(call)
    assert call("libraries", "remove", "mine").code == 2


@pytest.mark.usefixtures("nothing_installed")
def test_an_added_library_is_calibrated_explored_and_verified(
    call: Any, source: Source, tmp_path: Path
) -> None:
    app = tmp_path / "largest.py"
    app.write_text(MAXIMUM)
    call("libraries", "add", "mine", "--source", str(source()))
    calibrated = call("calibrate", "--library", "mine", "--json")
    assert [p["library"] for p in calibrated.json["profiles"]] == ["mine"]
    found = call("explore", str(app), "--library", "mine", "--json").json
    best = found["candidates"][0]
    assert (best["library"], best["parameters"]["modulus_switch"], best["parameters"]["grouping"]) == (
        "mine", "standard", 1,
    )  # fmt: skip
    assert best["estimate"]["wall_seconds"]["total"] > 0
    proof = call("verify", str(app), "--library", "mine", "--json")
    assert proof.code == 0
    assert proof.json["measurement"]["worker"]["library"] == "mine"
    others = call("explore", str(app), "--json").json["candidates"]
    assert "mine" not in {c["library"] for c in others}  # it is meant only where it is named


def test_seal_under_another_name_does_what_seal_does(
    call: Any, installed: Any, calibrated: Any, tmp_path: Path, integers: str
) -> None:
    installed("seal")
    folder = tmp_path / "ours"
    folder.mkdir()
    start = json.dumps(list(registry.command("seal").argv))
    (folder / "worker.toml").write_text(f'follows = "seal"\nschemes = ["bfv"]\nstart = {start}\n')
    assert call("libraries", "add", "ours", "--source", str(folder)).code == 0
    assert BY_NAME["ours"].schemes == ("bfv",)
    checked = call("libraries", "check", "ours", "--json")
    assert [a for a in checked.json["answers"] if not a["right"]] == []
    for name in ("seal", "ours"):
        calibrated(name, BY_NAME["seal"].version, ("bfv",))
    found = {
        name: call("explore", integers, "--library", name, "--scheme", "bfv", "--json").json["candidates"]
        for name in ("seal", "ours")
    }
    assert found["ours"]
    assert [{**c, "library": "seal"} for c in found["ours"]] == [
        {**c, "library": "seal"} for c in found["seal"]
    ]
    proof = call("verify", integers, "--library", "ours", "--json")
    assert (proof.code, proof.json["library"]) == (0, "ours")


@pytest.mark.parametrize("follows", ["openfhe", "lattigo"])
def test_every_library_of_vectors_can_be_followed(
    follows: str, call: Any, reals: str, calibrated: Any
) -> None:
    text = f'follows = "{follows}"\nstart = ["nothing"]\n'
    added.folder().mkdir()
    schemes = BY_NAME[follows].schemes
    added.Added("ours", added.folder(), text, BY_NAME[follows].version, schemes, "ours", "built").save()
    for name in (follows, "ours"):
        calibrated(name, BY_NAME[follows].version)
    found = [
        call("explore", reals, "--scheme", "ckks", "--library", name, "--json") for name in (follows, "ours")
    ]
    assert [each.out for each in found if each.code] == []
    own, ours = ([{**c, "library": ""} for c in each.json["candidates"]] for each in found)
    assert own
    assert ours == own


@pytest.mark.usefixtures("nothing_installed")
def test_a_library_that_answers_no_run_is_calibrated_and_explored(
    call: Any, source: Source, tmp_path: Path
) -> None:
    app = tmp_path / "largest.py"
    app.write_text(MAXIMUM)
    folder = source(
        manifest('answers = ["describe", "measure"]', "takes = { modulus_switch = ['standard'] }")
    )
    call("libraries", "add", "mine", "--source", str(folder))
    assert call("calibrate", "--library", "mine").code == 0
    assert call("explore", str(app), "--library", "mine", "--json").json["candidates"]
    checked = call("libraries", "check", "mine", "--json").json["answers"]
    asked = {a["question"] for a in checked}
    assert "single operations are timed, and leave the right numbers" in asked
    assert "every kind of step gives what clear digits give" not in asked
    refused = call("verify", str(app), "--library", "mine")
    assert refused.code == 1
    assert "mine's worker answers only describe and measure" in refused.err


SET = """
[[sets]]
name = "SMALL"
lwe_dimension = 64
glwe_dimension = 1
polynomial_size = 512
lwe_errors = { kind = "gaussian", std = 9.3e-10 }
glwe_errors = { kind = "gaussian", std = 2.8e-14 }
pbs_base_log = 12
pbs_level = 3
ks_base_log = 8
ks_level = 3
message_modulus = 4
carry_modulus = 2
"""


@pytest.mark.usefixtures("nothing_installed")
def test_a_library_may_have_sets_of_its_own_alone(call: Any, source: Source) -> None:
    call("libraries", "add", "mine", "--source", str(source(manifest(SET))))
    library = LOOKUP_LIBRARIES["mine"]
    assert (list(library.named), library.custom) == (["small"], False)
    assert library.named_set("Small").parameters.pbs.level == 3
    checked = call("libraries", "check", "mine", "--json")
    assert checked.code == 0
    assert {a["of"] for a in checked.json["answers"]} == {"SMALL"}


@pytest.mark.usefixtures("nothing_installed")
def test_what_changed_is_built_anew(call: Any, source: Source) -> None:
    folder = source()
    call("libraries", "add", "mine", "--source", str(folder))
    worker = folder / "worker.py"
    worker.write_text(worker.read_text().replace('"version": "0.1"', '"version": "0.2"'))
    stale = listed(call)["mine"]
    assert "out of date" in stale["message"]
    assert stale["remedy"] == "fheasible libraries install mine"
    assert call("libraries", "install", "mine").code == 0
    assert listed(call)["mine"]["version"] == LOOKUP_LIBRARIES["mine"].version == "0.2"
    worker.write_text("raise SystemExit('broken now')")
    assert call("libraries", "install", "mine").code == 1
    broken = listed(call)["mine"]
    assert (broken["installed"], broken["remedy"]) == (False, "fheasible libraries install mine")
    shutil.rmtree(folder)
    assert listed(call)["mine"]["remedy"].endswith("or fheasible libraries remove mine")


TAKEN, NO_NAME = "taken by Fheasible", "cannot be the name"
NAMES = [(name, TAKEN) for name in ("seal", "TFHE_RS", "reference")]
NAMES += [(name, NO_NAME) for name in ("a b", "../x", "", "x" * 41)]


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("name", "words"), NAMES)
def test_a_name_that_cannot_be_taken_is_refused(call: Any, source: Source, name: str, words: str) -> None:
    answer = call("libraries", "add", name, "--source", str(source()))
    assert answer.code == 2
    assert words in answer.err
    assert nothing_is_left()


@pytest.mark.usefixtures("nothing_installed")
def test_a_name_is_taken_once(call: Any, source: Source) -> None:
    folder = source()
    call("libraries", "add", "mine", "--source", str(folder))
    answer = call("libraries", "add", "MINE", "--source", str(folder))
    assert answer.code == 2
    assert "libraries remove mine" in answer.err
    assert call("libraries", "list").code == 0


MANIFESTS = [
    ("", "no field 'follows'"),
    ('follows = "tfhe_rs"', "no field 'start'"),
    ("follows = ", "is no TOML"),
    (manifest("speed = 3"), "unknown field 'speed'"),
    ('follows = "helib"\nstart = ["x"]', "no library of Fheasible"),
    ('follows = "tfhe_rs"\nstart = "x"', "is not a command"),
    (manifest('schemes = ["ckks"]'), "has the scheme 'ckks'"),
    (manifest('answers = ["dance"]'), "is not a list of describe, run, measure"),
    (manifest("build_seconds = -1"), "is not a number of seconds"),
    (manifest('sources = ["/etc/*"]'), "is not a list of patterns"),
    (manifest("custom = false"), "has no sets"),
    (manifest("takes = { speed = [1] }"), "unknown parameter 'speed'"),
    (manifest("[[sets]]", "polynomial_size = 512"), "has no name"),
    (manifest("[[sets]]", 'name = "A"', "polynomial_size = 512"), "the set 'A' of the manifest has no"),
    (manifest(SET, SET), "two sets named 'small'"),
    (manifest(SET.replace("= 64", "= 'many'")), "cannot be read"),
    ('follows = "seal"\nstart = ["x"]\ntakes = { grouping = [1] }', "has no parameters to choose"),
    ('follows = "binfhe"\nstart = ["x"]\n' + SET, "has no parameters to choose"),
]


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("text", "words"), MANIFESTS)
def test_a_manifest_that_cannot_be_used_is_refused(call: Any, source: Source, text: str, words: str) -> None:
    answer = call("libraries", "add", "mine", "--source", str(source(text)))
    assert answer.code == 1
    assert words in answer.err
    assert "remedy" in answer.err
    assert nothing_is_left()


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("command", "words"), [("no-such-program", "cannot be started"), ("true", "mine")])
def test_a_worker_that_does_not_start_is_to_be_added_again(
    call: Any, source: Source, command: str, words: str
) -> None:
    """Nothing was registered that `libraries install` could build."""
    folder = source(f'follows = "tfhe_rs"\nstart = ["{command}"]')
    answer = call("libraries", "add", "mine", "--source", str(folder))
    assert answer.code == 1
    assert words in answer.err
    assert f"remedy: change {folder / 'worker.toml'}" in answer.err
    assert "install" not in answer.err
    assert nothing_is_left()


@pytest.mark.usefixtures("nothing_installed")
def test_a_folder_that_is_no_source_is_refused(call: Any, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for place, words in ((tmp_path / "absent", "does not exist"), (file, "not a folder"),
                         (tmp_path, "has no file worker.toml")):  # fmt: skip
        answer = call("libraries", "add", "mine", "--source", str(place))
        assert answer.code == 1
        assert words in answer.err
    assert nothing_is_left()


PRINTS = (
    "import sys; [print('line', i) for i in range(40)]; print('no compiler', file=sys.stderr); sys.exit(4)"
)
BUILDS = [
    (f'build = [["PYTHON", "-c", "{PRINTS}"]]', ("exit code 4", "line 39", "no compiler")),
    ('build = [["PYTHON", "-c", "import os; os.abort()"]]', ("signal 6",)),
    ('build = [["no-such-compiler", "all"]]', ("`no-such-compiler all` cannot be run",)),
    ('build = [["PYTHON", "-c", "import time; print(1, flush=True); time.sleep(60)"]]\nbuild_seconds = 0.5',
     ("more than 0.5 seconds", "build_seconds")),
]  # fmt: skip


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("line", "words"), BUILDS, ids=["fails", "dies", "is missing", "hangs"])
def test_a_build_that_fails_says_what_the_builder_said(
    call: Any, source: Source, line: str, words: tuple[str, ...]
) -> None:
    answer = call("libraries", "add", "mine", "--source", str(source(manifest(line))))
    assert answer.code == 1
    assert all(word in answer.err for word in words)
    assert "line 0\n" not in answer.err  # the last lines alone
    assert nothing_is_left()


def test_a_build_finds_both_folders(call: Any, source: Source) -> None:
    copy = "import shutil, sys; shutil.copy(*sys.argv[1:])"
    words = ["PYTHON", "-c", copy, "{source}/worker.py", "{build}/w.py"]
    start = 'follows = "tfhe_rs"\nstart = ["PYTHON", "{build}/w.py"]'
    text = f"{start}\nbuild = [{json.dumps(words)}]\n"
    assert call("libraries", "add", "mine", "--source", str(source(text))).code == 0
    assert (added.folder() / "mine" / "build" / "w.py").is_file()


STARTS = [
    (('"protocol": 1', '"protocol": 2'), "speaks protocol 2, not 1"),
    (('"library": "stand-in", ', ""), "sent a hello without 'library'"),
    (('"schemes": ["tfhe"]', '"schemes": ["ckks"]'), "has no scheme 'tfhe'"),
    (("import json\n", "import json\nraise SystemExit('no library here')\n"), "no library here"),
]


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("change", "words"), STARTS)
def test_a_worker_without_a_proper_hello_is_not_registered(
    call: Any, source: Source, change: tuple[str, str], words: str
) -> None:
    folder = source(manifest('schemes = ["tfhe"]'), change)
    answer = call("libraries", "add", "mine", "--source", str(folder))
    assert answer.code == 1
    assert words in answer.err
    assert nothing_is_left()


BROKEN = {
    "a look-up is off by one": (
        ("self.decrypt(x) % self.modulus]", "self.decrypt(x) % self.modulus - 1]"),
        "every kind of step gives what clear digits give",
    ),
    "nothing is encrypted": (
        ("self.secret = RANDOM.integers(0, 2, self.dimension, dtype=np.uint64)",
         "self.secret = np.zeros(self.dimension, dtype=np.uint64)"),
        "an unrelated key decrypts nothing",
    ),
    "inputs are overwritten": (
        ('values[step["out"]], took =', 'values.update({k: v + np.uint64(2**60) for k, v in values.items()'
         ' if k == 0 and step["step"] == "join"}); values[step["out"]], took ='),
        "evaluation leaves its inputs as they were",
    ),
    "a sample is missing": (
        ("np.array([each[0] for each in found])", "np.array([each[0][1:] for each in found])"),
        "every step of every repetition is sampled",
    ),
    "times are invented": (
        ('"evaluate": samples[:, ~encrypts]', '"evaluate": 2 * samples[:, ~encrypts]'),
        "every step of every repetition is sampled",
    ),
    "it dies of a bad line": (
        ('raise bad("not a line of JSON") from None', "os._exit(3)"),
        "a line that is no request is refused, and the next is answered",
    ),
    "it hangs at a run": (
        ("def run(request):\n", "def run(request):\n    time.sleep(60)\n"),
        "every kind of step gives what clear digits give",
    ),
    "it chatters among its replies": (
        ("    reply = answered(request)", '    print("hi", file=REPLIES); reply = answered(request)'),
        "describe tells the size of polynomials",
    ),
    "it takes any parameters": (
        ("if size & (size - 1) or size < 32:", "if False:"),
        "what is impossible is refused, and the worker lives on",
    ),
    "it measures nothing": (
        ("taken = [timed(work[operation])", "taken = [(keys.encrypt([3]), [0.1, 0.1])"),
        "single operations are timed, and leave the right numbers",
    ),
    "it outlives its stdin": (
        ('if __name__ == "__main__":\n    main()', "main()\ntime.sleep(60)"),
        "the end of stdin ends the worker",
    ),
}  # fmt: skip


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_worker_is_found_out(call: Any, source: Source, fault: str) -> None:
    change, question = BROKEN[fault]
    call("libraries", "add", "mine", "--source", str(source(None, change)))
    answer = call("libraries", "check", "mine", "--seconds", "3", "--json")
    assert answer.code == 1
    wrong = {a["question"]: a["found"] for a in answer.json["answers"] if not a["right"]}
    assert question in wrong
    assert all(wrong.values())


def test_what_is_left_of_a_killed_call_is_no_library(call: Any, source: Source) -> None:
    folder = added.folder() / "mine"
    folder.mkdir(parents=True)
    (folder / "building").write_text("999999999")  # no process has that number
    assert "mine" not in listed(call)
    assert call("libraries", "add", "mine", "--source", str(source())).code == 0


def test_a_damaged_registration_is_told_and_can_be_removed(call: Any, source: Source) -> None:
    call("libraries", "add", "mine", "--source", str(source()))
    (added.folder() / "mine" / added.RECORD).write_text("{")
    added.changed()
    told = listed(call)["mine"]
    assert (told["installed"], told["remedy"]) == (False, "fheasible libraries remove mine")
    taken = call("libraries", "add", "mine", "--source", str(source()))
    assert (taken.code, "cannot be used" in taken.err) == (2, True)
    assert call("libraries", "remove", "mine").code == 0
    assert nothing_is_left()


def test_an_interrupted_build_leaves_nothing(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(adding, "_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        adding.add("mine", source(manifest('build = [["make"]]')), lambda _: None)
    assert nothing_is_left()
