//! The keys of a queue and the line behind it, which the path's short form, a hop and the way back share.

use super::impairment::{ACK_FILTER, AGGREGATION, CORRUPT, DUPLICATE, EXCEED, PEAK, REORDER};
use super::*;

pub(super) const fn rate(about: &'static str) -> Key {
    Key::required("rate", LINE_RATE).examples(&[Text("80 Mbit/s")]).about(about)
}

pub(super) const fn buffer(about: &'static str) -> Key {
    Key::optional("buffer", Room { in_bdp: true }).examples(&[Text("1 bdp")]).about(about)
}

pub(super) const fn qdisc(about: &'static str) -> Key {
    Key::optional("qdisc", QUEUE_DISCIPLINE).default(Text("fifo")).examples(&[Text("fq_codel")]).about(about)
}

pub(super) const fn loss(about: &'static str) -> Key {
    Key::optional("loss", LOSS_OF_PACKETS).default(Text("0 %")).examples(&[Text("0.1 %")]).about(about)
}

pub(super) const fn burst(about: &'static str) -> Key {
    Key::optional("burst", bounded(&BYTES, "1 B", "1 GB")).default(Text("5 kB")).examples(&[Text("20 kB")]).about(about)
}

pub(super) const fn shaper(about: &'static str) -> Key {
    Key::optional("shaper", Options(&["tbf", "htb", "police"])).default(Text("tbf")).about(about)
}

pub(super) const fn overhead(about: &'static str) -> Key {
    Key::optional("overhead", bounded(&BYTES, "0 B", "1 kB"))
        .default(Text("14 B"))
        .examples(&[Text("38 B")])
        .about(about)
}

pub(super) const fn change(of: &'static Section, about: &'static str) -> Key {
    Key::optional("change", Table(of)).listed(0, 10_000).about(about)
}

pub(super) const fn trace(about: &'static str) -> Key {
    Key::optional("trace", File(FileKind::Link)).examples(&[Text("starlink.csv")]).about(about)
}

const DELAY: Key = Key::optional("delay", bounded(&TIME, "0 s", "100 s"))
    .default(Text("0 s"))
    .examples(&[Text("5 ms")])
    .about(
        "Propagation delay one way, behind the hop's queue and line: to the next hop, or to the end. It is a part of the base round-trip time: what the delays of all hops that a flow's data and ACKs pass leave over of that lies where `path.delay_side` says, and they may not be more.",
    );
const QDISC_OF_HOP: Key = qdisc("How the hop's queue is managed, as `path.qdisc`.");
const BURST: Key = burst("Depth of the hop's token bucket, as `path.burst`.");
const SHAPER: Key = shaper("How the hop's bucket reckons, as `path.shaper`.");
const OVERHEAD: Key = overhead(
    "What the hop counts for each frame beyond its IP packet, in its queue as on its line, as `path.overhead`.",
);
const LOSS: Key = loss(
    "Random loss before the hop's queue, as `path.loss`: each packet with data, and on the way of the ACKs each ACK, is lost with this probability, or in bursts. What is to be lost behind a queue is lost before that of the next hop.",
);

/// A queue and its line, of several in a row.
pub static HOP: Section = Section {
    only: "",
    keys: &[
        Key::required("name", Hop).once().examples(&[Text("core")]).about(
            "Name of the hop in results, in `path.bottleneck` and in `flows[].route`; unique among all hops, those of the way back too. It names the hop's random streams.",
        ),
        rate("The hop's rate, as `path.rate`: charged for frames, the IP packet and the hop's `overhead`.").unless(&["trace"]),
        buffer(
            "Room of the hop's queue. `bdp` is the bottleneck's, its rate x `path.rtt`, whichever hop it is; a time is what this hop's own rate carries in it. Either holds a frame at least. `packets` are full frames, of `path.mtu` and the hop's `overhead`. It has no default: it is needed, unless `qdisc` counts packets.",
        ),
        QDISC_OF_HOP,
        DELAY,
        OVERHEAD,
        BURST,
        SHAPER,
        LOSS,
        PEAK,
        EXCEED,
        DUPLICATE,
        CORRUPT,
        REORDER,
        AGGREGATION,
        ACK_FILTER,
        change(&HOP_CHANGE, "Changes of the hop in the course of a run, each a table `[[hops.change]]` behind its hop, in order of time."),
        trace("The hop's line as it was recorded, as `path.trace`."),
    ],
};

