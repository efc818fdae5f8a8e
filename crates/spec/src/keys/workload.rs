//! The keys of what an application writes.

use super::*;

/// So many bytes, then close.
pub static TRANSFER: Section = Section {
    only: "",
    keys: &[Key::required("transfer", PAYLOAD).examples(&[Text("100 MB")]).about(
        "So many bytes, then done. The result has the completion time of each flow, `fct_s`: from `connect()` to the last byte's arrival.",
    )],
};

/// Writes of one size at a steady pace.
pub static STREAM: Section = Section {
    only: "",
    keys: &[
        Key::required("stream", bounded(&RATE, "1 bit/s", "1 Tbit/s")).examples(&[Text("2916.8 kbit/s")]).about(
            "A pace at which the application writes, whether TCP keeps up or not: an even stream, as of a live video. It is payload, without headers.",
        ),
        Key::required("for", INTERVAL).examples(&[Text("34 s")]).about("How long a stream is written."),
        Key::required("every", INTERVAL)
            .examples(&[Text("40 ms")])
            .about("How much time is between two writes of a stream: each is `stream` x `every` bytes."),
    ],
};

/// Writes as a file lists them.
pub static TRACE: Section = Section {
    only: "",
    keys: &[Key::required("trace", File(FileKind::Writes))
        .examples(&[Text("writes.csv")])
        .about("A CSV file of writes, relative to the spec's folder: [two columns](#trace-files).")],
};

/// A source of short transfers, each on a connection of its own.
pub static SHORT_FLOWS: Section = Section {
    only: "",
    keys: &[
        Key::required("arrivals", Table(&ARRIVALS)).once().about(
            "When transfers arrive. Each has a connection of its own, opened then and closed when it is complete: the flow is the source of all of them. Times and sizes are drawn from the seed and the flow's name (of one without a name, its place among `[[flows]]`, so that algorithms meet the same arrivals).",
        ),
        Key::optional("size", SIZE_OF_TRANSFERS)
            .examples(&[Text("100 kB")])
            .about("How large the transfers are: all alike, or drawn from a distribution."),
    ],
};

/// When the transfers of a source arrive: by chance, or as a file lists them.
pub static ARRIVALS: Section = Section {
    only: "",
    keys: &[
        Key::optional("load", LOAD).examples(&[Decimal(0.6)]).about(
            "Arrivals by chance (Poisson), so many that they offer the bottleneck this part of `path.rate`: 0.6 is 60 %. Where there are hops it is a part of the bottleneck's rate, and of a source whose `direction` is `\"up\"` of the slowest one's on the way back. What is counted is the mean size with the headers of its segments; what is sent again comes on top.",
        ),
        Key::optional("rate", bounded(&FREQUENCY, "0.000001 /s", "10000000 /s"))
            .examples(&[Text("50 /s")])
            .about("Arrivals by chance (Poisson), so many a second in the mean."),
        Key::optional("trace", File(FileKind::Arrivals)).examples(&[Text("arrivals.csv")]).about(
            "A CSV file of arrivals, relative to the spec's folder: the time of each in seconds after the flow's start, and in a second column its size in bytes. Without that column `size` says how large they are.",
        ),
        Key::optional("count", Integer { least: 1, most: MOST_ARRIVALS }).examples(&[Count(10_000)]).about(
            "So many arrive, and then none. By default they go on arriving until the flow's stop or the run's end. A run that is `\"until done\"` needs it, or a trace.",
        ),
    ],
};

/// Datagrams that come back: the delay of a sparse flow.
pub static PING: Section = Section {
    only: "",
    keys: &[
        Key::required("ping", INTERVAL).examples(&[Text("100 ms")]).about(
            "UDP datagrams so far apart, each of which the receiver sends back as it is: the delay of a flow that \
             sends little. It has no congestion control, and sends on whatever is lost. A queue with one for each \
             flow knows it as one of its own. Results have its round-trip times, and how many were lost; it \
             delivers nothing, so that it has no goodput and no part in shares.",
        ),
        Key::optional("payload", DATAGRAM)
            .default(Text("64 B"))
            .examples(&[Text("1 kB")])
            .about("Payload of each, to which come 28 bytes of IP and UDP; both together are `path.mtu` at most."),
    ],
};

