"""What each table of a spec may have. Made by `make docs-outputs` out of the keys of `crates/spec`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict


class Think(TypedDict, total=False):
    """The table `flows[].workload.pages.think`."""

    exponential: Required[str | Sequence[str]]
    """Mean of pauses that are exponentially distributed."""


class Lognormal(TypedDict, total=False):
    """The table `flows[].workload.size.lognormal`."""

    mean: str | Sequence[str]
    """Mean of the sizes. Either it is written, or the median."""
    median: str | Sequence[str]
    """Median of the sizes."""
    sigma: Required[float | Sequence[float]]
    """Standard deviation of the sizes' natural logarithm, a number."""


class Pareto(TypedDict, total=False):
    """The table `flows[].workload.size.pareto`."""

    mean: str | Sequence[str]
    """Mean of the sizes. Either it is written, or the minimum."""
    minimum: str | Sequence[str]
    """The smallest size."""
    shape: Required[float | Sequence[float]]
    """The tail's exponent, a number: the smaller, the heavier. Without a maximum there is a mean only above 1."""
    maximum: str | Sequence[str]
    """The largest size: the distribution is cut there (bounded Pareto). By default there is none."""


class Arrivals(TypedDict, total=False):
    """The table `flows[].workload.arrivals`."""

    load: float | Sequence[float]
    """Arrivals by chance (Poisson), so many that they offer the bottleneck this part of `path.rate`: 0.6 is 60 %. Where
    there are hops it is a part of the bottleneck's rate, and of a source whose `direction` is `"up"` of the slowest
    one's on the way back. What is counted is the mean size with the headers of its segments; what is sent again comes
    on top."""
    rate: str | Sequence[str]
    """Arrivals by chance (Poisson), so many a second in the mean."""
    trace: str | Sequence[str]
    """A CSV file of arrivals, relative to the spec's folder: the time of each in seconds after the flow's start, and in
    a second column its size in bytes. Without that column `size` says how large they are."""
    count: int | Sequence[int]
    """So many arrive, and then none. By default they go on arriving until the flow's stop or the run's end. A run that
    is `"until done"` needs it, or a trace."""


class Media(TypedDict, total=False):
    """The table `flows[].workload.media`."""

    least: str | Sequence[str]
    """The least rate that the encoder gives, payload without headers, and that with which it begins: RMIN of RFC
    8698."""
    most: str | Sequence[str]
    """The most that it gives: RMAX of RFC 8698, by which NADA weighs flows that share a queue."""
    frames: int | Sequence[int]
    """Frames a second in the mean; one interval differs from the next (RFC 8593 section 5.3)."""
    deadline: str | Sequence[str]
    """A frame is late when its last packet has not arrived so long after its capture. Lost frames are late."""


class Pages(TypedDict, total=False):
    """The table `flows[].workload.pages`."""

    objects: Required[int | Sequence[int]]
    """How many objects a page has."""
    size: Required[Size | Mapping[str, Any] | str | Sequence[Size | Mapping[str, Any] | str]]
    """How large an object is: all alike, or drawn from a distribution, as the sizes of `arrivals` are."""
    connections: int | Sequence[int]
    """How many connections each client opens. The default is what browsers open to one server with HTTP/1.1. The
    server's `connect()` opens them, as the sender's does of every flow, so that page load times do not have the
    handshake."""
    request: str | Sequence[str]
    """Payload of a request, which is one segment: at most `path.mtu` less 52 bytes of headers. It takes the way of the
    ACKs."""
    think: Think | Mapping[str, Any] | str | Sequence[Think | Mapping[str, Any] | str]
    """How long a client pauses when a page is loaded."""


class Size(TypedDict, total=False):
    """The table `flows[].workload.size`."""

    lognormal: Lognormal | Mapping[str, Any]
    """Sizes whose logarithm is normally distributed: many small ones and a few large ones."""
    pareto: Pareto | Mapping[str, Any]
    """Sizes with a heavy tail, as files of the web have."""
    cdf: str | Sequence[str]
    """A CSV file, relative to the spec's folder: sizes in bytes and, for each, the share of transfers that are no
    larger, from the smallest size to a share of 1. Between two sizes all are as likely."""


class Udp(TypedDict, total=False):
    """The table `flows[].workload.udp`."""

    rate: str | Sequence[str]
    """Payload a second, without headers, as `iperf3 -u -b` counts. To each datagram come 28 bytes of IP and UDP: 5
    Mbit/s of 1200 bytes each are 5.12 Mbit/s of IP packets."""
    trace: str | Sequence[str]
    """In place of a rate a CSV file of datagrams, relative to the spec's folder: [two columns](#trace-files), the time
    of each in seconds after the flow's start, and its payload in bytes."""
    payload: str | Sequence[str]
    """Payload of each datagram of a rate; with 28 bytes of IP and UDP it is `path.mtu` at most."""
    spacing: Literal["even", "poisson"] | Sequence[Literal["even", "poisson"]]
    """How datagrams of a rate follow each other: at even intervals, or by chance, with exponential gaps (a Poisson
    process) that are drawn from the seed and the flow's name."""
    on: str | Sequence[str]
    """It sends for so long, from the flow's start on, and then pauses for `off`; `rate` is that while it sends."""
    off: str | Sequence[str]
    """How long each pause is."""


class GilbertElliott(TypedDict, total=False):
    """The table `path.loss.gilbert_elliott`."""

    loss: str | Sequence[str]
    """The share of packets that is lost in the long run. It stands with `burst`, in place of `p` and `r`."""
    burst: float | Sequence[float]
    """How many packets are lost one after another, in the mean: a number."""
    p: str | Sequence[str]
    """Probability that the good state becomes the bad one, at each packet, as `netem`'s `loss gemodel` has it."""
    r: str | Sequence[str]
    """Probability that the bad state becomes the good one, at each packet."""
    h: str | Sequence[str]
    """The share of packets that the bad state lets through."""
    k: str | Sequence[str]
    """The share of packets that the good state lets through."""


