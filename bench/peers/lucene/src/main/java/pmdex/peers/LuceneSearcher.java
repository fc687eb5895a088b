package pmdex.peers;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.MMapDirectory;

/**
 * Answers the queries of a file, one per line, in rounds. Prints one JSON document per query and a summary, with the keys
 * of {@code pmdex search --queries FILE --json}. took_us is the time from the text of the query to the ids of its hits:
 * parsing by the classic parser, searching, and reading ids from doc values. Queries are not cached: every round does the
 * work again.
 */
final class LuceneSearcher {
  private final int k;
  private final boolean count; // exactly, beside the top k or (k == 0) alone
  private final boolean exhaustive;
  private final String analyzer;
  private final List<Entry> entries = new ArrayList<>();

  /** A query, the answer of its first run, and what each timed run took. */
  private static final class Entry {
    final String text;
    final List<long[]> took = new ArrayList<>(); // nanoseconds: parsing, searching, ids
    String answer;
    long warmUp; // nanoseconds that it took so far, not timed

    Entry(String text) {
      this.text = text;
    }
  }

  LuceneSearcher(Path queries, int k, boolean count, boolean exhaustive, String analyzer) throws IOException {
    this.k = k;
    this.count = count;
    this.exhaustive = exhaustive;
    this.analyzer = analyzer;
    for (String line : Files.readAllLines(queries, StandardCharsets.UTF_8)) {
      if (!line.isBlank()) {
        entries.add(new Entry(line));
      }
    }
  }

  /**
   * Runs rounds that are not timed, so that the compiler sees every kind of query often. Each query takes part until it has
   * used its share of the seconds or the given number of rounds; all take part in the first round.
   */
  void run(Path index, int threads, int repeat, double warmUpSeconds, int warmUpRounds) throws Exception {
    try (DirectoryReader reader = DirectoryReader.open(new MMapDirectory(index))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      double share = warmUpSeconds * 1e9 * threads / entries.size();
      for (int i = 0; i < warmUpRounds; ++i) {
        round(searcher, pool, threads, entries.stream().filter(each -> each.warmUp <= share).toList(), false);
      }
      long start = System.nanoTime();
      for (int i = 0; i < repeat; ++i) {
        round(searcher, pool, threads, entries, true);
      }
      double wall = (System.nanoTime() - start) / 1e9;
      pool.shutdown();
      print(wall, reader.leaves().size());
    }
  }

  private void round(IndexSearcher searcher, ExecutorService pool, int threads, List<Entry> entries, boolean timed)
      throws Exception {
    AtomicInteger next = new AtomicInteger();
    List<Future<Void>> parts = new ArrayList<>();
    for (int i = 0; i < threads; ++i) {
      parts.add(
          pool.submit(
              (Callable<Void>)
                  () -> {
                    QueryParser parser = new QueryParser("body", LuceneIndexer.analyzer(analyzer));
                    for (int at; (at = next.getAndIncrement()) < entries.size(); ) {
                      answer(searcher, parser, entries.get(at), timed);
                    }
                    return null;
                  }));
    }
    for (Future<Void> part : parts) {
      part.get();
    }
  }

  private void answer(IndexSearcher searcher, QueryParser parser, Entry entry, boolean timed) throws Exception {
    long start = System.nanoTime();
    Query query = parser.parse(entry.text);
    long parsed = System.nanoTime();
    TopDocs top = null;
    int total = 0;
    if (k == 0) {
      total = searcher.count(query);
    } else {
      int threshold = count || exhaustive ? Integer.MAX_VALUE : 1;
      top = searcher.search(query, new TopScoreDocCollectorManager(k, threshold));
    }
    long searched = System.nanoTime();
    String[] ids = top == null ? new String[0] : ids(searcher, top.scoreDocs);
    long done = System.nanoTime();
    if (!timed) {
      entry.warmUp += done - start;
    } else {
      entry.took.add(new long[] {parsed - start, searched - parsed, done - searched});
    }
    if (timed && entry.answer == null) {
      // "12 hits" or "12+ hits": parsed as text, because the type of the field changed between 9 and 10.
      String hits = top == null ? total + " hits" : top.totalHits.toString();
      entry.answer = describe(hits.substring(0, hits.indexOf(' ')), top, ids);
    }
  }

  private static String[] ids(IndexSearcher searcher, ScoreDoc[] hits) throws IOException {
    long[] byDocument = new long[hits.length]; // doc values are read forwards
    for (int i = 0; i < hits.length; ++i) {
      byDocument[i] = ((long) hits[i].doc << 32) | i;
    }
    Arrays.sort(byDocument);
    List<LeafReaderContext> leaves = searcher.getIndexReader().leaves();
    String[] ids = new String[hits.length];
    BinaryDocValues values = null;
    int base = 0;
    int end = 0;
    for (long each : byDocument) {
      int document = (int) (each >>> 32);
      if (document >= end) {
        LeafReaderContext leaf = leaves.get(ReaderUtil.subIndex(document, leaves));
        values = leaf.reader().getBinaryDocValues("id");
        base = leaf.docBase;
        end = base + leaf.reader().maxDoc();
      }
      values.advanceExact(document - base);
      ids[(int) each] = values.binaryValue().utf8ToString();
    }
    return ids;
  }

  private String describe(String total, TopDocs top, String[] ids) {
    StringBuilder out = new StringBuilder();
    boolean exact = !total.endsWith("+");
    out.append("\"total\": {\"value\": ").append(exact ? total : total.substring(0, total.length() - 1));
    out.append(", \"exact\": ").append(exact).append("}, \"hits\": [");
    for (int i = 0; i < ids.length; ++i) {
      out.append(i > 0 ? ", " : "").append("{\"id\": ").append(quoted(ids[i]));
      out.append(", \"score\": ").append(top.scoreDocs[i].score).append('}');
    }
    return out.append(']').toString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static double median(List<long[]> took, int from, int to) {
    double[] sums = took.stream().mapToDouble(each -> Arrays.stream(each, from, to).sum() / 1e3).sorted().toArray();
    return sums[(sums.length + 1) / 2 - 1];
  }

  private void print(double wall, int segments) {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (Entry entry : entries) {
      out.printf(
          "{\"query\": %s, %s, \"took_us\": %.3f, \"parse_us\": %.3f, \"search_us\": %.3f}%n",
          quoted(entry.text), entry.answer, median(entry.took, 0, 3), median(entry.took, 0, 1), median(entry.took, 1, 2));
    }
    out.printf(
        "{\"summary\": {\"queries\": %d, \"wall_s\": %.6f, \"segments\": %d}}%n", entries.size(), wall, segments);
    out.flush();
  }
}
