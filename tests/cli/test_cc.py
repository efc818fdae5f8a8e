from __future__ import annotations

import json

import pytest

from commandline import dumbbell
from dumbbell import cc
from dumbbell.engines.catalogue import catalogue

pytestmark = pytest.mark.slow


def test_the_list_has_every_algorithm_and_every_variant() -> None:
    names = [*catalogue(), *cc.variants()]
    assert len(names) > 20
    rows = json.loads(dumbbell("cc", "list", "--json").stdout)
    assert [row["name"] for row in rows] == names
    header, *lines = dumbbell("cc", "list").stdout.splitlines()
    assert header.split()[0] == "name"
    assert [line.split()[0] for line in lines] == names


def test_the_list_says_which_engines_have_each() -> None:
    engines = {row["name"]: row["engines"] for row in json.loads(dumbbell("cc", "list", "--json").stdout)}
    assert engines["bbr_4_17"][:2] == engines["cubic"][:2] == ["sim", "linux"]
    assert engines["vegas"][0] == "linux"


def test_what_only_linux_has_has_no_parameters() -> None:
    lines = dumbbell("cc", "show", "vegas").stdout.splitlines()
    assert lines[0].startswith("vegas: ")
    assert lines[1].startswith("Linux; engines: linux")
    assert lines[-1] == "It has no parameters."


@pytest.mark.parametrize(("name", "why"), [("dctcp", "no queue here marks"), ("lp", "Linux's misreads the delay")])
def test_what_behaves_as_reno_says_so_and_why(name: str, why: str) -> None:
    about = dumbbell("cc", "show", name).stdout.splitlines()[0]
    assert why in about
    assert about.endswith("Reno")


def test_every_name_can_be_shown() -> None:
    for name in (*cc.installed(), *cc.variants()):
        shown = json.loads(dumbbell("cc", "show", name, "--json").stdout)
        assert shown["name"] == name
        assert {"name", "value", "default", "unit", "range", "about", "source"} <= set(shown["parameters"][0])


def test_a_variant_differs_in_its_parameters() -> None:
    (name, variant), *_ = cc.variants().items()
    shown = json.loads(dumbbell("cc", "show", name, "--json").stdout)
    values = {each["name"]: each["value"] for each in shown["parameters"]}
    assert shown["algorithm"] == variant.base
    assert {key: values[key] for key in variant.parameters} == dict(variant.parameters)


def test_the_table_has_unit_default_range_and_source() -> None:
    text = dumbbell("cc", "show", "bbr[cwnd_gain=1.5]").stdout
    header = next(line for line in text.splitlines() if line.startswith("parameter"))
    assert header.split()[:5] == ["parameter", "value", "default", "range", "unit"]
    gain = next(line for line in text.splitlines() if line.startswith("cwnd_gain"))
    assert gain.split()[1:3] == ["1.5", "2"]
    assert "Linux 6.1" in gain


@pytest.mark.parametrize(("name", "words"), [("bbrr", 'did you mean "bbr"?'), ("bbr[gain=2]", 'no parameter "gain"')])
def test_a_name_that_there_is_not(name: str, words: str) -> None:
    done = dumbbell("cc", "show", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
