package pmdex.peers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SimpleCollector;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.SortedNumericSortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * Documents with typed fields, and queries about them: what {@code bench/peers/typed} asks of every engine. {@code size}
 * and {@code time} are points and doc values, {@code kind} is sorted doc values.
 */
final class LuceneTyped {
  private static final long DAY_MS = 86_400_000L;

  private LuceneTyped() {}

  static void index(Path input, Path directory, double memoryMib) throws IOException {
    IndexWriterConfig config = new IndexWriterConfig(LuceneIndexer.analyzer("standard"));
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    config.setRAMBufferSizeMB(memoryMib);
    config.setUseCompoundFile(false);
    ObjectMapper mapper = new ObjectMapper();
    try (FSDirectory files = FSDirectory.open(directory);
        IndexWriter writer = new IndexWriter(files, config);
        BufferedReader reader = Files.newBufferedReader(input, StandardCharsets.UTF_8)) {
      for (String line; (line = reader.readLine()) != null; ) {
        JsonNode each = mapper.readTree(line);
        Document document = new Document();
        document.add(new BinaryDocValuesField("id", new BytesRef(each.get("id").asText())));
        document.add(new TextField("body", each.get("body").asText(), Field.Store.NO));
        document.add(new LongField("size", each.get("size").asLong(), Field.Store.NO));
        document.add(
            new LongField("time", java.time.Instant.parse(each.get("time").asText()).toEpochMilli(), Field.Store.NO));
        document.add(new SortedDocValuesField("kind", new BytesRef(each.get("kind").asText())));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
      writer.commit();
    }
  }

  /** Each line of the file is a query; prints one line of JSON for each: what it found, and how long that took. */
  static void search(Path directory, Path queries, int repeat, double warmUpSeconds) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    List<JsonNode> asked = new ArrayList<>();
    for (String line : Files.readAllLines(queries, StandardCharsets.UTF_8)) {
      asked.add(mapper.readTree(line));
    }
    try (DirectoryReader reader = DirectoryReader.open(new MMapDirectory(directory))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      long end = System.nanoTime() + (long) (warmUpSeconds * 1e9);
      do {
        for (JsonNode each : asked) {
          answer(searcher, each);
        }
      } while (System.nanoTime() < end);
      for (JsonNode each : asked) {
        double[] took = new double[repeat];
        long found = 0;
        for (int i = 0; i < repeat; ++i) {
          long start = System.nanoTime();
          found = answer(searcher, each);
          took[i] = (System.nanoTime() - start) / 1e3;
        }
        Arrays.sort(took);
        System.out.printf("{\"found\": %d, \"took_us\": %.3f}%n", found, took[(repeat - 1) / 2]);
      }
    }
  }

  private static Query query(JsonNode asked) {
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    if (!asked.get("word").asText().isEmpty()) {
      all.add(new TermQuery(new Term("body", asked.get("word").asText())), BooleanClause.Occur.MUST);
    }
    if (asked.hasNonNull("range")) {
      all.add(
          LongField.newRangeQuery("size", asked.get("range").get(0).asLong(), asked.get("range").get(1).asLong()),
          BooleanClause.Occur.FILTER);
    }
    BooleanQuery query = all.build();
    if (query.clauses().isEmpty()) {
      return new MatchAllDocsQuery();
    }
    return query;
  }

  /** Returns what must be the same for all engines. */
  private static long answer(IndexSearcher searcher, JsonNode asked) throws IOException {
    Query query = query(asked);
    switch (asked.get("what").asText()) {
      case "count":
        return searcher.count(query);
      case "top":
        TopDocs best = searcher.search(query, new TopScoreDocCollectorManager(10, 1));
        return best.scoreDocs.length;
      case "sort":
        Sort sort = new Sort(new SortedNumericSortField("size", SortField.Type.LONG, true));
        TopDocs first = searcher.search(query, new TopFieldCollectorManager(sort, 10, null, 1));
        return (Long) ((org.apache.lucene.search.FieldDoc) first.scoreDocs[0]).fields[0];
      case "terms":
        return countKinds(searcher, query);
      case "histogram":
        return countDays(searcher, query);
      default:
        throw new IllegalArgumentException(asked.toString());
    }
  }

  private static long countKinds(IndexSearcher searcher, Query query) throws IOException {
    long[][] counts = new long[1][];
    searcher.search(
        query,
        new SimpleCollector() {
          private SortedDocValues values;

          @Override
          protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = DocValues.getSorted(context.reader(), "kind");
            counts[0] = new long[values.getValueCount()];
          }

          @Override
          public void collect(int document) throws IOException {
            if (values.advanceExact(document)) {
              ++counts[0][values.ordValue()];
            }
          }

          @Override
          public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE_NO_SCORES;
          }
        });
    return Arrays.stream(counts[0]).max().orElse(0);
  }

  private static long countDays(IndexSearcher searcher, Query query) throws IOException {
    java.util.HashMap<Long, long[]> days = new java.util.HashMap<>();
    searcher.search(
        query,
        new SimpleCollector() {
          private NumericDocValues values;
          private long day = -1;
          private long[] count;

          @Override
          protected void doSetNextReader(LeafReaderContext context) throws IOException {
            values = DocValues.unwrapSingleton(DocValues.getSortedNumeric(context.reader(), "time"));
          }

          @Override
          public void collect(int document) throws IOException {
            if (values.advanceExact(document)) {
              long of = Math.floorDiv(values.longValue(), DAY_MS);
              if (of != day) {
                day = of;
                count = days.computeIfAbsent(of, key -> new long[1]);
              }
              ++count[0];
            }
          }

          @Override
          public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE_NO_SCORES;
          }
        });
    return days.values().stream().mapToLong(each -> each[0]).max().orElse(0);
  }
}
