//! The keys of an expectation.

use super::*;

/// What the runs must show.
pub static EXPECT: Section = Section {
    only: "",
    keys: &[
        Key::required("quantity", Measured).once().examples(&[Text("goodput")]).about(
            "What must be within a bound: a quantity as `--columns` of `dumbbell run` names it, of the run's window.",
        ),
        Key::optional("of", Name).once().examples(&[Text("bbr")]).about(
            "Whose: a group of flows, by its name, or of what a queue has a hop. What belongs to the run, as `jain`, has none. By default it is the only group, or the bottleneck.",
        ),
        Key::optional("at_least", BOUND).once().examples(&[Text("40 Mbit/s"), Decimal(0.9)]).about(
            "The least that it may be, in the quantity's unit; a ratio, as `jain`, has none, and a share may be `\"40 %\"` or `0.4`. With a table it is so many times what another group, or hop, has, `{ of = \"cubic\", times = 2 }`, or what the same one has at another point of the sweep, `{ against = \"flows[0].cc\" }`. An expectation has this or `at_most`.",
        ),
        Key::optional("at_most", BOUND).once().examples(&[Text("50 ms")]).about(
            "The most that it may be, written likewise.",
        ),
        Key::optional("by", INTERVAL).once().examples(&[Text("5 s")]).about(
            "It must be so within this time after the start of the group's first flow, or after `from`: the first bin of 500 ms whose mean is within the bound begins no later. Bins follow each other from that instant to the run's end, inside the window or not; what comes after the first does not matter. `goodput`, `share` and `rtt` of a group have bins, where the run keeps series.",
        ),
        Key::optional("from", INSTANT).once().examples(&[Text("20 s")]).about(
            "When the time of `by` begins, after the run's begin.",
        ),
        Key::optional("seeds", Options(&["median", "all"])).once().default(Text("median")).about(
            "How seeds decide. `\"median\"`: it holds where the median over seeds is within the bound and the 95 % interval of their mean too, fails where both are outside, and is undecided where the interval crosses the bound, or where there are two seeds and they differ. One seed, or seeds that all give the same, decide by the value. `\"all\"`: it holds where each seed is within the bound, and else fails.",
        ),
        Key::optional("where", Values).once().about(
            "Of a sweep, the points that it is judged at: those whose fields have these values, as they are written in the lists. By default each point is judged.",
        ),
    ],
};

/// A bound that another group, or hop, gives, or the same one at another point.
pub static RELATIVE: Section = Section {
    only: "",
    keys: &[
        Key::optional("of", Name).once().examples(&[Text("cubic")]).about("The other group or hop."),
        Key::optional("against", Name).once().examples(&[Text("flows[0].cc")]).about(
            "A swept field, whose first value is the baseline: at each other point the quantity is compared with that of the point that differs in this field only (with `zip`, in those that vary with it), seed by seed: the difference is judged, and a seed in which the baseline has none is left out. At the baseline's own points nothing is judged.",
        ),
        Key::optional("times", Number { least: 0.0, inclusive: false, most: 1e9 })
            .once()
            .default(Decimal(1.0))
            .examples(&[Decimal(2.0)])
            .about("How many times as much."),
        Key::optional("slack", Level).once().examples(&[Text("5 ms")]).about(
            "How far beyond that it may be, in the quantity's unit. The default is not at all.",
        ),
    ],
};
