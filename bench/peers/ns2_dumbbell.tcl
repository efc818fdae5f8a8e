# TCP bulk flows over one drop-tail bottleneck in ns-2, timed. Prints one JSON line.
#
#   ns ns2_dumbbell.tcl agent=linux rate=80e6 rtt=0.025 buffer=250000 flows=1 stagger=0 \
#       duration=60 budget=30
#
# rate in bit/s, buffer in bytes, times in seconds. The run ends at `duration` simulated seconds
# or after `budget` seconds of wall time, whichever comes first, and reports how far it came.

foreach argument $argv {
    lassign [split $argument =] key value
    set option($key) $value
}

# One Ethernet frame on the bottleneck, as dumbbell charges it: 1448 bytes of data, 52 of IPv4 and
# TCP with timestamps, 14 of Ethernet.
set mss 1448
set frame 1514

# ns-2 carries every protocol's header in every packet unless told not to; only these are needed.
remove-all-packet-headers
add-packet-header IP TCP Flags

Agent/TCP set packetSize_ [expr {$frame - 40}] ;# ns-2 adds 40 bytes of headers
Agent/TCP set ts_option_size_ 0                 ;# already counted in the frame
Agent/TCP set timestamps_ true
Agent/TCP set windowInit_ 10
Agent/TCP set window_ 1000000                   ;# segments: the receiver never limits
Agent/TCP set tcpTick_ 0.001
Agent/TCP set minrto_ 0.2
Agent/TCPSink set ts_echo_rfc1323_ true
Agent/TCPSink/Sack1/DelAck set interval_ 0.04

set ns [new Simulator]
set sender [$ns node]
set receiver [$ns node]

# The senders share one node on purpose: access lines would cost ns-2 more events a packet.
$ns duplex-link $sender $receiver $option(rate) [expr {$option(rtt) / 2.0}] DropTail
set queue [[$ns link $sender $receiver] queue]
$queue set limit_ [expr {int($option(buffer) / $frame)}]
[[$ns link $receiver $sender] queue] set limit_ 1000000

set sources {}
for {set i 0} {$i < $option(flows)} {incr i} {
    switch $option(agent) {
        linux { set source [new Agent/TCP/Linux] }
        sack1 { set source [new Agent/TCP/Sack1] }
        default { error "agent must be linux or sack1, not \"$option(agent)\"" }
    }
    set sink [new Agent/TCPSink/Sack1/DelAck]
    $source set fid_ $i
    $ns attach-agent $sender $source
    $ns attach-agent $receiver $sink
    $ns connect $source $sink
    if {$option(agent) eq "linux"} {
        # Accepted only once the simulator runs.
        $ns at 0 "$source select_ca cubic"
    }
    set ftp [new Application/FTP]
    $ftp attach-agent $source
    $ns at [expr {$i * $option(stagger)}] "$ftp start"
    lappend sources $source
}

proc stop_when_spent {} {
    global ns began option
    if {[clock microseconds] - $began > 1e6 * $option(budget)} {
        $ns halt
    } else {
        $ns at [expr {[$ns now] + 0.01}] stop_when_spent
    }
}

$ns at 0 stop_when_spent
$ns at $option(duration) "$ns halt"
set began [clock microseconds]
$ns run
set wall [expr {([clock microseconds] - $began) / 1e6}]

set simulated [$ns now]
set packets 0
set acknowledged 0
foreach source $sources {
    incr packets [$source set ndatapack_]
    incr acknowledged [expr {[$source set ack_] + 1}] ;# numbered from 0, so -1 is "none yet"
}
puts [format {{"data_packets": %d, "goodput_bps": %.0f, "simulated_s": %.6f, "wall_s": %.6f}} \
    $packets [expr {$acknowledged * $mss * 8 / $simulated}] $simulated $wall]
