#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# launchers: every program that runs another program passes signals on as a shell would. It leaves ignored signals and closed descriptors of its
# caller as they are. It tells a command from a misspelt option, and from an option whose file was forgotten.
#
# Slow: it starts a dozen programs by each of them, and waits for signals that must not come.
# Each launcher runs a small program that writes down its state at the start and the signals that it receives. A pseudo-terminal is the terminal. The program
# must see a Ctrl-C there once. Left out: the purpose of each launcher. discnice starts its programs by itself, and the others use toolbox/cli/child.
source "$(dirname "$0")/../support/system.bash"
need python3 nohup timeout
cd "$SCRATCH"

cat >inner.py <<'PY'
"""inner.py RESULT: counts the signals it gets, until a SIGTERM or until RESULT.end is there, and writes them to RESULT."""
import json, os, signal, sys, time

result = sys.argv[1]
counts = {}
is_over = False
ignored = [number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD) if signal.getsignal(number) == signal.SIG_IGN]
closed = []
for fd in range(3):
    try:
        os.fstat(fd)
    except OSError:
        closed.append(fd)

def note(number, _):
    global is_over
    counts[number] = counts.get(number, 0) + 1
    open(result + ".got", "w").close()
    is_over = is_over or number == signal.SIGTERM

for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
    if number not in ignored:
        signal.signal(number, note)
open(result + ".ready", "w").close()
while not is_over and not os.path.exists(result + ".end"):
    time.sleep(0.02)
with open(result + ".new", "w") as file:
    json.dump({"counts": counts, "ignored": ignored, "closed": closed}, file)
os.rename(result + ".new", result)
os._exit(9)
PY

cat >outer.py <<'PY'
"""outer.py LAUNCHER...: tries it; one line for each thing that is wrong."""
import json, os, pathlib, pty, select, signal, subprocess, sys, time

launcher = sys.argv[1:]
name = os.path.basename(launcher[0])
PATIENCE_S = 30
runs = 0

def wrong(text):
    print(f"{name}: {text}")

def wait_for(path):
    for _ in range(PATIENCE_S * 50):
        if path.exists():
            return True
        time.sleep(0.02)
    return False

def command():
    global runs
    runs += 1
    result = pathlib.Path(f"{name}.{os.getpid()}.{runs}").absolute()
    return result, [*launcher, "--", sys.executable, "inner.py", str(result)]

def started(preparation, **streams):
    result, words = command()
    process = subprocess.Popen(words, preexec_fn=preparation, **{"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams})
    if not wait_for(pathlib.Path(f"{result}.ready")):
        process.kill()
        raise SystemExit(f"{name}: the program was not started")
    return result, process

def found(result, process):
    """What the program wrote, after it was told to end."""
    pathlib.Path(f"{result}.end").touch()
    try:
        status = process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise SystemExit(f"{name}: does not end with its program")
    if status != 9:
        wrong(f"ends with {status} where its program ends with 9")
    if not wait_for(result):
        raise SystemExit(f"{name}: its program did not end by itself")
    return json.loads(result.read_text())

def default_signals():
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)

def handed_on():
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        result, process = started(default_signals)
        os.kill(process.pid, number)
        wait_for(pathlib.Path(f"{result}.got"))
        time.sleep(0.3)  # a second signal, if there is one, comes as quickly as the first
        seen = found(result, process)["counts"].get(str(int(number)), 0)
        if seen != 1:
            wrong(f"a {number.name} that a process sends it reaches the program {seen} times")

def of_terminal():
    result, words = command()
    pid, terminal = pty.fork()
    if pid == 0:
        default_signals()
        os.execv(words[0], words)
    if not wait_for(pathlib.Path(f"{result}.ready")):
        raise SystemExit(f"{name}: the program was not started in a terminal")
    os.write(terminal, b"\x03")
    wait_for(pathlib.Path(f"{result}.got"))
    time.sleep(0.3)
    pathlib.Path(f"{result}.end").touch()
    if not wait_for(result):
        raise SystemExit(f"{name}: a Ctrl-C ended it before its program")
    seen = json.loads(result.read_text())["counts"].get(str(int(signal.SIGINT)), 0)
    if seen != 1:
        wrong(f"a Ctrl-C of the terminal reaches the program {seen} times")
    os.close(terminal)
    os.waitpid(pid, 0)

def ignored_stay_ignored():
    def ignore():
        default_signals()
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)
    result, process = started(ignore)
    os.kill(process.pid, signal.SIGHUP)
    os.kill(process.pid, signal.SIGINT)
    time.sleep(0.3)
    seen = found(result, process)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD):
        if number not in seen["ignored"]:
            wrong(f"{number.name}, which its caller ignores, is not ignored by the program")
    if seen["counts"]:
        wrong(f"the program got signals that its caller ignores: {seen['counts']}")

