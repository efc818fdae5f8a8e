//! The keys of a queue discipline, by `tc`'s words; [`crate::qdisc`] has which of them has which discipline, and its defaults.

use super::*;

const EXAMPLE: &[Literal] = &[Text("codel")];

const fn time(name: &'static str, least: &'static str, most: &'static str) -> Key {
    Key::optional(name, bounded(&TIME, least, most))
}

const fn bytes(name: &'static str) -> Key {
    Key::optional(name, bounded(&BYTES, "256 B", "4 GB"))
}

/// A queue discipline with parameters.
pub static QDISC: Section = Section {
    only: "",
    keys: &[
        Key::required("kind", Options(&crate::qdisc::KINDS)).examples(EXAMPLE).about(
            "Which discipline. Those that count packets (`codel`, `fq_codel`, `fq`, `pie`, `dualpi2`) hold `buffer` in frames, or without one as many as `tc` gives them; `fifo` and `red` count bytes and need a `buffer`. `cake` has `tc`'s own settings, and is on the engines of a real kernel only.",
        ),
        Key::optional("limit", Integer { least: 1, most: 100_000_000 }).examples(&[Count(1_000)]).about(
            "Frames that the queue holds, in place of `buffer`. The default is `tc`'s: 1000 of `codel` and `pie`, 10240 of `fq_codel`, 10000 of `fq` and `dualpi2`.",
        ),
        time("target", "1 us", "10 s").examples(&[Text("5 ms")]).about(
            "The delay that is aimed at. Of `codel` and `fq_codel` the sojourn time that may stand, by default 5 ms (RFC 8289 section 4.4); of `pie` and `dualpi2` 15 ms (RFC 8033 section 4.2, RFC 9332 appendix A.1).",
        ),
        time("interval", "1 us", "100 s").examples(&[Text("100 ms")]).about(
            "`codel`, `fq_codel`: so long the sojourn time may be above `target` before a packet is dropped. The default is 100 ms (RFC 8289 section 4.3).",
        ),
        Key::optional("ecn", Flag).examples(&[Is(true)]).about(
            "Packets that understand it (`flows[].ecn`) are marked where others are dropped. The default is `tc`'s: true of `fq_codel`, false of `codel`, `pie` and `red`. `pie` drops them, too, from a probability of 10 % on (RFC 8033 section 5.1). `dualpi2` always marks.",
        ),
        time("ce_threshold", "1 us", "10 s").examples(&[Text("1 ms")]).about(
            "`codel`, `fq_codel`, `fq`: packets that understand it are marked as soon as their sojourn time is longer, whatever the control law says. The default is none.",
        ),
        Key::optional("ce_threshold_selector", Options(&["0x01/0x01", "0x01/0x03", "0x02/0x03"])).examples(&[Text("0x01/0x01")]).about(
            "`fq_codel`: which packets `ce_threshold` marks: those whose ECN field, masked by the second number, is the first. `\"0x01/0x01\"` are ECT(1) and CE, L4S. The default is all that understand it.",
        ),
        Key::optional("flows", Integer { least: 1, most: 65_536 }).examples(&[Count(1_024)]).about(
            "`fq_codel`: queues. A flow has that which a hash of its addresses and ports names, so that two may share one. The default is 1024 (RFC 8290 section 5.2.3).",
        ),
        bytes("quantum").examples(&[Text("1514 B")]).about(
            "`fq_codel`, `fq`: bytes that a flow may send in a round. The default is a full Ethernet frame of `fq_codel`, two of `fq`.",
        ),
        bytes("initial_quantum").examples(&[Text("15140 B")]).about(
            "`fq`: bytes that a flow may send in its first round. The default is ten full frames.",
        ),
        Key::optional("flow_limit", Integer { least: 1, most: 100_000_000 }).examples(&[Count(100)]).about(
            "`fq`: frames that one flow's queue holds. The default is 100.",
        ),
        Key::optional("orphan_mask", Integer { least: 0, most: 65_535 }).examples(&[Count(1_023)]).about(
            "`fq`: the bits of a flow's hash that name its queue, at a router, where a packet has no socket. The default is 1023; with 0 all flows share one queue.",
        ),
        time("tupdate", "1 ms", "10 s").examples(&[Text("15 ms")]).about(
            "`pie`, `dualpi2`: time between two updates of the probability, a multiple of 1 ms. The default is 15 ms (RFC 8033 section 4.2), of `dualpi2` 16 ms (RFC 9332 appendix A.1).",
        ),
        Key::optional("alpha", Number { least: 0.0, inclusive: true, most: 32.0 }).examples(&[Decimal(2.0)]).about(
            "`pie`, `dualpi2`: weight of the delay beyond `target` in an update of the probability. `tc` takes it in sixteenths a second of `pie`, an integer, 2 by default (0.125 of RFC 8033 section 4.2); of `dualpi2` per second, to 1/256, 0.16 by default.",
        ),
        Key::optional("beta", Number { least: 0.0, inclusive: true, most: 32.0 }).examples(&[Decimal(20.0)]).about(
            "`pie`, `dualpi2`: weight of the delay's change since the last update, as `alpha`: 20 by default (1.25 of RFC 8033 section 4.2), of `dualpi2` 3.2.",
        ),
        Key::optional("coupling", Integer { least: 1, most: 255 }).examples(&[Count(2)]).about(
            "`dualpi2`: how many times the controller's probability marks scalable traffic (`k` of RFC 9332 section 2.1). The default is 2.",
        ),
        time("step", "1 us", "10 s").examples(&[Text("1 ms")]).about(
            "`dualpi2`: scalable traffic is marked as soon as its sojourn time is longer. The default is 1 ms (RFC 9332 appendix A.1).",
        ),
        bytes("min").examples(&[Text("30 kB")]).about(
            "`red`: mean backlog from which on some packets are dropped or marked. The default is a third of `max`.",
        ),
        bytes("max").examples(&[Text("90 kB")]).about(
            "`red`: mean backlog from which on every packet is dropped. The default is a quarter of `buffer`.",
        ),
        Key::optional("probability", bounded(&SHARE, "0.0001 %", "100 %")).examples(&[Text("2 %")]).about(
            "`red`: the share that is dropped or marked when the mean backlog is just below `max`. The default is 2 %.",
        ),
    ],
};