class AtLeast(TypedDict, total=False):
    """The table `expect[].at_least`."""

    of: str
    """The other group or hop."""
    against: str
    """A swept field, whose first value is the baseline: at each other point the quantity is compared with that of the
    point that differs in this field only (with `zip`, in those that vary with it), seed by seed: the difference is
    judged, and a seed in which the baseline has none is left out. At the baseline's own points nothing is judged."""
    times: float
    """How many times as much."""
    slack: str | float
    """How far beyond that it may be, in the quantity's unit. The default is not at all."""


class AtMost(TypedDict, total=False):
    """The table `expect[].at_most`."""

    of: str
    """The other group or hop."""
    against: str
    """A swept field, whose first value is the baseline: at each other point the quantity is compared with that of the
    point that differs in this field only (with `zip`, in those that vary with it), seed by seed: the difference is
    judged, and a seed in which the baseline has none is left out. At the baseline's own points nothing is judged."""
    times: float
    """How many times as much."""
    slack: str | float
    """How far beyond that it may be, in the quantity's unit. The default is not at all."""


class Access(TypedDict, total=False):
    """The table `flows[].access`."""

    rate: Required[str | Sequence[str]]
    """Rate of the access line, which each flow of the group has for itself."""
    buffer: Required[str | Sequence[str]]
    """Room of the access line's drop-tail queue. It has no `bdp` of its own. What it drops shows as retransmissions."""
    kind: Literal["device", "router"] | Sequence[Literal["device", "router"]]
    """Whose line it is. `"device"`: the sender's own, where TCP's small queues hold the sender back before the buffer
    fills, and it sees at once what its queue drops. `"router"`: one behind the sender, whose buffer fills. Behind
    `host.qdisc = "fq"` a device is like a router in that: `fq` holds what waits, and TCP hears of no drop."""


_Workload = TypedDict("_Workload", {"for": str | Sequence[str]}, total=False)

class Workload(_Workload, total=False):
    """The table `flows[].workload`."""

    transfer: str | Sequence[str]
    """So many bytes, then done. The result has the completion time of each flow, `fct_s`: from `connect()` to the last
    byte's arrival."""
    stream: str | Sequence[str]
    """A pace at which the application writes, whether TCP keeps up or not: an even stream, as of a live video. It is
    payload, without headers."""
    every: str | Sequence[str]
    """How much time is between two writes of a stream: each is `stream` x `every` bytes."""
    trace: str | Sequence[str]
    """A CSV file of writes, relative to the spec's folder: [two columns](#trace-files)."""
    arrivals: Arrivals | Mapping[str, Any]
    """When transfers arrive. Each has a connection of its own, opened then and closed when it is complete: the flow is
    the source of all of them. Times and sizes are drawn from the seed and the flow's name (of one without a name, its
    place among `[[flows]]`, so that algorithms meet the same arrivals)."""
    size: Size | Mapping[str, Any] | str | Sequence[Size | Mapping[str, Any] | str]
    """How large the transfers are: all alike, or drawn from a distribution."""
    pages: Pages | Mapping[str, Any]
    """Request and answer: each flow of the group is a client that loads pages from a server, one after the other, over
    connections that it opens at the flow's start and reuses. Each connection that is free requests an object and waits
    for it; when all objects of a page have arrived, the page is loaded, and after a pause the next one begins. Results
    have `page_load`, the time from a page's first request to its last byte. Sizes and pauses are drawn from the seed
    and the flow's name, the same on every engine."""
    ping: str | Sequence[str]
    """UDP datagrams so far apart, each of which the receiver sends back as it is: the delay of a flow that sends
    little. It has no congestion control, and sends on whatever is lost. A queue with one for each flow knows it as one
    of its own. Results have its round-trip times, and how many were lost; it delivers nothing, so that it has no
    goodput and no part in shares."""
    payload: str | Sequence[str]
    """Payload of each, to which come 28 bytes of IP and UDP; both together are `path.mtu` at most."""
    udp: Udp | Mapping[str, Any]
    """UDP datagrams that nothing answers, and that do not answer to congestion: the application sends on whatever
    becomes of them. They have no congestion control. Results have their goodput, what was lost and their one-way delay;
    what compares connections (shares, Jain's index) leaves them out. `linux` and `netns` send them by a socket of the
    agent, at the same instants as `sim`."""
    media: Media | Mapping[str, Any]
    """Live video over UDP that adapts its rate to the path: an encoder by the statistical model of RFC 8593, whose
    congestion control is NADA (RFC 8698) with the RFC's parameters, and a receiver that reports every 100 ms on the way
    back. It has no `cc`. Results have what those of `udp` have, how long frames take, and which share of them is late.
    `linux` and `netns` send it by a socket of the agent, and its frames are captured at the same instants as on
    `sim`."""
    command: Sequence[str] | Sequence[Sequence[str]]
    """A program of your own, started at the sender when the flow starts: its name and its arguments, word by word, no
    shell. [What braces stand for](#commands) is filled in. The flow is complete when the program ends with status 0;
    one that ends with another status makes the run fail, with the last lines of what it said. One that still runs at
    the flow's stop, or the run's end, is ended (SIGTERM, then SIGKILL). Data goes from the sender to the receiver,
    under the flow's `cc`, which the route sets, whatever the program asks for."""
    server: Sequence[str] | Sequence[Sequence[str]]
    """What `command` talks to: a program that is started at the receiver before the run's time 0, and ended with the
    flow. The default starts none."""
    name: str
    """What tables and messages call both, where a sweep has several programs. The default is both, as they are
    started."""
    user: Literal["caller", "root"] | Sequence[Literal["caller", "root"]]
    """Who both run as. `"caller"`: the user who calls, also where that user became root by `sudo`. `"root"`: root, with
    all its powers, which only the engine `netns` can give: a guest's programs have none."""


