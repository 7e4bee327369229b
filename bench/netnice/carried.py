#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""carried: runs real programs under netnice over an emulated line, and checks whether the bytes arrive as they were sent.

  carried.py serve FOLDER               the far end: files of FOLDER by HTTP, which takes PUT too, by ssh where there is an sshd, and to restic by REST where there is rclone
  carried.py try NETNICE FOLDER         the near end: prints {program: whether it was right}, as JSON
  carried.py limit up|down FOLDER WORD...  curl behind WORDs that hold it to a rate, with FOLDER/part: its bytes a second, as JSON

Both ends see the same FOLDER, which prepare() has filled. A program that is not installed is left out.
"""
import contextlib
import filecmp
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

FAR, HTTP, SSH, REST = "10.97.0.2", 8000, 2222, 8001
URL = f"http://{FAR}:{HTTP}"
SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin")
PATIENCE_S = 60
SIZE = 3_000_000

GO = """package main

import ("io"; "net/http"; "os")

func main() {
	response, err := http.Get(os.Args[1])
	if err != nil { panic(err) }
	file, err := os.Create(os.Args[2])
	if err != nil { panic(err) }
	if _, err := io.Copy(file, response.Body); err != nil { panic(err) }
	file.Close()
}
"""
JAVA = """
import java.io.*;
import java.net.*;
import java.nio.file.*;
public class Fetch {
  public static void main(String[] words) throws Exception {
    System.in.read();
    try (InputStream stream = new URL(words[0]).openStream()) { Files.copy(stream, Path.of(words[1])); }
  }
}
"""


def quietly(command, **more):
    """Runs the command without input and output. Returns whether it succeeded."""
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **more).returncode == 0


def prepare(folder):
    """Makes the files and keys that both ends need, before the line exists."""
    (folder / "data").write_bytes(os.urandom(SIZE))
    if SSHD:
        for name in ("host", "user"):
            quietly(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name])
        shutil.copy(folder / "user.pub", folder / "authorized")
        (folder / "sshd_config").write_text(f"Port {SSH}\nListenAddress {FAR}\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
                                            f"PermitRootLogin yes\nStrictModes no\nUsePAM no\nPidFile none\nSubsystem sftp internal-sftp\n")
    repository = folder / "repository"
    repository.mkdir()
    shutil.copy(folder / "data", repository / "data")
    git = ["git", "-C", repository, "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    quietly([*git, "init", "-q"]) and quietly([*git, "add", "data"]) and quietly([*git, "commit", "-q", "-m", "data"])
    (folder / "fetch.go").write_text(GO)
    (folder / "Fetch.java").write_text(JAVA)
    if shutil.which("go"):
        quietly(["go", "build", "-o", folder / "fetch", folder / "fetch.go"], env={**os.environ, "CGO_ENABLED": "0"})
    if shutil.which("javac"):
        quietly(["javac", "-d", folder, folder / "Fetch.java"])


class Files(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):  # the name that http.server wants
        data = self.rfile.read(int(self.headers["Content-Length"]))
        pathlib.Path(self.translate_path(self.path)).write_bytes(data)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def serve(folder):
    os.chdir(folder)
    if SSHD:
        os.makedirs("/run/sshd", exist_ok=True)
        subprocess.Popen([SSHD, "-D", "-f", folder / "sshd_config"], stderr=subprocess.DEVNULL)
    if shutil.which("rclone"):
        (folder / "rest").mkdir(exist_ok=True)
        subprocess.Popen(["rclone", "--config", "", "serve", "restic", "--addr", f"{FAR}:{REST}", folder / "rest"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    http.server.ThreadingHTTPServer((FAR, HTTP), Files).serve_forever()


class Tries:
    """Has one method for each program. Each method returns whether the received bytes are the sent bytes."""

    def __init__(self, netnice, folder):
        self.netnice, self.folder = netnice, folder
        self.nice = [netnice, "-q", "--"]
        self.ssh = f"ssh -p {SSH} -i {folder}/user -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"

    def same(self, got):
        return got.exists() and filecmp.cmp(got, self.folder / "data", shallow=False)

    def curl_down(self):
        got = self.folder / "curl-down"
        return quietly([*self.nice, "curl", "-sf", "-o", got, f"{URL}/data"]) and self.same(got)

    def curl_up(self):
        return quietly([*self.nice, "curl", "-sf", "-T", self.folder / "data", f"{URL}/curl-up"]) and self.same(self.folder / "curl-up")

    def rsync(self):
        got = self.folder / "rsync"
        return quietly([*self.nice, "rsync", "-e", self.ssh, self.folder / "data", f"{FAR}:{got}"]) and self.same(got)

    def git(self):
        got = self.folder / "clone"
        return quietly([*self.nice, "git", "clone", "-q", f"ssh://{FAR}{self.folder}/repository", got], env={**os.environ, "GIT_SSH_COMMAND": self.ssh}) and self.same(got / "data")

    def restic_to(self, name, *repository):
        """Makes a backup, restores it, and compares the two."""
        words, got = ["restic", "-q", "--no-cache", *repository], self.folder / f"restored-{name}"
        secret = {**os.environ, "RESTIC_PASSWORD": "bench"}
        return (quietly([*words, "init"], env=secret) and quietly([*self.nice, *words, "backup", "data"], env=secret, cwd=self.folder)
                and quietly([*self.nice, *words, "restore", "latest", "--target", got], env=secret) and self.same(got / "data"))

    def restic_rest(self):
        return self.restic_to("rest", "-r", f"rest:http://{FAR}:{REST}/")

    def restic_sftp(self):
        return self.restic_to("sftp", "-r", f"sftp::{self.folder}/sftp", "-o", f"sftp.command={self.ssh} {FAR} -s sftp")

    def go_static(self):
        got = self.folder / "by-go"
        return quietly([*self.nice, self.folder / "fetch", f"{URL}/data", got]) and self.same(got)

    def java_adopted(self):
        got = self.folder / "by-java"
        program = subprocess.Popen(["java", "-cp", self.folder, "Fetch", f"{URL}/data", got], stdin=subprocess.PIPE)
        adopting = subprocess.Popen([self.netnice, "adopt", "-q", str(program.pid)])
        time.sleep(0.5)
        program.stdin.write(b"\n")
        program.stdin.close()
        is_right = program.wait(PATIENCE_S) == 0 and self.same(got)
        adopting.terminate()
        return adopting.wait(PATIENCE_S) is not None and is_right

    def all(self):
        tries = {"curl up": self.curl_up, "curl down": self.curl_down}
        if SSHD:
            tries.update({"rsync": self.rsync, "git": self.git})
        if shutil.which("restic") and shutil.which("rclone"):
            tries["restic by REST"] = self.restic_rest
        if shutil.which("restic") and SSHD:
            tries["restic by sftp"] = self.restic_sftp
        if (self.folder / "fetch").exists():
            tries["static Go"] = self.go_static
        if (self.folder / "Fetch.class").exists():
            tries["adopted Java"] = self.java_adopted
        return {name: one() for name, one in tries.items()}


def limited(direction, folder, words):
    """Returns the bytes a second that curl moves when it runs behind these words."""
    file = ["-T", folder / "part", f"{URL}/part-up"] if direction == "up" else ["-o", folder / "part-down", f"{URL}/part"]
    told = subprocess.run([str(word) for word in (*words, "curl", "-sf", "-w", "%{time_pretransfer} %{time_total}", *file)], stdout=subprocess.PIPE, text=True, check=True)
    begun, ended = told.stdout.split()
    return (folder / "part").stat().st_size / (float(ended) - float(begun))


def wait_for_server():
    for _ in range(PATIENCE_S * 10):
        with contextlib.suppress(subprocess.CalledProcessError):
            subprocess.run(["curl", "-sfo", "/dev/null", f"{URL}/"], check=True)
            return
        time.sleep(0.1)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(pathlib.Path(sys.argv[2]))
    wait_for_server()
    if sys.argv[1] == "limit":
        print(json.dumps(limited(sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:])))
    else:
        print(json.dumps(Tries(sys.argv[2], pathlib.Path(sys.argv[3])).all()))
