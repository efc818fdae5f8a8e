"""Expectations as JUnit XML, which CI systems show: a test case an expectation and point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from dumbbell.errors import ReportError
from dumbbell.experiment.expectations import JudgedExpectation
from dumbbell.problem import visible

_ELEMENTS: Final = {"fails": "failure", "undecided": "skipped"}


def junit(
    name: str, verdicts: Sequence[JudgedExpectation], facts: Mapping[str, object], wall_s: Mapping[str, float], *,
    strict: bool = False,
) -> Element:  # fmt: skip
    """The tree of an experiment `name`; what is undecided is skipped, or where `strict` failed.

    `facts` become properties; `wall_s` has the engine's time of each run, of which a test case has those at its point.
    """
    root = Element("testsuites", name=visible(name))
    suite = SubElement(root, "testsuite", name=visible(name))
    properties = SubElement(suite, "properties")
    for key, value in facts.items():
        SubElement(properties, "property", name=key, value=visible(str(value)))
    counts = {"failure": 0, "skipped": 0}
    for each in verdicts:
        place = f" [{each.place}]" if each.place else ""
        case = SubElement(
            suite, "testcase", classname=visible(name), name=visible(f"{each.expectation}{place}"),
            time=f"{sum(wall_s.get(run_id, 0.0) for run_id in each.run_ids):.3f}",
        )  # fmt: skip
        kind = "failure" if strict and each.verdict == "undecided" else _ELEMENTS.get(each.verdict)
        if kind is None:
            SubElement(case, "system-out").text = visible(each.text)
            continue
        counts[kind] += 1
        SubElement(case, kind, message=visible(each.text), type=each.verdict).text = visible(each.text)
    totals = {
        "tests": str(len(verdicts)), "failures": str(counts["failure"]), "errors": "0",
        "skipped": str(counts["skipped"]),
        "time": f"{sum(wall_s.get(each, 0.0) for each in {run for own in verdicts for run in own.run_ids}):.3f}",
    }  # fmt: skip
    for element in (root, suite):
        element.attrib |= totals
    return root


def joined(name: str, trees: Sequence[Element], unjudged: Mapping[str, str]) -> Element:
    """Several trees as one; of what was not judged, by name, why."""
    root = Element("testsuites", name=visible(name))
    for each in trees:
        root.extend(each)
    for one, why in unjudged.items():
        suite = SubElement(root, "testsuite", name=visible(one), tests="1", failures="0", errors="0", skipped="1")
        case = SubElement(suite, "testcase", classname=visible(one), name=visible(one))
        SubElement(case, "skipped", message=visible(why)).text = visible(why)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(each.get(key, "0")) for each in root)))
    root.set("time", f"{sum(float(each.get('time', '0')) for each in root):.3f}")
    return root


def write(root: Element, file: Path) -> None:
    """Writes the tree as a file.

    Raises:
        ReportError: it cannot be written.
    """
    indent(root)
    try:
        ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ReportError(f"{file} cannot be written: {error.strerror}") from None
