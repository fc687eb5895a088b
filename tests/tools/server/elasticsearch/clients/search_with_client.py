"""Searches a server with an official Python client, as programs written for Elasticsearch and OpenSearch do.

usage: search_with_client.py CLIENT URL TOKEN REFERENCE

CLIENT is elasticsearch, elasticsearch8 or opensearch-py.

The server has the indexes books and logs, made of the files of the folder REFERENCE.
"""
import importlib
import json
import pathlib
import sys
import unittest

CLIENT, URL, TOKEN, REFERENCE = sys.argv[1:5]
BOOKS = {book["id"]: book for book in
         map(json.loads, pathlib.Path(REFERENCE, "books.jsonl").read_text(encoding="utf-8").splitlines())}


def with_word(word):
    """The ids of the books that have the word in their body."""
    return {key for key, book in BOOKS.items() if word in book.get("body", "").lower().replace(".", " ").split()}


class Searches:
    """What all clients do. A subclass has the name of the client's module, and how it takes the body of a request."""

    def setUp(self):
        self.module = importlib.import_module(self.name)
        self.helpers = importlib.import_module(self.name + ".helpers")
        self.any_error = getattr(self.module, self.any_error_name)
        self.bad_request = getattr(self.module, self.bad_request_name)
        self.client = self.client_with(TOKEN)
        self.addCleanup(self.client.close)

    def test_reads_facts_of_the_server_and_of_indexes(self):
        self.assertTrue(self.client.ping())
        self.assertEqual(self.client.info()["tagline"], "You Know, for Search")
        self.assertEqual(self.client.cluster.health()["status"], "green")
        self.assertTrue(self.client.indices.exists(index="books"))
        self.assertFalse(self.client.indices.exists(index="nothing"))
        self.assertEqual(set(self.client.indices.get(index="*")), {"books", "logs"})
        rows = self.client.cat.indices(format="json")
        self.assertEqual([(row["index"], row["docs.count"]) for row in rows], [("books", "42"), ("logs", "12")])
        self.assertIn("books", str(self.client.cat.indices(v=True)))
        self.assertEqual(self.client.cat.count(index="logs", format="json")[0]["count"], "12")
        mapping = self.client.indices.get_mapping(index="books")["books"]["mappings"]["properties"]
        self.assertEqual(mapping["body"]["type"], "text")
        field = self.client.indices.get_field_mapping(index="books", fields="title")
        self.assertIn("title", field["books"]["mappings"])
        self.assertEqual(self.client.indices.stats(index="books")["_all"]["primaries"]["docs"]["count"], 42)
        settings = self.client.indices.get_settings(index="books")["books"]["settings"]["index"]
        self.assertEqual(settings["number_of_shards"], "1")
        self.assertTrue(self.client.field_caps(index="books", fields="title")["fields"]["title"]["text"]["searchable"])
        self.assertEqual(self.client.indices.resolve_index(name="l*")["indices"][0]["name"], "logs")

    def test_searches(self):
        found = self.search(index="books", query={"match": {"body": "quick"}}, size=50)
        self.assertFalse(found["timed_out"])
        self.assertEqual({hit["_id"] for hit in found["hits"]["hits"]}, with_word("quick"))
        self.assertEqual(found["hits"]["total"], {"value": len(with_word("quick")), "relation": "eq"})
        for hit in found["hits"]["hits"]:
            self.assertEqual(hit["_source"], BOOKS[hit["_id"]])
        scores = [hit["_score"] for hit in found["hits"]["hits"]]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(self.count(index="books", query={"match": {"body": "quick"}})["count"],
                         len(with_word("quick")))

    def test_combines_queries_and_shows_parts_of_documents(self):
        found = self.search(
            index="books", size=50, source=["title"],
            query={"bool": {"must": [{"match": {"body": "quick"}}], "must_not": [{"term": {"body": "fox"}}]}},
            highlight={"fields": {"body": {}}})
        hits = found["hits"]["hits"]
        self.assertEqual({hit["_id"] for hit in hits}, with_word("quick") - with_word("fox"))
        for hit in hits:
            self.assertEqual(set(hit["_source"]), {"title"} & set(BOOKS[hit["_id"]]))
            self.assertIn("<em>", hit["highlight"]["body"][0])

    def test_goes_on_behind_a_hit(self):
        seen, after = [], None
        while True:
            more = {} if after is None else {"search_after": after}
            hits = self.search(index="books", query={"match_all": {}}, size=10, sort=["_score", "_doc"],
                               **more)["hits"]["hits"]
            if not hits:
                break
            seen += [hit["_id"] for hit in hits]
            after = hits[-1]["sort"]
        self.assertEqual(seen, list(BOOKS))

    def test_scans_every_document(self):
        scanned = self.helpers.scan(self.client, index="books", size=5, query={"query": {"match_all": {}}})
        self.assertEqual({hit["_id"]: hit["_source"] for hit in scanned}, BOOKS)
        ordered = self.helpers.scan(self.client, index="books", size=7, preserve_order=True,
                                    query={"query": {"match": {"body": "quick"}}})
        self.assertEqual({hit["_id"] for hit in ordered}, with_word("quick"))

    def test_reads_documents_by_their_ids(self):
        document = self.client.get(index="books", id="b1")
        self.assertEqual((document["found"], document["_source"]), (True, BOOKS["b1"]))
        self.assertEqual(dict(self.client.get_source(index="books", id="b2")), BOOKS["b2"])
        self.assertTrue(self.client.exists(index="books", id="b3"))
        self.assertFalse(self.client.exists(index="books", id="nobody"))
        found = self.mget(index="books", ids=["b4", "nobody", "b1"])["docs"]
        self.assertEqual([doc["found"] for doc in found], [True, False, True])
        self.assertEqual(found[0]["_source"], BOOKS["b4"])
        explained = self.explain(index="books", id=min(with_word("quick")), query={"match": {"body": "quick"}})
        self.assertTrue(explained["matched"])
        self.assertGreater(explained["explanation"]["value"], 0)

    def test_carries_out_several_searches(self):
        answers = self.msearch([{"index": "books"}, {"query": {"match": {"body": "quick"}}, "size": 0},
                                {"index": "nothing"}, {"query": {"match_all": {}}},
                                {"index": "books,logs"}, {"query": {"match_all": {}}, "size": 1}])["responses"]
        self.assertEqual([answer["status"] for answer in answers], [200, 404, 200])
        self.assertEqual(answers[0]["hits"]["total"]["value"], len(with_word("quick")))
        self.assertEqual(answers[2]["hits"]["total"]["value"], 54)

    def test_analyzes(self):
        tokens = self.analyze(index="books", analyzer="standard", text="The Quick-Brown fox")["tokens"]
        self.assertEqual([token["token"] for token in tokens], ["the", "quick", "brown", "fox"])

    def test_raises_the_errors_of_the_client(self):
        with self.assertRaises(self.module.NotFoundError):
            self.client.get(index="books", id="nobody")
        with self.assertRaises(self.module.NotFoundError):
            self.search(index="nothing", query={"match_all": {}})
        with self.assertRaises(self.bad_request) as unknown:
            self.search(index="books", query={"no_such_query": {}})
        self.assertIn("no_such_query", str(unknown.exception))
        with self.assertRaises(self.any_error) as writing:
            self.index(index="books", id="b1", document={"title": "x"})
        self.assertEqual(self.status_of(writing.exception), 405)
        # helpers.bulk sends the documents, and the server refuses them.
        with self.assertRaises(self.any_error) as bulk:
            self.helpers.bulk(self.client, [{"_index": "books", "_id": "x", "title": "x"}])
        self.assertEqual(self.status_of(bulk.exception), 405)

    def test_refuses_a_wrong_token(self):
        with self.assertRaises(self.any_error) as refused:
            self.client_with("a-wrong-token-of-this-length").cat.indices()
        self.assertEqual(self.status_of(refused.exception), 401)


