"""The requests of reference/mapping_answers.jsonl, in order: (phase, method, url, body).

The requests of the phase "write" make the indexes typed, free and strict. Those of the phase "search" change nothing, so that
a test can ask them again and again.
"""

TYPED = {
    "dynamic": "true",
    "properties": {
        "title": {"type": "text", "fields": {"raw": {"type": "keyword", "ignore_above": 20}}},
        "kind": {"type": "keyword", "null_value": "none"},
        "long": {"type": "long"}, "integer": {"type": "integer"}, "short": {"type": "short"}, "byte": {"type": "byte"},
        "unsigned": {"type": "unsigned_long"}, "double": {"type": "double"}, "float": {"type": "float"},
        "flag": {"type": "boolean"}, "date": {"type": "date"}, "nanos": {"type": "date_nanos"},
        "day": {"type": "date", "format": "dd.MM.yyyy||epoch_second"}, "month": {"type": "date", "format": "yyyy/MM"},
        "loose": {"type": "integer", "ignore_malformed": True}, "loose_date": {"type": "date", "ignore_malformed": True},
        "unsearched": {"type": "keyword", "index": False, "doc_values": True},
        "place": {"type": "object", "properties": {"city": {"type": "keyword"}, "rooms": {"type": "integer"}}},
    },
}

DOCUMENTS = [
    {"title": "The quick fox", "kind": "a", "long": 5, "integer": 7, "short": -3, "byte": 12, "unsigned": 18446744073709551615,
     "double": 1.25, "float": 0.1, "flag": True, "date": "2026-01-01T00:00:00.123Z", "nanos": "2026-01-01T00:00:00.000000500Z",
     "day": "31.01.2026", "month": "2026/05", "place": {"city": "Rome", "rooms": 3}},
    {"title": ["A slow dog", "Another title that is far too long"], "kind": ["b", "a"], "long": [1, "2", 9007199254740993],
     "float": -1.5, "flag": False, "date": "2026-06-15T12:00:00.999999Z", "nanos": "2026-01-01T00:00:00.000000501Z",
     "place": [{"city": "Oslo", "rooms": 1}, {"city": "Bergen", "rooms": 2}]},
    {"title": "quick", "kind": None, "long": -9223372036854775808, "integer": 3.9, "double": "2.5", "float": 16777217,
     "date": ["2025-12-31", 1767225600000], "day": 86400, "flag": "false", "nanos": "1970-01-01T00:00:00.000000001Z"},
    {"long": "17", "unsigned": 5, "short": "4.7", "byte": -128, "double": -0.0, "flag": "", "date": "2026-01-01T02:00:00+02:00",
     "loose": "x", "loose_date": "no date", "kind": 5.10, "place.city": "Rome", "place.rooms": 4},
    {"loose": [1, "b", 3], "loose_date": "2026-02-03", "long": [], "kind": [None, "c"], "unsearched": "hidden",
     "date": "2026-01-01T12:00:00Z", "float": 0.25, "double": 1e300, "unsigned": 9223372036854775808},
    {"title": 12.50, "flag": None, "date": 0, "day": "01.03.2026", "byte": 127, "place": {"city": "Zoé", "rooms": None}},
]

BAD_DOCUMENTS = [
    {"long": "abc"}, {"long": True}, {"long": {"a": 1}}, {"long": 9223372036854775808}, {"integer": 2147483648},
    {"integer": "2147483648"}, {"short": 40000}, {"byte": 128}, {"byte": "-129"}, {"unsigned": -1},
    {"unsigned": 18446744073709551616}, {"unsigned": "x"}, {"double": "1e999"}, {"double": "NaN"}, {"double": "x"},
    {"float": 1e39}, {"flag": 1}, {"flag": "yes"}, {"flag": "True"}, {"date": "nonsense"}, {"date": "2026-02-30"},
    {"date": ""}, {"date": "2026-01-01t00:00:00z"}, {"date": "2026-1-1"}, {"date": True}, {"nanos": "1600-01-01"},
    {"nanos": "2300-01-01"}, {"day": "2026-01-01"}, {"day": "30.02.2026"}, {"day": "1.2.2026"}, {"title": {"a": "b"}},
    {"kind": {"a": "b"}}, {"place": 5}, {"place": "x"}, {"place": {"rooms": "q"}}, {"title.raw": "x"}, {"title.other": "x"},
    {"long": [1, "x"]}, {"new": [1, 2.5]}, {"new": ["2026-01-01", "x"]}, {"": 1},
]