def closed_stay_closed():
    for fd in range(3):
        result, process = started(lambda: (default_signals(), os.close(fd)))
        seen = found(result, process)
        if seen["closed"] != [fd]:
            wrong(f"where descriptor {fd} is closed, those are for the program: {seen['closed']}")

def misspelt():
    for words, status, text in ((["--no-such-option", "--", "true"], 2, "no option '--no-such-option'"), (["--", "--no-such-command"], 127, "no-such-command")):
        end = subprocess.run([*launcher, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if end.returncode != status or text not in end.stderr:
            wrong(f"{' '.join(words)} ends with {end.returncode}, not {status}, and says '{end.stderr.strip()}'")

def told(terminal, text):
    """Whether the terminal shows the text within PATIENCE_S."""
    shown, end = b"", time.monotonic() + PATIENCE_S
    while text not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:
                return False
    return text in shown

def stands_with_program():
    pid, terminal = pty.fork()
    if pid == 0:
        default_signals()
        os.execvp("bash", ["bash", "--norc", "-i"])
    os.write(terminal, f"{' '.join(launcher)} -- sh -c 'kill -STOP $$; echo went $((40 + 2))'\n".encode())
    if not told(terminal, b"Stopped"):
        wrong("its program stopped itself, and the terminal is nobody's")
    else:
        os.write(terminal, b"fg\n")
        if not told(terminal, b"went 42"):
            wrong("its program does not go on after fg")
    os.kill(pid, signal.SIGKILL)
    os.close(terminal)
    os.waitpid(pid, 0)

attempts = [handed_on, of_terminal, ignored_stay_ignored, closed_stay_closed, misspelt]
if name in ("gb-run", "heapnice", "netnice"):  # the others have programs stand still, or leave a terminal alone
    attempts.append(stands_with_program)
for attempt in attempts:
    attempt()
PY

tried=()
try() { # PROGRAM OPTION...
  [[ -x $BIN/$1 ]] || return 0
  tried+=("$1")
  python3 outer.py "$BIN/$1" "${@:2}" >>wrong || fail "$1: $(cat wrong)"
}
export XDG_CACHE_HOME=$SCRATCH/cache # where gb-run keeps what it learns
try gb-run --max 8M
try heapnice --runtime go --max 100M
try memnice -q --means pause
[[ ${GRAY_PRELOAD_WORKS:-ON} == ON ]] && try discnice --rate 1G
[[ ${GRAY_PRELOAD_WORKS:-ON} == ON ]] && try discnice --rate 1G --net nice
try netnice -q
[[ -w /dev/net/tun ]] && "$BIN/netsim" --rate 1M -- true 2>/dev/null && try netsim --rate 1M
((${#tried[@]})) || skip "no launcher was built"
asked=0
for one in "${tried[@]}"; do
  while read -r option; do
    ((asked += 1))
    expect_status 2 timeout 300 "$BIN/$one" "$option" -- touch was_run >out 2>said
    [[ ! -e was_run && ! -e ./-- && ! -s out && $(wc -l <said) -eq 1 ]] || echo "$one $option -- CMD: $(cat out said)" >>wrong
    grep -q -- "^${one##*/}: .*the value is missing: '--' ends the options" said || echo "$one $option -- CMD says: $(cat said)" >>wrong
  done < <("$BIN/$one" --help | grep -Eo -- '--[a-z-]+ (FILE|PATH|FOLDER|DIR)\b' | cut -d' ' -f1)
done
((asked)) || fail 'no option of any launcher takes a file'
[[ ! -s wrong ]] || fail "$(cat wrong)"
echo "tried: ${tried[*]}"
