"""The rows that bench/server_latency fills, each with the least and the aim that docs/BENCHMARKS.md compares with."""

import contextlib
import statistics
import subprocess
import sys

ROWS = {  # name: (what, unit, digits, at least, goal)
    "http": ("p50 over HTTP minus p50 in process", " us", 1, "60 us", "25 us"),
    "busy_poll": ("the same with `--busy-poll-us 100`", " us", 1, "60 us", "25 us"),
    "cheap": ("p99.9 / p50 at half of peak rate, cheap queries", "x", 1, "8x", "4x"),
    "mixed": ("the same, of the cheap queries beside 1 % heavy ORs", "x", 1, "10x", "5x"),
    "healthz": ("the same, `/healthz` at the rate of the cheap queries", "x", 1, "-", "-"),
    "nginx_tail": ("the same, nginx sending a file at that rate", "x", 1, "-", "-"),
    "stalls": ("p99.9 of the waits when both CPUs only read the clock", " us", 1, "-", "-"),
    "nginx": ("CPU of a request without its query / nginx sending a file", "x", 2, "2x", "1.2x"),
    "start": ("exec to first answer, warm page cache", " ms", 1, "20 ms", "8 ms"),
    "half_open": ("p99 beside 1,000 half-open connections / without", "x", 2, "3x", "1.2x"),
    "memory": ("memory that 1,000 half-open connections take", " MiB", 1, "32 MiB", "-"),
    "goodput": ("goodput at twice the peak / peak", " %", 0, "80 %", "95 %"),
    "overload": ("p99 of what is served at twice the peak", " ms", 1, "10,000 ms", "-"),
    "failed": ("requests that failed while new generations came", "", 0, "0", "0"),
    "reload": ("p99 while new generations came / without", "x", 2, "-", "1x"),
}


class Figures:
    """The values of each row, and why a row has none."""

    def __init__(self):
        self.values, self.failures, self.facts = {}, {}, {}

    def add(self, name, value):
        self.values.setdefault(name, []).append(value)

    def note(self, fact, value):
        self.facts.setdefault(fact, []).append(value)

    @contextlib.contextmanager
    def row(self, *names):
        """A failure costs these rows alone."""
        try:
            yield
        except (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, ValueError,
                subprocess.SubprocessError) as error:
            print(f"{names[0]}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            for name in names:
                self.failures[name] = f"{type(error).__name__}: {error}"

    def cell(self, name):
        _, unit, digits, _, _ = ROWS[name]
        values = sorted(self.values.get(name, []))
        if not values:
            return "not measured: " + self.failures.get(name, "no round").replace("|", "/").replace("\n", " ")[:100]
        shown = [f"{value:,.{digits}f}" for value in (statistics.median(values), values[0], values[-1])]
        return f"{shown[0]}{unit}" + (f" ({shown[1]} to {shown[2]})" if len(values) > 1 else "")

    def median_facts(self):
        medians = {fact: statistics.median(values) for fact, values in self.facts.items()}
        return "; ".join(f"{value:,.{0 if value >= 1000 else 1}f} {fact}" for fact, value in medians.items())

    def table(self):
        lines = ["| what | measured | at least | goal |", "| --- | --- | --- | --- |"]
        lines += [f"| {what} | {self.cell(name)} | {least} | {goal} |" for name, (what, _, _, least, goal) in ROWS.items()]
        return "\n".join(lines)