FREE = [
    {"n": 1, "x": 1.5, "s": "Some Text", "d": "2026-01-02T03:04:05Z", "y": "2026/01/02", "b": True, "o": {"p": {"q": "deep"}}},
    {"n": 2.9, "x": 2, "s": "other", "d": "2026-01-03", "y": "2026/01/03 10:20:30", "b": False, "l": [{"u": 1}, {"u": 2}]},
    {"n": None, "s": 5, "year": "2026", "clock": "12:30", "month": "2026-01", "number": "5", "space": "2026-01-02 03:04:05",
     "empty": "", "long": "y" * 300, "hour": "2026-01-02T03", "e": [], "zero": -0.0, "f": 1e3},
]
BAD_FREE = [{"d": "later"}, {"y": "2026-01-01"}, {"n": "x"}, {"o": 5}, {"o": {"p": "x"}}, {"b": "maybe"}, {"big": 18446744073709551615}]


def properties(name, definition):
    return {"properties": {name: definition}}


MAPPINGS = [
    {"properties": {"late": {"type": "long"}, "later": {"type": "text", "fields": {"raw": {"type": "keyword"}}}}},
    properties("long", {"type": "integer"}), properties("long", {"type": "long"}),
    properties("long", {"type": "long", "ignore_malformed": False}), properties("day", {"type": "date", "format": "epoch_millis"}),
    properties("title", {"type": "keyword"}), properties("title", {"type": "text"}),
    properties("title", {"type": "text", "fields": {"raw": {"type": "long"}}}),
    properties("title", {"type": "text", "fields": {"also": {"type": "keyword"}}}),
    properties("place", {"type": "text"}), properties("long", {"type": "object"}),
    properties("long", {"properties": {"x": {"type": "long"}}}), properties("long.x", {"type": "long"}),
    properties("place", {"properties": {"zip": {"type": "keyword"}}}), properties("a.b", {"type": "long"}),
    properties("bad", {"type": "nope"}), properties("bad", {"type": "date", "format": "nonsense"}),
    properties("bad", {"type": "keyword", "ignore_above": "x"}), properties("bad", {"type": "keyword", "ignore_malformed": True}),
    properties("bad", {"type": "long", "null_value": "x"}), properties("bad", {"type": "long", "format": "x"}),
    properties("bad", {"type": "text", "fields": {"raw": {"type": "object"}}}), properties("bad", {"type": "text", "fields": {"raw": {}}}),
    properties("bad", {"type": "long", "index": "maybe"}), properties("bad", {"fields": {"raw": {"type": "keyword"}}}),
    properties("bad", {"type": "text", "index_options": "nope"}), properties("bad", 5), properties("", {"type": "long"}),
    {"foo": 1}, {"dynamic": "maybe"},
    properties("shown", {"type": "boolean", "null_value": True, "doc_values": False, "store": True, "index": False}),
    properties("shown_text", {"type": "text", "index_options": "docs", "norms": False, "store": True}),
    properties("shown_date", {"type": "date", "null_value": "2026-01-01"}),
]


def bulk(index, documents, first):
    lines = []
    for number, document in enumerate(documents):
        lines += [{"index": {"_index": index, "_id": str(first + number)}}, document]
    return ("write", "POST", "/_bulk", lines)


def put(index, document, number):
    return ("write", "PUT", f"/{index}/_doc/{number}", document)