class Back(TypedDict, total=False):
    """The table `path.back`."""

    rate: str | Sequence[str]
    """Rate of the way back, as `path.rate`. Needed, unless there are `[[path.back.hops]]`: it has no default."""
    buffer: str | Sequence[str]
    """Room of the queue on the way back. `bdp` is the bottleneck's, its rate x `path.rtt`, as everywhere; a time is
    what the rate of the way back carries in it. It has no default: it is needed, unless there are `[[path.back.hops]]`,
    or `qdisc` counts packets."""
    qdisc: Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"] | Qdisc | Mapping[str, Any] | Sequence[Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"] | Qdisc | Mapping[str, Any]]
    """How the hop's queue is managed, as `path.qdisc`."""
    delay: str | Sequence[str]
    """Propagation delay one way, behind the hop's queue and line: to the next hop, or to the end. It is a part of the
    base round-trip time: what the delays of all hops that a flow's data and ACKs pass leave over of that lies where
    `path.delay_side` says, and they may not be more."""
    overhead: str | Sequence[str]
    """What the hop counts for each frame beyond its IP packet, in its queue as on its line, as `path.overhead`."""
    burst: str | Sequence[str]
    """Depth of the hop's token bucket, as `path.burst`."""
    shaper: Literal["tbf", "htb", "police"] | Sequence[Literal["tbf", "htb", "police"]]
    """How the hop's bucket reckons, as `path.shaper`."""
    loss: Loss | Mapping[str, Any] | str | Sequence[Loss | Mapping[str, Any] | str]
    """Random loss before the hop's queue, as `path.loss`: each packet with data, and on the way of the ACKs each ACK,
    is lost with this probability, or in bursts. What is to be lost behind a queue is lost before that of the next
    hop."""
    peak: str | Sequence[str]
    """Of a policer: a rate that not even a burst exceeds. The default is none."""
    exceed: Literal["drop", "mark"] | Sequence[Literal["drop", "mark"]]
    """Of a policer: what becomes of packets above its rate. Those that understand ECN can be marked; others are
    dropped."""
    duplicate: str | Sequence[str]
    """Probability that a packet comes twice, behind the line."""
    corrupt: str | Sequence[str]
    """Probability that a packet is damaged behind the line. It goes on to its host, which discards it: to TCP it is
    lost."""
    reorder: Literal["none"] | Reorder | Mapping[str, Any] | Sequence[Literal["none"] | Reorder | Mapping[str, Any]]
    """Packets that overtake others, behind the line: a share of them is late, `{ share = "2 %", by = "15 ms" }`, or
    each has a delay of its own, `{ spread = "8 ms" }`."""
    aggregation: str | Sequence[str]
    """Packets are handed over in lumps, at most once in this time, as a Wi-Fi station or a cable modem does. With 0
    each comes alone."""
    ack_filter: bool | Sequence[bool]
    """Whether a new ACK takes the place of one of its connection that waits in the queue and says less (RFC 3449
    section 5.2.1), as in cable modems and CAKE."""
    change: Sequence[Change | Mapping[str, Any]]
    """Changes of the way back in the course of a run, each a table `[[path.back.change]]`, in order of time."""
    trace: str | Sequence[str]
    """The line on the way back as it was recorded, as `path.trace`."""
    hops: Sequence[Hop | Mapping[str, Any]]
    """Several queues in a row on the way back, in the order in which ACKs meet them, each a table `[[path.back.hops]]`
    with the keys of [`hops`](#hops). They stand in place of the other keys of `[path.back]`."""


class Change(TypedDict, total=False):
    """The table `path.change[]`."""

    at: Required[str | Sequence[str]]
    """When it changes, from the run's beginning; after the change before it and before the run's end."""
    over: str | Sequence[str]
    """How long a change of rate, delay or loss takes: a ramp from what was before, in steps of 10 ms, or of a
    thousandth of it if that is longer. The default is at once."""
    every: str | Sequence[str]
    """How often the change comes again until the run's end. The default is once."""
    rate: str | Sequence[str]
    """The line's rate from then on. What is on it at that moment is finished at the new rate. `"0 bit/s"` is an outage:
    nothing leaves until there is a rate again, and what comes waits, as far as there is room."""
    rtt: str | Sequence[str]
    """The base round-trip time from then on, of all flows longer or shorter by as much. The difference lies behind the
    bottleneck's line. Packets that come after it became shorter may overtake those under way."""
    loss: str | Sequence[str]
    """The share of packets that is lost at random from then on."""
    buffer: str | Sequence[str]
    """Room of the queue from then on, of a `bdp` or a time by the rate of the run's beginning. What waits stays, even
    if it is more."""


class Loss(TypedDict, total=False):
    """The table `path.loss`."""

    gilbert_elliott: Required[GilbertElliott | Mapping[str, Any]]
    """Loss in bursts, by a channel of two states (Gilbert and Elliott): in the bad state packets are lost, in the good
    one not. It is the hop's, so that a burst strikes whoever sends then."""


