package pmdex.peers;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.FSDirectory;

/** Merges all segments of an index into one, and says how long that took. */
final class LuceneMerger {
  private LuceneMerger() {}

  static void run(Path directory) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig();
    config.setOpenMode(IndexWriterConfig.OpenMode.APPEND);
    config.setUseCompoundFile(false);
    var system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (FSDirectory files = FSDirectory.open(directory)) {
      int before;
      try (DirectoryReader reader = DirectoryReader.open(files)) {
        before = reader.leaves().size();
      }
      long cpu = system.getProcessCpuTime();
      long start = System.nanoTime();
      try (IndexWriter writer = new IndexWriter(files, config)) {
        writer.forceMerge(1);
        writer.commit();
      }
      System.out.printf(
          "{\"segments_before\": %d, \"seconds\": %.3f, \"cpu_seconds\": %.3f}%n",
          before, (System.nanoTime() - start) / 1e9, (system.getProcessCpuTime() - cpu) / 1e9);
    }
  }
}