WRITES = [
    ("write", "PUT", "/typed", {"settings": {"number_of_shards": 1, "number_of_replicas": 0}, "mappings": TYPED}),
    ("write", "PUT", "/free", {"settings": {"number_of_shards": 1, "number_of_replicas": 0}}),
    ("write", "PUT", "/strict", {"settings": {"number_of_shards": 1, "number_of_replicas": 0}, "mappings": {
        "dynamic": "strict", "properties": {"t": {"type": "text"}, "o": {"properties": {"x": {"type": "long"}}},
                                            "open": {"type": "object", "dynamic": "true"},
                                            "off": {"type": "object", "dynamic": "false"}}}}),
    ("write", "PUT", "/bad", {"mappings": properties("a", {"type": "nope"})}),
    ("write", "PUT", "/bad", {"mappings": properties("a", {"type": "date", "format": "bad bad"})}),
    bulk("typed", DOCUMENTS[:3], 1), bulk("typed", DOCUMENTS[3:], 4), bulk("typed", BAD_DOCUMENTS, 100),
    *[put("typed", document, 200 + number) for number, document in enumerate(BAD_DOCUMENTS) if number % 5 == 0],
    *[put("free", document, 1 + number) for number, document in enumerate(FREE)], bulk("free", BAD_FREE, 100),
    *[put("strict", document, 1 + number) for number, document in enumerate(
        [{"t": "x", "o": {"x": 1}, "open": {"y": "z"}, "off": {"w": "v"}}, {"never": 1}, {"o": {"y": 1}}, {"z": {"y": 1}}, {"z": None}])],
    *[("write", "PUT", "/typed/_mapping", body) for body in MAPPINGS],
    ("write", "POST", "/typed/_update/4", {"doc": {"long": "18", "byte": 1}}),
    ("write", "POST", "/typed/_update/4", {"doc": {"byte": 1000}}),
    ("write", "POST", "/_refresh", None),
]


def search(index, body):
    return ("search", "POST", f"/{index}/_search", {"sort": ["_doc"], **body})


def query(body, index="typed"):
    return search(index, {"query": body})


def ranged(field, index="typed", **bounds):
    return query({"range": {field: bounds}}, index)


def sort(*keys, index="typed", **more):
    return ("search", "POST", f"/{index}/_search", {"sort": list(keys), "_source": False, **more})


def aggregate(index="typed", **aggregations):
    return ("search", "POST", f"/{index}/_search", {"size": 0, "aggs": aggregations})


def exists(*keys):
    """A query for documents that have all fields, so that those without a value do not matter."""
    return {"bool": {"filter": [{"exists": {"field": key}} for key in keys]}}