/// The way back: one hop, or several.
pub static BACK: Section = Section {
    only: "",
    keys: &[
        rate("Rate of the way back, as `path.rate`. Needed, unless there are `[[path.back.hops]]`: it has no default.").unless(&["path.back.hops", "path.back.trace"]),
        buffer(
            "Room of the queue on the way back. `bdp` is the bottleneck's, its rate x `path.rtt`, as everywhere; a time is what the rate of the way back carries in it. It has no default: it is needed, unless there are `[[path.back.hops]]`, or `qdisc` counts packets.",
        ),
        QDISC_OF_HOP,
        DELAY,
        OVERHEAD,
        BURST,
        SHAPER,
        LOSS,
        PEAK,
        EXCEED,
        DUPLICATE,
        CORRUPT,
        REORDER,
        AGGREGATION,
        ACK_FILTER,
        change(&HOP_CHANGE, "Changes of the way back in the course of a run, each a table `[[path.back.change]]`, in order of time."),
        trace("The line on the way back as it was recorded, as `path.trace`."),
        Key::optional("hops", Table(&HOP)).listed(1, MOST_HOPS).examples(&[Header("[[path.back.hops]]")]).about(
            "Several queues in a row on the way back, in the order in which ACKs meet them, each a table `[[path.back.hops]]` with the keys of [`hops`](#hops). They stand in place of the other keys of `[path.back]`.",
        ),
    ],
};

const AT: Key = Key::required("at", INSTANT)
    .examples(&[Text("20 s")])
    .about("When it changes, from the run's beginning; after the change before it and before the run's end.");
const OVER: Key = Key::optional("over", INTERVAL).examples(&[Text("2 s")]).about(
    "How long a change of rate, delay or loss takes: a ramp from what was before, in steps of 10 ms, or of a thousandth of it if that is longer. The default is at once.",
);
const EVERY: Key = Key::optional("every", INTERVAL)
    .examples(&[Text("40 s")])
    .about("How often the change comes again until the run's end. The default is once.");
const CHANGED_LOSS: Key = Key::optional("loss", bounded(&SHARE, "0 %", "99.9999999 %"))
    .examples(&[Text("1 %")])
    .about("The share of packets that is lost at random from then on.");
const CHANGED_BUFFER: Key = Key::optional("buffer", Room { in_bdp: true }).examples(&[Text("0.5 bdp")]).about(
    "Room of the queue from then on, of a `bdp` or a time by the rate of the run's beginning. What waits stays, even if it is more.",
);
const CHANGED_LINE: Key = Key::optional("rate", CHANGED_RATE).examples(&[Text("20 Mbit/s")]).about(
    "The line's rate from then on. What is on it at that moment is finished at the new rate. `\"0 bit/s\"` is an outage: nothing leaves until there is a rate again, and what comes waits, as far as there is room.",
);

/// A change of the path at a moment.
pub static PATH_CHANGE: Section = Section {
    only: "",
    keys: &[
        AT,
        OVER,
        EVERY,
        CHANGED_LINE,
        Key::optional("rtt", ROUND_TRIP).examples(&[Text("80 ms")]).about(
            "The base round-trip time from then on, of all flows longer or shorter by as much. The difference lies behind the bottleneck's line. Packets that come after it became shorter may overtake those under way.",
        ),
        CHANGED_LOSS,
        CHANGED_BUFFER,
    ],
};

/// A change of a hop at a moment.
pub static HOP_CHANGE: Section = Section {
    only: "",
    keys: &[
        AT,
        OVER,
        EVERY,
        CHANGED_LINE,
        Key::optional("delay", bounded(&TIME, "0 s", "100 s")).examples(&[Text("40 ms")]).about(
            "The delay behind the hop from then on. The round-trip time of each flow that passes it changes with it. Packets that come after it became shorter may overtake those under way.",
        ),
        CHANGED_LOSS,
        CHANGED_BUFFER,
    ],
};