class Qdisc(TypedDict, total=False):
    """The table `path.qdisc`."""

    kind: Required[Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"] | Sequence[Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"]]]
    """Which discipline. Those that count packets (`codel`, `fq_codel`, `fq`, `pie`, `dualpi2`) hold `buffer` in frames,
    or without one as many as `tc` gives them; `fifo` and `red` count bytes and need a `buffer`. `cake` has `tc`'s own
    settings, and is on the engines of a real kernel only."""
    limit: int | Sequence[int]
    """Frames that the queue holds, in place of `buffer`. The default is `tc`'s: 1000 of `codel` and `pie`, 10240 of
    `fq_codel`, 10000 of `fq` and `dualpi2`."""
    target: str | Sequence[str]
    """The delay that is aimed at. Of `codel` and `fq_codel` the sojourn time that may stand, by default 5 ms (RFC 8289
    section 4.4); of `pie` and `dualpi2` 15 ms (RFC 8033 section 4.2, RFC 9332 appendix A.1)."""
    interval: str | Sequence[str]
    """`codel`, `fq_codel`: so long the sojourn time may be above `target` before a packet is dropped. The default is
    100 ms (RFC 8289 section 4.3)."""
    ecn: bool | Sequence[bool]
    """Packets that understand it (`flows[].ecn`) are marked where others are dropped. The default is `tc`'s: true of
    `fq_codel`, false of `codel`, `pie` and `red`. `pie` drops them, too, from a probability of 10 % on (RFC 8033
    section 5.1). `dualpi2` always marks."""
    ce_threshold: str | Sequence[str]
    """`codel`, `fq_codel`, `fq`: packets that understand it are marked as soon as their sojourn time is longer,
    whatever the control law says. The default is none."""
    ce_threshold_selector: Literal["0x01/0x01", "0x01/0x03", "0x02/0x03"] | Sequence[Literal["0x01/0x01", "0x01/0x03", "0x02/0x03"]]
    """`fq_codel`: which packets `ce_threshold` marks: those whose ECN field, masked by the second number, is the first.
    `"0x01/0x01"` are ECT(1) and CE, L4S. The default is all that understand it."""
    flows: int | Sequence[int]
    """`fq_codel`: queues. A flow has that which a hash of its addresses and ports names, so that two may share one. The
    default is 1024 (RFC 8290 section 5.2.3)."""
    quantum: str | Sequence[str]
    """`fq_codel`, `fq`: bytes that a flow may send in a round. The default is a full Ethernet frame of `fq_codel`, two
    of `fq`."""
    initial_quantum: str | Sequence[str]
    """`fq`: bytes that a flow may send in its first round. The default is ten full frames."""
    flow_limit: int | Sequence[int]
    """`fq`: frames that one flow's queue holds. The default is 100."""
    orphan_mask: int | Sequence[int]
    """`fq`: the bits of a flow's hash that name its queue, at a router, where a packet has no socket. The default is
    1023; with 0 all flows share one queue."""
    tupdate: str | Sequence[str]
    """`pie`, `dualpi2`: time between two updates of the probability, a multiple of 1 ms. The default is 15 ms (RFC 8033
    section 4.2), of `dualpi2` 16 ms (RFC 9332 appendix A.1)."""
    alpha: float | Sequence[float]
    """`pie`, `dualpi2`: weight of the delay beyond `target` in an update of the probability. `tc` takes it in
    sixteenths a second of `pie`, an integer, 2 by default (0.125 of RFC 8033 section 4.2); of `dualpi2` per second, to
    1/256, 0.16 by default."""
    beta: float | Sequence[float]
    """`pie`, `dualpi2`: weight of the delay's change since the last update, as `alpha`: 20 by default (1.25 of RFC 8033
    section 4.2), of `dualpi2` 3.2."""
    coupling: int | Sequence[int]
    """`dualpi2`: how many times the controller's probability marks scalable traffic (`k` of RFC 9332 section 2.1). The
    default is 2."""
    step: str | Sequence[str]
    """`dualpi2`: scalable traffic is marked as soon as its sojourn time is longer. The default is 1 ms (RFC 9332
    appendix A.1)."""
    min: str | Sequence[str]
    """`red`: mean backlog from which on some packets are dropped or marked. The default is a third of `max`."""
    max: str | Sequence[str]
    """`red`: mean backlog from which on every packet is dropped. The default is a quarter of `buffer`."""
    probability: str | Sequence[str]
    """`red`: the share that is dropped or marked when the mean backlog is just below `max`. The default is 2 %."""


class Reorder(TypedDict, total=False):
    """The table `path.reorder`."""

    share: Required[str | Sequence[str]]
    """The share of packets that are late by `by`, so that those behind overtake them."""
    by: Required[str | Sequence[str]]
    """How late they are."""
    spread: Required[str | Sequence[str]]
    """How far each packet's delay may be from `delay`: of a uniform distribution at most so far, of a normal one its
    standard deviation. Who comes later may overtake: `path.jitter` is noise that does not."""
    delay: str | Sequence[str]
    """The mean delay, one way and in addition to all others; no packet's is less than 0. The default is `spread`."""
    distribution: Literal["uniform", "normal"] | Sequence[Literal["uniform", "normal"]]
    """How delays are distributed."""
    correlation: str | Sequence[str]
    """How much a delay has of the one before, as `netem` mixes them: with more of it fewer packets overtake, and delays
    spread less."""


