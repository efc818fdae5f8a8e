use super::*;

fn refused(kind: &'static Kind, text: &str) -> String {
    let Refusal { message, hint } = kind.read(text).expect_err(text);
    format!("{message}; {hint}")
}

#[test]
fn a_quantity_is_exact_in_base_units() {
    let known: [(&'static Kind, &str, i128, &str); 11] = [
        (&RATE, "80 Mbit/s", 80_000_000, "Mbit/s"),
        (&RATE, "100mbit", 100_000_000, "Mbit/s"),
        (&TIME, "25ms", 25_000_000, "ms"),
        (&SHARE, "0.01 %", 100_000, "%"),
        (&FREQUENCY, "50 /s", 50_000_000_000, "/s"),
        (&SIZE, "1 Packet", 1, "packets"),
        (&SIZE, "0.5 BDP", 500_000_000, "bdp"),
        (&BYTES, "512 KiB", 524_288, "KiB"),
        (&DURATION, "until done", 0, "until done"),
        (&JITTER, "0.5 packets", 500_000_000, "packet"),
        (&MOMENT, "50 %", 500_000_000, "%"),
    ];
    for (kind, text, value, unit) in known {
        let quantity = kind.read(text).expect(text);
        assert_eq!((quantity.base(), quantity.unit, &*quantity.text), (value, unit, text));
    }
}

#[test]
fn a_value_is_shown_as_one_writes_it() {
    let shown =
        [(&TIME, 25_000_000), (&BYTES, 1514), (&SHARE, 100_000), (&SHARE, 1), (&TIME, 0), (&JITTER, 1_000_000_000)];
    let texts = shown.map(|(kind, value): (&'static Kind, i64)| kind.show(&value.into()));
    assert_eq!(texts, ["25 ms", "1.514 kB", "0.01 %", "0.0000001 %", "0 s", "1 s"]);
}

#[test]
fn what_is_refused_says_what_to_write() {
    for (kind, text, said) in [
        (&RATE as &'static Kind, "80 MB/s", "\"80 MB/s\" is in bytes; write bits: \"640 Mbit/s\""),
        (
            &RATE,
            "80 mbps",
            "\"80 mbps\" is ambiguous: tools read \"mbps\" as bits or as bytes a second; write \"80 Mbit/s\"",
        ),
        (&RATE, "80 \tMbit/s", "\"80 \\x09Mbit/s\": unknown unit \"\\x09Mbit/s\"; did you mean \"Mbit/s\"?"),
        (&RATE, "80", "\"80\" has no unit; write it with a unit, as \"80 Mbit/s\""),
        (
            &RATE,
            "infinite",
            "\"infinite\" is not a rate; a path has a rate: without a shaper its slowest NIC's, as \"10 Gbit/s\"",
        ),
        (&TIME, "-1 s", "\"-1 s\" is negative; write \"1 s\""),
        (&TIME, "25ms 5ms", "\"25ms 5ms\" is more than a time; write one; path.jitter delays packets, in order"),
        (&TIME, "nan s", "\"nan s\" is not a finite number; write it as \"25 ms\" or \"5 s\""),
        (&SHARE, "1e-12 %", "\"1e-12 %\" is too small: it rounds to 0; use at least 0.0000001 %"),
        (&SIZE, "1.5 packets", "\"1.5 packets\": packets are whole; write \"2 packets\""),
        (
            &BYTES,
            "1 kb",
            "\"1 kb\" is ambiguous: bits or bytes, of 1000 or of 1024; write \"1 kB\" (decimal) or \"1 KiB\" (binary)",
        ),
        (&BYTES, "8 Mbit", "\"8 Mbit\" is in bits; write bytes: \"1 MB\""),
        (&FREQUENCY, "10 /min", "\"10 /min\": unknown unit \"/min\"; write \"0.166667 /s\""),
        (&DURATION, "1 us", "\"1 us\" is out of range; from 1 ms to 1000000 s"),
        (&JITTER, "0 s", "\"0 s\" is no noise; write \"none\""),
        (&JITTER, "5 s", "\"5 s\" is out of range; from 1 ns to 4 s, or \"none\""),
    ] {
        assert_eq!(refused(kind, text), said);
    }
}

#[test]
fn a_text_begins_with_a_number_or_does_not() {
    let pairs = ["1e1 Mbit/s", "5", "1.2.3", "bbr", "-.5 %"].map(number_and_unit);
    assert_eq!(pairs, [Some((10.0, "Mbit/s")), Some((5.0, "")), None, None, Some((-0.5, "%"))]);
}

#[test]
fn quantities_are_in_order_by_their_base_units() {
    let magnitudes = ["500 kbit/s", "10mbit", "5 rounds", "bbr", "1 ms", "1 bdp", "-1 s"].map(magnitude);
    let known = [Some(5e5), Some(1e7), Some(5.0), None, Some(1e6), Some(1e9), Some(-1.0)];
    assert_eq!(magnitudes, known);
}
