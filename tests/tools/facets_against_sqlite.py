#!/usr/bin/env python3
"""Facets of `pmdex search` against the same counts by SQLite.

Usage: facets_against_sqlite.py PMDEX

Indexes random documents with typed fields, and compares every type of facet, over several queries,
one thread and several, with what SQL says of the same documents.
"""
import datetime
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

DOCUMENTS = 30_000
SCHEMA = """
[fields.size]
type = "i64"
[fields.price]
type = "f64"
[fields.time]
type = "date"
[fields.ext]
type = "keyword"
[fields.owner]
type = "keyword"
[fields.body]
type = "text"
"""
QUERIES = {
    "*": "1",
    "body:even": "id % 2 = 0",
    "body:even AND size:[1000 TO 200000}": "id % 2 = 0 AND size >= 1000 AND size < 200000",
    "ext:cc": "ext = 'cc'",
    "body:absent": "0",
}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def make_documents(seed):
    rng = random.Random(seed)
    for number in range(DOCUMENTS):
        yield {
            "id": str(number),
            "body": "even" if number % 2 == 0 else "odd",
            "size": rng.choice([rng.randrange(100), rng.randrange(1 << 20), rng.randrange(1 << 30)]),
            "price": rng.randrange(4000) / 8,
            "seconds": rng.randrange(1_600_000_000, 1_700_000_000),
            "ext": rng.choice(["cc", "h", "md", "py", "txt", None]),
            "owner": f"user{rng.randrange(3000)}",
        }


