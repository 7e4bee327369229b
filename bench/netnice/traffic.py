#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""traffic: the two ends of the traffic that is measured on a line.

  traffic.py serve ADDRESS                               answers, until it is ended
  traffic.py up|down ADDRESS LOG [CONGESTION]            sends, or takes, as much as it can over one connection, until it is ended

LOG gets a line each 50 ms: the instant, and the bytes that have arrived at the other end (of an upload by the kernel's TCP_INFO).
For Python: Asking, which sends one-byte requests as ping does; burst(), which moves a number of bytes over a connection of its own; connected().
A connection begins with one line: WORD BYTES CONGESTION; WORD is up, down, echo, burst-up or burst-down.
"""
import contextlib
import socket
import struct
import sys
import threading
import time

PORT = 7000
PIECE = 1 << 16
LOOK_S = 0.05
BYTES_ACKED = 120  # in struct tcp_info, see linux/tcp.h
PATIENCE_S = 20


def connected(address, word, count=0, congestion="cubic"):
    """Opens a connection to the server, which may still be starting. Both ends use cubic by default, as most hosts do, whatever this host prefers."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            connection = socket.create_connection((address, PORT), timeout=PATIENCE_S)
            break
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    connection.sendall(f"{word} {count} {congestion}\n".encode())
    return connection


class Asking:
    """Sends a request of one byte again and again over one connection."""

    def __init__(self, address):
        self.connection = connected(address, "echo")

    def once(self):
        """The seconds until the answer."""
        start = time.monotonic()
        self.connection.sendall(b"?")
        self.connection.recv(1)
        return time.monotonic() - start

    def during(self, seconds, each_s=0.04):
        """The times of all requests within the given seconds."""
        until, times = time.monotonic() + seconds, []
        while time.monotonic() < until:
            times.append(self.once())
            time.sleep(each_s)
        return times


def burst(address, direction, count):
    """The seconds until all bytes have arrived, the start of the connection included."""
    start = time.monotonic()
    with connected(address, f"burst-{direction}", count) as connection:
        if direction == "up":
            connection.sendall(bytes(count))
            count = 1  # the answer
        while count > 0:
            piece = connection.recv(PIECE)
            if not piece:
                raise ConnectionError("a burst was cut")
            count -= len(piece)
    return time.monotonic() - start


def drained(connection):
    while connection.recv(4 * PIECE):
        pass


def answer(connection):
    with connection, contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = b""
        while not line.endswith(b"\n"):
            if not (byte := connection.recv(1)):
                return
            line += byte
        word, count, congestion = line.split()
        count = int(count)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion)
        if word == b"up":
            drained(connection)
        elif word == b"down":
            while True:
                connection.sendall(bytes(PIECE))
        elif word == b"echo":
            while byte := connection.recv(1):
                connection.sendall(byte)
        elif word == b"burst-down":
            connection.sendall(bytes(count))
        else:
            while count > 0 and (piece := connection.recv(PIECE)):
                count -= len(piece)
            connection.sendall(b".")


def serve(address):
    with socket.create_server((address, PORT), backlog=64) as listening:
        while True:
            threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()


def keep_log(path, count):
    with open(path, "w", encoding="ascii", buffering=1) as log:
        while True:
            log.write(f"{time.monotonic():.6f} {count()}\n")
            time.sleep(LOOK_S)


def work(direction, address, path, congestion="cubic"):
    connection = connected(address, direction, 0, congestion)
    taken = 0

    def acknowledged():
        return struct.unpack_from("<Q", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), BYTES_ACKED)[0]

    threading.Thread(target=keep_log, args=(path, acknowledged if direction == "up" else lambda: taken), daemon=True).start()
    if direction == "up":
        while True:
            connection.send(bytes(PIECE))
    while piece := connection.recv(4 * PIECE):
        taken += len(piece)


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "serve" else work(*sys.argv[1:])
