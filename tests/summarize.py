#!/usr/bin/env python3
"""Adds up the results of test runs: how many tests passed, failed and were skipped, why, and which were slowest.

usage: tests/summarize.py DIRECTORY...

Each DIRECTORY contains the results of tools/test: ctest-*.xml, written by ctest --output-junit, and one NAME.xml per shard,
written by GoogleTest. A shard without such a file has crashed and counts as one failed test. The last line is
"N passed, N failed, N skipped". The exit status is 1 if a test failed or none ran.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree as xml

SLOWEST = 5


def gtest_results(path):
    """Yields (name, state, seconds, reason) of each test in a report of GoogleTest."""
    folder = path.stem.rpartition("-")[0]
    for test in xml.parse(path).getroot().iter("testcase"):
        name = f"{folder}: {test.get('classname')}.{test.get('name')}"
        state, reason = "passed", ""
        if test.find("failure") is not None:
            state = "failed"
        elif test.find("skipped") is not None:
            state, reason = "skipped", last_line(test.find("skipped").get("message", ""))
        yield name, state, float(test.get("time", 0)), reason


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no reason given"


def results(directory):
    """Yields the tests of one run; a program that does not use GoogleTest counts as one test."""
    for report in sorted(directory.glob("ctest-*.xml")):
        for case in xml.parse(report).getroot().iter("testcase"):
            name = case.get("name")
            shard = directory / (name.replace("/", "-") + ".xml")
            if shard.exists():
                yield from gtest_results(shard)
                continue
            state = {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")
            skipped = case.find("skipped")
            reason = skipped.get("message", "") if skipped is not None else ""
            yield name, state, float(case.get("time", 0)), reason


def main(directories):
    if not directories:
        sys.exit(__doc__)
    counts = collections.Counter()
    for directory in map(pathlib.Path, directories):
        tests = list(results(directory))
        states = collections.Counter(state for _, state, _, _ in tests)
        counts.update(states)
        print(f"{directory}: {states['passed']} passed, {states['failed']} failed, {states['skipped']} skipped")
        for name, state, _, _ in tests:
            if state == "failed":
                print(f"  failed: {name}")
        reasons = collections.Counter(reason for _, state, _, reason in tests if state == "skipped")
        for reason, number in sorted(reasons.items()):
            print(f"  skipped {number}: {reason}")
        slowest = sorted(tests, key=lambda test: -test[2])[:SLOWEST]
        print("  slowest: " + ", ".join(f"{name} {seconds:.1f} s" for name, _, seconds, _ in slowest))
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    sys.exit(1 if counts["failed"] or not counts["passed"] else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
