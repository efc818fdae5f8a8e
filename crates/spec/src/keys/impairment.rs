//! The keys of what a line does to packets beside taking its time.

use super::*;

/// Loss in bursts.
pub static BURST_LOSS: Section = Section {
    only: "",
    keys: &[Key::required("gilbert_elliott", Table(&GILBERT_ELLIOTT)).once().about(
        "Loss in bursts, by a channel of two states (Gilbert and Elliott): in the bad state packets are lost, in the good one not. It is the hop's, so that a burst strikes whoever sends then.",
    )],
};

/// The channel, by its losses or by its probabilities.
pub static GILBERT_ELLIOTT: Section = Section {
    only: "",
    keys: &[
        Key::optional("loss", bounded(&SHARE, "0.0000001 %", "99 %")).examples(&[Text("1 %")]).about(
            "The share of packets that is lost in the long run. It stands with `burst`, in place of `p` and `r`.",
        ),
        Key::optional("burst", Number { least: 1.0, inclusive: true, most: 1e6 })
            .examples(&[Decimal(5.0)])
            .about("How many packets are lost one after another, in the mean: a number."),
        Key::optional("p", bounded(&SHARE, "0 %", "100 %")).examples(&[Text("1 %")]).about(
            "Probability that the good state becomes the bad one, at each packet, as `netem`'s `loss gemodel` has it.",
        ),
        Key::optional("r", bounded(&SHARE, "0 %", "100 %"))
            .examples(&[Text("20 %")])
            .about("Probability that the bad state becomes the good one, at each packet."),
        Key::optional("h", bounded(&SHARE, "0 %", "100 %"))
            .default(Text("0 %"))
            .about("The share of packets that the bad state lets through."),
        Key::optional("k", bounded(&SHARE, "0 %", "100 %"))
            .default(Text("100 %"))
            .about("The share of packets that the good state lets through."),
    ],
};

/// Some packets are late.
pub static LATE: Section = Section {
    only: "",
    keys: &[
        Key::required("share", bounded(&SHARE, "0 %", "100 %"))
            .examples(&[Text("2 %")])
            .about("The share of packets that are late by `by`, so that those behind overtake them."),
        Key::required("by", bounded(&TIME, "1 us", "100 s")).examples(&[Text("15 ms")]).about("How late they are."),
    ],
};

/// Each packet has a delay of its own.
pub static SPREAD: Section = Section {
    only: "",
    keys: &[
        Key::required("spread", bounded(&TIME, "1 us", "10 s")).examples(&[Text("8 ms")]).about(
            "How far each packet's delay may be from `delay`: of a uniform distribution at most so far, of a normal one its standard deviation. Who comes later may overtake: `path.jitter` is noise that does not.",
        ),
        Key::optional("delay", bounded(&TIME, "0 s", "100 s")).examples(&[Text("25 ms")]).about(
            "The mean delay, one way and in addition to all others; no packet's is less than 0. The default is `spread`.",
        ),
        Key::optional("distribution", Options(&["uniform", "normal"]))
            .default(Text("uniform"))
            .about("How delays are distributed."),
        Key::optional("correlation", bounded(&SHARE, "0 %", "99.9 %")).default(Text("0 %")).about(
            "How much a delay has of the one before, as `netem` mixes them: with more of it fewer packets overtake, and delays spread less.",
        ),
    ],
};

const PROBABILITY: Kind = bounded(&SHARE, "0 %", "100 %");
pub(super) const DUPLICATE: Key = Key::optional("duplicate", PROBABILITY)
    .default(Text("0 %"))
    .examples(&[Text("0.1 %")])
    .about("Probability that a packet comes twice, behind the line.");
pub(super) const CORRUPT: Key =
    Key::optional("corrupt", PROBABILITY).default(Text("0 %")).examples(&[Text("0.01 %")]).about(
        "Probability that a packet is damaged behind the line. It goes on to its host, which discards it: to TCP it is lost.",
    );
pub(super) const REORDER: Key =
    Key::optional("reorder", REORDERING).default(Text("none")).examples(&[Text("none")]).about(
        "Packets that overtake others, behind the line: a share of them is late, `{ share = \"2 %\", by = \"15 ms\" }`, or each has a delay of its own, `{ spread = \"8 ms\" }`.",
    );
pub(super) const AGGREGATION: Key =
    Key::optional("aggregation", bounded(&TIME, "0 s", "1 s")).default(Text("0 s")).examples(&[Text("4 ms")]).about(
        "Packets are handed over in lumps, at most once in this time, as a Wi-Fi station or a cable modem does. With 0 each comes alone.",
    );
pub(super) const ACK_FILTER: Key = Key::optional("ack_filter", Flag).default(Is(false)).about(
    "Whether a new ACK takes the place of one of its connection that waits in the queue and says less (RFC 3449 section 5.2.1), as in cable modems and CAKE.",
);
pub(super) const PEAK: Key = Key::optional("peak", LINE_RATE)
    .examples(&[Text("50 Mbit/s")])
    .about("Of a policer: a rate that not even a burst exceeds. The default is none.");
pub(super) const EXCEED: Key = Key::optional("exceed", Options(&["drop", "mark"])).default(Text("drop")).about(
    "Of a policer: what becomes of packets above its rate. Those that understand ECN can be marked; others are dropped.",
);
