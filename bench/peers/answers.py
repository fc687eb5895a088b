"""Reads the answers of the engines, checks that they agree, and prints tables of the times.

An answer is what `pmdex search --queries FILE --json` prints for a query: query, total {value, exact}, took_us and
hits [{id, score}]. The runners of Lucene and Tantivy print the same, and parse_us and search_us.
"""

import json
import math
import os

TOLERANCE = 1e-4
# Tantivy computes 1 + (N - df + 0.5) / (df + 0.5) in 32 bits, so that the weight of a word that nearly every document has
# is off by some 1e-4.
TANTIVY_TOLERANCE = 1e-3
TANTIVY_FACTOR = 2.2  # its BM25 keeps the factor k1 + 1 that Lucene left out


def parse(output):
    """Returns the answers of one process, in the order of its queries, and its summary."""
    documents = [json.loads(line) for line in output.splitlines()]
    return documents[:-1], documents[-1]["summary"]


def nearest_rank(ordered, fraction):
    return ordered[max(1, math.ceil(fraction * len(ordered))) - 1]


def statistics(values):
    ordered = sorted(values)
    return {"queries": len(ordered), "mean_us": sum(ordered) / len(ordered), "p50_us": nearest_rank(ordered, 0.5),
            "p99_us": nearest_rank(ordered, 0.99), "max_us": ordered[-1]}


def scores(engine, answer):
    """Returns the scores by rank, in Lucene's scale. A prefix scores 1 in every engine."""
    factor = TANTIVY_FACTOR if engine.startswith("tantivy") and not answer["query"].endswith("*") else 1
    return [hit["score"] / factor for hit in answer["hits"]]


def difference(engine, answer, reference, expected):
    """Says how an answer differs from that of the reference; None if it does not. Hits with equal scores may swap."""
    total, other = answer["total"], expected["total"]
    if total["exact"] and other["exact"] and total["value"] != other["value"]:
        return f"{total['value']} matches, {other['value']} by {reference}"
    ours, theirs = scores(engine, answer), scores(reference, expected)
    if len(ours) != len(theirs):
        return f"{len(ours)} hits, {len(theirs)} by {reference}"
    tolerance = TANTIVY_TOLERANCE if engine.startswith("tantivy") else TOLERANCE
    for rank, (a, b) in enumerate(zip(ours, theirs), 1):
        if abs(a - b) > tolerance * abs(b):
            return f"score {a:.7g} at rank {rank}, {b:.7g} by {reference}"
    return None


def disagreements(answers):
    """Returns one line for each answer that differs from the reference: Lucene, or else the first engine."""
    reference = "lucene" if "lucene" in answers else next(iter(answers))
    found = []
    for engine, own in answers.items():
        for answer, expected in zip(own, answers[reference]):
            what = difference(engine, answer, reference, expected)
            if what:
                found.append(f"{engine}: {answer['query']}: {what}")
    return found


def summarize(classes, answers):
    """Returns rows {class: {engine: statistics}}. classes: the class of each query."""
    rows = {}
    for engine, own in answers.items():
        by_class = {}
        for name, answer in zip(classes, own):
            by_class.setdefault(name, []).append(answer)
        for name, group in by_class.items():
            cell = statistics([answer["took_us"] for answer in group])
            for part in ("parse_us", "search_us"):
                if part in group[0]:
                    cell[part] = sum(answer[part] for answer in group) / len(group)
            rows.setdefault(name, {})[engine] = cell
    return rows


def ratio(row, figure):
    """Compares pmdex with the better of Lucene and Tantivy; None if neither was run."""
    others = [row[engine][figure] for engine in ("lucene", "tantivy") if engine in row]
    return row["pmdex"][figure] / min(others) if others and "pmdex" in row else None


def microseconds(value):
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def table(title, rows):
    """Returns the lines of one table: class by engine, mean / p99."""
    engines = list(next(iter(rows.values())))
    widths = [max(len(engine), 15) for engine in engines]
    lines = [title, f"{'class':20} {'queries':>7} "
             + " ".join(f"{engine:>{width}}" for engine, width in zip(engines, widths)) + "   pmdex: mean   p99"]
    for name, row in rows.items():
        cells = (f"{microseconds(row[e]['mean_us'])} / {microseconds(row[e]['p99_us'])}" for e in engines)
        against = (ratio(row, figure) for figure in ("mean_us", "p99_us"))
        lines.append(f"{name:20} {next(iter(row.values()))['queries']:7} "
                     + " ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths)) + "        "
                     + " ".join("    -" if each is None else f"{each:4.2f}x" for each in against))
    return lines


def headline(rows):
    """Names the class with the greatest ratio and the geometric mean of the ratios; "" if there are no ratios."""
    ratios = {name: ratio(row, "mean_us") for name, row in rows.items()}
    ratios = {name: each for name, each in ratios.items() if each}
    if not ratios:
        return ""
    worst = max(ratios, key=ratios.get)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    return f"worst class: {worst} {ratios[worst]:.2f}x; geometric mean of means {mean:.2f}x"


def load():
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs"


class Report:
    """Prints each table at once and keeps all figures for --json."""

    def __init__(self):
        self.figures = []
        self.disagreements = []
        self.rates = {}

    def add(self, cache, command, threads, classes, found):
        rows = summarize(classes, found)
        title = f"\n{command}, {threads} thread{'s' * (threads > 1)}, {cache}, {load()}: mean / p99, us"
        print("\n".join(table(title, rows) + list(filter(None, [headline(rows)]))))
        for name, row in rows.items():
            self.figures += [{"cache": cache, "command": command, "threads": threads, "class": name, "engine": engine, **cell}
                             for engine, cell in row.items()]
        wrong = disagreements(found)
        self.disagreements += [f"{command}, {threads} threads, {cache}: {each}" for each in wrong]
        print(f"answers: {len(wrong)} differ" if wrong else "answers agree", end="")
        parts = {engine: own for engine, own in found.items() if "parse_us" in own[0]}
        for engine, own in parts.items():
            parse, search, took = (sum(a[part] for a in own) / len(own) for part in ("parse_us", "search_us", "took_us"))
            print(f"; {engine}, mean of all: parsing {parse:.1f}, searching {search:.1f}, ids {took - parse - search:.1f}", end="")
        print(flush=True)

    def add_rates(self, command, threads, rates):
        text = []
        for engine, rate in rates.items():
            self.rates[command, threads, engine] = rate
            one = self.rates.get((command, 1, engine))
            against = f" ({rate / one:.2f} of one thread)" if threads > 1 and one else ""
            text.append(f"{engine} {rate:,.0f}{against}")
        print("queries a second: " + ", ".join(text), flush=True)