/// Datagrams that nothing answers.
pub static DATAGRAMS: Section = Section {
    only: "",
    keys: &[Key::required("udp", Table(&UDP)).once().about(
        "UDP datagrams that nothing answers, and that do not answer to congestion: the application sends on whatever becomes of them. \
         They have no congestion control. Results have their goodput, what was lost and their one-way delay; what compares \
         connections (shares, Jain's index) leaves them out. `linux` and `netns` send them by a socket of the agent, \
         at the same instants as `sim`.",
    )],
};

/// When datagrams are sent: at a rate, or as a file lists them.
pub static UDP: Section = Section {
    only: "",
    keys: &[
        Key::optional("rate", bounded(&RATE, "1 bit/s", "1 Tbit/s")).examples(&[Text("5 Mbit/s")]).about(
            "Payload a second, without headers, as `iperf3 -u -b` counts. To each datagram come 28 bytes of IP and UDP: \
             5 Mbit/s of 1200 bytes each are 5.12 Mbit/s of IP packets.",
        ),
        Key::optional("trace", File(FileKind::Writes)).examples(&[Text("datagrams.csv")]).about(
            "In place of a rate a CSV file of datagrams, relative to the spec's folder: [two columns](#trace-files), the time of each \
             in seconds after the flow's start, and its payload in bytes.",
        ),
        Key::optional("payload", DATAGRAM)
            .default(Text("1200 B"))
            .examples(&[Text("172 B")])
            .about("Payload of each datagram of a rate; with 28 bytes of IP and UDP it is `path.mtu` at most."),
        Key::optional("spacing", Options(&["even", "poisson"])).default(Text("even")).examples(&[Text("poisson")]).about(
            "How datagrams of a rate follow each other: at even intervals, or by chance, with exponential gaps (a Poisson process) that \
             are drawn from the seed and the flow's name.",
        ),
        Key::optional("on", INTERVAL)
            .examples(&[Text("1 s")])
            .about("It sends for so long, from the flow's start on, and then pauses for `off`; `rate` is that while it sends."),
        Key::optional("off", INTERVAL).examples(&[Text("1 s")]).about("How long each pause is."),
    ],
};

/// A program of the user's own in place of sender and receiver.
pub static COMMAND: Section = Section {
    only: "",
    keys: &[
        Key::required("command", Command)
            .examples(&[List(&[
                Text("iperf3"),
                Text("-c"),
                Text("{receiver}"),
                Text("-p"),
                Text("{port}"),
                Text("-t"),
                Text("{seconds}"),
                Text("-J"),
            ])])
            .about(
                "A program of your own, started at the sender when the flow starts: its name and its arguments, word by word, no shell. [What braces stand for](#commands) is filled in. The flow is complete when the program ends with status 0; one that ends with another status makes the run fail, with the last lines of what it said. One that still runs at the flow's stop, or the run's end, is ended (SIGTERM, then SIGKILL). Data goes from the sender to the receiver, under the flow's `cc`, which the route sets, whatever the program asks for.",
            ),
        Key::optional("server", Command)
            .examples(&[List(&[Text("iperf3"), Text("-s"), Text("-1"), Text("-p"), Text("{port}"), Text("-J")])])
            .about(
                "What `command` talks to: a program that is started at the receiver before the run's time 0, and ended with the flow. The default starts none.",
            ),
        Key::optional("name", Name).once().examples(&[Text("iperf3")]).about(
            "What tables and messages call both, where a sweep has several programs. The default is both, as they are started.",
        ),
        Key::optional("user", Options(&["caller", "root"])).default(Text("caller")).about(
            "Who both run as. `\"caller\"`: the user who calls, also where that user became root by `sudo`. `\"root\"`: root, with all its powers, which only the engine `netns` can give: a guest's programs have none.",
        ),
    ],
};
