//! The keys of a group of flows.

use super::*;

/// A group of flows that differ in their start only, and with `rtt_spread` in their RTT.
pub static FLOW: Section = Section {
    only: "",
    keys: &[
        Key::optional("name", Name).examples(&[Text("downloads")]).about(
            "Name of the group in results, tables and figures; unique. The default is the algorithm's name, `ping`, `udp` or `media`. Its \
             flows are `downloads`, `downloads-2`, `downloads-3`, …; a flow's name also names its random streams, \
             so that it draws the same whatever else a spec has.",
        ),
        Key::required("cc", Control).examples(&[Text("bbr")]).about(
            "The congestion control: an algorithm, a variant, or either with [parameters](#congestion-controls), \
             as `\"bbr[cwnd_gain=1.5]\"`. `dumbbell cc list` has all, with the engines that have them. It has no default: \
             it is needed, unless the workload is `ping`, `udp` or `media`, which have none.",
        )
        .unless(&["workload.ping", "workload.udp", "workload.media"]),
        Key::optional("count", Integer { least: 1, most: MOST_FLOWS })
            .default(Count(1))
            .examples(&[Count(4)])
            .about("How many flows the group has. All flows of a spec together are 100,000 at most."),
        Key::optional("start", INSTANT)
            .default(Text("0 s"))
            .examples(&[Text("2 s")])
            .about("When the first flow of the group starts, from the run's beginning."),
        Key::optional("stagger", INSTANT)
            .default(Text("0 s"))
            .examples(&[Text("500 ms")])
            .about("How much later each further flow of the group starts than the one before it."),
        Key::optional("stop", INSTANT).examples(&[Text("60 s")]).about(
            "When the flows of the group stop: a moment of the run, and not a length. The default is the run's \
             end. A flow that stops aborts, as an application that closes its connections at once: nothing of it \
             is sent or sent again, what is under way still arrives, and a reset follows it.",
        ),
        Key::optional("workload", WORKLOAD).default(Text("bulk")).about(
            "What the application writes: `\"bulk\"` as much as TCP takes until the end, or one of the tables in \
             [workloads](#workloads), of which one is a program of your own.",
        ),
        Key::optional("rtt", ROUND_TRIP)
            .examples(&[Text("100 ms")])
            .about("The group's own base round-trip time. The default is `path.rtt`, which `bdp` goes on meaning."),
        Key::optional("direction", Options(&["down", "up"])).default(Text("down")).about(
            "Where the data of the group goes: `\"down\"` the path, or `\"up\"`, on the way back, and its ACKs down. \
             `\"up\"` needs hops there: [`[path.back]`](#pathback).",
        ),
        Key::optional("route", Route).examples(&[List(&[Text("first"), Text("core")])]).about(
            "The hops that the group's packets pass, by their names: neighbours, in their order. Names of hops in the \
             group's `direction` limit its data, names of hops in the other one its ACKs; of a direction without a \
             name in it they pass all, which is the default. Where one hop is all there is of a way, its name is \
             `bottleneck`, on the way back `back`.",
        ),
        Key::optional("ecn", Switch(&["accurate"])).default(Is(false)).examples(&[Is(true), Text("accurate")]).about(
            "Whether both hosts of a flow use ECN. `true` is that of RFC 3168, as with Linux's `tcp_ecn = 1`: data is \
             sent as ECT(0), queues whose `qdisc` marks mark it where they would drop it, and the sender answers a mark \
             as it answers loss, once a round trip. `\"accurate\"` is that of RFC 9768 (AccECN), as with Linux \
             7.3's `tcp_ecn = 3`: the receiver counts marked packets for the sender, and all but SYNs are ECT(0). \
             `dctcp` and `prague` need marks: their flows use ECN, whatever stands here. Of `dctcp` then all packets are \
             ECT(0); of `prague` it is accurate, and all packets are ECT(1). On kernels the route to the flow's \
             receiver has `features ecn`; a run whose connections did not negotiate what it says has a warning.",
        ),
        Key::optional("access", Table(&ACCESS)).about(
            "A line of its own before the bottleneck for each sender of the group. The default is none: senders \
             hand their packets to the bottleneck's queue. With `[[hops]]` such a line is a hop.",
        ),
    ],
};

/// A sender's own line before the bottleneck.
pub static ACCESS: Section = Section {
    only: "",
    keys: &[
        Key::required("rate", LINE_RATE)
            .examples(&[Text("1 Gbit/s")])
            .about("Rate of the access line, which each flow of the group has for itself."),
        Key::required("buffer", Room { in_bdp: false }).examples(&[Text("1 MB")]).about(
            "Room of the access line's drop-tail queue. It has no `bdp` of its own. What it drops shows as \
             retransmissions.",
        ),
        Key::optional("kind", Options(&["device", "router"])).default(Text("device")).about(
            "Whose line it is. `\"device\"`: the sender's own, where TCP's small queues hold the sender back before \
             the buffer fills, and it sees at once what its queue drops. `\"router\"`: one behind the sender, whose \
             buffer fills. Behind `host.qdisc = \"fq\"` a device is like a router in that: `fq` holds what waits, \
             and TCP hears of no drop.",
        ),
    ],
};