def write_documents(path, database):
    database.execute("CREATE TABLE docs (id INTEGER, size INTEGER, price REAL, seconds INTEGER, "
                     "ext TEXT, owner TEXT)")
    with path.open("w") as out:
        for doc in make_documents(1):
            database.execute("INSERT INTO docs VALUES (?, ?, ?, ?, ?, ?)",
                             (int(doc["id"]), doc["size"], doc["price"], doc["seconds"],
                              doc["ext"], doc["owner"]))
            seconds = doc.pop("seconds")
            doc["time"] = (EPOCH + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
            out.write(json.dumps({k: v for k, v in doc.items() if v is not None}) + "\n")


class Checker:
    def __init__(self, pmdex, index, database):
        self.pmdex, self.index, self.database, self.failures, self.checks = pmdex, index, database, 0, 0

    def facets(self, query, flags, threads):
        command = [self.pmdex, "search", "--index", self.index, "--json", "-k", "0", "--threads",
                   str(threads), query]
        for flag in flags:
            command += ["--facet", flag]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["facets"]

    def sql(self, text):
        return self.database.execute(text).fetchall()

    def expect(self, what, found, expected):
        self.checks += 1
        if found != expected:
            self.failures += 1
            print(f"{what}:\n  pmdex  {str(found)[:400]}\n  sqlite {str(expected)[:400]}")


def buckets(facet, empty=False):
    return [(b["key"], b["count"]) for b in facet["buckets"] if empty or b["count"]]


def check_query(checker, query, where, threads):
    sql = checker.sql
    flags = ["ext", "owner:terms:25", "size:terms:5", "size:histogram:100000000",
             "price:histogram:12.5", "time:date_histogram:1M", "time:date_histogram:1y",
             "time:date_histogram:7d", "size:range:*,100,1000000,*", "size:stats", "price:stats",
             "owner:cardinality", "size:percentiles:0,50,99,100", "ext>size:stats", "size:histogram"]
    (ext, owner, size, sizes, prices, months, years, weeks, ranges, stats, price_stats, owners,
     percentiles, nested, automatic) = checker.facets(query, flags, threads)
    name = f"{query} ({threads} threads)"

    def top(field, count):
        return sql(f"SELECT {field}, COUNT(*) FROM docs WHERE ({where}) AND {field} IS NOT NULL "
                   f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {count}")

    def groups(key):
        return sql(f"SELECT {key}, COUNT(*) FROM docs WHERE {where} GROUP BY 1 ORDER BY 1")

    checker.expect(f"{name} ext", buckets(ext), top("ext", 10))
    checker.expect(f"{name} owner", buckets(owner), top("owner", 25))
    rest = sql(f"SELECT COUNT(*) FROM docs WHERE ({where}) AND owner IS NOT NULL")[0][0]
    checker.expect(f"{name} other owners", owner["other"], rest - sum(n for _, n in buckets(owner)))
    checker.expect(f"{name} size", buckets(size), top("size", 5))
    checker.expect(f"{name} sizes", buckets(sizes), groups("size / 100000000 * 100000000"))
    checker.expect(f"{name} prices", buckets(prices), groups("CAST(price / 12.5 AS INTEGER) * 12.5"))
    checker.expect(f"{name} months", buckets(months),
                   groups("strftime('%Y-%m-01T00:00:00Z', seconds, 'unixepoch')"))
    checker.expect(f"{name} years", buckets(years),
                   groups("strftime('%Y-01-01T00:00:00Z', seconds, 'unixepoch')"))
    checker.expect(f"{name} weeks", buckets(weeks),
                   groups("strftime('%Y-%m-%dT00:00:00Z', seconds / 604800 * 604800, 'unixepoch')"))
    checker.expect(f"{name} ranges", [b["count"] for b in ranges["buckets"]],
                   [sql(f"SELECT COUNT(*) FROM docs WHERE ({where}) AND {condition}")[0][0]
                    for condition in ("size < 100", "size >= 100 AND size < 1000000",
                                      "size >= 1000000")])
    expected = sql(f"SELECT MIN(size), MAX(size), AVG(size), COALESCE(SUM(size), 0), COUNT(size) "
                   f"FROM docs WHERE {where}")[0]
    checker.expect(f"{name} stats", (stats["min"], stats["max"], stats["sum"], stats["count"]),
                   (expected[0], expected[1], expected[3], expected[4]))
    checker.expect(f"{name} mean", expected[2] is None or abs(stats["avg"] - expected[2]) < 1e-6, True)
    total = sql(f"SELECT COALESCE(SUM(price), 0) FROM docs WHERE {where}")[0][0]
    checker.expect(f"{name} prices in all", abs(price_stats["sum"] - total) < 1e-6, True)
    checker.expect(f"{name} owners", (owners["value"], owners["exact"]),
                   (sql(f"SELECT COUNT(DISTINCT owner) FROM docs WHERE {where}")[0][0], True))
    ordered = [row[0] for row in sql(f"SELECT size FROM docs WHERE {where} ORDER BY 1")]
    for percent in (0, 50, 99, 100):
        value = percentiles["values"][str(percent)]
        rank, error = percent / 100 * (len(ordered) - 1), len(ordered) / 100
        low, high = max(0, int(rank - error)), min(len(ordered) - 1, int(rank + error) + 1)
        checker.expect(f"{name} percentile {percent}",
                       value is None if not ordered else ordered[low] <= value <= ordered[high], True)
    checker.expect(f"{name} ext>size", [(b["key"], b["facets"][0]["sum"]) for b in nested["buckets"]],
                   sql(f"SELECT ext, SUM(size) FROM docs WHERE ({where}) AND ext IS NOT NULL "
                       "GROUP BY 1 ORDER BY COUNT(*) DESC, 1"))
    checker.expect(f"{name} automatic", sum(n for _, n in buckets(automatic)), len(ordered))
    checker.expect(f"{name} automatic buckets", len(automatic["buckets"]) <= 20, True)


def check_errors(checker):
    for flag in ("absent", "body", "ext:stats", "size:histogram:0", "size:nothing", "ext:terms:x",
                 "time:date_histogram:1x", "size:histogram:1", "size:stats>ext", "a>b>c", ""):
        code = subprocess.run([checker.pmdex, "search", "--index", checker.index, "*", "--facet", flag],
                              capture_output=True).returncode
        checker.expect(f"exit status of --facet '{flag}'", code, 2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        database = sqlite3.connect(":memory:")
        write_documents(folder / "docs.jsonl", database)
        (folder / "schema.toml").write_text(SCHEMA)
        index = str(folder / "index")
        subprocess.run([sys.argv[1], "index", str(folder / "docs.jsonl"), "--index", index,
                        "--schema", str(folder / "schema.toml"), "--quiet"], check=True)
        checker = Checker(sys.argv[1], index, database)
        for query, where in QUERIES.items():
            for threads in (1, 3):
                check_query(checker, query, where, threads)
        check_errors(checker)
        print(f"{checker.checks} comparisons, {checker.failures} differ")
        return 1 if checker.failures or checker.checks < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