class Fields(TypedDict, total=False):
    """A whole spec."""

    name: str
    """Name of the experiment in stores, tables and pages. A spec in a file has the file's name by default."""
    duration: Required[Literal["until done"] | str | Sequence[Literal["until done"] | str]]
    """How long a run takes, or `"until done"`: until every finite workload is complete, or `time_limit`."""
    time_limit: str | Sequence[str]
    """When a run that is `"until done"` ends at the latest. It must be there then, and not otherwise."""
    seeds: int | Sequence[int]
    """How many times each point is run, with seeds 1, 2, 3, …; a list names them: `[7, 8]`. A seed decides
    `path.jitter`, random loss, the phase of BBR's cycle, `start_jitter` and `rtt_spread`. Where a spec has none of
    these, all seeds give the same."""
    start_jitter: str | Sequence[str]
    """Each flow starts this much later at most than it otherwise would, by a time drawn evenly from its seed and its
    name. The default is one base round-trip time, `path.rtt`, or what a flow that starts or stops near the end has room
    for: with `"0 s"` flows are in step in a way that no network is."""
    rtt_spread: str | Sequence[str]
    """Each flow's base round-trip time is longer by this much at most, by a constant drawn evenly from its seed and its
    name. Seeds then average over [phases](limitations.md#phase-effects), and their interval says how much hangs on them
    ([how much, and with how many seeds](how-to/noise-and-phases.md))."""
    alone: str | Sequence[str]
    """The only group of flows that runs; the others stay away. Its flows have the names, the random streams and the
    times that they have beside the others, so that a run with them and one without differ in nothing else. `dumbbell
    run --harm` runs each group so, and says what the others cost it."""
    zip: Sequence[Sequence[str]]
    """Lists that [vary together](#sweeps) instead of in every combination, each by its path."""
    path: Required[Path | Mapping[str, Any]]
    """The network: one bottleneck, a line with a queue before it, between all senders and all receivers, and a way back
    that is perfect unless [`[path.back]`](#pathback) says otherwise. Several queues in a row are [`[[hops]]`](#hops).
    Each flow has a sender and a receiver of its own."""
    hops: Sequence[Hop | Mapping[str, Any]]
    """Queues in a row, each with a line of its own, in the order in which data meets them, a table `[[hops]]` each.
    They stand in place of `path.rate` and `path.buffer`, and of `burst`, `shaper`, `overhead`, `loss` and `change`
    there; `path.rtt` stays the base round-trip time of all. `path.queue` goes for all of them. The default is one hop,
    which the path's own keys describe and whose name is `bottleneck`. More on the way back are `[[path.back.hops]]`."""
    flows: Required[Sequence[Flow | Mapping[str, Any]]]
    """The traffic: groups of TCP flows, a table `[[flows]]` each. The flows of a group differ in their start only, and
    with `rtt_spread` in their RTT."""
    host: Host | Mapping[str, Any]
    """The end hosts: what their kernels are set to, the same for all of them."""
    measure: Measure | Mapping[str, Any]
    """What is recorded of a run, and which part of it the summary is taken of."""
    expect: Sequence[Expect | Mapping[str, Any]]
    """What the runs must show, a table `[[expect]]` each. `dumbbell run` judges each at every point (it holds, fails or
    is undecided), prints them after the results, and has exit status 1 where one fails
    ([how](how-to/ci-of-a-congestion-control.md)). An expectation decides nothing of a run: after a change of it nothing
    is run again."""


_Expect = TypedDict("_Expect", {"from": str}, total=False)

class Expect(_Expect, total=False):
    """The table `expect[]`."""

    quantity: Required[Literal["goodput", "total_goodput", "share", "utilization", "jain", "loss", "random_loss", "retransmits", "rtt", "rtt_p50", "rtt_p95", "rtt_p99", "page_load", "page_load_p95", "pages", "pings_lost", "datagrams_lost", "delay", "delay_p50", "delay_p95", "delay_p99", "late_frames", "frame_delay", "frame_delay_p50", "frame_delay_p95", "frame_delay_p99", "queue", "queueing_delay", "drops", "dequeue_drops", "low_latency_queue", "classic_queue", "marks", "sojourn", "sojourn_p95", "sojourn_p99", "random_drops", "loss_events", "goodput_iperf3", "first_half", "second_half", "trend", "fct", "fct_p50", "fct_p95", "fct_p99", "slowdown", "slowdown_p50", "slowdown_p95", "slowdown_p99", "power", "converged", "convergence", "starved", "starved_longest", "late", "late_p95", "late_max", "stalls", "stalled", "program_goodput", "program_speed", "harm", "harm_rtt", "harm_fct", "queue_mean", "queue_p95"]]
    """What must be within a bound: a quantity as `--columns` of `dumbbell run` names it, of the run's window."""
    of: str
    """Whose: a group of flows, by its name, or of what a queue has a hop. What belongs to the run, as `jain`, has none.
    By default it is the only group, or the bottleneck."""
    at_least: AtLeast | Mapping[str, Any] | str | float
    """The least that it may be, in the quantity's unit; a ratio, as `jain`, has none, and a share may be `"40 %"` or
    `0.4`. With a table it is so many times what another group, or hop, has, `{ of = "cubic", times = 2 }`, or what the
    same one has at another point of the sweep, `{ against = "flows[0].cc" }`. An expectation has this or `at_most`."""
    at_most: AtMost | Mapping[str, Any] | str | float
    """The most that it may be, written likewise."""
    by: str
    """It must be so within this time after the start of the group's first flow, or after `from`: the first bin of 500
    ms whose mean is within the bound begins no later. Bins follow each other from that instant to the run's end, inside
    the window or not; what comes after the first does not matter. `goodput`, `share` and `rtt` of a group have bins,
    where the run keeps series."""
    seeds: Literal["median", "all"]
    """How seeds decide. `"median"`: it holds where the median over seeds is within the bound and the 95 % interval of
    their mean too, fails where both are outside, and is undecided where the interval crosses the bound, or where there
    are two seeds and they differ. One seed, or seeds that all give the same, decide by the value. `"all"`: it holds
    where each seed is within the bound, and else fails."""
    where: Mapping[str, Any]
    """Of a sweep, the points that it is judged at: those whose fields have these values, as they are written in the
    lists. By default each point is judged."""


