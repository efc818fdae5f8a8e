"""Decision trees over a grid's cells, as scikit-learn grows them, and the rules that they are compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log, sqrt
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dumbbell.advice.rules import SHALLOW, Says, cao_tree
from dumbbell.studies.cao2019.cells import Cell
from dumbbell.studies.extra import imported

Features: TypeAlias = "npt.NDArray[np.float32]"
Marks: TypeAlias = "npt.NDArray[np.bool_]"
Weights: TypeAlias = "npt.NDArray[np.float64]"
Feature: TypeAlias = Literal["rate", "rtt", "buffer", "buffer_bdp"]
Rule: TypeAlias = Callable[[Cell], Says]

FEATURES: Final[Mapping[Feature, Callable[[Cell], float]]] = {
    "rate": lambda cell: cell.rate_bps / 1e6,
    "rtt": lambda cell: 1e3 * cell.rtt_s,
    "buffer": lambda cell: cell.buffer_bytes / 1e6,
    "buffer_bdp": lambda cell: log(cell.buffer_bdp),
}
"""Mbit/s, ms and MB, as the document has them; and ln(queue / BDP)."""
RAW: Final[tuple[Feature, ...]] = ("rate", "rtt", "buffer")
SEED: Final = 0
"""Of everything that draws: scikit-learn breaks ties between splits by chance."""
FOLDS: Final = 5
"""Of the cross-validation that chooses how much of a tree is cut."""
MOST_COSTS: Final = 12
"""That it tries, evenly along the way from the whole tree to a single leaf."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a tree is grown."""

    features: tuple[Feature, ...] = RAW
    depth: int | None = None
    """At most so many questions on one way; None: until every leaf has one class."""
    pruned: bool = False
    """Cells weigh by |ln of the gain|, so that ties drive no split, and what does not pay is cut: the cost of a leaf is
    the largest whose weighted error in an inner cross-validation is within one standard error of the least (Breiman et
    al. 1984, section 3.4.3)."""


TREES: Final[Mapping[str, Recipe]] = {
    "depth 3": Recipe(depth=3),
    "full": Recipe(),
    "pruned": Recipe(pruned=True),
    "one split": Recipe(features=("buffer_bdp",), depth=1),
}
"""The document's tree has a depth of 3 as far as it is drawn; scikit-learn's is full unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """Where a tree answers."""

    says: Says
    cells: tuple[Cell, ...]
    """That it was grown of."""

    @property
    def right(self) -> int:
        """How many of them are as it says."""
        return sum(each.label == self.says for each in self.cells)


@dataclass(frozen=True, slots=True)
class Split:
    """A question: whether a feature is at most a threshold."""

    feature: Feature
    threshold: float
    """In the feature's unit; of `buffer_bdp` in BDP."""
    below: Node
    above: Node


Node: TypeAlias = Leaf | Split


def says(node: Node, cell: Cell) -> Says:
    """What a tree says of a cell."""
    while isinstance(node, Split):
        value = cell.buffer_bdp if node.feature == "buffer_bdp" else FEATURES[node.feature](cell)
        node = node.below if value <= node.threshold else node.above
    return node.says


RULES: Final[Mapping[str, Rule]] = {
    "0.35 BDP": lambda cell: "bbr" if cell.buffer_bdp < SHALLOW else "cubic",
    "1 BDP": lambda cell: "bbr" if cell.buffer_bdp < 1 else "cubic",
    "printed": lambda cell: cao_tree(cell.rate_bps, cell.buffer_bytes),
    "always BBR": lambda _: "bbr",
    "always CUBIC": lambda _: "cubic",
}
"""What is held against trees; nothing in them is fitted to the cells at hand. `printed`: the document's tree."""


def grown(cells: Sequence[Cell], recipe: Recipe) -> Node:
    """A tree of cells, without splits of which both sides say the same.

    Raises:
        ValueError: there is no cell.
    """
    if not cells:
        raise ValueError("a tree needs at least one cell")
    tree = classifier(matrix(cells, recipe), labels(cells), weights(cells), recipe).tree_
    return _merged(tree, 0, tuple(cells), recipe)


def roots(cells: Sequence[Cell], times: int = 200) -> Counter[Feature]:
    """About what a tree of raw features asks first, in so many samples of the cells, drawn with replacement."""
    draw = np.random.default_rng(SEED)
    values, marks = matrix(cells, Recipe()), labels(cells)
    counts: Counter[Feature] = Counter()
    for _ in range(times):
        taken = draw.integers(len(cells), size=len(cells))
        tree = _plain(values[taken], marks[taken], depth=1).tree_
        if tree.node_count > 1:
            counts[RAW[int(tree.feature[0])]] += 1
    return counts