SEARCHES = [
    # Mappings
    *[("search", "GET", url, None) for url in [
        "/typed/_mapping", "/free/_mapping", "/strict/_mapping", "/typed/_mapping/field/title.raw,day,place.city,kind",
        "/free/_field_caps?fields=*.keyword,d,y,n,b", "/typed/_field_caps?fields=title*,kind,day,unsigned,float,byte,date,nanos",
        "/typed/_source/1", "/typed/_source/4", "/typed/_count", "/free/_count", "/strict/_count"]],
    # Terms
    *[query({"term": {field: value}}) for field, value in [
        ("title.raw", "The quick fox"), ("title.raw", "the quick fox"), ("title.raw", "quick"), ("title.also", "quick"), ("title", "quick"),
        ("title.raw", "Another title that is far too long"), ("kind", "a"), ("kind", "none"), ("kind", "5.1"), ("kind", "5.10"),
        ("long", 5), ("long", "5"), ("long", 5.5), ("long", 9007199254740993), ("long", 18), ("byte", 1000), ("byte", 127), ("integer", 3),
        ("unsigned", 18446744073709551615), ("float", 0.1), ("float", 0.100000001), ("float", 16777216), ("double", 0), ("double", 2.5),
        ("flag", True), ("flag", "false"), ("flag", "yes"), ("long", "x"), ("date", "2026-01-01"), ("date", "2026-01-01T00:00:00.123Z"),
        ("date", "2026-06-15T12:00:00.999Z"), ("day", "31.01.2026"), ("day", 86400), ("month", "2026/05"), ("place.city", "Rome"),
        ("place.rooms", 4), ("nanos", "2026-01-01T00:00:00.000000501Z"), ("date", 0), ("late", 5), ("loose", 3), ("day", "2026-01-31")]],
    query({"terms": {"kind": ["b", "c", "none"]}}), query({"terms": {"long": [1, 17, 18]}}), query({"terms": {"place.city": ["Oslo", "Zoé"]}}),
    query({"match": {"long": "5"}}), query({"match": {"long": "abc"}}), query({"match": {"kind": "a"}}), query({"match": {"title.raw": "quick"}}),
    query({"match": {"title": "quick"}}), query({"match": {"flag": "true"}}), query({"prefix": {"kind": "no"}}), query({"wildcard": {"title.raw": "*quick*"}}),
    query({"wildcard": {"long": "5*"}}), query({"prefix": {"long": "5"}}), query({"query_string": {"query": "long:[1 TO 9]"}}),
    query({"query_string": {"query": "day:[01.01.2026 TO 31.12.2026]"}}), query({"query_string": {"query": "date:2026-01-01"}}),
    query({"query_string": {"query": "kind:a AND flag:true"}}), query({"query_string": {"query": "float:0.1"}}),
    *[query({"exists": {"field": field}}) for field in
      ["title", "title.raw", "kind", "long", "float", "place", "place.rooms", "loose", "loose_date", "late", "unsearched", "nothing", "nanos", "new"]],
    *[query({"term": {"s.keyword": value}}, "free") for value in ["Some Text", "some text", "other", "5"]],
    query({"match": {"s": "some"}}, "free"), query({"term": {"long.keyword": "y" * 300}}, "free"), query({"term": {"o.p.q.keyword": "deep"}}, "free"),
    query({"term": {"l.u": 2}}, "free"), query({"term": {"n": 2}}, "free"), query({"term": {"x": 1.5}}, "free"), query({"term": {"b": False}}, "free"),
    query({"exists": {"field": "o"}}, "free"), query({"exists": {"field": "e"}}, "free"), query({"exists": {"field": "off"}}, "strict"),
    query({"term": {"open.y.keyword": "z"}}, "strict"), query({"term": {"off.w": "v"}}, "strict"),
    # Ranges
    *[ranged("date", **bounds) for bounds in [
        {"lte": "2026"}, {"lte": "2026-01"}, {"gt": "2026"}, {"gte": "2026-01-01", "lt": "2026-01-02"}, {"lt": "2026-01-01T00:00:00.123Z"},
        {"lte": "2026-01-01T00:00:00.123Z"}, {"gt": "2026-01-01T00:00:00.122999Z"}, {"gt": "2026-06-15T12:00:00.999Z"},
        {"gte": "2026-06-15T12:00:00.9995Z"}, {"gte": 1767225600000}, {"lt": 1767225600000}, {"gte": "2026-01-01||+5M/M"}, {"lte": "2026-01-01||/y"},
        {"gt": "2026-01-01||/d"}, {"gte": "2026-01-01", "time_zone": "+02:00"}, {"gte": "01.01.2026", "format": "dd.MM.yyyy"},
        {"gte": "nope"}, {"gte": "2026-01-01", "format": "dd.MM.yyyy"}, {"lte": "now"}, {"gt": "2026-01-01T00"}, {"gt": "2026-01-01T00:00"},
        {"gte": "0001-01-01"}, {"lte": "9999-12-31"}, {"gte": "9999-12-31"}]],
    *[ranged("nanos", **bounds) for bounds in [
        {"gt": "2026-01-01T00:00:00.000000500Z"}, {"lte": "2026-01-01T00:00:00.000000500Z"}, {"lt": 1}, {"lte": 0}]],
    *[ranged("day", **bounds) for bounds in [{"gte": "01.01.2026"}, {"lt": "31.01.2026"}, {"gte": "01.03.2026||-1M/M"}, {"gte": "2026-01-01"}, {"lte": 86400}]],
    *[ranged("month", **bounds) for bounds in [{"gte": "2026/05"}, {"gt": "2026/05"}, {"lte": "2026/05"}]],
    *[ranged("long", **bounds) for bounds in [{"gt": 4.5, "lt": 5.5}, {"gte": 5}, {"lt": 1}, {"gte": 9007199254740993}, {"lte": -9223372036854775808}, {"gte": "x"}]],
    *[ranged("float", **bounds) for bounds in [{"gte": 0.1}, {"lte": 0.1}, {"gt": 0.1}, {"lt": 0.1}, {"gt": 16777215}]],
    *[ranged("double", **bounds) for bounds in [{"gte": 0}, {"gt": 1.25}, {"lte": 1.25}, {"gt": 1e299}]],
    *[ranged("unsigned", **bounds) for bounds in [{"gte": 9223372036854775808}, {"gt": 5}, {"lt": 18446744073709551615}]],
    ranged("byte", lte=1000), ranged("byte", gte=-128, lt=0), ranged("kind", gte="b"), ranged("kind", lt="b"), ranged("title.raw", gte="a"),
    ranged("late", gte=1), ranged("nothing", gte=1), ranged("place.rooms", gte=2), ranged("d", "free", gte="2026-01-03"),
    ranged("y", "free", gte="2026/01/03"), ranged("s.keyword", "free", gte="a"), ranged("n", "free", gte=2), ranged("flag", gte=True),
    # Sorting
    *[sort(key, query=exists(field)) for field in ["date", "nanos", "long", "float", "double", "unsigned", "kind", "title.raw", "flag", "day", "place.city"]
      for key in [field, {field: "desc"}]],
    sort("title.raw"), sort("title"), sort("nothing"), sort({"date": "desc"}, "_doc", query=exists("date"), size=2),
    sort({"long": "desc"}, {"kind": "asc"}, query=exists("long", "kind")), sort("s.keyword", index="free"), sort("d", index="free", query=exists("d")),
    sort("nanos", search_after=[1767225600000000500], query=exists("nanos")), sort("date", search_after=[1767225600000], query=exists("date")),
    sort("kind", search_after=["a"], query=exists("kind")), sort("long", search_after=[5], query=exists("long")),
    # Aggregations
    *[aggregate(a={"terms": {"field": field}}) for field in ["kind", "long", "flag", "title.raw", "place.city", "float", "late", "title", "nothing"]],
    aggregate(a={"date_histogram": {"field": "date", "calendar_interval": "quarter"}}), aggregate(a={"date_histogram": {"field": "day", "calendar_interval": "month", "min_doc_count": 1}}),
    aggregate(a={"date_histogram": {"field": "nanos", "fixed_interval": "1d", "min_doc_count": 1}}), aggregate(a={"max": {"field": "date"}}, b={"min": {"field": "day"}}),
    aggregate(a={"stats": {"field": "byte"}}, b={"avg": {"field": "place.rooms"}}, c={"cardinality": {"field": "kind"}}, d={"value_count": {"field": "long"}}),
    aggregate(a={"histogram": {"field": "place.rooms", "interval": 1}}), aggregate(a={"range": {"field": "float", "ranges": [{"to": 0.1}, {"from": 0.1}]}}),
    aggregate("free", a={"terms": {"field": "s.keyword"}}, b={"terms": {"field": "y"}}, c={"max": {"field": "x"}}),
    # Fields that the query does not name
    *[query({"query_string": {"query": text}}) for text in [
        "Rome", "5", "quick", "\"The quick fox\"", "2026-01-01", "a b", "quick AND 5", "Ro*", "kind:(a b)", "long:quick", "NOT Rome", "place.\\*:Rome",
        "place.\\*:3", "l\\*:5", "*:Rome", "long:[1 TO 6]", "long:[x TO 6]", "flag:maybe", "place:*", "quick place.rooms:3"]],
    *[query({"query_string": {"query": text, **options}}) for text, options in [
        ("quick", {"fields": ["long"]}), ("quick", {"fields": ["title", "long"]}), ("quick", {"fields": ["title", "long"], "lenient": True}),
        ("5", {"fields": ["l*"]}), ("Rome", {"default_field": "place.*"}), ("Rome", {"fields": ["place.*"], "lenient": True}),
        ("Rome", {"fields": ["*"], "lenient": False}), ("[4 TO 6]", {"fields": ["long", "integer"]}), ("The quick", {"fields": ["title.raw"]}),
        ("The quick fox", {"fields": ["title.raw"]}), ("*", {"fields": ["integer"]}), ("long:x", {"fields": ["title"]}), ("qu*", {"fields": ["title", "long"]})]],
    *[query({"multi_match": {"query": text, **options}}) for text, options in [
        ("Rome", {}), ("5", {}), ("quick 5", {}), ("Rome", {"fields": ["place.*"]}), ("Rome", {"fields": ["place.*"], "lenient": True}),
        ("3", {"fields": ["place.*"]}), ("The quick fox", {"type": "phrase"}), ("quick", {"fields": ["title", "long"]}),
        ("Ro", {"fields": ["place.city"], "type": "phrase_prefix"}), ("Ro", {"type": "phrase_prefix"}), ("7", {"fields": ["integer"], "fuzziness": 1})]],
    query({"match": {"long": {"query": "quick", "lenient": True}}}), query({"match": {"date": {"query": "quick", "lenient": True}}}),
    query({"match_phrase_prefix": {"place.city": "Ro"}}), query({"match_phrase_prefix": {"long": "5"}}),
    query({"match_bool_prefix": {"place.city": "Ro"}}), query({"match_bool_prefix": {"long": "5"}}),
    # Rare values
    query({"wildcard": {"kind": ""}}), query({"regexp": {"kind": ""}}), query({"wildcard": {"title.raw": "*"}}),
    *[aggregate(a={kind: {"field": "flag"}}) for kind in ["min", "max", "avg", "sum", "stats", "value_count", "cardinality"]],
    *[aggregate(a={"terms": {"field": "kind", **options}}) for options in [
        {"include": []}, {"include": ""}, {"exclude": []},
        {"include": "a|b", "exclude": "a"}, {"include": ["a", "b"], "exclude": ["a"]}]],
    *[aggregate(a={"date_range": {"field": field, **options}}) for field, options in [
        ("day", {"ranges": [{"from": "01.01.2026", "to": "01.02.2026"}, {"from": "01.02.2026||-1M/M"}]}), ("day", {"ranges": [{"from": "2026-01-01"}]}),
        ("day", {"ranges": [{"to": 86400}]}), ("month", {"ranges": [{"to": "2026/05"}, {"from": "2026/05"}]}),
        ("date", {"ranges": [{"to": "01-2026"}, {"from": "01-2026"}], "format": "MM-yyyy"}), ("date", {"ranges": [{"from": "2026-01-01"}], "format": "MM-yyyy"}),
        ("date", {"ranges": [{"from": "2026"}, {"to": 1767225600000}]}),
        ("day", {"ranges": [{"from": "2026/01"}], "format": "yyyy/MM"})]],
    aggregate(a={"range": {"field": "day", "ranges": [{"from": "01.01.2026"}]}}),
    *[aggregate(a={"date_histogram": {"field": "day", "calendar_interval": "year", "extended_bounds": {"min": low, "max": high}, **options}}) for low, high, options in [
        ("01.01.2025", "31.12.2027", {"min_doc_count": 0}), ("2025", "2027", {}), ("01-2026", "06-2027", {"format": "MM-yyyy"})]],
    *[("search", "POST", "/typed/_analyze", body) for body in [
        {"field": "kind", "text": "A B"}, {"field": "kind", "text": ["A B", "", "c"]}, {"field": "title.raw", "text": "A B"}, {"field": "title", "text": "A B"},
        {"field": "long", "text": "5 6"}, {"field": "date", "text": "x"}, {"field": "_id", "text": "x"}, {"field": "kind", "analyzer": "standard", "text": "A B"}]],
    *[("search", "POST", "/typed/_search", {"query": {"term": {"_id": "2"}}, "_source": source}) for source in [
        {"excludes": ["*.city"]}, {"excludes": ["place.*"]}, {"includes": ["place"], "excludes": ["place.city", "place.rooms"]}, {"includes": ["place.r*"]}]],
]

