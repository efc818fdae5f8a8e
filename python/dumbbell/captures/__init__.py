"""Captures of TCP: what the packets of a file say of its connections. `crates/pcap` reads and analyses them."""
