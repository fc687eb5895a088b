package pmdex.peers;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * {@code index --input FILE --format jsonl|lines --index DIR [--analyzer A --threads N --memory MIB ...]} and {@code search
 * --index DIR --queries FILE [--k N --count on|off --exhaustive on|off --threads N --repeat N --warm-up-seconds S ...]};
 * {@code merge --index DIR}: forceMerge(1). {@code index-typed} and {@code search-typed}: see {@link LuceneTyped}.
 */
public final class LucenePeer {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> flags = new HashMap<>();
    for (int i = 1; i + 1 < arguments.length; i += 2) {
      flags.put(arguments[i], arguments[i + 1]);
    }
    Path index = Path.of(flags.get("--index"));
    String analyzer = flags.getOrDefault("--analyzer", "standard");
    int threads = Integer.parseInt(flags.getOrDefault("--threads", "1"));
    switch (arguments[0]) {
      case "index":
        new LuceneIndexer(
                Path.of(flags.get("--input")),
                flags.getOrDefault("--format", "jsonl").equals("jsonl"),
                flags.getOrDefault("--positions", "on").equals("on"))
            .run(
                index,
                analyzer,
                threads,
                Double.parseDouble(flags.getOrDefault("--memory", "1024")),
                flags.getOrDefault("--merge", "off"));
        break;
      case "search":
        new LuceneSearcher(
                Path.of(flags.get("--queries")),
                Integer.parseInt(flags.getOrDefault("--k", "10")),
                flags.getOrDefault("--count", "off").equals("on"),
                flags.getOrDefault("--exhaustive", "off").equals("on"),
                analyzer)
            .run(
                index,
                threads,
                Integer.parseInt(flags.getOrDefault("--repeat", "1")),
                Double.parseDouble(flags.getOrDefault("--warm-up-seconds", "0")),
                Integer.parseInt(flags.getOrDefault("--warm-up-rounds", "0")));
        break;
      case "index-typed":
        LuceneTyped.index(
            Path.of(flags.get("--input")), index, Double.parseDouble(flags.getOrDefault("--memory", "1024")));
        break;
      case "search-typed":
        LuceneTyped.search(
            index,
            Path.of(flags.get("--queries")),
            Integer.parseInt(flags.getOrDefault("--repeat", "1")),
            Double.parseDouble(flags.getOrDefault("--warm-up-seconds", "0")));
        break;
      case "merge":
        LuceneMerger.run(index);
        break;
      default:
        throw new IllegalArgumentException(arguments[0]);
    }
  }
}
