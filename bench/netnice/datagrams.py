#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""datagrams: how fast a job under netnice --rate moves by UDP, alone or beside a TCP connection of its own, as the receiver counts it.

  datagrams.py serve ADDRESS                     answers, until it is ended
  datagrams.py measure WAY SECONDS NETNICE...    prints the bytes a second, as JSON; WAY is up, both or down, NETNICE... the words to run the job behind
  datagrams.py up|tcp|down ADDRESS               sends, or takes, as much as it can
"""
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time

FAR, PORT, SIZE = "10.97.0.2", 7002, 1200
SETTLE_S, PATIENCE_S, PIECE = 2, 20, 1 << 16
FLOOD_S = 0.0003  # between two datagrams of the far end: more than any rate that is measured


class Counts:
    """What has come so far."""

    def __init__(self):
        self.udp = self.tcp = 0

    def take(self, listening):
        connection = listening.accept()[0]
        while piece := connection.recv(PIECE):
            self.tcp += len(piece)


def flood(here, peer):
    while True:
        here.sendto(bytes(SIZE), peer)
        time.sleep(FLOOD_S)


def serve(address):
    counts = Counts()
    threading.Thread(target=counts.take, args=(socket.create_server((address, PORT)),), daemon=True).start()
    here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    here.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    here.bind((address, PORT))
    while True:
        data, peer = here.recvfrom(PIECE)
        if data == b"count":
            here.sendto(json.dumps([time.monotonic(), counts.udp + counts.tcp]).encode(), peer)
        elif data == b"flood":
            threading.Thread(target=flood, args=(here, peer), daemon=True).start()
        else:
            counts.udp += len(data)


def connected(kind, address):
    here = socket.socket(socket.AF_INET, kind)
    here.connect((address, PORT))
    return here


def counted(here):
    """[the instant, the bytes], as the far end tells them; it may still be starting."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            here.send(b"count")
            if select.select([here], [], [], 1)[0]:
                return json.loads(here.recv(PIECE))
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise TimeoutError("the far end does not answer")


def taken(job):
    """The same of what the job takes, which it prints."""
    return json.loads(job.stdout.readline())


def measure(way, seconds, netnice):
    asking = connected(socket.SOCK_DGRAM, FAR)
    counted(asking)
    kinds = {"up": "up", "both": "up tcp", "down": "down"}[way]
    script = "".join(f"{sys.executable} {__file__} {kind} {FAR} & " for kind in kinds.split())
    job = subprocess.Popen([*netnice, "sh", "-c", f"{script} wait"], stdout=subprocess.PIPE, text=True, start_new_session=True)
    count = (lambda: taken(job)) if way == "down" else (lambda: counted(asking))
    start = time.monotonic()
    begun = count()
    while time.monotonic() - start < SETTLE_S:
        time.sleep(0.02)
        begun = count()
    ended = begun
    while ended[0] - begun[0] < seconds:
        time.sleep(0.02)
        ended = count()
    os.killpg(job.pid, 9)
    return (ended[1] - begun[1]) / (ended[0] - begun[0])


def take(here):
    here.send(b"flood")
    bytes_taken, told = 0, 0.0
    while True:
        bytes_taken += len(here.recv(PIECE))
        if time.monotonic() - told > 0.02:
            told = time.monotonic()
            print(json.dumps([told, bytes_taken]), flush=True)


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "serve":
        serve(words[0])
    elif what == "measure":
        print(json.dumps(measure(words[0], float(words[1]), words[2:])))
    elif what == "down":
        take(connected(socket.SOCK_DGRAM, words[0]))
    else:
        sending = connected(socket.SOCK_DGRAM if what == "up" else socket.SOCK_STREAM, words[0])
        while True:
            sending.send(bytes(SIZE if what == "up" else PIECE))