class Flow(TypedDict, total=False):
    """The table `flows[]`."""

    name: str | Sequence[str]
    """Name of the group in results, tables and figures; unique. The default is the algorithm's name, `ping`, `udp` or
    `media`. Its flows are `downloads`, `downloads-2`, `downloads-3`, …; a flow's name also names its random streams, so
    that it draws the same whatever else a spec has."""
    cc: str | Sequence[str]
    """The congestion control: an algorithm, a variant, or either with [parameters](#congestion-controls), as
    `"bbr[cwnd_gain=1.5]"`. `dumbbell cc list` has all, with the engines that have them. It has no default: it is
    needed, unless the workload is `ping`, `udp` or `media`, which have none."""
    count: int | Sequence[int]
    """How many flows the group has. All flows of a spec together are 100,000 at most."""
    start: str | Sequence[str]
    """When the first flow of the group starts, from the run's beginning."""
    stagger: str | Sequence[str]
    """How much later each further flow of the group starts than the one before it."""
    stop: str | Sequence[str]
    """When the flows of the group stop: a moment of the run, and not a length. The default is the run's end. A flow
    that stops aborts, as an application that closes its connections at once: nothing of it is sent or sent again, what
    is under way still arrives, and a reset follows it."""
    workload: Literal["bulk"] | Workload | Mapping[str, Any] | Sequence[Literal["bulk"] | Workload | Mapping[str, Any]]
    """What the application writes: `"bulk"` as much as TCP takes until the end, or one of the tables in
    [workloads](#workloads), of which one is a program of your own."""
    rtt: str | Sequence[str]
    """The group's own base round-trip time. The default is `path.rtt`, which `bdp` goes on meaning."""
    direction: Literal["down", "up"] | Sequence[Literal["down", "up"]]
    """Where the data of the group goes: `"down"` the path, or `"up"`, on the way back, and its ACKs down. `"up"` needs
    hops there: [`[path.back]`](#pathback)."""
    route: Sequence[str] | Sequence[Sequence[str]]
    """The hops that the group's packets pass, by their names: neighbours, in their order. Names of hops in the group's
    `direction` limit its data, names of hops in the other one its ACKs; of a direction without a name in it they pass
    all, which is the default. Where one hop is all there is of a way, its name is `bottleneck`, on the way back
    `back`."""
    ecn: Literal["accurate"] | bool | Sequence[Literal["accurate"] | bool]
    """Whether both hosts of a flow use ECN. `true` is that of RFC 3168, as with Linux's `tcp_ecn = 1`: data is sent as
    ECT(0), queues whose `qdisc` marks mark it where they would drop it, and the sender answers a mark as it answers
    loss, once a round trip. `"accurate"` is that of RFC 9768 (AccECN), as with Linux 7.3's `tcp_ecn = 3`: the receiver
    counts marked packets for the sender, and all but SYNs are ECT(0). `dctcp` and `prague` need marks: their flows use
    ECN, whatever stands here. Of `dctcp` then all packets are ECT(0); of `prague` it is accurate, and all packets are
    ECT(1). On kernels the route to the flow's receiver has `features ecn`; a run whose connections did not negotiate
    what it says has a warning."""
    access: Access | Mapping[str, Any] | Sequence[Access | Mapping[str, Any]]
    """A line of its own before the bottleneck for each sender of the group. The default is none: senders hand their
    packets to the bottleneck's queue. With `[[hops]]` such a line is a hop."""


class Hop(TypedDict, total=False):
    """The table `hops[]`."""

    name: Required[str]
    """Name of the hop in results, in `path.bottleneck` and in `flows[].route`; unique among all hops, those of the way
    back too. It names the hop's random streams."""
    rate: str | Sequence[str]
    """The hop's rate, as `path.rate`: charged for frames, the IP packet and the hop's `overhead`."""
    buffer: str | Sequence[str]
    """Room of the hop's queue. `bdp` is the bottleneck's, its rate x `path.rtt`, whichever hop it is; a time is what
    this hop's own rate carries in it. Either holds a frame at least. `packets` are full frames, of `path.mtu` and the
    hop's `overhead`. It has no default: it is needed, unless `qdisc` counts packets."""
    qdisc: Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"] | Qdisc | Mapping[str, Any] | Sequence[Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"] | Qdisc | Mapping[str, Any]]
    """How the hop's queue is managed, as `path.qdisc`."""
    delay: str | Sequence[str]
    """Propagation delay one way, behind the hop's queue and line: to the next hop, or to the end. It is a part of the
    base round-trip time: what the delays of all hops that a flow's data and ACKs pass leave over of that lies where
    `path.delay_side` says, and they may not be more."""
    overhead: str | Sequence[str]
    """What the hop counts for each frame beyond its IP packet, in its queue as on its line, as `path.overhead`."""
    burst: str | Sequence[str]
    """Depth of the hop's token bucket, as `path.burst`."""
    shaper: Literal["tbf", "htb", "police"] | Sequence[Literal["tbf", "htb", "police"]]
    """How the hop's bucket reckons, as `path.shaper`."""
    loss: Loss | Mapping[str, Any] | str | Sequence[Loss | Mapping[str, Any] | str]
    """Random loss before the hop's queue, as `path.loss`: each packet with data, and on the way of the ACKs each ACK,
    is lost with this probability, or in bursts. What is to be lost behind a queue is lost before that of the next
    hop."""
    peak: str | Sequence[str]
    """Of a policer: a rate that not even a burst exceeds. The default is none."""
    exceed: Literal["drop", "mark"] | Sequence[Literal["drop", "mark"]]
    """Of a policer: what becomes of packets above its rate. Those that understand ECN can be marked; others are
    dropped."""
    duplicate: str | Sequence[str]
    """Probability that a packet comes twice, behind the line."""
    corrupt: str | Sequence[str]
    """Probability that a packet is damaged behind the line. It goes on to its host, which discards it: to TCP it is
    lost."""
    reorder: Literal["none"] | Reorder | Mapping[str, Any] | Sequence[Literal["none"] | Reorder | Mapping[str, Any]]
    """Packets that overtake others, behind the line: a share of them is late, `{ share = "2 %", by = "15 ms" }`, or
    each has a delay of its own, `{ spread = "8 ms" }`."""
    aggregation: str | Sequence[str]
    """Packets are handed over in lumps, at most once in this time, as a Wi-Fi station or a cable modem does. With 0
    each comes alone."""
    ack_filter: bool | Sequence[bool]
    """Whether a new ACK takes the place of one of its connection that waits in the queue and says less (RFC 3449
    section 5.2.1), as in cable modems and CAKE."""
    change: Sequence[Change | Mapping[str, Any]]
    """Changes of the hop in the course of a run, each a table `[[hops.change]]` behind its hop, in order of time."""
    trace: str | Sequence[str]
    """The hop's line as it was recorded, as `path.trace`."""


