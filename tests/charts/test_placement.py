"""What words on a panel keep clear of."""

from dumbbell.charts.placement import STEP, along, crossed


def test_bars_that_lie_on_one_another_hide_a_cell_once() -> None:
    bar = ((10.0, 2.0), (10.0, 2.0 + 20 * STEP))
    assert list(crossed([bar, bar])) == list(crossed([bar]))


def test_pieces_hide_what_their_line_hides() -> None:
    line = [(0.0, 0.0), (30 * STEP, 7 * STEP), (40 * STEP, 0.0)]
    assert set(along(line)) == {*crossed([(line[0], line[1])]), *crossed([(line[1], line[2])])}
    assert len(list(along(line))) > 40


def test_a_point_hides_nothing() -> None:
    assert not list(along([(1.0, 2.0)]))
