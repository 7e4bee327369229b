# SPDX-License-Identifier: MIT
"""backup_tools: programs that keep a second copy of a user's files: the steps of each, and how the copy is verified.

  for tool in here([Restic, Rclone]): ...      the installed tools; prints which are missing
  tool.begin()                                 removes everything of the turn before
  for step in tool.steps(): ...                in this order; a step without a variant is not measured, but must run in between
  tool.verify()                                raises subprocess.CalledProcessError or AssertionError when the copy differs from the original

All tools work in an emulated disk's folder `files`. Its folder `source` has the files to be kept, and `more` is as large again. A step moves about as much
as `source` and its copy together, so the steps that only read use both folders.
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import typing
import urllib.request

from programs import MB, run


@dataclasses.dataclass
class Step:
    variant: str  # of the rows; empty: the step is not held
    command: list
    end: typing.Callable = lambda: None  # called while it runs: a service is told to end when it has done its work


def make_folder(folder, size):
    """Makes files of a megabyte, like a person's files, and some hundred small ones."""
    folder.mkdir(parents=True)
    for i in range(size // MB):
        (folder / f"{i:05}").write_bytes(os.urandom(MB))
    for i in range(500):
        (folder / f"small{i:05}").write_bytes(os.urandom(2000 + 97 * i % 18000))
    run("sync", "-f", folder)


def compare(source, copy):
    subprocess.run(["diff", "-r", source, copy], check=True)


class Tool:
    """The tool makes folders of these names, beside the files."""
    program = ""
    made = ("repository", "copy")

    def __init__(self, disk):
        self.disk, self.files = disk, disk.folder / "files"
        self.source, self.more = self.files / "source", self.files / "more"
        self.repository, self.copy = disk.folder / "repository", disk.folder / "copy"

    def begin(self):
        for name in self.made:
            shutil.rmtree(self.disk.folder / name, ignore_errors=True)


class Restic(Tool):
    program = "restic"

    def command(self, *arguments):
        return ["restic", "-q", "--no-cache", "-r", str(self.repository), *map(str, arguments)]

    def begin(self):
        super().begin()
        os.environ["RESTIC_PASSWORD"] = "x"
        subprocess.run(self.command("init"), check=True)

    def steps(self):
        yield Step("backup", self.command("backup", self.source))
        yield Step("restore", self.command("restore", "latest", "--target", self.copy))
        yield Step("", self.command("backup", self.more))
        yield Step("check", self.command("check", "--read-data"))

    def verify(self):
        compare(self.source, self.copy / str(self.source).lstrip("/"))


class Borg(Tool):
    """Python and C: the library can reach it."""
    program = "borg"
    made = ("repository", "copy", "borg")

    def begin(self):
        super().begin()
        os.environ["BORG_BASE_DIR"] = str(self.disk.folder / "borg")
        os.environ["BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK"] = "yes"
        subprocess.run(["borg", "init", "-e", "none", str(self.repository)], check=True)
        self.copy.mkdir()

    def steps(self):
        yield Step("borg create", ["borg", "create", f"{self.repository}::first", str(self.source)])
        yield Step("borg extract", ["env", "-C", str(self.copy), "borg", "extract", f"{self.repository}::first"])
        yield Step("", ["borg", "create", f"{self.repository}::second", str(self.more)])
        yield Step("borg check", ["borg", "check", "--verify-data", str(self.repository)])

    def verify(self):
        compare(self.source, self.copy / str(self.source).lstrip("/"))


class Rclone(Tool):
    program = "rclone"

    def command(self, *arguments):
        return ["rclone", "--config", "", *map(str, arguments)]

    def steps(self):
        yield Step("rclone sync", self.command("sync", self.source, self.copy))

    def verify(self):
        subprocess.run(self.command("-q", "check", "--download", self.source, self.copy), check=True)
        compare(self.source, self.copy)


class Age(Tool):
    """Encrypts a file, and decrypts it."""
    program = "age"
    made = ("age",)

    def begin(self):
        super().begin()
        self.folder = self.disk.folder / "age"
        self.folder.mkdir()
        subprocess.run(["tar", "-C", str(self.files), "-cf", str(self.folder / "plain"), "source"], check=True)
        subprocess.run(["age-keygen", "-o", str(self.folder / "key")], check=True, stderr=subprocess.DEVNULL)
        self.recipient = subprocess.run(["age-keygen", "-y", str(self.folder / "key")], check=True, capture_output=True, text=True).stdout.strip()

    def steps(self):
        plain, secret, again, key = (str(self.folder / name) for name in ("plain", "secret", "again", "key"))
        yield Step("age encrypt", ["age", "-r", self.recipient, "-o", secret, plain])
        yield Step("age decrypt", ["age", "-d", "-i", key, "-o", again, secret])

    def verify(self):
        subprocess.run(["cmp", self.folder / "plain", self.folder / "again"], check=True)


class Syncthing(Tool):
    """Scans a new folder: it reads all of it and keeps the hash of each block. It makes no connection to others."""
    program = "syncthing"
    made = ("syncthing",)
    WAIT_S = 120
    FOLDER_BYTES = 128  # the size that it counts for a folder
    CONFIGURATION = """<configuration version="36">
<folder id="files" path="{folder}" type="sendonly" rescanIntervalS="0" fsWatcherEnabled="false"><markerName>source</markerName></folder>
<gui enabled="true" tls="false"><address>127.0.0.1:{port}</address><apikey>x</apikey></gui>
<options><listenAddress>tcp://127.0.0.1:{other_port}</listenAddress><globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
<relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><urAccepted>-1</urAccepted><crashReportingEnabled>false</crashReportingEnabled>
<autoUpgradeIntervalH>0</autoUpgradeIntervalH><startBrowser>false</startBrowser></options></configuration>
"""

    def begin(self):
        super().begin()
        home = self.disk.folder / "syncthing"
        home.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
            self.port, other_port = (server.getsockname()[1] for server in (one, other))
        (home / "config.xml").write_text(self.CONFIGURATION.format(folder=self.files, port=self.port, other_port=other_port))
        self.scanned = {}

    def ask(self, path, data=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/rest/{path}", data=data, headers={"X-API-Key": "x"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def wanted(self):
        all_below = list(self.files.rglob("*"))
        files = [path for path in all_below if path.is_file()]
        folders = len(all_below) - len(files)
        return {"localBytes": sum(path.stat().st_size for path in files) + self.FOLDER_BYTES * folders, "localFiles": len(files)}

    def end_when_scanned(self):
        wanted, until = self.wanted(), time.monotonic() + self.WAIT_S
        while time.monotonic() < until:
            time.sleep(0.2)
            with contextlib.suppress(OSError):  # it does not answer yet
                state = self.ask("db/status?folder=files")
                self.scanned = {name: state[name] for name in wanted}
                if state["state"] == "idle" and self.scanned == wanted:
                    break
        self.ask("system/shutdown", b"")

    def steps(self):
        home = str(self.disk.folder / "syncthing")
        yield Step("syncthing scan", ["syncthing", "serve", f"--home={home}", "--no-browser", "--no-restart", "--no-upgrade"], self.end_when_scanned)

    def verify(self):
        assert self.scanned == self.wanted(), f"scanned {self.scanned} of {self.wanted()}"


def here(tools, disk):
    for tool in tools:
        path = shutil.which(tool.program)
        if path:
            pathlib.Path(path).read_bytes()  # so that the program itself is in memory: some have 50 MB
            yield tool(disk)
        else:
            print(f"left out: {tool.program} (it is not installed)")