class Host(TypedDict, total=False):
    """The table `host`."""

    socket_memory: Literal["max", "default"] | str | Sequence[Literal["max", "default"] | str]
    """Limit of each socket's send and receive buffer: `"max"`, which is never the limit; `"default"`, Linux's own (4 MB
    to send, 6 MB to receive); or a size for both. Memory counts as in the kernel, which charges a burst, and a segment
    that waits for others, with more than its payload. Linux doubles what `setsockopt` asks for: a program that sets
    `SO_RCVBUF` to 262144 has `"512 KiB"`. The window that `ss` shows is `host.receive_window`."""
    receive_window: str | Sequence[str]
    """The most that a receiver announces, whatever its memory. The default is no limit but the memory."""
    initial_window: int | Sequence[int]
    """Initial congestion window in segments, written without a unit."""
    qdisc: Literal["none", "fq"] | Sequence[Literal["none", "fq"]]
    """The sender's queueing discipline. With `"fq"`, as on many Linux servers, every flow is paced, by the queue, in
    which what TCP has sent waits for its departure; with `"none"` those whose algorithm asks for it (BBR), by TCP."""
    sack_compression: bool | Sequence[bool]
    """Whether receivers hold SACKs back for up to a millisecond and send one for many, as Linux does since 4.18."""
    gro: bool | Sequence[bool]
    """Whether receivers merge the segments of a flow that their NIC hands over together (generic receive offload, which
    nearly every host has on). One ACK answers a merged packet. Without `ack_aggregation` only packets that arrive in
    the same instant come together."""
    ack_aggregation: str | Sequence[str]
    """Interrupt moderation of the receivers' NICs: each hands over what has arrived at most once in this time, so that
    ACKs leave in lumps. The default hands over every packet at once."""


class Measure(TypedDict, total=False):
    """The table `measure`."""

    window: Sequence[str]
    """Begin and end of what the summary is taken of: shares of the duration, or times. By default it is `["25 %", "100
    %"]` where every flow sends all that it can, so that the start is no part of the steady state, and the whole run
    where a flow has a `workload` or `duration = "until done"`: what completes counts from its beginning. The list is no
    sweep."""
    sample: str | Sequence[str]
    """How often gauges are sampled: cwnd, RTT, what is in flight, the queue. Mean and percentiles of RTT and queue are
    of these samples; counters are exact, whatever it is."""
    record: Literal["summary", "series", "acks", "pcap", "qlog"] | Sequence[Literal["summary", "series", "acks", "pcap", "qlog"]]
    """What is kept but for the summary: `"summary"` nothing, which a large sweep should say; `"series"` the samples of
    every flow and of the queue. Then `"acks"`: the round-trip time of every ACK; `"pcap"`: captures of the packets, as
    files that Wireshark opens, at the senders, at the bottleneck and at the receivers; `"qlog"`: a log of what each
    flow's sender did, with cwnd, RTT and phase at each ACK, as a file that qvis opens; sources of short transfers have
    none. A list has several, and `["summary", "pcap"]` captures without series."""
    snap: str | Sequence[str]
    """How much of each frame a capture has, from its first byte. The default has all headers."""
    capture_at: Literal["senders", "bottleneck", "receivers"] | Sequence[Literal["senders", "bottleneck", "receivers"]]
    """Where packets are captured. Each place costs the engine `linux` a quarter of its time, and the disk a third of
    the room of all."""
    ss: str | Sequence[str]
    """How often `ss -tin` looks at the senders' connections, beside the engine's own samples: what people see who
    measure by hand. `dumbbell results export --table ss` has it. By default it does not look; the simulator has no
    sockets that it could."""


