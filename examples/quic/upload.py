"""QUIC by aioquic: a server that takes uploads, and a client that uploads one object after the other."""

import argparse
import asyncio
import datetime as dt
import socket
import ssl

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

OBJECT = bytes(1_000_000)
PARALLEL = 4


def certificate() -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """One that nobody else has signed: the client does not ask."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "server")])
    begin, end = (dt.datetime(year, 1, 1, tzinfo=dt.UTC) for year in (2020, 2100))
    own = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, end)
    return own.sign(key, hashes.SHA256()), key


async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await reader.read(65_536):
        pass
    writer.write(b"taken")
    writer.write_eof()


async def server(host: str, port: int, configuration: QuicConfiguration) -> None:
    configuration.certificate, configuration.private_key = certificate()
    uploads: set[asyncio.Future[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        uploads.add(upload := asyncio.ensure_future(take(reader, writer)))
        upload.add_done_callback(uploads.discard)

    await serve(host, port, configuration=configuration, stream_handler=begin)
    await asyncio.Future()


async def client(host: str, port: int, configuration: QuicConfiguration, seconds: float) -> None:
    # aioquic's own `connect` wants IPv6, which the guest does not have.
    loop, quic = asyncio.get_running_loop(), QuicConnection(configuration=configuration)
    endpoint = await loop.create_datagram_endpoint(lambda: QuicConnectionProtocol(quic), family=socket.AF_INET)
    connection = endpoint[1]
    connection.connect((host, port))
    await connection.wait_connected()

    async def upload() -> None:
        while True:
            reader, writer = await connection.create_stream()
            writer.write(OBJECT)
            writer.write_eof()
            await reader.read()

    uploads = [asyncio.ensure_future(upload()) for _ in range(PARALLEL)]
    await asyncio.sleep(seconds)
    for each in uploads:
        each.cancel()
    connection.close()
    await connection.wait_closed()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="HOST:PORT")
    parser.add_argument("--cc", default="cubic", choices=["reno", "cubic"])
    parser.add_argument("--seconds", type=float, help="upload for so long; without it: be the server")
    arguments = parser.parse_args()
    host, port = arguments.address.rsplit(":", 1)
    configuration = QuicConfiguration(
        is_client=arguments.seconds is not None,
        verify_mode=ssl.CERT_NONE,
        max_data=16_000_000,
        max_stream_data=16_000_000,
        congestion_control_algorithm=arguments.cc,
        max_datagram_size=1_400,
    )
    if arguments.seconds is None:
        asyncio.run(server(host, int(port), configuration))
    else:
        asyncio.run(client(host, int(port), configuration, arguments.seconds))


main()