AVERAGE = {"x": {"avg": {"field": "place.rooms"}}}
ROOMS = {"x": {"stats": {"field": "place.rooms"}}}
MONTHS = {"field": "date", "calendar_interval": "month", "min_doc_count": 1}
DAYS = {"field": "date", "fixed_interval": "1d", "min_doc_count": 1}

AGGREGATIONS = [
    # Below others
    aggregate(a={"terms": {"field": "kind"}, "aggs": {**AVERAGE, "y": {"max": {"field": "date"}}}}),
    aggregate(a={"terms": {"field": "flag"}, "aggs": {"b": {"terms": {"field": "kind"}, "aggs": ROOMS}}}),
    aggregate(a={"terms": {"field": "kind"}, "aggs": {"b": {"date_histogram": MONTHS, "aggs": {"c": {"terms": {"field": "flag"}}}}}}),
    aggregate(a={"terms": {"field": "place.city"}, "aggs": {"n": {"value_count": {"field": "long"}}, "d": {"cardinality": {"field": "kind"}}}}),
    aggregate(a={"date_histogram": MONTHS, "aggs": {"b": {"range": {"field": "place.rooms", "ranges": [{"to": 2}, {"from": 2}]}}}}),
    aggregate(a={"histogram": {"field": "place.rooms", "interval": 1}, "aggs": {"b": {"terms": {"field": "kind", "order": {"_key": "desc"}}}}}),
    aggregate(a={"range": {"field": "float", "ranges": [{"to": 0}, {"from": 0}]}, "aggs": {"b": {"filter": {"term": {"kind": "a"}}, "aggs": AVERAGE}}}),
    # Filters and meta
    aggregate(a={"filter": {"term": {"kind": "a"}}}, b={"filter": {"match": {"title": "quick"}}, "aggs": {"x": {"terms": {"field": "kind"}}}}),
    aggregate(a={"filter": {"range": {"date": {"gte": "2026-02-01"}}}, "aggs": {"x": {"min": {"field": "date"}}}}),
    aggregate(a={"filters": {"filters": {"quick": {"match": {"title": "quick"}}, "rome": {"term": {"place.city": "Rome"}}}}, "aggs": AVERAGE}),
    aggregate(a={"filters": {"filters": [{"match": {"title": "quick"}}, {"match_none": {}}, {"match_all": {}}]}, "aggs": ROOMS}),
    aggregate(a={"terms": {"field": "kind"}, "meta": {"of": "kinds", "deep": {"n": [1, None]}}, "aggs": {"x": {"avg": {"field": "long"}, "meta": {"m": 1}}}}),
    aggregate(a={"filter": {"match_none": {}}, "meta": {}, "aggs": {"x": {"stats": {"field": "float"}}, "y": {"terms": {"field": "kind"}}}}),
    # Terms
    *[aggregate(a={"terms": {"field": "kind", **options}, "aggs": ROOMS}) for options in [
        {"order": {"_key": "asc"}}, {"order": {"_key": "desc"}, "size": 2}, {"order": {"_count": "asc"}}, {"size": 1}, {"order": {"x.max": "desc"}},
        {"order": {"x.avg": "asc"}, "size": 3}, {"order": [{"_count": "desc"}, {"_key": "desc"}]}, {"order": [{"x.sum": "desc"}, {"_key": "asc"}]},
        {"missing": "zz"}, {"missing": "a", "order": {"_key": "asc"}}, {"min_doc_count": 2}, {"order": {"nothing": "asc"}}, {"order": {"x": "asc"}}]],
    aggregate(a={"terms": {"field": "kind", "min_doc_count": 0, "order": {"_key": "asc"}}, "aggs": AVERAGE}),
    ("search", "POST", "/typed/_search", {"size": 0, "query": {"term": {"kind": "a"}},
                                          "aggs": {"a": {"terms": {"field": "kind", "min_doc_count": 0, "order": {"_key": "asc"}}, "aggs": ROOMS}}}),
    aggregate(a={"terms": {"field": "place.rooms", "missing": 9, "order": {"_key": "desc"}}}, b={"terms": {"field": "date", "missing": "2026-01-01"}}),
    # Histograms
    *[aggregate(a={"histogram": {"field": "place.rooms", **options}, "aggs": {"x": {"max": {"field": "float"}}}}) for options in [
        {"interval": 2, "offset": 1}, {"interval": 3, "min_doc_count": 0}, {"interval": 1, "keyed": True}, {"interval": 0.5, "min_doc_count": 1},
        {"interval": 1, "extended_bounds": {"min": -1, "max": 6}}, {"interval": 2, "offset": 0.5, "extended_bounds": {"max": 8}}]],
    *[aggregate(a={"date_histogram": {**interval, **options}, "aggs": AVERAGE}) for interval, options in [
        (DAYS, {"time_zone": "+05:30"}), (DAYS, {"offset": "+6h"}), (DAYS, {"offset": "-90m", "time_zone": "-03:00", "format": "yyyy-MM-dd HH:mm XXX"}),
        (MONTHS, {"keyed": True}), (MONTHS, {"time_zone": "Europe/Berlin"}), (MONTHS, {"time_zone": "America/New_York", "keyed": True, "format": "yyyy-MM"}),
        (MONTHS, {"offset": "+1d"}), (MONTHS, {"min_doc_count": 2})]],
    *[("search", "POST", "/typed/_search", {"size": 0, "query": {"range": {"date": {"gte": "2025-12-01"}}}, "aggs": {"a": {"date_histogram": {
        "field": "date", "calendar_interval": "month", **options}, "aggs": AVERAGE}}}) for options in [
            {}, {"min_doc_count": 0, "time_zone": "+02:00"}, {"extended_bounds": {"min": "2025-10-01", "max": "2026-08-01"}},
            {"extended_bounds": {"min": "2025-11-01", "max": "2026-07-15"}, "time_zone": "Asia/Tokyo", "keyed": True}]],
    # Ranges, percentiles and a post_filter
    aggregate(a={"range": {"field": "place.rooms", "keyed": True, "ranges": [{"key": "few", "to": 2}, {"from": 2, "to": 3.5}, {"from": 3}]}, "aggs": ROOMS}),
    aggregate(a={"range": {"field": "long", "ranges": [{"from": 1, "to": 10}, {"to": 0}, {"from": 5, "to": 5}]}, "aggs": AVERAGE}),
    aggregate(a={"date_range": {"field": "date", "keyed": True, "ranges": [{"key": "old", "to": "2026-01-01"}, {"from": "2026-01-01", "to": "2026-01-01||+1M"}]}, "aggs": ROOMS}),
    aggregate(a={"percentiles": {"field": "place.rooms", "percents": [0, 50, 100]}}, b={"percentiles": {"field": "byte", "percents": [50], "keyed": False}}),
    aggregate(a={"terms": {"field": "kind"}, "aggs": {"p": {"percentiles": {"field": "place.rooms", "percents": [50]}}}}),
    *[("search", "POST", "/typed/_search", {"sort": ["_doc"], "_source": False, "query": {"exists": {"field": "kind"}}, "post_filter": {"term": {"kind": kind}},
                                            "aggs": {"a": {"terms": {"field": "kind"}, "aggs": ROOMS}}, **more})
      for kind, more in [("b", {}), ("missing", {}), ("a", {"size": 1})]],
]



