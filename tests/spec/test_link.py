"""Presets of links in Python: what of a spec's link holds, and that a spec of nothing but a link runs."""

from __future__ import annotations

import pytest

from dumbbell.comparison.standing import outside
from dumbbell.engines.sim import SimEngine
from dumbbell.spec import Experiment, expand, load, resolve
from dumbbell.spec.link import Link, holding, link, links
from specs import smallest


def spec_of(**path: object) -> Experiment:
    return load(smallest(duration="2 s", path=path))


@pytest.mark.parametrize("of", links(), ids=lambda each: each.name)
def test_a_link_alone_is_a_path_that_runs(of: Link) -> None:
    (point,) = expand(spec_of(link=of.name))
    resolved = resolve(point, 1)
    measured = SimEngine().measure(resolved.run)
    assert measured.flows[0].at_end.delivered_bytes > 0
    assert f"path.link = {of.name}" in outside([(point, resolved)])


def test_what_holds_is_the_specs_own_or_the_links() -> None:
    experiment = spec_of(link="starlink", rate="9 Mbit/s", rtt=["20 ms", "80 ms"])
    rows = {each.path: each for each in holding(experiment)}
    assert (rows["path.rate"].is_own, rows["path.rate"].value) == (True, "9 Mbit/s")
    assert rows["path.rtt"].lines == ['path.rtt = ["20 ms", "80 ms"], the spec\'s own; the link\'s: "50 ms"']
    assert rows["path.change"].lines == ["path.change: left out, since the spec has something in its place"]
    assert rows["path.buffer"].lines[0].startswith('path.buffer = "250 ms": No size is published')
    assert experiment.fields()["path"] == {"link": "starlink", "rate": "9 Mbit/s", "rtt": ["20 ms", "80 ms"]}
    assert not list(holding(load(smallest())))


def test_hops_of_a_way_back_displace_the_links() -> None:
    back = {"hops": [{"name": "up", "rate": "2 Mbit/s", "buffer": "9 kB"}]}
    rows = {each.path: each for each in holding(spec_of(link="dsl_25_5", back=back))}
    assert rows["path.back.rate"].value is None
    assert rows["path.rate"].value == link("dsl_25_5").get("rate") == "25 Mbit/s"
