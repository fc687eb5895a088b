"""Searches and writes a server with an official client, as programs written for Elasticsearch and OpenSearch do.

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
        self.assertLessEqual({"books", "logs"}, set(self.client.indices.get(index="*")))
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
        with self.assertRaises(self.any_error) as removing:
            self.client.indices.delete(index="books")  # it is not below --data
        self.assertEqual(self.status_of(removing.exception), 403)

    def test_makes_fills_and_removes_an_index(self):
        name = "written-" + CLIENT
        self.create(name, {"properties": {"title": {"type": "text"}}})
        with self.assertRaises(self.bad_request):
            self.create(name, {})
        first = self.index(index=name, id="1", document={"title": "first note"}, refresh="wait_for")
        self.assertEqual((first["result"], first["_version"], first["_seq_no"]), ("created", 1, 0))
        self.assertEqual(self.count(index=name, query={"match": {"title": "note"}})["count"], 1)
        again = self.index(index=name, id="1", document={"title": "second note"})
        self.assertEqual((again["result"], again["_version"]), ("updated", 2))
        self.assertEqual(self.client.get(index=name, id="1")["_source"], {"title": "second note"})
        with self.assertRaises(self.module.ConflictError):
            self.index(index=name, id="1", document={"title": "late"}, if_seq_no=first["_seq_no"],
                       if_primary_term=first["_primary_term"])
        with self.assertRaises(self.module.ConflictError):
            self.create_document(index=name, id="1", document={"title": "late"})
        self.assertEqual(self.update(index=name, id="1", doc={"more": "text"})["result"], "updated")
        self.assertEqual(self.client.get_source(index=name, id="1"), {"title": "second note", "more": "text"})
        self.assertEqual(self.client.delete(index=name, id="1")["result"], "deleted")
        self.assertFalse(self.client.exists(index=name, id="1"))
        self.client.indices.delete(index=name)
        self.assertFalse(self.client.indices.exists(index=name))

    def test_writes_in_bulk_and_deletes_by_query(self):
        name = "bulk-" + CLIENT
        documents = {str(i): {"title": "note %d" % i, "kind": "odd" if i % 2 else "even"} for i in range(1200)}
        actions = ({"_index": name, "_id": key, **source} for key, source in documents.items())
        self.assertEqual(self.helpers.bulk(self.client, actions, chunk_size=500), (1200, []))
        self.client.indices.refresh(index=name)
        scanned = self.helpers.scan(self.client, index=name, size=500)
        self.assertEqual({hit["_id"]: hit["_source"] for hit in scanned}, documents)
        mixed = [{"_op_type": "create", "_index": name, "_id": "0", "title": "late"},
                 {"_op_type": "update", "_index": name, "_id": "1", "doc": {"title": "changed"}},
                 {"_op_type": "delete", "_index": name, "_id": "2"}]
        done, errors = self.helpers.bulk(self.client, mixed, refresh=True, raise_on_error=False)
        self.assertEqual((done, [error["create"]["status"] for error in errors]), (2, [409]))
        self.assertEqual(self.client.get_source(index=name, id="1"), {"title": "changed", "kind": "odd"})
        self.assertEqual([ok for ok, _ in self.helpers.streaming_bulk(
            self.client, [{"_index": name, "title": "of a made id", "kind": "odd"}])], [True])
        self.client.indices.refresh(index=name)
        self.assertEqual(self.delete_by_query(index=name, query={"match": {"kind": "odd"}})["deleted"], 601)
        self.client.indices.forcemerge(index=name, max_num_segments=1)
        self.client.indices.refresh(index=name)
        self.assertEqual(self.client.count(index=name)["count"], 599)
        self.client.indices.delete(index=name)

    def test_writes_typed_fields(self):
        name = "typed-" + CLIENT
        self.create(index=name, mappings={"properties": {
            "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}}, "size": {"type": "integer"},
            "when": {"type": "date", "format": "dd.MM.yyyy"}, "who": {"properties": {"name": {"type": "keyword"}}}}})
        documents = [{"_index": name, "_id": str(i), "title": "Note %d" % i, "size": i, "when": "%02d.01.2026" % (i + 1),
                      "who": {"name": "ab"[i % 2]}, "score": i / 2} for i in range(20)]
        self.assertEqual(self.helpers.bulk(self.client, documents, refresh=True), (20, []))
        wrong = [{"_index": name, "_id": "x", "size": "many"}, {"_index": name, "_id": "y", "when": "2026-01-01"}]
        done, errors = self.helpers.bulk(self.client, wrong, refresh=True, raise_on_error=False)
        self.assertEqual((done, [error["index"]["error"]["type"] for error in errors]),
                         (0, ["document_parsing_exception"] * 2))
        answer = self.search(index=name, query={"bool": {"filter": [
            {"range": {"when": {"gte": "05.01.2026", "lt": "10.01.2026"}}}, {"term": {"who.name": "a"}}]}},
            sort=[{"size": "desc"}], aggs={"names": {"terms": {"field": "who.name"}}, "most": {"max": {"field": "score"}}})
        self.assertEqual([(hit["_id"], hit["sort"]) for hit in answer["hits"]["hits"]], [("8", [8]), ("6", [6]), ("4", [4])])
        self.assertEqual(answer["aggregations"]["names"]["buckets"], [{"key": "a", "doc_count": 3}])
        self.assertEqual(answer["aggregations"]["most"]["value"], 4.0)
        self.assertEqual(self.search(index=name, query={"term": {"title.raw": "Note 7"}})["hits"]["total"]["value"], 1)
        mapping = self.client.indices.get_mapping(index=name)[name]["mappings"]["properties"]
        self.assertEqual((mapping["size"], mapping["score"]), ({"type": "integer"}, {"type": "float"}))
        self.put_mapping(name, {"late": {"type": "long"}})
        with self.assertRaises(self.bad_request):
            self.create(index=name + "-bad", mappings={"properties": {"late": {"type": "nope"}}})
        self.client.indices.delete(index=name)

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

    def create(self, index, mappings):
        return self.client.indices.create(index=index, mappings=mappings)

    def put_mapping(self, index, properties):
        return self.client.indices.put_mapping(index=index, properties=properties)

    def create_document(self, **body):
        return self.client.create(**body)

    def update(self, **body):
        return self.client.update(**body)

    def delete_by_query(self, **body):
        return self.client.delete_by_query(**body)

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

    def index(self, document, **parameters):
        return self.client.index(body=document, **parameters)

    def create(self, index, mappings):
        return self.client.indices.create(index=index, body={"mappings": mappings})

    def put_mapping(self, index, properties):
        return self.client.indices.put_mapping(index=index, body={"properties": properties})

    def create_document(self, document, **parameters):
        return self.client.create(body=document, **parameters)

    def update(self, index, id, **body):
        return self.client.update(index=index, id=id, body=body)

    def delete_by_query(self, index, **body):
        return self.client.delete_by_query(index=index, body=body)

    def status_of(self, error):
        return error.status_code


SEARCHES = {"elasticsearch": Elasticsearch9, "elasticsearch8": Elasticsearch8, "opensearch-py": OpenSearch}


class OfficialClient(SEARCHES[CLIENT], unittest.TestCase):
    pass


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
