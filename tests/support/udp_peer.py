# SPDX-License-Identifier: MIT
"""udp_peer: the far end of a line for datagrams, and senders that use every call that a program may send by.

  udp_peer.py serve PORT                        counts what comes and what of it is right, answers questions, and sends when asked to
  udp_peer.py CALL HOST PORT BYTES [JOBS]       sends that many bytes by send, nonblock, asyncio, sendto, sendmsg, sendmmsg, write or writev, in JOBS processes at once, and says how
                                                many seconds that took
  udp_peer.py keep HOST PORT                    sends without end
  udp_peer.py take CALL HOST PORT SECONDS       has the far end send, and says how many bytes came in that time by recv, nonblock, recvfrom, recvmsg or read
  udp_peer.py count HOST PORT                   how many bytes the far end has got, and how many of them were not right
  udp_peer.py ask HOST PORT NUMBER              the longest time of that many small requests, with pauses between them, in ms
"""
import asyncio
import ctypes
import os
import select
import socket
import struct
import sys
import time

SIZE = 1200  # of a datagram
BODY = bytes(range(256)) * 5
WAIT_S = 60


def datagram(number):
    return (struct.pack("!Q", number) + BODY)[:SIZE]


def serve(port):
    here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    here.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
    here.bind(("", port))
    got = wrong = 0
    while True:
        data, peer = here.recvfrom(65536)
        if data == b"count":
            here.sendto(b"%d %d" % (got, wrong), peer)
        elif data == b"ask":
            here.sendto(b"answer", peer)
        elif data.startswith(b"flood "):
            if os.fork() == 0:
                end = time.monotonic() + float(data[6:])
                while time.monotonic() < end:
                    here.sendto(datagram(0), peer)
                    time.sleep(0.0005)
                os._exit(0)
        else:
            got += len(data)
            wrong += data[8:] != BODY[: SIZE - 8]


def connected(host, port):
    here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    here.settimeout(WAIT_S)
    here.connect((host, port))
    here.setblocking(True)
    return here


def answer(here, question):
    """Asks until an answer comes: the far end may still be starting."""
    for _ in range(600):
        here.send(question)
        if select.select([here], [], [], 0.5)[0]:
            try:
                return here.recv(65536)
            except ConnectionRefusedError:
                time.sleep(0.1)
    sys.exit("no answer")


class Piece(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Message(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("name_size", ctypes.c_uint), ("pieces", ctypes.POINTER(Piece)), ("count", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("control_size", ctypes.c_size_t), ("flags", ctypes.c_int), ("unused", ctypes.c_int), ("moved", ctypes.c_uint), ("rest", ctypes.c_int)]


def send_many(here, numbers):
    """sendmmsg(2), which Python does not have; the calls of a program that was compiled find the same function."""
    pieces = [Piece(datagram(number), SIZE) for number in numbers]
    messages = (Message * len(pieces))(*(Message(pieces=ctypes.pointer(one), count=1) for one in pieces))
    sent = ctypes.CDLL(None, use_errno=True).sendmmsg(here.fileno(), messages, len(pieces), 0)
    if sent != len(pieces) or any(one.moved != SIZE for one in messages):
        sys.exit(f"sendmmsg: {sent} of {len(pieces)}")


def send_asyncio(host, port, number):
    async def work():
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=(host, port))
        for one in range(number):
            transport.sendto(datagram(one))
            await asyncio.sleep(0)
        while transport.get_write_buffer_size():
            await asyncio.sleep(0.01)

    asyncio.run(work())


def send(call, host, port, number):
    here = connected(host, port)
    if call == "asyncio":
        return send_asyncio(host, port, number)
    if call == "sendmmsg":
        for start in range(0, number, 8):
            send_many(here, range(start, min(start + 8, number)))
        return None
    if call == "sendto":
        here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    calls = {
        "send": here.send,
        "nonblock": here.send,
        "sendto": lambda data: here.sendto(data, (host, port)),
        "sendmsg": lambda data: here.sendmsg([data[:100], data[100:]]),
        "write": lambda data: os.write(here.fileno(), data),
        "writev": lambda data: os.writev(here.fileno(), [data[:100], data[100:]]),
    }
    here.setblocking(call != "nonblock")
    for one in range(number):
        while True:
            try:
                moved = calls[call](datagram(one))
                break
            except BlockingIOError:
                select.select([], [here], [])
        if moved != SIZE:
            sys.exit(f"{call}: {moved} of {SIZE} bytes")
    return None


def send_in_jobs(call, host, port, total, jobs=1):
    start = time.monotonic()
    children = []
    for _ in range(jobs):
        if (child := os.fork()) == 0:
            send(call, host, port, total // SIZE // jobs)
            os._exit(0)
        children.append(child)
    for child in children:
        if os.waitpid(child, 0)[1] != 0:
            sys.exit("a sender failed")
    print(f"{time.monotonic() - start:.2f}")


def take(call, host, port, seconds):
    here = connected(host, port)
    here.setblocking(call != "nonblock")
    calls = {
        "recv": lambda: len(here.recv(65536)),
        "nonblock": lambda: len(here.recv(65536)),
        "recvfrom": lambda: len(here.recvfrom(65536)[0]),
        "recvmsg": lambda: len(here.recvmsg(65536)[0]),
        "read": lambda: len(os.read(here.fileno(), 65536)),
    }
    answer(here, b"ask")
    here.send(b"flood %f" % seconds)
    got, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([here], [], [], 0.5)[0]:
            try:
                got += calls[call]()
            except BlockingIOError:
                pass
    print(got)


def ask(host, port, number):
    here = connected(host, port)
    answer(here, b"ask")
    longest = 0.0
    for _ in range(number):
        time.sleep(0.3)
        start = time.monotonic()
        here.send(b"ask")
        here.recv(64)
        longest = max(longest, time.monotonic() - start)
    print(round(longest * 1000))


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "serve":
        serve(int(words[0]))
    elif what == "count":
        print(answer(connected(words[0], int(words[1])), b"count").decode())
    elif what == "ask":
        ask(words[0], int(words[1]), int(words[2]))
    elif what == "take":
        take(words[0], words[1], int(words[2]), float(words[3]))
    elif what == "keep":
        peer = connected(words[0], int(words[1]))
        while True:
            peer.send(datagram(0))
    else:
        send_in_jobs(what, words[0], int(words[1]), int(words[2]), *map(int, words[3:]))
