// TCP CUBIC bulk flows over one drop-tail bottleneck in ns-3, timed. Prints one JSON line.
//
//   ns3_dumbbell --rate=80e6 --rtt=0.025 --buffer=250000 --flows=1 --stagger=0
//                --duration=60 --budget=30
//
// rate in bit/s, buffer in bytes, times in seconds. The run ends at `duration` simulated seconds
// or after `budget` seconds of wall time, whichever comes first, and reports how far it came.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace ns3;
using Clock = std::chrono::steady_clock;

namespace
{

constexpr uint32_t mss = 1448;
constexpr uint16_t firstPort = 5000;

uint64_t dataPackets = 0;

void
CountDataPacket(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
{
    if (packet->GetSize() > 0)
    {
        ++dataPackets;
    }
}

// A sender's socket exists only once its application has started; its first data leaves a round
// trip later.
void
CountPacketsOf(Ptr<BulkSendApplication> sender)
{
    sender->GetSocket()->TraceConnectWithoutContext("Tx", MakeCallback(&CountDataPacket));
}

double
SecondsSince(Clock::time_point began)
{
    return std::chrono::duration<double>(Clock::now() - began).count();
}

void
StopWhenSpent(Clock::time_point began, double budget)
{
    if (SecondsSince(began) > budget)
    {
        Simulator::Stop();
        return;
    }
    Simulator::Schedule(MilliSeconds(1), &StopWhenSpent, began, budget);
}

// As near to Linux as ns-3 comes: see the README for what it lacks.
void
ConfigureTcp(uint32_t socketBuffer)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TcpPrrRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(1)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mss));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(socketBuffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(socketBuffer));
}

} // namespace

int
main(int argc, char* argv[])
{
    double rate = 80e6;
    double rtt = 0.025;
    uint32_t buffer = 250000;
    uint32_t flows = 1;
    double stagger = 0;
    double duration = 60;
    double budget = 30;
    CommandLine command(__FILE__);
    command.AddValue("rate", "bottleneck rate, bit/s", rate);
    command.AddValue("rtt", "base round-trip time, s", rtt);
    command.AddValue("buffer", "drop-tail buffer, bytes", buffer);
    command.AddValue("flows", "number of flows", flows);
    command.AddValue("stagger", "time between two flows' starts, s", stagger);
    command.AddValue("duration", "simulated time, s", duration);
    command.AddValue("budget", "wall time after which the run stops early, s", budget);
    command.Parse(argc, argv);

    // Four times what path and buffer hold: neither end's memory limits the flow, even when slow
    // start overshoots.
    ConfigureTcp(static_cast<uint32_t>(4 * (rate * rtt / 8 + buffer)));

    // The senders share one node on purpose: access lines would cost ns-3 more events a packet.
    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(rtt / 2)));
    link.SetQueue("ns3::DropTailQueue<Packet>",
                  "MaxSize",
                  QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, buffer)));
    NetDeviceContainer devices = link.Install(nodes);

    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    // Giving a device an address also gave it an FqCoDel queue in front of ours.
    TrafficControlHelper().Uninstall(devices);

    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < flows; ++i)
    {
        const uint16_t port = firstPort + i;
        const Time start = Seconds(i * stagger);

        PacketSinkHelper sinkHelper("ns3::TcpSocketFactory",
                                    InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.push_back(DynamicCast<PacketSink>(sinkHelper.Install(nodes.Get(1)).Get(0)));

        BulkSendHelper bulk("ns3::TcpSocketFactory",
                            InetSocketAddress(interfaces.GetAddress(1), port));
        // Writes of one segment each spare ns-3 cutting and joining packets in its send buffer.
        bulk.SetAttribute("SendSize", UintegerValue(mss));
        ApplicationContainer senders = bulk.Install(nodes.Get(0));
        senders.Start(start);
        Simulator::Schedule(start + NanoSeconds(1),
                            &CountPacketsOf,
                            DynamicCast<BulkSendApplication>(senders.Get(0)));
    }

    const auto began = Clock::now();
    StopWhenSpent(began, budget);
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    const double wall = SecondsSince(began);

    const double simulated = Simulator::Now().GetSeconds();
    uint64_t received = 0;
    for (const auto& sink : sinks)
    {
        received += sink->GetTotalRx();
    }
    std::printf("{\"data_packets\": %llu, \"goodput_bps\": %.0f, "
                "\"simulated_s\": %.6f, \"wall_s\": %.6f}\n",
                static_cast<unsigned long long>(dataPackets),
                8.0 * static_cast<double>(received) / simulated,
                simulated,
                wall);
    Simulator::Destroy();
    return 0;
}