class ElasticsearchSearches(Searches):
    """Versions 8 and 9, whose methods take the keys of a body one by one."""

    any_error_name, bad_request_name = "ApiError", "BadRequestError"

    def search(self, source=True, **body):
        return self.client.search(source=source, **body)

    def count(self, **body):
        return self.client.count(**body)

    def mget(self, **body):
        return self.client.mget(**body)

    def explain(self, **body):
        return self.client.explain(**body)

    def msearch(self, lines):
        return self.client.msearch(searches=lines)

    def analyze(self, **body):
        return self.client.indices.analyze(**body)

    def index(self, **body):
        return self.client.index(**body)

    def status_of(self, error):
        return error.status_code


class Elasticsearch9(ElasticsearchSearches):
    name = "elasticsearch"

    def client_with(self, token):
        return self.module.Elasticsearch(URL, api_key=token)


class Elasticsearch8(ElasticsearchSearches):
    name = "elasticsearch8"

    def client_with(self, token):
        return self.module.Elasticsearch(URL, basic_auth=("pmdex", token), http_compress=True)


class OpenSearch(Searches):
    name = "opensearchpy"
    any_error_name, bad_request_name = "TransportError", "RequestError"

    def client_with(self, token):
        return self.module.OpenSearch(URL, http_auth=("pmdex", token))

    def search(self, index, source=True, **body):
        return self.client.search(index=index, body={"_source": source, **body})

    def count(self, index, **body):
        return self.client.count(index=index, body=body)

    def mget(self, index, **body):
        return self.client.mget(index=index, body=body)

    def explain(self, index, id, **body):
        return self.client.explain(index=index, id=id, body=body)

    def msearch(self, lines):
        return self.client.msearch(body=lines)

    def analyze(self, index, **body):
        return self.client.indices.analyze(index=index, body=body)

    def index(self, index, id, document):
        return self.client.index(index=index, id=id, body=document)

    def status_of(self, error):
        return error.status_code


SEARCHES = {"elasticsearch": Elasticsearch9, "elasticsearch8": Elasticsearch8, "opensearch-py": OpenSearch}


class OfficialClient(SEARCHES[CLIENT], unittest.TestCase):
    pass


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