class Path(TypedDict, total=False):
    """The table `path`."""

    link: Literal["dsl_25_5", "cable", "lte", "wifi", "starlink", "geo"]
    """A preset: a documented set of keys of `[path]`, each with its source ([all of them](#links)). What the spec
    writes itself goes before it: with `link = "dsl_25_5"` and `rate = "10 Mbit/s"` the rate is that, and the rest the
    preset's; a change of a preset leaves what the spec writes. `dumbbell check` prints which of its keys hold. It is
    one hop, so that it has no place with [`[[hops]]`](#hops), and no axis of a sweep."""
    rate: str | Sequence[str]
    """The bottleneck's rate. It is charged for frames, the IP packet and `path.overhead`: of 80 Mbit/s an application
    can see 76.5 at an MTU of 1500. It has no default: it is needed, unless there are [`[[hops]]`](#hops), or
    `path.link` has one."""
    rtt: str | Sequence[str]
    """The base round-trip time: what a packet and its ACK take when no queue has anything in it and apart from the time
    on the line. A group of flows may have its own, `flows[].rtt`."""
    buffer: str | Sequence[str]
    """Room of the bottleneck's queue. `bdp` is `path.rate` x `path.rtt`, the rate being that of the run's beginning: 1
    bdp of 80 Mbit/s and 25 ms is 250 kB. A time is what that rate carries in it, as `tbf`'s `latency`: 25 ms are 250
    kB, too. Either holds a frame at least. `packets` are full frames, of `path.mtu` and `path.overhead`. It has no
    default: it is needed, unless there are [`[[hops]]`](#hops), or `path.qdisc` counts packets and so has a limit of
    its own."""
    qdisc: Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"] | Qdisc | Mapping[str, Any] | Sequence[Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"] | Qdisc | Mapping[str, Any]]
    """How the bottleneck's queue is managed: a queue discipline by `tc`'s name, with `tc`'s parameters as its defaults,
    below the shaper; or a table with parameters, `{ kind = "codel", target = "10 ms" }`. `"fifo"` is a drop-tail queue.
    One that counts packets counts them whatever their size: of a `buffer` in `bdp`, or as a time, it has as many as
    full frames fit."""
    queue: Literal["bytes", "packets"] | Sequence[Literal["bytes", "packets"]]
    """What the queue counts: bytes of frames, as `tbf` does, or packets of whatever size, as a `pfifo` or many a router
    does. With `"packets"` the buffer is written in `packets`, in `bdp` or as a time."""
    loss: Loss | Mapping[str, Any] | str | Sequence[Loss | Mapping[str, Any] | str]
    """Random loss: each packet of data is lost with this probability, independently of all others, from the end of the
    flow's handshake on; or in bursts, `{ gilbert_elliott = { loss = "1 %", burst = 5 } }`. ACKs are never lost so, but
    for those on a way back that has a loss of its own. Results count it as `random_lost_packets`, apart from the
    queue's drops."""
    loss_at: Literal["before", "after"] | Sequence[Literal["before", "after"]]
    """Where random loss strikes: `"before"` the queue, so that a lost packet takes none of the line's time, or
    `"after"` it, as on a radio link behind the bottleneck, so that the line has carried it for nothing."""
    burst: str | Sequence[str]
    """Depth of the token bucket that shapes the line: so much passes at once after a pause. One frame or less is a
    plain line, which sends one frame after the other, unless `shaper = "htb"`. A super-packet (`path.offload`) that is
    larger than the bucket leaves when that is full, and the bucket owes the rest; Linux's `tbf` would cut it, so that
    `linux` asks for a bucket that holds one, 70 kB, or for `htb`."""
    shaper: Literal["tbf", "htb", "police"] | Sequence[Literal["tbf", "htb", "police"]]
    """How the bucket reckons, by the name of Linux's queueing discipline: with `"tbf"` a frame leaves when the tokens
    suffice for it, with `"htb"` when the bucket owes nothing, and it may leave it owing. The rate in the long run is
    the same; after a pause `htb` lets a frame more pass at once. `tc` gives an `htb` without one a `burst` of 1600 B.
    `"police"` has no queue: a frame passes at once if the tokens suffice for it, else it is dropped."""
    peak: str | Sequence[str]
    """Of a policer: a rate that not even a burst exceeds. The default is none."""
    exceed: Literal["drop", "mark"] | Sequence[Literal["drop", "mark"]]
    """Of a policer: what becomes of packets above its rate. Those that understand ECN can be marked; others are
    dropped."""
    duplicate: str | Sequence[str]
    """Probability that a packet comes twice, behind the line."""
    corrupt: str | Sequence[str]
    """Probability that a packet is damaged behind the line. It goes on to its host, which discards it: to TCP it is
    lost."""
    reorder: Literal["none"] | Reorder | Mapping[str, Any] | Sequence[Literal["none"] | Reorder | Mapping[str, Any]]
    """Packets that overtake others, behind the line: a share of them is late, `{ share = "2 %", by = "15 ms" }`, or
    each has a delay of its own, `{ spread = "8 ms" }`."""
    aggregation: str | Sequence[str]
    """Packets are handed over in lumps, at most once in this time, as a Wi-Fi station or a cable modem does. With 0
    each comes alone."""
    ack_filter: bool | Sequence[bool]
    """Whether a new ACK takes the place of one of its connection that waits in the queue and says less (RFC 3449
    section 5.2.1), as in cable modems and CAKE."""
    shaper_at: Literal["router", "receiver"] | Sequence[Literal["router", "receiver"]]
    """Where bucket and queue stand: at a `"router"`'s egress, or at the `"receiver"`'s ingress, where an `ifb` takes
    what comes in: the last hop of all, so that nothing of the path can be behind it. To the simulator both are the
    same."""
    jitter: Literal["none"] | str | Sequence[Literal["none"] | str]
    """Timing noise of the sending hosts. Each burst that a host hands over leaves it later by a time drawn evenly from
    the seed, below this, and never before the burst ahead of it: nothing is reordered. It acts behind the host's own
    queue (`host.qdisc`, an access line that is a device) and before a router's line and the bottleneck, on data and not
    on ACKs. The default is about what hosts have. `"1 packet"` is the time of a full packet on the line: as much as
    takes [phase effects](limitations.md#phase-effects) away; `"none"` is for formulas ([which to
    write](how-to/noise-and-phases.md)). On engines of real hosts noise is their own where nothing is written."""
    mtu: int | Sequence[int]
    """Largest IP packet in bytes, written without a unit. A full segment carries 52 bytes less: IP, TCP and its
    timestamps."""
    overhead: str | Sequence[str]
    """What the bottleneck counts for each frame beyond its IP packet, in its queue as on its line, by `tc`'s word
    (`stab overhead`). 14 bytes are Ethernet's header, as Linux counts. An Ethernet wire takes 38 with checksum,
    preamble and gap: 100 Mbit/s then carry 94.1 Mbit/s of goodput at an MTU of 1500."""
    delay_side: Literal["return", "forward", "split"] | Sequence[Literal["return", "forward", "split"]]
    """Where the base round-trip time lies: on the way of the ACKs, on the way of the data behind the bottleneck, or
    half on each. It decides when a receiver has a byte, and not how long a round trip takes. Where hops have delays of
    their own, it is about what they leave over; of a flow whose `direction` is `"up"`, the way of the data is the way
    back."""
    offload: bool | Sequence[bool]
    """Whether super-packets of up to 64 kB reach the bottleneck whole, as from a sender with TSO and GSO whose NIC does
    not cut them."""
    change: Sequence[Change | Mapping[str, Any]]
    """Changes of the path in the course of a run, each a table `[[path.change]]`, in order of time."""
    trace: str | Sequence[str]
    """The path's line as it was recorded, a file relative to the spec's folder, in place of its changes. Either it has
    a time in milliseconds on each line, at which the line delivers one full frame, and after the last all come again
    (as mahimahi's `mm-link`); or it is a table with a header, `time,rate,delay,loss`: seconds, bit/s, seconds one way
    in addition to all other delays, and the share that is lost, of which an empty cell leaves what was, and the last
    line holds to the run's end. `rate` is then the mean, unless it is written: for `bdp`, and until the table
    begins."""
    bottleneck: str | Sequence[str]
    """The one of the [`[[hops]]`](#hops) that `bdp`, a packet of `jitter` and the load of arrivals mean. The default is
    the slowest at the run's beginning, of equals the first."""
    back: Back | Mapping[str, Any]
    """A queue and a line on the way back, which ACKs meet, and the data of flows whose `direction` is `"up"`: one hop,
    whose name is `back`, with `rate` and `buffer` of its own; or several, `[[path.back.hops]]`. The default is a way
    back of delay alone."""
