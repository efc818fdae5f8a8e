//! The keys of the path.

use super::hop::{PATH_CHANGE, buffer, burst, change, loss, overhead, qdisc, rate, shaper, trace};
use super::impairment::{ACK_FILTER, AGGREGATION, CORRUPT, DUPLICATE, EXCEED, PEAK, REORDER};
use super::*;

/// One bottleneck between all senders and all receivers, or what goes for all hops.
pub static PATH: Section = Section {
    only: "",
    keys: &[
        Key::optional("link", Link).once().examples(&[Text("dsl_25_5")]).about(
            "A preset: a documented set of keys of `[path]`, each with its source ([all of them](#links)). What the spec writes itself goes before it: with `link = \"dsl_25_5\"` and `rate = \"10 Mbit/s\"` the rate is that, and the rest the preset's; a change of a preset leaves what the spec writes. `dumbbell check` prints which of its keys hold. It is one hop, so that it has no place with [`[[hops]]`](#hops), and no axis of a sweep.",
        ),
        rate(
            "The bottleneck's rate. It is charged for frames, the IP packet and `path.overhead`: of 80 Mbit/s an application can see 76.5 at an MTU of 1500. It has no default: it is needed, unless there are [`[[hops]]`](#hops), or `path.link` has one.",
        )
        .unless(&["hops", "link", "trace"]),
        Key::required("rtt", ROUND_TRIP).examples(&[Text("25 ms")]).about(
            "The base round-trip time: what a packet and its ACK take when no queue has anything in it and apart from the time on the line. A group of flows may have its own, `flows[].rtt`.",
        )
        .unless(&["link"]),
        buffer(
            "Room of the bottleneck's queue. `bdp` is `path.rate` x `path.rtt`, the rate being that of the run's beginning: 1 bdp of 80 Mbit/s and 25 ms is 250 kB. A time is what that rate carries in it, as `tbf`'s `latency`: 25 ms are 250 kB, too. Either holds a frame at least. `packets` are full frames, of `path.mtu` and `path.overhead`. It has no default: it is needed, unless there are [`[[hops]]`](#hops), or `path.qdisc` counts packets and so has a limit of its own.",
        ),
        qdisc(
            "How the bottleneck's queue is managed: a queue discipline by `tc`'s name, with `tc`'s parameters as its defaults, below the shaper; or a table with parameters, `{ kind = \"codel\", target = \"10 ms\" }`. `\"fifo\"` is a drop-tail queue. One that counts packets counts them whatever their size: of a `buffer` in `bdp`, or as a time, it has as many as full frames fit.",
        ),
        Key::optional("queue", Options(&["bytes", "packets"])).default(Text("bytes")).about(
            "What the queue counts: bytes of frames, as `tbf` does, or packets of whatever size, as a `pfifo` or many a router does. With `\"packets\"` the buffer is written in `packets`, in `bdp` or as a time.",
        ),
        loss(
            "Random loss: each packet of data is lost with this probability, independently of all others, from the end of the flow's handshake on; or in bursts, `{ gilbert_elliott = { loss = \"1 %\", burst = 5 } }`. ACKs are never lost so, but for those on a way back that has a loss of its own. Results count it as `random_lost_packets`, apart from the queue's drops.",
        ),
        Key::optional("loss_at", Options(&["before", "after"])).default(Text("before")).about(
            "Where random loss strikes: `\"before\"` the queue, so that a lost packet takes none of the line's time, or `\"after\"` it, as on a radio link behind the bottleneck, so that the line has carried it for nothing.",
        ),
        burst(
            "Depth of the token bucket that shapes the line: so much passes at once after a pause. One frame or less is a plain line, which sends one frame after the other, unless `shaper = \"htb\"`. A super-packet (`path.offload`) that is larger than the bucket leaves when that is full, and the bucket owes the rest; Linux's `tbf` would cut it, so that `linux` asks for a bucket that holds one, 70 kB, or for `htb`.",
        ),
        shaper(
            "How the bucket reckons, by the name of Linux's queueing discipline: with `\"tbf\"` a frame leaves when the tokens suffice for it, with `\"htb\"` when the bucket owes nothing, and it may leave it owing. The rate in the long run is the same; after a pause `htb` lets a frame more pass at once. `tc` gives an `htb` without one a `burst` of 1600 B. `\"police\"` has no queue: a frame passes at once if the tokens suffice for it, else it is dropped.",
        ),
        PEAK,
        EXCEED,
        DUPLICATE,
        CORRUPT,
        REORDER,
        AGGREGATION,
        ACK_FILTER,
        Key::optional("shaper_at", Options(&["router", "receiver"])).default(Text("router")).about(
            "Where bucket and queue stand: at a `\"router\"`'s egress, or at the `\"receiver\"`'s ingress, where an `ifb` takes what comes in: the last hop of all, so that nothing of the path can be behind it. To the simulator both are the same.",
        ),
        Key::optional("jitter", plain(&JITTER)).default(Text("50 us")).examples(&[Text("1 packet")]).about(
            "Timing noise of the sending hosts. Each burst that a host hands over leaves it later by a time drawn evenly from the seed, below this, and never before the burst ahead of it: nothing is reordered. It acts behind the host's own queue (`host.qdisc`, an access line that is a device) and before a router's line and the bottleneck, on data and not on ACKs. The default is about what hosts have. `\"1 packet\"` is the time of a full packet on the line: as much as takes [phase effects](limitations.md#phase-effects) away; `\"none\"` is for formulas ([which to write](how-to/noise-and-phases.md)). On engines of real hosts noise is their own where nothing is written.",
        ),
        Key::optional("mtu", Integer { least: 576, most: 65_535 }).default(Count(1_500)).examples(&[Count(9_000)]).about(
            "Largest IP packet in bytes, written without a unit. A full segment carries 52 bytes less: IP, TCP and its timestamps.",
        ),
        overhead(
            "What the bottleneck counts for each frame beyond its IP packet, in its queue as on its line, by `tc`'s word (`stab overhead`). 14 bytes are Ethernet's header, as Linux counts. An Ethernet wire takes 38 with checksum, preamble and gap: 100 Mbit/s then carry 94.1 Mbit/s of goodput at an MTU of 1500.",
        ),
        Key::optional("delay_side", Options(&["return", "forward", "split"])).default(Text("return")).about(
            "Where the base round-trip time lies: on the way of the ACKs, on the way of the data behind the bottleneck, or half on each. It decides when a receiver has a byte, and not how long a round trip takes. Where hops have delays of their own, it is about what they leave over; of a flow whose `direction` is `\"up\"`, the way of the data is the way back.",
        ),
        Key::optional("offload", Flag).default(Is(false)).about(
            "Whether super-packets of up to 64 kB reach the bottleneck whole, as from a sender with TSO and GSO whose NIC does not cut them.",
        ),
        change(&PATH_CHANGE, "Changes of the path in the course of a run, each a table `[[path.change]]`, in order of time."),
        trace(
            "The path's line as it was recorded, a file relative to the spec's folder, in place of its changes. Either it has a time in milliseconds on each line, at which the line delivers one full frame, and after the last all come again (as mahimahi's `mm-link`); or it is a table with a header, `time,rate,delay,loss`: seconds, bit/s, seconds one way in addition to all other delays, and the share that is lost, of which an empty cell leaves what was, and the last line holds to the run's end. `rate` is then the mean, unless it is written: for `bdp`, and until the table begins.",
        ),
        Key::optional("bottleneck", Hop).examples(&[Text("core")]).about(
            "The one of the [`[[hops]]`](#hops) that `bdp`, a packet of `jitter` and the load of arrivals mean. The default is the slowest at the run's beginning, of equals the first.",
        ),
        Key::optional("back", Table(&BACK)).once().examples(&[Header("[path.back]")]).about(
            "A queue and a line on the way back, which ACKs meet, and the data of flows whose `direction` is `\"up\"`: one hop, whose name is `back`, with `rate` and `buffer` of its own; or several, `[[path.back.hops]]`. The default is a way back of delay alone.",
        ),
    ],
};
