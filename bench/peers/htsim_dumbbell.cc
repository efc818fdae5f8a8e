// TCP bulk flows over one drop-tail bottleneck in csg-htsim, timed. Prints one JSON line.
//
//   htsim_dumbbell --rate=80e6 --rtt=0.025 --buffer=250000 --flows=1 --stagger=0
//                  --duration=60 --budget=30
//
// rate in bit/s, buffer in bytes, times in seconds. The run ends at `duration` simulated seconds
// or after `budget` seconds of wall time, whichever comes first, and reports how far it came.

#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"
#include "tcp.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace
{

using Wall = std::chrono::steady_clock;

constexpr int frameBytes = 1514;
constexpr int payloadBytes = 1448;
constexpr double timerPeriodS = 0.01;
// Events between two looks at the wall clock.
constexpr uint64_t eventsPerLook = 100000;

// One connection. Everything that packets point to stays where it is until the end.
struct Connection
{
    Connection(EventList& events, BaseQueue& bottleneck, Pipe& back)
        : source(nullptr, nullptr, events)
    {
        forward.push_back(&bottleneck);
        forward.push_back(&sink);
        reverse.push_back(&back);
        reverse.push_back(&source);
    }

    TcpSrc source;
    TcpSink sink;
    Route forward;
    Route reverse;
};

std::map<std::string, double>
ReadOptions(int argc, char* argv[])
{
    std::map<std::string, double> options{{"rate", 80e6},
                                          {"rtt", 0.025},
                                          {"buffer", 250000},
                                          {"flows", 1},
                                          {"stagger", 0},
                                          {"duration", 60},
                                          {"budget", 30}};
    for (int i = 1; i < argc; ++i)
    {
        const std::string option = argv[i];
        const auto equals = option.find('=');
        const auto known = option.compare(0, 2, "--") == 0 && equals != std::string::npos
                               ? options.find(option.substr(2, equals - 2))
                               : options.end();
        if (known == options.end())
        {
            std::cerr << "unknown option " << option << "\n";
            std::exit(2);
        }
        known->second = std::stod(option.substr(equals + 1));
    }
    return options;
}

double
SecondsSince(Wall::time_point began)
{
    return std::chrono::duration<double>(Wall::now() - began).count();
}

} // namespace

int
main(int argc, char* argv[])
{
    auto options = ReadOptions(argc, argv);
    const auto flows = static_cast<size_t>(options["flows"]);

    Packet::set_packet_size(frameBytes);
    EventList events;
    EventList::setEndtime(timeFromSec(options["duration"]));
    Queue bottleneck(static_cast<linkspeed_bps>(options["rate"]),
                     static_cast<mem_b>(options["buffer"]),
                     events,
                     nullptr);
    Pipe back(timeFromSec(options["rtt"]), events);
    TcpRtxTimerScanner timers(timeFromSec(timerPeriodS), events);

    // Slow start ends at each flow's share of path and buffer. Without an end it overshoots by
    // thousands of packets, of which a sender without SACK resends one a round trip.
    const double shareBytes =
        (options["rate"] * options["rtt"] / 8 + options["buffer"]) / static_cast<double>(flows);
    std::vector<std::unique_ptr<Connection>> connections;
    for (size_t i = 0; i < flows; ++i)
    {
        connections.push_back(std::make_unique<Connection>(events, bottleneck, back));
        Connection& connection = *connections.back();
        connection.source.set_ssthresh(static_cast<uint64_t>(shareBytes));
        timers.registerTcp(connection.source);
        connection.source.connect(connection.forward,
                                  connection.reverse,
                                  connection.sink,
                                  timeFromSec(options["stagger"] * static_cast<double>(i)));
    }

    // It tells of each timeout on standard output.
    std::streambuf* chatter = std::cout.rdbuf(nullptr);
    const auto began = Wall::now();
    const std::clock_t cpuBegan = std::clock();
    uint64_t count = 0;
    while (EventList::doNextEvent())
    {
        if (++count % eventsPerLook == 0 && SecondsSince(began) > options["budget"])
        {
            break;
        }
    }
    const double wallS = SecondsSince(began);
    const double cpuS = static_cast<double>(std::clock() - cpuBegan) / CLOCKS_PER_SEC;
    std::cout.rdbuf(chatter);

    uint64_t sentBytes = 0;
    uint64_t deliveredBytes = 0;
    for (const auto& connection : connections)
    {
        sentBytes += connection->source._packets_sent;
        deliveredBytes += connection->sink._cumulative_ack;
    }
    const double simulatedS = timeAsSec(EventList::now());
    const double goodputBps =
        static_cast<double>(deliveredBytes) / frameBytes * payloadBytes * 8 / simulatedS;
    std::printf("{\"data_packets\": %llu, \"wall_s\": %.6f, \"cpu_s\": %.6f, "
                "\"simulated_s\": %.6f, \"goodput_bps\": %.1f}\n",
                static_cast<unsigned long long>(sentBytes / frameBytes),
                wallS,
                cpuS,
                simulatedS,
                goodputBps);
    return 0;
}
