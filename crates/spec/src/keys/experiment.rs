//! The keys of an experiment, of its hosts, and of what is measured.

use super::*;

/// The spec itself.
pub static SPEC: Section = Section {
    only: "",
    keys: &[
        Key::optional("name", Name).once().default(Text("experiment")).examples(&[Text("two-flows")]).about(
            "Name of the experiment in stores, tables and pages. A spec in a file has the file's name by default.",
        ),
        Key::required("duration", plain(&DURATION)).examples(&[Text("300 s")]).about(
            "How long a run takes, or `\"until done\"`: until every finite workload is complete, or `time_limit`.",
        ),
        Key::optional("time_limit", TIME_LIMIT)
            .examples(&[Text("600 s")])
            .about("When a run that is `\"until done\"` ends at the latest. It must be there then, and not otherwise."),
        Key::optional("seeds", Seeds).once().default(Count(1)).examples(&[Count(5)]).about(
            "How many times each point is run, with seeds 1, 2, 3, …; a list names them: `[7, 8]`. A seed decides `path.jitter`, random loss, the phase of BBR's cycle, `start_jitter` and `rtt_spread`. Where a spec has none of these, all seeds give the same.",
        ),
        Key::optional("start_jitter", INSTANT).examples(&[Text("100 ms")]).about(
            "Each flow starts this much later at most than it otherwise would, by a time drawn evenly from its seed and its name. The default is one base round-trip time, `path.rtt`, or what a flow that starts or stops near the end has room for: with `\"0 s\"` flows are in step in a way that no network is.",
        ),
        Key::optional("rtt_spread", bounded(&TIME, "0 s", "1 s")).default(Text("0 s")).examples(&[Text("1 ms")]).about(
            "Each flow's base round-trip time is longer by this much at most, by a constant drawn evenly from its seed and its name. Seeds then average over [phases](limitations.md#phase-effects), and their interval says how much hangs on them ([how much, and with how many seeds](how-to/noise-and-phases.md)).",
        ),
        Key::optional("alone", Group).examples(&[Text("flows[0]")]).about(
            "The only group of flows that runs; the others stay away. Its flows have the names, the random streams and the times that they have beside the others, so that a run with them and one without differ in nothing else. `dumbbell run --harm` runs each group so, and says what the others cost it.",
        ),
        Key::optional("zip", Zip)
            .once()
            .about("Lists that [vary together](#sweeps) instead of in every combination, each by its path."),
        Key::required("path", Table(&PATH)).once().examples(&[Header("[path]")]).about(
            "The network: one bottleneck, a line with a queue before it, between all senders and all receivers, and a way back that is perfect unless [`[path.back]`](#pathback) says otherwise. Several queues in a row are [`[[hops]]`](#hops). Each flow has a sender and a receiver of its own.",
        ),
        Key::optional("hops", Table(&HOP)).listed(1, MOST_HOPS).examples(&[Header("[[hops]]")]).about(
            "Queues in a row, each with a line of its own, in the order in which data meets them, a table `[[hops]]` each. They stand in place of `path.rate` and `path.buffer`, and of `burst`, `shaper`, `overhead`, `loss` and `change` there; `path.rtt` stays the base round-trip time of all. `path.queue` goes for all of them. The default is one hop, which the path's own keys describe and whose name is `bottleneck`. More on the way back are `[[path.back.hops]]`.",
        ),
        Key::required("flows", Table(&FLOW)).listed(1, MOST_FLOWS as usize).examples(&[Header("[[flows]]")]).about(
            "The traffic: groups of TCP flows, a table `[[flows]]` each. The flows of a group differ in their start only, and with `rtt_spread` in their RTT.",
        ),
        Key::optional("host", Table(&HOST))
            .once()
            .about("The end hosts: what their kernels are set to, the same for all of them."),
        Key::optional("measure", Table(&MEASURE))
            .once()
            .about("What is recorded of a run, and which part of it the summary is taken of."),
        Key::optional("expect", Table(&EXPECT)).listed(0, MOST_EXPECTATIONS).examples(&[Header("[[expect]]")]).about(
            "What the runs must show, a table `[[expect]]` each. `dumbbell run` judges each at every point (it holds, fails or is undecided), prints them after the results, and has exit status 1 where one fails ([how](how-to/ci-of-a-congestion-control.md)). An expectation decides nothing of a run: after a change of it nothing is run again.",
        ),
    ],
};

