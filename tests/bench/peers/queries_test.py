#!/usr/bin/env python3
"""Tests that the queries of peers_queries belong to their classes.

Makes a small corpus whose words are in a known share of the documents, and counts the matches of the queries itself.

  queries_test.py PEERS_QUERIES
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

DOCUMENTS = 2000
QUERIES = 40


def make_corpus():
    """Word i is in one of i + 1 documents; capitals and marks between the words, and a word too long for queries."""
    source = random.Random(1)
    documents = []
    for _ in range(DOCUMENTS):
        words = [f"w{i}x" for i in range(400) if source.random() * (i + 1) < 1] + ["y" * 40]
        source.shuffle(words)
        documents.append(words)
    return documents


class Queries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.documents = make_corpus()
        cls.directory = tempfile.TemporaryDirectory()
        cls.corpus = os.path.join(cls.directory.name, "corpus.jsonl")
        with open(cls.corpus, "w") as file:
            for i, words in enumerate(cls.documents):
                file.write(json.dumps({"id": f"doc{i}", "body": ",\n".join(words).upper() + "."}) + "\n")
        cls.queries = cls.make("first")

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    @classmethod
    def make(cls, name):
        directory = os.path.join(cls.directory.name, name)
        os.mkdir(directory)
        subprocess.run([BINARY, cls.corpus, directory, str(QUERIES)], check=True, stdout=subprocess.DEVNULL)
        queries = {}
        for file in os.listdir(directory):
            with open(os.path.join(directory, file)) as lines:
                queries[file.removesuffix(".txt")] = lines.read().splitlines()
        return queries

    def share(self, word):
        return sum(word in words for words in self.documents) / DOCUMENTS

    def kind(self, word):
        return "frequent" if self.share(word) >= 0.04 else "medium" if self.share(word) > 0.004 else "rare"

    def kinds(self, query):
        return [self.kind(word) for word in re.findall(r"[a-z0-9]+", query)]

    def test_every_class_has_different_queries(self):
        self.assertEqual(len(self.queries), 26)
        for name, queries in self.queries.items():
            self.assertTrue(0 < len(queries) <= QUERIES, name)
            self.assertEqual(len(queries), len(set(queries)), name)

    def test_words_are_as_frequent_as_their_class_says(self):
        for name, pattern in (("single-frequent", ["frequent"]), ("single-medium", ["medium"]),
                              ("single-rare", ["rare"]), ("or-stopwords", None),
                              *((f"{kind}-{pair}", words) for kind in ("and", "or") for pair, words in (
                                  ("two-frequent", ["frequent"] * 2), ("two-medium", ["medium"] * 2),
                                  ("two-rare", ["rare"] * 2), ("frequent-medium", ["frequent", "medium"]),
                                  ("frequent-rare", ["frequent", "rare"]), ("medium-rare", ["medium", "rare"])))):
            for query in self.queries[name]:
                kinds = self.kinds(query.replace(" AND ", " "))
                self.assertEqual(kinds, pattern or ["frequent"] * len(kinds), query)

    def test_syntax_is_that_of_the_class(self):
        word = "w[0-9]+x"
        for name, pattern in (("and-three", f"{word}( AND {word}){{2}}"), ("and-five", f"{word}( AND {word}){{4}}"),
                              ("or-three", f"{word}( {word}){{2}}"), ("or-five", f"{word}( {word}){{4}}"),
                              ("or-stopwords", f"{word}( {word}){{1,3}}"), ("or-2-to-5", f"{word}( {word}){{1,4}}"),
                              ("prefix", r"[a-z0-9]{3,5}\*"), ("not", rf"\+{word} -{word}"),
                              ("phrase-3", '"[a-z0-9]+( [a-z0-9]+){2}"')):
            for query in self.queries[name]:
                self.assertRegex(query, f"^{pattern}$", name)

    def test_phrases_stand_in_the_text(self):
        text = ["\t" + "\t".join(words) + "\t" for words in self.documents]
        for name in ("phrase-2", "phrase-3", "phrase-stopwords"):
            for query in self.queries[name]:
                phrase = "\t" + query.strip('"').replace(" ", "\t") + "\t"
                self.assertTrue(any(phrase in each for each in text), query)

    def test_no_word_is_too_long_and_none_comes_twice(self):
        for name, queries in self.queries.items():
            for query in queries:
                words = re.findall(r"[a-z0-9]+", query)
                self.assertLessEqual(max(map(len, words)), 32)
                if not name.startswith("phrase"):
                    self.assertEqual(len(words), len(set(words)), query)

    def test_the_same_corpus_gives_the_same_queries(self):
        self.assertEqual(self.make("second"), self.queries)


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
