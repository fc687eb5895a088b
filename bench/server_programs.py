"""What bench/server_latency measures with: `pmdex serve` and nginx on one CPU, the load on another.

Programs are started on their CPU, so that no process stands between. CPU time is that of all threads of a process, as
the scheduler of the kernel counts it.
"""

import contextlib
import glob
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

PARTIAL_HEAD = b"GET /search?q=a HTTP/1.1\r\nHos"
LOAD_GRACE = 60  # seconds beyond its own time that a program may take


_CPUS = sorted(os.sched_getaffinity(0))
SERVER_CPU, LOAD_CPU = _CPUS[0], _CPUS[1 % len(_CPUS)]  # the same one where there is no other


def start_on(cpu, command, **options):
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        return subprocess.Popen(command, **options)
    finally:
        os.sched_setaffinity(0, before)


def run_on(cpu, command, seconds=0, **options):
    """Returns what the program writes to stdout. Raises an error if it fails or takes much longer than `seconds`."""
    process = start_on(cpu, command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    try:
        out, err = process.communicate(timeout=seconds + LOAD_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    if process.returncode != 0:
        raise RuntimeError(f"{os.path.basename(command[0])} {command[1]}: {err.strip() or process.returncode}")
    return out


# Reads the clock all the time, and prints how long it was kept from doing so: ns, of each time longer than 5 us.
_READ_CLOCK = """import sys, time
clock = time.monotonic_ns
last = clock()
end = last + int(float(sys.argv[1]) * 1e9)
while last < end:
    now = clock()
    if now - last > 5000:
        print(now - last)
    last = now
"""


def wait_for_cpu_us(seconds, share):
    """How long the CPU of the servers keeps a program waiting that wants to run at any time, while both CPUs are busy
    with programs that do nothing else: the time that a share of all moments would wait, or longer. What holds up a
    virtual machine shows here, and no server is involved."""
    command = [sys.executable, "-c", _READ_CLOCK, str(seconds)]
    other = start_on(LOAD_CPU, command, stdout=subprocess.DEVNULL)
    try:
        stalls = [int(line) for line in run_on(SERVER_CPU, command, seconds).split()]
    finally:
        other.wait()
    low, high = 0, max(stalls, default=0)
    while high - low > 100:
        middle = (low + high) / 2
        waiting = sum(stall - middle for stall in stalls if stall > middle)
        low, high = (middle, high) if waiting > share * seconds * 1e9 else (low, middle)
    return high / 1000


def cpu_us(pid):
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            total += int(file.read().split()[0]) / 1000
    return total


def anonymous_bytes(pid):
    """Resident memory without the pages of files, which are the index."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon"))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def connect(port, seconds=60):
    """Waits until something listens."""
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            if time.monotonic() > end:
                raise


def search_request(query, more=""):
    body = json.dumps({"query": query}).encode()
    return b"POST /search HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s" % (more.encode(), len(body), body)


class Program:
    """A server on the CPU of the servers."""

    def __init__(self, port, command):
        self.port, self.process = port, start_on(SERVER_CPU, command, stderr=subprocess.DEVNULL)

    @property
    def pid(self):
        return self.process.pid

    def lives(self):
        return self.process.poll() is None

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


class Server(Program):
    """`pmdex serve` with one event loop."""

    def __init__(self, pmdex, index, *flags):
        port = free_port()
        super().__init__(port, [pmdex, "serve", "--index", f"x={index}", "--listen", f"127.0.0.1:{port}", "--threads", "1",
                                "--cpus", str(SERVER_CPU), *flags])

    def get(self, request, seconds=30):
        """The body of an answer; `request` is a whole request that closes the connection. Tries again after a 503,
        which a server may answer for some time after too many requests."""
        end = time.monotonic() + seconds
        status, body = self.answer(request)
        while status == 503 and time.monotonic() < end:
            time.sleep(0.2)
            status, body = self.answer(request)
        if status != 200:
            raise RuntimeError(f"the server answers {status}: {body[:100]!r}")
        return body

    def answer(self, request):
        with connect(self.port) as one:
            one.sendall(request)
            answer = b""
            while piece := one.recv(65536):
                answer += piece
        head, body = answer.split(b"\r\n\r\n", 1)
        return int(head.split()[1]), body

    def search(self, query):
        return self.get(search_request(query, "Connection: close\r\n"))

    def metric(self, name):
        text = self.get(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").decode()
        return float(re.search(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE).group(1))

    @contextlib.contextmanager
    def half_open(self, count):
        """Connections that have sent a part of a request."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, count + 256)), hard))
        with contextlib.ExitStack() as stack:
            for _ in range(count):
                stack.enter_context(connect(self.port)).send(PARTIAL_HEAD)
            yield


def start_nginx(folder, file_bytes):
    """nginx with one process that sends the file /f. None where there is no nginx."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        return None
    os.chmod(folder, 0o755)
    with open(f"{folder}/f", "w", encoding="ascii") as file:
        file.write("x" * file_bytes)
    port = free_port()
    user = "user root; " if os.geteuid() == 0 else ""
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(f"""{user}daemon off; master_process off; pid {folder}/pid; error_log stderr;
events {{}} http {{ access_log off; keepalive_requests 1000000000; sendfile on; tcp_nopush on; open_file_cache max=10;
server {{ listen 127.0.0.1:{port}; root {folder}; }} }}""")
    nginx = Program(port, [program, "-e", "stderr", "-c", f"{folder}/nginx.conf"])
    connect(port).close()
    return nginx


class Load:
    """`pmdex bench-server` on the CPU of the load."""

    def __init__(self, pmdex):
        self.pmdex = pmdex

    def command(self, port, requests, seconds, *flags):
        return [self.pmdex, "bench-server", f"http://127.0.0.1:{port}", "--requests", requests, "--seconds", f"{seconds:g}",
                "--json", *map(str, flags)]

    def run(self, port, requests, seconds, *flags):
        """The one step of a run."""
        return json.loads(run_on(LOAD_CPU, self.command(port, requests, seconds, *flags), seconds))["steps"][0]

    def run_beside(self, port, seconds, one, other):
        """The steps of two runs at the same time, over connections of their own. one, other: requests and flags."""
        (requests, flags), (other_requests, other_flags) = one, other
        other = start_on(LOAD_CPU, self.command(port, other_requests, seconds, *other_flags), stdout=subprocess.PIPE,
                         text=True)
        try:
            step = self.run(port, requests, seconds, *flags)
            return step, json.loads(other.communicate(timeout=seconds + LOAD_GRACE)[0])["steps"][0]
        finally:
            if other.poll() is None:
                other.kill()
                other.wait()
