# A dialogue by python3-h2, whose state machine raises at whatever a server must not send. Prints what it saw.
import socket
import ssl
import sys
from urllib.parse import urlsplit

import h2.config
import h2.connection
import h2.events

address = urlsplit(sys.argv[1])
sock = socket.create_connection((address.hostname, address.port), timeout=30)
if address.scheme == "https":
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    sock = context.wrap_socket(sock, server_hostname="localhost")
    assert sock.selected_alpn_protocol() == "h2"
connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
connection.initiate_connection()


def fields(method, path, *others):
    return [(":method", method), (":scheme", address.scheme), (":authority", "localhost"), (":path", path), *others]


def flush():
    data = connection.data_to_send()
    if data:
        sock.sendall(data)


def until(stream, body=b"", trailers=None):
    """Sends the body as windows allow, and reads until the stream has ended."""
    seen = {"length": 0, "text": b"", "trailers": None, "code": None}
    is_open = bool(body) or trailers is not None
    while True:
        while is_open:
            room = min(connection.local_flow_control_window(stream), connection.max_outbound_frame_size, len(body))
            if room > 0:
                connection.send_data(stream, body[:room])
                body = body[room:]
            if not body:
                connection.end_stream(stream) if trailers is None else connection.send_headers(stream, trailers, end_stream=True)
                is_open = False
            elif room <= 0:
                break
        flush()
        received = sock.recv(65536)
        if not received:
            raise EOFError
        for event in connection.receive_data(received):
            if getattr(event, "stream_id", None) not in (None, 0, stream):
                continue
            if isinstance(event, h2.events.ResponseReceived):
                seen["fields"] = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                seen["length"] += len(event.data)
                seen["text"] = (seen["text"] + event.data)[:100]
                connection.acknowledge_received_data(event.flow_controlled_length, stream)
            elif isinstance(event, h2.events.TrailersReceived):
                seen["trailers"] = dict(event.headers)
            elif isinstance(event, h2.events.StreamReset):
                seen["code"] = int(event.error_code)
                return seen
            elif isinstance(event, h2.events.StreamEnded):
                flush()
                return seen
        flush()


def ask(method, path, *others, body=b"", trailers=None):
    stream = connection.get_next_available_stream_id()
    connection.send_headers(stream, fields(method, path, *others), end_stream=not body and trailers is None)
    return until(stream, body, trailers)


def until_event(kind):
    flush()
    while not any(isinstance(event, kind) for event in connection.receive_data(sock.recv(65536))):
        flush()


# Small windows, so that each answer is many frames.
until_event(h2.events.SettingsAcknowledged)
connection.update_settings({4: 1000})
until_event(h2.events.SettingsAcknowledged)
hello = ask("GET", "/hello", ("x-sent", "yes"), ("cookie", "c=3"), ("cookie", "d=4"))
print("hello", hello["fields"][":status"], hello["text"].decode(), hello["fields"]["x-seen"])
print("large", ask("GET", "/large")["length"])
print("head", ask("HEAD", "/large")["fields"]["content-length"])
print("echo", ask("POST", "/echo", body=b"abcdefg" * 50000)["length"])
sent = ask("POST", "/trailers", body=b"four", trailers=[("x-last", "7")])
print("trailers", sent["text"].decode(), sent["trailers"]["x-sum"])
print("empty", ask("GET", "/empty")["fields"][":status"])
print("missing", ask("GET", "/missing")["fields"][":status"])
print("fail", ask("GET", "/fail")["fields"][":status"])
print("abort", ask("GET", "/abort")["code"])
print("reset", ask("GET", "/reset")["code"])
connection.ping(b"12345678")
until_event(h2.events.PingAckReceived)
print("ping")
connection.update_settings({1: 0, 5: 20000})
flush()
print("settings", ask("GET", "/hello")["fields"][":status"])
connection.close_connection()
flush()
while True:
    rest = sock.recv(65536)
    if not rest:
        break
print("closed")