/// The end hosts.
pub static HOST: Section = Section {
    only: "",
    keys: &[
        Key::optional("socket_memory", plain(&quantity::MEMORY))
            .default(Text("max"))
            .examples(&[Text("default"), Text("16 MB")])
            .about(
                "Limit of each socket's send and receive buffer: `\"max\"`, which is never the limit; `\"default\"`, Linux's own (4 MB to send, 6 MB to receive); or a size for both. Memory counts as in the kernel, which charges a burst, and a segment that waits for others, with more than its payload. Linux doubles what `setsockopt` asks for: a program that sets `SO_RCVBUF` to 262144 has `\"512 KiB\"`. The window that `ss` shows is `host.receive_window`.",
            ),
        Key::optional("receive_window", bounded(&BYTES, "1 B", "2 GiB"))
            .examples(&[Text("3.145 MB")])
            .about("The most that a receiver announces, whatever its memory. The default is no limit but the memory."),
        Key::optional("initial_window", Integer { least: 1, most: 10_000 })
            .default(Count(10))
            .examples(&[Count(32)])
            .about("Initial congestion window in segments, written without a unit."),
        Key::optional("qdisc", Options(&["none", "fq"])).default(Text("none")).about(
            "The sender's queueing discipline. With `\"fq\"`, as on many Linux servers, every flow is paced, by the queue, in which what TCP has sent waits for its departure; with `\"none\"` those whose algorithm asks for it (BBR), by TCP.",
        ),
        Key::optional("sack_compression", Flag).default(Is(true)).about(
            "Whether receivers hold SACKs back for up to a millisecond and send one for many, as Linux does since 4.18.",
        ),
        Key::optional("gro", Flag).default(Is(false)).about(
            "Whether receivers merge the segments of a flow that their NIC hands over together (generic receive offload, which nearly every host has on). One ACK answers a merged packet. Without `ack_aggregation` only packets that arrive in the same instant come together.",
        ),
        Key::optional("ack_aggregation", bounded(&TIME, "0 s", "100 ms"))
            .default(Text("0 s"))
            .examples(&[Text("100 us")])
            .about(
                "Interrupt moderation of the receivers' NICs: each hands over what has arrived at most once in this time, so that ACKs leave in lumps. The default hands over every packet at once.",
            ),
    ],
};

/// What may be kept of a run.
const RECORDS: [&str; 5] = ["summary", "series", "acks", "pcap", "qlog"];

/// Where it may be captured.
const CAPTURE_POINTS: [&str; 3] = ["senders", "bottleneck", "receivers"];

/// What to record, and where the summary is taken.
pub static MEASURE: Section = Section {
    only: "",
    keys: &[
        Key::optional("window", Window).once().examples(&[List(&[Text("50 %"), Text("100 %")])]).about(
            "Begin and end of what the summary is taken of: shares of the duration, or times. By default it is `[\"25 %\", \"100 %\"]` where every flow sends all that it can, so that the start is no part of the steady state, and the whole run where a flow has a `workload` or `duration = \"until done\"`: what completes counts from its beginning. The list is no sweep.",
        ),
        Key::optional("sample", INTERVAL).default(Text("50 ms")).examples(&[Text("10 ms")]).about(
            "How often gauges are sampled: cwnd, RTT, what is in flight, the queue. Mean and percentiles of RTT and queue are of these samples; counters are exact, whatever it is.",
        ),
        Key::optional("record", Options(&RECORDS)).several().default(Text("series")).examples(&[Text("pcap"), List(&[Text("acks"), Text("pcap")])]).about(
            "What is kept but for the summary: `\"summary\"` nothing, which a large sweep should say; `\"series\"` the samples of every flow and of the queue. Then `\"acks\"`: the round-trip time of every ACK; `\"pcap\"`: captures of the packets, as files that Wireshark opens, at the senders, at the bottleneck and at the receivers; `\"qlog\"`: a log of what each flow's sender did, with cwnd, RTT and phase at each ACK, as a file that qvis opens; sources of short transfers have none. A list has several, and `[\"summary\", \"pcap\"]` captures without series.",
        ),
        Key::optional("snap", bounded(&BYTES, "64 B", "65535 B")).default(Text("96 B")).examples(&[Text("1514 B")]).about(
            "How much of each frame a capture has, from its first byte. The default has all headers.",
        ),
        Key::optional("capture_at", Options(&CAPTURE_POINTS)).several().default(List(&[Text("senders"), Text("bottleneck"), Text("receivers")])).examples(&[Text("senders"), List(&[Text("senders"), Text("receivers")])]).about(
            "Where packets are captured. Each place costs the engine `linux` a quarter of its time, and the disk a third of the room of all.",
        ),
        Key::optional("ss", INTERVAL).examples(&[Text("100 ms")]).about(
            "How often `ss -tin` looks at the senders' connections, beside the engine's own samples: what people see who measure by hand. `dumbbell results export --table ss` has it. By default it does not look; the simulator has no sockets that it could.",
        ),
    ],
};
