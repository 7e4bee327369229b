# SPDX-License-Identifier: MIT
"""net_peer: the far end of a line, and clients of it that report whether all bytes were right.

  net_peer.py serve PORT                     sends, takes or echoes, as the client asks
  net_peer.py get|put|both HOST PORT BYTES   moves that many bytes; "right" if they are what they should be
  net_peer.py keep get|put HOST PORT [FILE]  moves without end; with FILE a child goes on alone after a while, and its number is written to FILE
  net_peer.py ping HOST PORT NUMBER          the median round trip of small requests, in ms
"""
import hashlib
import os
import socket
import statistics
import sys
import threading
import time

PIECE = 65536
WAIT_S = 60


def piece(number):
    """The bytes at a place of the stream. They differ from place to place, so that none can be taken for another."""
    return (hashlib.sha256(number.to_bytes(8, "big")).digest() * (PIECE // 32))[:PIECE]


def send(connection, total):
    for number in range((total + PIECE - 1) // PIECE):
        connection.sendall(piece(number)[: total - number * PIECE])


def receive(connection, total):
    number, kept, got = 0, b"", 0
    while got < total:
        part = connection.recv(PIECE)
        if not part:
            return False
        got += len(part)
        kept += part
        while kept and (len(kept) >= PIECE or got == total):
            if kept[:PIECE] != piece(number)[: len(kept[:PIECE])]:
                return False
            kept, number = kept[PIECE:], number + 1
    return True


def serve_one(connection):
    with connection:
        words = connection.makefile("rb", buffering=0).readline().split()  # no more than the line
        if not words:
            return
        what, total = words[0], int(words[1])
        try:
            if what == b"get":
                send(connection, total)
            elif what == b"put":
                connection.sendall(b"right" if receive(connection, total) else b"wrong")
            elif what == b"drain":
                while connection.recv(PIECE):
                    pass
            elif what == b"ping":
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                while data := connection.recv(PIECE):
                    connection.sendall(data)
        except OSError:
            pass


def serve(port):
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=64) as listening:
        while True:
            threading.Thread(target=serve_one, args=(listening.accept()[0],), daemon=True).start()


def connected(host, port, request):
    for _ in range(20 * WAIT_S):  # the server may still be starting
        try:
            connection = socket.create_connection((host, port))
            connection.sendall(request + b"\n")
            return connection
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the far end does not answer")


def move(what, host, port, total):
    with connected(host, port, f"{what} {total}".encode()) as connection:
        if what == "get":
            return receive(connection, total)
        send(connection, total)
        return connection.recv(PIECE) == b"right"


def keep(what, host, port, file):
    with connected(host, port, b"get 1000000000000" if what == "get" else b"drain 0") as connection:
        change = time.monotonic() + 3
        while True:
            if file and time.monotonic() > change:
                child = os.fork()
                if child:
                    with open(file, "w") as told:
                        told.write(str(child))
                    return
                file = None
            if what == "get":
                connection.recv(PIECE)
            else:
                connection.sendall(piece(0))


def ping(host, port, number):
    times = []
    with connected(host, port, b"ping 0") as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(number):
            start = time.monotonic()
            connection.sendall(b"x" * 64)
            connection.recv(PIECE)
            times.append(1000 * (time.monotonic() - start))
            time.sleep(0.03)
    return statistics.median(times)


def main():
    what, words = sys.argv[1], sys.argv[2:]
    if what == "serve":
        serve(int(words[0]))
    elif what == "keep":
        keep(words[0], words[1], int(words[2]), words[3] if len(words) > 3 else None)
    elif what == "ping":
        print(round(ping(words[0], int(words[1]), int(words[2]))))
    elif what == "both":
        results = []
        threads = [
            threading.Thread(target=lambda way=way: results.append(move(way, words[0], int(words[1]), int(words[2]))))
            for way in ("get", "put")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print("right" if results == [True, True] else "wrong")
    else:
        print("right" if move(what, words[0], int(words[1]), int(words[2])) else "wrong")


main()