def matrix(cells: Sequence[Cell], recipe: Recipe) -> Features:
    """A row a cell, a column a feature; of 32 bits, as scikit-learn has them."""
    return np.array([[FEATURES[name](each) for name in recipe.features] for each in cells], dtype=np.float32)


def labels(cells: Sequence[Cell]) -> Marks:
    return np.array([each.label == "bbr" for each in cells])


def weights(cells: Sequence[Cell]) -> Weights:
    return np.array([abs(each.log_gain) for each in cells])


def classifier(values: Features, marks: Marks, weight: Weights, recipe: Recipe) -> Any:  # noqa: ANN401 (scikit-learn has no types)
    """A fitted `DecisionTreeClassifier`."""
    if not recipe.pruned:
        return _plain(values, marks, depth=recipe.depth)
    return _plain(values, marks, weight, depth=recipe.depth, cost=_cost(values, marks, weight, recipe))


def _plain(
    values: Features, marks: Marks, weight: Weights | None = None, *, depth: int | None, cost: float = 0.0
) -> Any:  # noqa: ANN401
    model = _classifier_class()(max_depth=depth, ccp_alpha=cost, random_state=SEED)
    return model.fit(values, marks, weight, check_input=False)


@cache
def _classifier_class() -> Any:  # noqa: ANN401
    return imported("trees", "tree", "DecisionTreeClassifier")


def _cost(values: Features, marks: Marks, weight: Weights, recipe: Recipe) -> float:
    """Of a leaf, by the rule of one standard error; 0 where a class has too few cells for folds."""
    if min(marks.sum(), (~marks).sum()) < FOLDS:
        return 0.0
    model = _classifier_class()(max_depth=recipe.depth, random_state=SEED)
    path = model.cost_complexity_pruning_path(values, marks, weight)
    edges = np.unique(np.maximum(path.ccp_alphas, 0.0))
    middles = [*(sqrt(one * other) for one, other in pairwise(edges)), float(edges[-1])]
    costs = [middles[place] for place in np.unique(np.linspace(0, len(middles) - 1, MOST_COSTS).astype(int))]
    errors = np.zeros((FOLDS, len(costs)))
    splitter = imported("trees", "model_selection", "StratifiedKFold")
    folds = splitter(FOLDS, shuffle=True, random_state=SEED).split(values, marks)
    for fold, (train, test) in enumerate(folds):
        for place, cost in enumerate(costs):
            model = _plain(values[train], marks[train], weight[train], depth=recipe.depth, cost=cost)
            wrong = model.predict(values[test], check_input=False) != marks[test]
            errors[fold, place] = weight[test][wrong].sum() / weight[test].sum()
    means = errors.mean(axis=0)
    best = int(means.argmin())
    bound = float(means[best] + errors[:, best].std(ddof=1) / sqrt(FOLDS))
    return float(max(cost for cost, mean in zip(costs, means, strict=True) if mean <= bound))


def _merged(tree: Any, node: int, cells: tuple[Cell, ...], recipe: Recipe) -> Node:  # noqa: ANN401
    """A node of scikit-learn's as one of ours."""
    if tree.children_left[node] == tree.children_right[node]:
        _, bbr = tree.value[node][0] if tree.n_classes[0] > 1 else (0.0, 0.0)
        says_bbr = bbr > 0.5 if tree.n_classes[0] > 1 else cells[0].label == "bbr"  # noqa: PLR2004 (the larger class)
        return Leaf("bbr" if says_bbr else "cubic", cells)
    feature, threshold = recipe.features[int(tree.feature[node])], float(tree.threshold[node])
    lower = [np.float32(FEATURES[feature](each)) <= threshold for each in cells]
    sides = [
        tuple(each for each, is_lower in zip(cells, lower, strict=True) if is_lower == side) for side in (True, False)
    ]
    below = _merged(tree, int(tree.children_left[node]), sides[0], recipe)
    above = _merged(tree, int(tree.children_right[node]), sides[1], recipe)
    if isinstance(below, Leaf) and isinstance(above, Leaf) and below.says == above.says:
        return Leaf(below.says, below.cells + above.cells)
    return Split(feature, float(np.exp(threshold)) if feature == "buffer_bdp" else threshold, below, above)
