//! Words that people look for and a spec does not have: what there is instead, or how a spec says it.

/// Words of one wish, and what this version has instead.
const WISHES: [(&str, &str); 4] = [
    ("bbr2 bbrv2 bbrplus", "\"bbr\" is BBR v1, and \"bbr3\" is v3"),
    (
        "copa pcc pccallegro allegro vivace pccvivace ledbat ledbat++ compound ctcp fast sprout verus nimbus \
         timely swift dcqcn hpcc remy orca aurora indigo",
        "`dumbbell cc list` names what there is",
    ),
    ("fqpie ared sfq sfb choke priority", "queue disciplines are those of path.qdisc"),
    (
        "crosstraffic background backgroundtraffic cbr web requests",
        "traffic is [[flows]]; many short ones are workload = { arrivals = … }, requests and answers workload = { pages = … }, UDP \
         is workload = { udp = … }",
    ),
];

/// Words of other tools, and how a spec says it.
const MEANINGS: [(&str, &str); 15] = [
    ("bbrv3 tcpbbrv3", "BBR v3 is \"bbr3\""),
    ("accecn ce", "write ecn = true, or ecn = \"accurate\", in [[flows]], and a qdisc that marks"),
    ("l4s", "write cc = \"prague\" in [[flows]], and qdisc = \"dualpi2\" in [path]"),
    ("fqcodel codel pie cake dualpi2 aqm", "write qdisc = \"fq_codel\", or another discipline, in [path]"),
    (
        "delay latency owd onewaydelay ping basertt",
        "write rtt = \"50 ms\": the base round trip, twice a delay of one way",
    ),
    (
        "ackloss lossreturn returnloss returnrate reverserate reverse upstream uplink",
        "the way of the ACKs is [path.back], with a rate and a buffer of its own, and data on it a flow of direction = \"up\"",
    ),
    (
        "links hop topology router routers node nodes bottlenecks",
        "queues in a row are [[hops]], each with a name, a rate and a buffer",
    ),
    ("bandwidth bw capacity bitrate linkrate", "write rate = \"80 Mbit/s\""),
    ("policer policing police", "a policer is a bucket without a queue: shaper = \"police\", burst = \"125 kB\""),
    (
        "reordering duplication corruption",
        "write reorder = { share = \"2 %\", by = \"15 ms\" }, duplicate = \"0.1 %\" or corrupt = \"0.01 %\" in [path]",
    ),
    (
        "lossmodel lossburst burstloss burstyloss gilbert gilbertelliott gemodel",
        "write loss = { gilbert_elliott = { loss = \"1 %\", burst = 5 } } in [path]",
    ),
    (
        "trace linktrace mahimahi bandwidthtrace",
        "a recorded line is trace = \"line.csv\" in [path]; a file of an application's writes is workload = { trace = \
         \"writes.csv\" }",
    ),
    ("queuesize queuelength queuelen buffersize", "write buffer = \"1 bdp\", \"100 packets\" or \"20 ms\""),
    ("hystart cubichystart", "a constant of the algorithm: cc = \"cubic[hystart=0]\""),
    (
        "rcvbuf sorcvbuf sndbuf sosndbuf tcprmem tcpwmem",
        "write socket_memory, the limit of either buffer (Linux doubles what setsockopt asks for), or receive_window",
    ),
];

/// What there is instead of something that this version has not; None of a word that is no known wish.
pub fn instead_of(word: &str) -> Option<&'static str> {
    let plain = plain(word);
    hint_in(&WISHES, &plain).or_else(|| hint_in(&WISHES, plain.strip_prefix("tcp")?))
}

/// How a spec says what other tools call so.
pub fn meaning_of(word: &str) -> Option<&'static str> {
    hint_in(&MEANINGS, &plain(word))
}

fn hint_in(table: &[(&'static str, &'static str)], plain: &str) -> Option<&'static str> {
    table.iter().find(|(terms, _)| terms.split(' ').any(|word| word == plain)).map(|(_, said)| *said)
}

fn plain(word: &str) -> String {
    word.to_lowercase().chars().filter(|letter| !"-_ ".contains(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_known_however_it_is_spelt() {
        assert_eq!(instead_of("tcp_bbr_v2"), Some("\"bbr\" is BBR v1, and \"bbr3\" is v3"));
        assert!(instead_of("FQ-PIE").is_some() && meaning_of("FQ-CoDel").is_some());
        assert_eq!(instead_of("bbrr"), None);
        assert_eq!(instead_of(""), None);
    }
}
