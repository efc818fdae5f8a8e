//! The keys of media.

use super::*;

/// Live video that adapts to the path.
pub static MEDIA: Section = Section {
    only: "",
    keys: &[Key::required("media", Table(&VIDEO)).once().about(
        "Live video over UDP that adapts its rate to the path: an encoder by the statistical model of RFC 8593, whose congestion \
         control is NADA (RFC 8698) with the RFC's parameters, and a receiver that reports every 100 ms on the way back. It has no `cc`. \
         Results have what those of `udp` have, how long frames take, and which share of them is late. `linux` and `netns` send it by a \
         socket of the agent, and its frames are captured at the same instants as on `sim`.",
    )],
};

/// What an encoder gives, and when its frames are of use.
pub static VIDEO: Section = Section {
    only: "",
    keys: &[
        Key::optional("least", MEDIA_RATE).default(Text("150 kbit/s")).examples(&[Text("300 kbit/s")]).about(
            "The least rate that the encoder gives, payload without headers, and that with which it begins: RMIN of RFC 8698.",
        ),
        Key::optional("most", MEDIA_RATE)
            .default(Text("1.5 Mbit/s"))
            .examples(&[Text("2.5 Mbit/s")])
            .about("The most that it gives: RMAX of RFC 8698, by which NADA weighs flows that share a queue."),
        Key::optional("frames", Integer { least: 1, most: 240 })
            .default(Count(30))
            .examples(&[Count(60)])
            .about("Frames a second in the mean; one interval differs from the next (RFC 8593 section 5.3)."),
        Key::optional("deadline", INTERVAL).default(Text("150 ms")).examples(&[Text("400 ms")]).about(
            "A frame is late when its last packet has not arrived so long after its capture. Lost frames are late.",
        ),
    ],
};