def words(text, **options):
    return ("search", "POST", "/typed/_search", {"sort": ["_doc"], "_source": False, "query": {"query_string": {"query": text, **options}}})


COMPARISONS = [
    *[words(text) for text in [
        "long:(>1 AND <10)", "long:>1 AND long:<10", "long:(>=5 OR <0)", "long:(>1 <10)", "long:(<10 >1)", "long:(>1 AND 5)", "long:(+>1 +<10)", "long:(>5 OR 5)", "long:(>5)",
        "long:(NOT >5)", "-long:(>5)", "long:(>5)^2", "long:(>5^2 <0)", "long:(\\>5)", "long:(>)", "long:(>=)", "long:(<=5)", "long:(> 1)", "long:(x >1)", "long:(1 >1)", "long:(>x)",
        "long:(>5~1)", "long:(>5*)", "long:(>9007199254740992)", "date:(>2025 AND <2026-02)", "date:(>=2026-01-01 AND <2026-01-02)", "date:(>2026-01-01||/d AND <2027)",
        "day:(>01.02.2026)", "day:(>=01.03.2026 OR <02.01.1970)", "nanos:(>1970 AND <2027)", "kind:(>a AND <c)", "kind:(>=a AND <=b)", "kind:(>a b)", "float:(>-1 AND <1)",
        "float:(>0.1)", "flag:(>false)", "unsigned:(>5)", "place.\\*:(>2)", "place.rooms:(>1 AND <4)", "nope:(>1)", "_id:(>1)", "_exists_:(>1)", "kind:(\">a\")",
        "long:(>1 AND (<3 OR >10))", "title.raw:(>A AND <r)"]],
    words("long:(>x)", lenient=True), words("long:(>x OR 5)", lenient=True), words("place.\\*:(>2)", lenient=True),
    *[words(text, default_field="long") for text in [">4", ">1 AND <10", ">1 <10", "1 >4", "NOT >4", "\\>4", ">=17 -kind:c"]],
    words(">4", default_field="nope"), words(">4", default_field="place.*"), words(">4", default_field="place.*", lenient=True), words(">4", fields=["long"]),
    words(">4", fields=["long"], lenient=True), words(">4", fields=["long", "integer"], lenient=True), words("kind:/A/"), words("kind:/a/"),
    words("title:/QUICK/"), words("title.raw:/QUICK/"), words("ki*:(>a)"), words("ki\\*:(>a)"),
    ("search", "GET", "/typed/_search?q=long:(%3E1%20AND%20%3C10)&sort=_doc&_source=false", None), ("search", "GET", "/typed/_search?q=%3E4&df=long&sort=_doc&_source=false", None),
    ("search", "GET", "/typed/_count?q=long:(%3E1%20AND%20%3C10)", None),
]

MAPPING_QUESTIONS = WRITES + SEARCHES + AGGREGATIONS + COMPARISONS
