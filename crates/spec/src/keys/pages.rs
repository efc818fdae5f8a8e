//! The keys of pages that a client loads.

use super::*;

static FIXED_THINK: Kind = bounded(&TIME, "0 s", "1000000 s");
const THINK: Kind = OneOf {
    noun: "think time",
    simple: &FIXED_THINK,
    tables: &[("exponential", &EXPONENTIAL)],
    hint: "use \"1 s\" or { exponential = \"10 s\" }",
};

/// A client that loads one page after the other.
pub static PAGES: Section = Section {
    only: "",
    keys: &[Key::required("pages", Table(&PAGE)).once().about(
        "Request and answer: each flow of the group is a client that loads pages from a server, one after the other, over \
         connections that it opens at the flow's start and reuses. Each connection that is free requests an object and waits for \
         it; when all objects of a page have arrived, the page is loaded, and after a pause the next one begins. Results have \
         `page_load`, the time from a page's first request to its last byte. Sizes and pauses are drawn from the seed and the \
         flow's name, the same on every engine.",
    )],
};

/// What a page is, and how a client requests it.
pub static PAGE: Section = Section {
    only: "",
    keys: &[
        Key::required("objects", Integer { least: 1, most: MOST_OBJECTS })
            .examples(&[Count(50)])
            .about("How many objects a page has."),
        Key::required("size", SIZE_OF_TRANSFERS)
            .examples(&[Text("20 kB")])
            .about("How large an object is: all alike, or drawn from a distribution, as the sizes of `arrivals` are."),
        Key::optional("connections", Integer { least: 1, most: MOST_CONNECTIONS }).default(Count(6)).examples(&[Count(1)]).about(
            "How many connections each client opens. The default is what browsers open to one server with HTTP/1.1. The server's \
             `connect()` opens them, as the sender's does of every flow, so that page load times do not have the handshake.",
        ),
        Key::optional("request", bounded(&BYTES, "1 B", "65483 B")).default(Text("400 B")).examples(&[Text("1 kB")]).about(
            "Payload of a request, which is one segment: at most `path.mtu` less 52 bytes of headers. It takes the way of the ACKs.",
        ),
        Key::optional("think", THINK)
            .default(Text("1 s"))
            .examples(&[Text("5 s")])
            .about("How long a client pauses when a page is loaded."),
    ],
};

/// Pauses by chance.
pub static EXPONENTIAL: Section = Section {
    only: "",
    keys: &[Key::required("exponential", bounded(&TIME, "1 us", "1000000 s"))
        .examples(&[Text("10 s")])
        .about("Mean of pauses that are exponentially distributed.")],
};
