#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""call_cost: the cost of netnice for requests of 1 KB on loopback. Short windows in which netnice runs and short windows in which netnice is stopped take turns.

  netnice -q -- call_cost.py WINDOWS WINDOW_S        prints the ratios of the pairs' times a request, as JSON

The second window of each pair has netnice stopped: this program stops its own launcher. So both windows have the same process, the same connection and the same minute.
"""
import json
import os
import signal
import socket
import sys
import time

REQUEST = bytes(1024)


def answer(listening):
    connection = listening.accept()[0]
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while piece := connection.recv(4096):
        connection.sendall(piece)


def whole(connection):
    missing = len(REQUEST)
    while missing > 0:
        missing -= len(connection.recv(missing))


def window(connection, seconds):
    """The seconds that one request takes."""
    count, start = 0, time.monotonic()
    while (now := time.monotonic()) - start < seconds:
        for _ in range(20):
            connection.sendall(REQUEST)
            whole(connection)
        count += 20
    return (now - start) / count


def main():
    windows, seconds = int(sys.argv[1]), float(sys.argv[2])
    launcher = os.getppid()
    listening = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        answer(listening)
        os._exit(0)
    connection = socket.create_connection(listening.getsockname())
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    window(connection, seconds)
    ratios = []
    try:
        for number in range(windows):
            times = {}
            for number_of_signal in ((signal.SIGCONT, signal.SIGSTOP) if number % 2 == 0 else (signal.SIGSTOP, signal.SIGCONT)):
                os.kill(launcher, number_of_signal)
                times[number_of_signal] = window(connection, seconds)
            ratios.append(times[signal.SIGCONT] / times[signal.SIGSTOP])
    finally:
        os.kill(launcher, signal.SIGCONT)
    print(json.dumps(ratios))


if __name__ == "__main__":
    main()
