"""Figure 7 of Claypool et al., "Sharing but not Caring" (AICT 2019): what four BBR flows lose in queues of any size.

Runs `claypool-figure7.toml` and prints the loss, as the paper counts it (packets dropped / packets sent on), beside the
published one.
"""

import time
from collections import defaultdict
from pathlib import Path

import dumbbell
from dumbbell.cli.table import aligned
from dumbbell.metrics.statistics import estimate

SPEC = Path(__file__).with_name("claypool-figure7.toml")
PUBLISHED = {
    "0.25 bdp": "12.4",
    "0.5 bdp": "11.0",
    "0.75 bdp": "8.2",
    "1.25 bdp": "2.5",
    "1.5 bdp": "0.0",
    "1.75 bdp": "0",
    "2 bdp": "0",
    "4 bdp": "0",
    "8 bdp": "0",
}


def main() -> None:
    """Runs the experiment and prints its table."""
    print(f"{SPEC.name}: 4 BBR flows, 80 Mbit/s, 25 ms, 300 s; loss in % of the packets sent, mean over seeds ± 95 %\n")
    began = time.perf_counter()
    results = dumbbell.run(SPEC)
    took_s = time.perf_counter() - began

    losses: dict[tuple[str, str], list[float]] = defaultdict(list)
    for result in results.summaries:
        loss = result.bottleneck.loss_per_sent
        if loss is not None:
            losses[result.point["path.buffer"], result.point["flows[0].cc"]].append(100 * loss)
    ccs = list(dict.fromkeys(cc for _, cc in losses))
    rows = [[buffer, PUBLISHED[buffer], *(_words(losses[buffer, cc]) for cc in ccs)] for buffer in PUBLISHED]
    print(aligned(["buffer", "published", *ccs], rows))
    print(f"\n{len(results)} runs in {took_s:.1f} s")
    if results.failures:
        raise SystemExit(f"{len(results.failures)} runs failed: {results.failures[0].error}")


def _words(values: list[float]) -> str:
    """A mean and its interval; where nothing varied there is no interval."""
    found = estimate(values)
    if found.half_width is None:
        return f"{found.mean:5.2f} deterministic, n = {found.n}"
    return f"{found.mean:5.2f} ± {found.half_width:.2f}, n = {found.n}"


if __name__ == "__main__":
    main()
