from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dumbbell.cc import Variant, variants
from dumbbell.errors import SubstitutionError
from dumbbell.kernel import congestion

MakeTree = Callable[..., Path]

TWO = """
struct tcp_congestion_ops later;
static struct tcp_congestion_ops first __read_mostly = {
	.name = "one",
};
static struct tcp_congestion_ops second = {
	.flags = 1,
	.name		= "two",
};
	return tcp_register_congestion_control(&first);
"""


def variant(name: str, match: str = "GAIN 2", file: str = "net/ipv4/tcp_x.c") -> Variant:
    change = {"file": file, "match": match, "replace": "GAIN 3"}
    return Variant(name=name, about="", base="x", parameters={}, linux=(change,))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "net/ipv4"
    folder.mkdir(parents=True)
    (folder / "Makefile").write_text("obj-y += tcp_x.o")
    (folder / "tcp_x.c").write_text(
        'GAIN 2\nstatic struct tcp_congestion_ops x = {\n\t.name = "x",\n};\ntcp_register_congestion_control(&x);\n'
    )
    return tmp_path


def test_every_option_of_a_congestion_control_is_found() -> None:
    kconfig = "menuconfig TCP_CONG_ADVANCED\nconfig TCP_CONG_NEW\n\ttristate\nconfig TCP_CONG_BIC\nconfig TCP_MD5SIG\n"
    assert congestion.options(kconfig) == ["CONFIG_TCP_CONG_BIC", "CONFIG_TCP_CONG_NEW"]


def test_names_are_those_that_are_registered() -> None:
    assert congestion.registered([TWO]) == ["one"]
    assert congestion.registered([TWO, "tcp_register_congestion_control(&second)"]) == ["one", "two"]


def test_only_what_was_compiled_counts(tree: Path) -> None:
    assert congestion.compiled(tree) == []
    (tree / "net/ipv4/tcp_x.o").touch()
    assert congestion.registered(congestion.compiled(tree)) == ["x"]


def test_a_short_name_fits_and_is_always_the_same() -> None:
    assert congestion.short_name("bbr_4_17") == "bbr_4_17"
    assert congestion.short_name("fifteen_letters") == "fifteen_letters"
    assert congestion.short_name("bbr_4_17_shallow") == "bbr_4_17_s_35bc"


def test_the_short_names_of_the_variants_differ() -> None:
    names = [congestion.short_name(name) for name in variants()]
    assert len(names) > 5
    assert sorted(names) == sorted(set(names))
    assert max(map(len, names)) <= congestion.LONGEST_NAME


def test_controls_have_the_names_of_experiments() -> None:
    short = congestion.short_name("bbr_4_17_shallow")
    assert congestion.controls(["cubic", short, "bbr"], variants()) == {
        "bbr": "bbr",
        "bbr_4_17_shallow": short,
        "cubic": "cubic",
    }


def test_a_variant_is_a_copy_with_its_own_name(tree: Path) -> None:
    assert congestion.add_variants(tree, [variant("x_fast")], strict=True) == {}
    copy = (tree / "net/ipv4/tcp_dumbbell_x_fast.c").read_text()
    assert "GAIN 3" in copy
    assert congestion.registered([copy]) == ["x_fast"]
    assert "GAIN 2" in (tree / "net/ipv4/tcp_x.c").read_text()
    assert (tree / "net/ipv4/Makefile").read_text().splitlines() == [
        "obj-y += tcp_x.o",
        "obj-y += tcp_dumbbell_x_fast.o",
    ]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (variant("y", match="GAIN 9"), '"GAIN 9" does not occur'),
        (variant("y", file="net/ipv4/tcp_z.c"), "no such file"),
        (variant("x"), 'there is a congestion control "x" already'),
    ],
)
def test_a_variant_that_does_not_fit(tree: Path, bad: Variant, message: str) -> None:
    with pytest.raises(SubstitutionError, match=message):
        congestion.add_variants(tree, [bad], strict=True)
    left_out = congestion.add_variants(tree, [bad, variant("x_fast")], strict=False)
    assert list(left_out) == [bad.name]
    assert message in left_out[bad.name]
    assert (tree / "net/ipv4/tcp_dumbbell_x_fast.c").is_file()


def test_a_version_is_told_by_a_text_that_only_its_source_has(tree_3_and_1: Path) -> None:
    folder = tree_3_and_1 / "net/ipv4"
    assert congestion.add_earlier(tree_3_and_1, "6.12.117") == {}
    both = [(folder / f"{name}.c").read_text() for name in ("tcp_bbr", "tcp_bbr1")]
    assert congestion.versions(both) == {"bbr": 3, "bbr1": 1}
    assert congestion.versions([TWO]) == {}
    assert congestion.versions([both[0].replace("BBR_VERSION", "BBR_VARIANT")]) == {"bbr": 0}
    assert congestion.controls(["bbr", "bbr1", "cubic"], variants(), {"bbr": 3, "bbr1": 1}) == {
        "bbr3": "bbr",
        "bbr": "bbr1",
        "cubic": "cubic",
    }


def test_a_variant_of_version_1_is_refused_where_bbr_is_version_3(tree_3: Path) -> None:
    shallow = variants()["bbr_shallow"]
    assert (tree_3 / "net/ipv4/tcp_bbr.c").read_text().count(shallow.linux[0]["match"]) == 1, "it would be taken"
    why = "net/ipv4/tcp_bbr.c: its bbr is version 3, and bbr_shallow is a variant of version 1"
    assert congestion.add_variants(tree_3, variants().values(), strict=False)["bbr_shallow"] == why
    assert not list((tree_3 / "net/ipv4").glob("tcp_dumbbell_*"))


def test_version_1_of_a_tree_of_version_3_takes_its_interface_and_a_name_of_its_own(tree_3_and_1: Path) -> None:
    folder = tree_3_and_1 / "net/ipv4"
    assert congestion.add_earlier(tree_3_and_1, "6.12.117") == {}
    text = (folder / "tcp_bbr1.c").read_text()
    assert congestion.registered([text]) == ["bbr1"]
    assert "\t.tso_segs\t= bbr_tso_segs,\n" in text
    assert (folder / "tcp_output.c").read_text().startswith("u32 tcp_tso_autosize(")
    assert (folder / "Makefile").read_text().splitlines()[-1] == "obj-y += tcp_bbr1.o"
    assert congestion.add_earlier(tree_3_and_1, "6.12.117") == {}, "one that a tree builds itself stays as it is"


def test_version_1_that_does_not_fit_is_left_out(tree_3_and_1: Path, make_tree: MakeTree) -> None:
    file = tree_3_and_1 / "net/ipv4/tcp_bbr1.c"
    tree = make_tree()
    (tree / "net/ipv4/tcp_bbr1.c").write_text(file.read_text())
    (why,) = congestion.add_earlier(tree, "6.12.117").values()
    assert why == "net/ipv4/tcp_bbr.c: its bbr is no later version than that of tcp_bbr1.c"
    file.write_text(file.read_text().replace("min_tso_segs", "segs"))
    (why,) = congestion.add_earlier(tree_3_and_1, "6.12.117").values()
    assert 'tcp_bbr1.c: ".min_tso_segs = bbr_min_tso_segs," does not occur' in why
    assert "tcp_bbr1" not in (tree_3_and_1 / "net/ipv4/Makefile").read_text()


def test_the_tree_of_the_tests_takes_every_variant(make_tree: MakeTree) -> None:
    assert congestion.add_variants(make_tree(), variants().values(), strict=True) == {}
