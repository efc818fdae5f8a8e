"""What users look for and this version does not have: each with what there is instead."""

from __future__ import annotations

from typing import Final

_BOTTLENECK = "the bottleneck's queue is drop-tail"
_ORDER = "the delay of a flow is constant, and the network keeps its packets in order"
_WISHES: Final = {
    "bbr2 bbrv2 bbr3 bbrv3 bbrplus": '"bbr" is BBR v1',
    "copa pcc pccallegro allegro vivace pccvivace prague ledbat ledbat++ compound ctcp fast sprout verus nimbus "
    "timely swift dcqcn hpcc remy orca aurora indigo": "`dumbbell cc list` names what there is",
    "fqcodel codel pie fqpie cake red ared sfq sfb choke dualpi2 l4s aqm priority": _BOTTLENECK,
    "ecn accecn ce": f"{_BOTTLENECK} and marks nothing",
    "jitter delayjitter delayvariation reorder reordering duplicate duplication corrupt corruption": _ORDER,
    "lossmodel lossburst burstloss burstyloss gilbert gilbertelliott gemodel": "random loss is independent: path.loss",
    "ackloss lossreturn returnloss returnrate reverserate reverse upstream uplink direction":
        "data goes one way, and the way of the ACKs is perfect",
    "trace linktrace mahimahi bandwidthtrace": "the path's rate changes by [[path.change]]; a file of an "
    'application\'s writes is workload = { trace = "writes.csv" }',
    "link links hop hops topology router routers node nodes bottlenecks":
        "there is one bottleneck, [path], and each flow may have a line of its own before it, access",
    "crosstraffic background backgroundtraffic udp cbr poisson web video requests arrivals sizes":
        "traffic is flows of TCP, [[flows]]",
    "command": 'workloads are "bulk", { transfer = … }, { stream = … } and { trace = … }',
}  # fmt: skip
_INSTEAD: Final = {word: instead for words, instead in _WISHES.items() for word in words.split()}


def instead_of(word: str) -> str | None:
    """What there is instead of something that this version has not; None of a word that is no known wish.

    >>> instead_of("tcp_bbr_v3"), instead_of("FQ-CoDel"), instead_of("bbrr")
    ('"bbr" is BBR v1', "the bottleneck's queue is drop-tail", None)
    """
    plain = "".join(letter for letter in word.lower() if letter not in "-_ ")
    return _INSTEAD.get(plain) or _INSTEAD.get(plain.removeprefix("tcp"))
