#!/usr/bin/env python3
"""Tests that bench/peers/search notices engines that disagree, and computes its figures correctly."""

import contextlib
import io
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "bench", "peers"))

import answers


def answer(query, scores, total, exact=True, took_us=1.0, **more):
    hits = [{"id": f"doc{i}", "score": score} for i, score in enumerate(scores)]
    return {"query": query, "total": {"value": total, "exact": exact}, "took_us": took_us, "hits": hits, **more}


class Agreement(unittest.TestCase):
    def assert_differs(self, engine, own, expected, pattern):
        found = answers.disagreements({engine: [own], "lucene": [expected]})
        self.assertEqual(len(found), 1)
        self.assertRegex(found[0], f"^{engine}: {own['query']}: .*{pattern}")

    def assert_agrees(self, engine, own, expected):
        self.assertEqual(answers.disagreements({engine: [own], "lucene": [expected]}), [])

    def test_exact_counts_must_be_equal(self):
        self.assert_differs("pmdex", answer("a", [], 7), answer("a", [], 8), "7 matches, 8 by lucene")

    def test_counts_that_are_bounds_are_not_compared(self):
        self.assert_agrees("pmdex", answer("a", [1.0], 7), answer("a", [1.0], 8, exact=False))

    def test_scores_may_differ_by_a_ten_thousandth(self):
        self.assert_agrees("pmdex", answer("a", [2.0, 1.00009], 2), answer("a", [2.0, 1.0], 2))
        self.assert_differs("pmdex", answer("a", [2.0, 1.00011], 2), answer("a", [2.0, 1.0], 2), "at rank 2")

    def test_a_missing_hit_is_a_difference(self):
        self.assert_differs("pmdex", answer("a", [2.0], 2), answer("a", [2.0, 1.0], 2), "1 hits, 2 by lucene")

    def test_ids_of_equal_scores_may_differ(self):
        other = answer("a", [1.0, 1.0], 3)
        other["hits"][0]["id"] = "doc2"
        self.assert_agrees("pmdex", answer("a", [1.0, 1.0], 3), other)

    def test_scores_of_tantivy_have_a_factor_but_for_prefixes(self):
        self.assert_agrees("tantivy", answer("a", [2.2], 1), answer("a", [1.0], 1))
        self.assert_differs("tantivy", answer("a", [1.0], 1), answer("a", [1.0], 1), "score")
        self.assert_agrees("tantivy", answer("a*", [1.0], 1), answer("a*", [1.0], 1))

    def test_without_lucene_the_first_engine_is_the_reference(self):
        found = answers.disagreements({"pmdex": [answer("a", [], 7)], "tantivy": [answer("a", [], 8)]})
        self.assertEqual(found, ["tantivy: a: 8 matches, 7 by pmdex"])


class Figures(unittest.TestCase):
    def test_percentiles_are_nearest_ranks(self):
        figures = answers.statistics([float(i) for i in range(200, 0, -1)])
        self.assertEqual(figures, {"queries": 200, "mean_us": 100.5, "p50_us": 100, "p99_us": 198, "max_us": 200})

    def test_queries_count_for_their_class(self):
        own = [answer("a", [], 0, took_us=took) for took in (1.0, 3.0, 10.0)]
        rows = answers.summarize(["x", "x", "y"], {"pmdex": own})
        self.assertEqual({name: row["pmdex"]["mean_us"] for name, row in rows.items()}, {"x": 2.0, "y": 10.0})

    def test_the_ratio_is_to_the_better_engine_that_prunes(self):
        row = {engine: {"mean_us": mean}
               for engine, mean in (("pmdex", 3.0), ("lucene", 6.0), ("tantivy", 12.0), ("lucene-exhaustive", 1.0))}
        self.assertEqual(answers.ratio(row, "mean_us"), 0.5)
        self.assertIsNone(answers.ratio({"pmdex": {"mean_us": 3.0}}, "mean_us"))

    def test_a_table_has_a_line_a_class_and_a_cell_an_engine(self):
        found = {"pmdex": [answer("a", [], 0, took_us=5.0)], "lucene": [answer("a", [], 0, took_us=100.0)]}
        lines = answers.table("title", answers.summarize(["x"], found))
        self.assertEqual([line.split() for line in lines[1:]],
                         [["class", "queries", "pmdex", "lucene", "pmdex:", "mean", "p99"],
                          ["x", "1", "5.0", "/", "5.0", "100", "/", "100", "0.05x", "0.05x"]])

    def test_output_is_answers_and_a_summary(self):
        lines = [answer("a", [1.0], 1), {"summary": {"wall_s": 2.0}}]
        found, summary = answers.parse("".join(json.dumps(line) + "\n" for line in lines))
        self.assertEqual((found, summary), ([lines[0]], {"wall_s": 2.0}))


class Reports(unittest.TestCase):
    def test_a_report_keeps_every_figure_and_every_disagreement(self):
        report = answers.Report()
        found = {"lucene": [answer("a", [], 8, parse_us=0.25, search_us=0.5)], "pmdex": [answer("a", [], 7)]}
        with contextlib.redirect_stdout(io.StringIO()) as out:
            report.add("warm", "count", 1, ["x"], found)
            report.add_rates("count", 1, {"pmdex": 10.0})
            report.add_rates("count", 2, {"pmdex": 19.0})
        self.assertIn("parsing 0.2, searching 0.5, ids 0.2", out.getvalue())
        self.assertIn("1.90 of one thread", out.getvalue())
        self.assertEqual([(f["engine"], f["class"], f["mean_us"]) for f in report.figures],
                         [("lucene", "x", 1.0), ("pmdex", "x", 1.0)])
        self.assertEqual(report.disagreements, ["count, 1 threads, warm: pmdex: a: 7 matches, 8 by lucene"])


if __name__ == "__main__":
    unittest.main()
