# SPDX-License-Identifier: MIT
"""test_wheel: the installed package on the real kernel: its orders against gbp's, its memory, and a limit against the kernel's account of the processes held.

tests/install/wheel_test.sh runs it from a fresh environment. GBP names the program to compare with, SCRATCH a folder on a disk, LOADER the folder of the example.
"""
import contextlib
import ctypes
import errno
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import discnice
import gray

SCRATCH = pathlib.Path(os.environ["SCRATCH"])
GBP = os.environ["GBP"]
MIB = 1 << 20
sys.path.append(os.environ["LOADER"])


def evict(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def make(name, size):
    path = SCRATCH / name
    path.write_bytes(os.urandom(size))
    evict(path)
    return path


def read(path, size=-1):
    with open(path, "rb", buffering=0) as stream:
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        stream.read(size)


class Cache(unittest.TestCase):
    def test_a_file_is_cached_after_it_was_read_and_not_before(self):
        path = make("one", MIB)
        self.assertEqual(gray.cached(path), 0.0)
        read(path, MIB // 2)
        self.assertAlmostEqual(gray.cached(str(path)), 0.5, delta=0.05)
        self.assertEqual(gray.cached(os.fsencode(path)), gray.cached(path))
        with open(path, "rb") as stream:
            self.assertEqual(gray.look(stream.fileno()).size, MIB)

    def test_ranges_begin_with_what_is_cached(self):
        path = make("ranges", MIB)
        with open(path, "rb", buffering=0) as stream:
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
            os.pread(stream.fileno(), MIB // 4, MIB // 2)
        parts = gray.ranges(path, unit=MIB // 4)
        self.assertEqual((parts[0].offset, parts[0].length, parts[0].cached), (MIB // 2, MIB // 4, 1.0))
        self.assertEqual(sorted(part.offset for part in parts), [0, MIB // 4, MIB // 2, 3 * MIB // 4])
        asked = gray.ranges(path, extents=[(MIB // 2, 4096), (0, 4096)])
        self.assertEqual([(part.offset, part.cached) for part in asked], [(MIB // 2, 1.0), (0, 0.0)])

    def test_ranges_are_those_of_gbp(self):
        path = make("long", 48 * MIB)
        with open(path, "rb", buffering=0) as stream:
            os.pread(stream.fileno(), 8 * MIB, 30 * MIB)
        told = subprocess.run([GBP, "--ranges", "--json", path], check=True, capture_output=True, text=True).stdout
        theirs = [json.loads(line) for line in told.splitlines()]
        ours = [(part.offset, part.length) for part in gray.ranges(path)]
        self.assertEqual(ours, [(one["offset"], one["length"]) for one in theirs])

    def test_the_order_is_that_of_gbp(self):
        chance = random.Random(7)
        folder = SCRATCH / "set"
        folder.mkdir(exist_ok=True)
        paths = [str(make(f"set/{number:03}", chance.randrange(1, 40) * 20000)) for number in range(60)]
        for path in chance.sample(paths, 25):
            read(path, os.path.getsize(path) if chance.random() < 0.5 else os.path.getsize(path) // 2)
        chance.shuffle(paths)
        for mode in ("mem", "file", "compose"):
            for place in ("auto", "extent", "inode", "mtime", "none") if mode != "mem" else ("auto",):
                with self.subTest(mode=mode, place=place):
                    command = [GBP, f"-{mode}", *(["--order", place] if mode != "mem" else []), *paths]
                    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
                    self.assertEqual(gray.order(paths, mode=mode, place=place), told)

    def test_a_signal_ends_a_long_look(self):
        class Stopped(Exception):
            pass

        def stop(_, frame):
            raise Stopped(frame.f_code.co_name)
        path = make("signalled", 4096)
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, stop))
        stopped_in = set()
        for delay_ms in range(1, 400):  # until it meets the library, and not what comes before or after
            signal.setitimer(signal.ITIMER_REAL, delay_ms / 1000)
            with contextlib.suppress(Stopped):
                try:
                    gray.order([path] * 5000)
                    while True:  # too late
                        time.sleep(1)
                except Stopped as stopped:
                    stopped_in.add(str(stopped))
            if "_watch" in stopped_in:
                break
        self.assertIn("_watch", stopped_in)
        self.assertEqual(gray.order([path]), [path])

    def test_threads_ask_at_once(self):
        path, found = make("threads", MIB), []
        threads = [threading.Thread(target=lambda: found.append([gray.cached(path) for _ in range(50)])) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 8)

    def test_a_forked_child_asks_too(self):
        path = make("forked", MIB)
        gray.cached(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a fork beside threads
            pid = os.fork()
        if pid == 0:
            os._exit(0 if gray.cached(path) == 0.0 else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)


class Errors(unittest.TestCase):
    def test_a_system_error_has_errno_and_path(self):
        for call in (gray.cached, gray.look, gray.ranges, gray.params, gray.settings, lambda path: gray.order([path])):
            with self.assertRaises(FileNotFoundError) as caught:
                call("/no/such/file")
            self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.ENOENT, "/no/such/file"))
        with self.assertRaises(IsADirectoryError):
            gray.order([SCRATCH])
        self.assertEqual(gray.order(["/no/such/file", __file__], errors="last"), [__file__, "/no/such/file"])

    def test_a_bad_argument_is_told_in_a_sentence(self):
        bad = {
            "backend is 'fast'": lambda: gray.cached(__file__, backend="fast"), "mode is 'best'": lambda: gray.order([__file__], mode="best"),
            "unit is 0": lambda: gray.ranges(__file__, unit=0), "there is no multiple of": lambda: gray.alloc(10, 5),
            "leave out unit": lambda: gray.ranges(__file__, unit=1, extents=[(0, 1)]), "timeout is -1": lambda: gray.alloc(1, 2, timeout=-1),
            "cannot hold a NUL": lambda: gray.cached("a\0b"), "there is no policy 'best'": lambda: discnice.limit(policy="best"),
            "'fast' is not a rate": lambda: discnice.limit("fast"), "5 bytes a second": lambda: discnice.limit(5)}
        for text, call in bad.items():
            with self.assertRaisesRegex(ValueError, text) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaises(TypeError):
            gray.order(__file__)


class Memory(unittest.TestCase):
    def test_memory_is_a_buffer_and_is_given_back_once(self):
        def resident():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
        before = resident()
        buffer = gray.alloc(MIB, 64 * MIB, MIB)
        self.assertTrue(len(buffer) >= MIB and len(buffer) % MIB == 0)
        self.assertGreater(resident() - before, len(buffer) * 3 // 4)
        view = memoryview(buffer)
        view[5:8] = b"abc"
        self.assertEqual((bytes(buffer[5:8]), buffer[6], view.nbytes), (b"abc", ord("b"), len(buffer)))
        address = ctypes.addressof(buffer)
        self.assertEqual(address % os.sysconf("SC_PAGESIZE"), 0)
        half = buffer.shrink(len(view) // 2)
        self.assertEqual((len(half), bytes(half[5:8]), buffer.is_freed), (len(view) // 2, b"abc", True))
        half.free()
        half.free()
        self.assertLess(resident() - before, 8 * MIB)
        self.assertEqual(view[6], 0)  # too late, and harmless
        with self.assertRaisesRegex(ValueError, "was freed"):
            half[0]

    def test_a_with_statement_frees(self):
        with gray.alloc(4096, 4096) as buffer:
            rest = buffer.shrink(100)
            self.assertEqual(len(rest), 100)
        self.assertTrue(rest.is_freed)

    def test_numpy_takes_it(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy here")
        with gray.alloc(MIB, MIB, 8) as buffer:
            numbers = numpy.frombuffer(buffer, dtype="f8")
            numbers[:] = 2.5
            self.assertEqual((numbers.shape, float(numbers.sum())), ((MIB // 8,), 2.5 * (MIB // 8)))
            self.assertEqual(numpy.asarray(memoryview(buffer)).dtype, numpy.uint8)

    def test_what_a_limit_forbids_is_an_error(self):
        with self.assertRaises(OSError) as caught:
            gray.alloc(1 << 60, 1 << 61)
        self.assertEqual(caught.exception.errno, errno.ENOMEM)
        self.assertGreater(gray.available(), 0)


class Figures(unittest.TestCase):
    def setUp(self):
        home = SCRATCH / "data"
        (home / "gray").mkdir(parents=True, exist_ok=True)
        os.environ["XDG_DATA_HOME"] = str(home)
        self.addCleanup(os.environ.pop, "XDG_DATA_HOME")

    def write(self, change=lambda text: text):
        from gray import _params
        here = _params.fingerprint()
        body = "gray-parameters 1\n" + "".join(f"{label} {value}\n" for label, value in here) + "disk.miss_ns 5500000 ns 310000 201 pread_1 2026-01-31T23:59:59Z\n"
        whole = body + f"end 1 {_params.fnv(body.encode()):016x}\n"
        name = "host-" + here[0][1].replace("/", "-").replace(":", "-") + ".params"
        (SCRATCH / "data/gray" / name).write_text(change(whole))

    def test_a_file_of_this_host_is_read_and_no_other(self):
        self.write()
        found = gray.params()
        self.assertEqual((found["disk.miss_ns"].value, found["disk.miss_ns"].source, found["disk.miss_ns"].samples, found.problems), (5500000.0, "user", 201, ()))
        self.write(lambda text: text.replace("5500000", "5500001"))
        found = gray.params()
        self.assertNotIn("disk.miss_ns", [name for name in found if found[name].source == "user"])
        self.assertIn("changed by hand", found.problems[0])

    def test_gbp_reads_the_file_that_this_reads(self):
        """It is of the same host and whole for both: gbp names the date of a figure that it uses."""
        self.write()
        told = subprocess.run([GBP, "--explain", __file__], check=True, capture_output=True, text=True).stderr
        self.assertNotIn("is not used", told)

    def test_a_variable_wins(self):
        self.write()
        os.environ["GRAY_PARAM_DISK_MISS_NS"] = "7"
        self.addCleanup(os.environ.pop, "GRAY_PARAM_DISK_MISS_NS")
        self.assertEqual((gray.params()["disk.miss_ns"].value, gray.params(SCRATCH)["disk.miss_ns"].source), (7.0, "environment"))


class Limit(unittest.TestCase):
    SIZE = 12 * MIB
    READER = ("import sys; f = open(sys.argv[1], 'rb', buffering=0)\nwhile f.read(65536): pass\n"
              "print(open('/proc/self/io').read().partition('\\nread_bytes: ')[2].split()[0])")

    def read_together(self):
        paths = [make(f"limited{number}", self.SIZE) for number in range(2)]
        start = time.monotonic()
        children = [subprocess.Popen([sys.executable, "-c", self.READER, path], stdout=subprocess.PIPE, text=True) for path in paths]
        moved = sum(int(child.communicate()[0]) for child in children)  # the kernel's account of each, when it ends
        return moved, time.monotonic() - start

    def test_children_share_one_budget_by_the_kernels_account(self):
        rate = 6 * MIB
        with discnice.limit("6M") as held:
            moved, took_s = self.read_together()
        self.assertGreaterEqual(moved, 2 * self.SIZE)
        self.assertLess(moved / took_s, 1.25 * rate)  # a budget each would be twice as much
        self.assertGreater(moved / took_s, 0.4 * rate)
        self.assertEqual((held.report.processes, held.report.still_running, held.report.unaccounted_bytes), (2, 0, 0))
        self.assertGreater(held.report.waited_s, took_s / 2)

    def test_the_environment_is_as_before_and_limits_nest(self):
        before = dict(os.environ)
        outer = discnice.limit("50M")
        during = dict(os.environ)
        with discnice.limit(policy="nice"):
            self.assertNotEqual(os.environ["DISCNICE_SEGMENT"], during["DISCNICE_SEGMENT"])
            with self.assertRaisesRegex(RuntimeError, "close that one first"):
                outer.close()
        self.assertEqual(dict(os.environ), during)
        self.assertIs(outer.close(), outer.close())
        self.assertEqual(dict(os.environ), before)

    def test_what_is_forked_without_a_program_is_told(self):
        path = make("not_held", self.SIZE)
        with discnice.limit("2M") as held:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pid = os.fork()
            if pid == 0:
                read(path)
                os._exit(0)
            os.waitpid(pid, 0)
        self.assertGreater(held.report.unaccounted_bytes, self.SIZE // 2)
        self.assertIn("no held call accounts for", str(held.report))


class Loader(unittest.TestCase):
    def test_each_sample_comes_once_and_the_cached_ones_first(self):
        from cached_first import CachedFirstSampler
        path = make("records", 4 * MIB)
        samples = [(path, start, 65536) for start in range(0, 4 * MIB, 65536)]
        with open(path, "rb", buffering=0) as stream:
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
            os.pread(stream.fileno(), MIB, MIB)
        sampler = CachedFirstSampler(samples, window=8, seed=1)
        order = list(sampler)
        self.assertEqual((sorted(order), len(sampler)), (list(range(64)), 64))
        self.assertEqual(set(order[:16]), set(range(16, 32)))
        self.assertNotEqual(order[:16], sorted(order[:16]))
        self.assertNotEqual(order, list(sampler))


if __name__ == "__main__":
    unittest.main()
