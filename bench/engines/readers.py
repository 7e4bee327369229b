# SPDX-License-Identifier: MIT
"""readers: programs of every kind that read a file from its beginning to its end, 64 KB at a time.

  readers.here(folder)     {name: command} of the readers that can be made and run here; the file's name is to be added at the end. Prints which cannot
"""
import os
import pathlib
import shutil
import subprocess

C = r"""
#include <fcntl.h>
#include <unistd.h>
static char block[1 << 16];
int main(int count, char** arguments) {
  int file = open(arguments[count - 1], O_RDONLY);
  while (read(file, block, sizeof block) > 0) {}
  return 0;
}
"""
FAULTS = r"""
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
int main(int count, char** arguments) {
  int file = open(arguments[count - 1], O_RDONLY);
  struct stat status;
  fstat(file, &status);
  volatile char* bytes = mmap(0, status.st_size, PROT_READ, MAP_SHARED, file, 0);
  long sum = 0;
  for (long at = 0; at < status.st_size; at += 4096) sum += bytes[at];
  return sum == -1;
}
"""
RING = r"""
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static char block[1 << 16];
static unsigned* word(char* ring, unsigned offset) { return (unsigned*)(ring + offset); }
int main(int count, char** arguments) {
  struct io_uring_params p;
  memset(&p, 0, sizeof p);
  int file = open(arguments[count - 1], O_RDONLY), ring = syscall(SYS_io_uring_setup, 4, &p);
  if (ring < 0) return 1;
  char* sq = mmap(0, p.sq_off.array + p.sq_entries * 4, 3, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  char* cq = mmap(0, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), 3, MAP_SHARED, ring, IORING_OFF_CQ_RING);
  struct io_uring_sqe* entries = mmap(0, p.sq_entries * sizeof *entries, 3, MAP_SHARED, ring, IORING_OFF_SQES);
  for (long at = 0;;) {
    unsigned tail = *word(sq, p.sq_off.tail), place = tail & *word(sq, p.sq_off.ring_mask);
    struct io_uring_sqe* entry = entries + place;
    memset(entry, 0, sizeof *entry);
    entry->opcode = IORING_OP_READ;
    entry->fd = file;
    entry->addr = (unsigned long)block;
    entry->len = sizeof block;
    entry->off = at;
    word(sq, p.sq_off.array)[place] = place;
    __atomic_store_n(word(sq, p.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) < 0) continue;
    unsigned head = *word(cq, p.cq_off.head);
    int result = ((struct io_uring_cqe*)(cq + p.cq_off.cqes))[head & *word(cq, p.cq_off.ring_mask)].res;
    __atomic_store_n(word(cq, p.cq_off.head), head + 1, __ATOMIC_RELEASE);
    if (result <= 0) return result < 0;
    at += result;
  }
}
"""
GO = """package main
import ("io"; "os")
func main() {
	file, _ := os.Open(os.Args[1])
	block := make([]byte, 1<<16)
	for { if _, e := file.Read(block); e == io.EOF { return } }
}
"""
CGO = GO.replace("package main\n", 'package main\nimport "C"\n')
RUST = """use std::io::Read;
fn main() {
    let mut file = std::fs::File::open(std::env::args().last().unwrap()).unwrap();
    let mut block = vec![0u8; 1 << 16];
    while file.read(&mut block).unwrap() > 0 {}
}
"""
JAVA = """import java.nio.*; import java.nio.channels.*; import java.nio.file.*;
public class Reader {
  public static void main(String[] names) throws Exception {
    try (FileChannel file = FileChannel.open(Path.of(names[0]))) {
      ByteBuffer block = ByteBuffer.allocateDirect(1 << 16);
      while (file.read(block) > 0) block.clear();
    }
  }
}
"""
NODE = """const fs = require('fs/promises');
(async () => {
  const file = await fs.open(process.argv[2]), block = Buffer.alloc(1 << 16);
  while ((await file.read(block, 0, block.length)).bytesRead > 0) {}
})();
"""
PYTHON = """import sys
with open(sys.argv[1], 'rb', buffering=0) as file:
    while file.read(1 << 16): pass
"""


def made(folder, name, text, command, **more):
    """Compiles a reader. Returns False when that does not work here."""
    (folder / name).write_text(text)
    if not shutil.which(command[0]):
        return False
    return subprocess.run([str(word) for word in command], cwd=folder, check=False, capture_output=True, **more).returncode == 0


def go():
    return shutil.which("go") or "/usr/local/go/bin/go"


def go_made(folder, name, text, is_dynamic):
    place = folder / f"{name}.src"
    place.mkdir()
    (place / "go.mod").write_text("module reader\n")
    environment = {**os.environ, "GOCACHE": str(folder / "go-cache"), "GOFLAGS": "-mod=mod", "CGO_ENABLED": "1" if is_dynamic else "0"}
    return made(place, "main.go", text, [go(), "build", "-o", folder / name, "."], env=environment)


def has_ring(program):
    """Tests a ring, because some kernels and containers forbid it."""
    return subprocess.run([program, program], check=False, capture_output=True).returncode == 0


def here(folder):
    folder = pathlib.Path(folder)
    found = {}

    def take(name, is_here, command):
        if is_here:
            found[name] = [str(word) for word in command]
        else:
            print(f"   left out: {name} (cannot be made or run here)")

    take("dynamic C", made(folder, "c.c", C, ["cc", "-O1", "-o", "c", "c.c"]), [folder / "c"])
    take("static C", made(folder, "c.c", C, ["cc", "-O1", "-static", "-o", "static", "c.c"]), [folder / "static"])
    take("musl, static", made(folder, "c.c", C, ["musl-gcc", "-O1", "-static", "-o", "musl-static", "c.c"]), [folder / "musl-static"])
    take("musl, dynamic", made(folder, "c.c", C, ["musl-gcc", "-O1", "-o", "musl", "c.c"]), [folder / "musl"])
    take("32 bit", made(folder, "c.c", C, ["cc", "-O1", "-m32", "-static", "-o", "c32", "c.c"]), [folder / "c32"])
    take("Go, static", go_made(folder, "go-static", GO, False), [folder / "go-static"])
    take("Go, dynamic", go_made(folder, "go-dynamic", CGO, True), [folder / "go-dynamic"])
    take("Rust", made(folder, "reader.rs", RUST, ["rustc", "-O", "-o", "rust", "reader.rs"]), [folder / "rust"])
    take("Java", made(folder, "Reader.java", JAVA, ["javac", "Reader.java"]), ["java", "-cp", folder, "Reader"])
    (folder / "reader.js").write_text(NODE)
    take("Node", shutil.which("node"), ["node", folder / "reader.js"])
    (folder / "reader.py").write_text(PYTHON)
    take("Python", shutil.which("python3"), ["python3", folder / "reader.py"])
    take("page faults", made(folder, "faults.c", FAULTS, ["cc", "-O1", "-o", "faults", "faults.c"]), [folder / "faults"])
    take("io_uring", made(folder, "ring.c", RING, ["cc", "-O1", "-o", "ring", "ring.c"]) and has_ring(folder / "ring"), [folder / "ring"])
    take("env -i", True, ["env", "-i", folder / "c"])
    take("another user", shutil.which("setpriv"), ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", folder / "c"])
    return found
