package pmdex.peers;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.util.CharTokenizer;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * Indexes a file with Lucene as fast as possible: every thread reads its own part of the file, and all share one
 * IndexWriter. Only the field "body" is indexed for search. The field "id" is stored or, in an index of a single segment
 * for queries, in doc values, where it is read fastest. Ends with a commit, which is durable.
 */
final class LuceneIndexer {
  private final Path input;
  private final boolean json;
  private final FieldType bodyType = new FieldType();
  private boolean idsInDocValues;

  LuceneIndexer(Path input, boolean json, boolean positions) {
    this.input = input;
    this.json = json;
    bodyType.setTokenized(true);
    bodyType.setIndexOptions(
        positions ? IndexOptions.DOCS_AND_FREQS_AND_POSITIONS : IndexOptions.DOCS_AND_FREQS);
    bodyType.freeze();
  }

  /** Tokens as pmdex's analyzers "standard" and "log" make them of ASCII text. */
  static Analyzer analyzer(String name) {
    return new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        Tokenizer source =
            name.equals("log")
                ? CharTokenizer.fromTokenCharPredicate(Character::isLetterOrDigit)
                : new StandardTokenizer();
        return new TokenStreamComponents(source, new LowerCaseFilter(source));
      }
    };
  }

  void run(Path directory, String analyzer, int threads, double memoryMib, String merge) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(analyzer(analyzer));
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    config.setRAMBufferSizeMB(memoryMib);
    config.setUseCompoundFile(false);
    idsInDocValues = !merge.equals("off");
    if (merge.equals("off")) {
      config.setMergePolicy(NoMergePolicy.INSTANCE);
    }
    long start = System.nanoTime();
    try (FSDirectory files = FSDirectory.open(directory);
        IndexWriter writer = new IndexWriter(files, config)) {
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      long size = Files.size(input);
      List<Future<Void>> parts = new ArrayList<>();
      for (int i = 0; i < threads; ++i) {
        long begin = size / threads * i;
        long end = i + 1 == threads ? size : size / threads * (i + 1);
        parts.add(pool.submit((Callable<Void>) () -> indexPart(writer, begin, end)));
      }
      for (Future<Void> part : parts) {
        part.get();
      }
      pool.shutdown();
      if (merge.equals("one")) {
        writer.forceMerge(1);
      }
      writer.commit();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    report(directory, seconds);
  }

  /** The lines that begin in [begin, end). */
  private Void indexPart(IndexWriter writer, long begin, long end) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(input.toFile(), "r")) {
      file.seek(Math.max(0, begin - 1));
      LineReader lines =
          new LineReader(new BufferedInputStream(new java.io.FileInputStream(file.getFD()), 1 << 20), begin - 1);
      if (begin > 0) {
        lines.next();
      } else {
        lines.at = 0;
      }
      Document document = new Document();
      Field id = idsInDocValues ? new BinaryDocValuesField("id", new BytesRef()) : new StoredField("id", "");
      Field body = new Field("body", "", bodyType);
      document.add(id);
      document.add(body);
      JsonFactory factory = new JsonFactory();
      long number = begin;
      while (lines.at < end && lines.next()) {
        if (lines.length == 0) {
          continue;
        }
        if (json) {
          parse(factory, lines, id, body);
        } else {
          setId(id, Long.toString(number++));
          body.setStringValue(new String(lines.bytes, 0, lines.length, StandardCharsets.UTF_8));
        }
        writer.addDocument(document);
      }
    }
    return null;
  }

  private void setId(Field id, String value) {
    if (idsInDocValues) {
      id.setBytesValue(new BytesRef(value));
    } else {
      id.setStringValue(value);
    }
  }

  private void parse(JsonFactory factory, LineReader line, Field id, Field body) throws IOException {
    try (JsonParser parser = factory.createParser(line.bytes, 0, line.length)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() != JsonToken.FIELD_NAME) {
          continue;
        }
        String name = parser.currentName();
        String value = parser.nextTextValue();
        if (name.equals("id")) {
          setId(id, value);
        } else if (name.equals("body")) {
          body.setStringValue(value);
        }
      }
    }
  }

  private static void report(Path directory, double seconds) throws IOException {
    long terms = 0;
    try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(directory))) {
      Terms body = MultiTerms.getTerms(reader, "body");
      for (TermsEnum each = body.iterator(); each.next() != null; ) {
        ++terms;
      }
      System.out.printf(
          "{\"documents\": %d, \"tokens\": %d, \"postings\": %d, \"terms\": %d, \"segments\": %d,"
              + " \"seconds\": %.3f, \"version\": \"%s\"}%n",
          reader.numDocs(), body.getSumTotalTermFreq(), body.getSumDocFreq(), terms, reader.leaves().size(), seconds,
          org.apache.lucene.util.Version.LATEST);
    }
  }

  /** Lines of bytes, and where the next one begins. */
  private static final class LineReader {
    private final InputStream in;
    byte[] bytes = new byte[1 << 16];
    int length;
    long at;

    LineReader(InputStream in, long at) {
      this.in = in;
      this.at = at;
    }

    boolean next() throws IOException {
      length = 0;
      int c;
      while ((c = in.read()) >= 0 && c != '\n') {
        if (length == bytes.length) {
          bytes = java.util.Arrays.copyOf(bytes, 2 * length);
        }
        bytes[length++] = (byte) c;
      }
      at += length + 1;
      return c >= 0 || length > 0;
    }
  }
}
