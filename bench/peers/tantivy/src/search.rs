//! search --index DIR --queries FILE [--k N --count on|off --exhaustive on|off --threads N --repeat N --warm-up-rounds N]
//!
//! Answers the queries of a file, one per line, in rounds. Prints one JSON document per query and a summary, with the
//! keys of `pmdex search --queries FILE --json`. took_us is the time from the text of the query to the ids of its hits:
//! parsing, searching, and reading ids from the document store, whose blocks all stay decompressed in its cache.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Instant;

use serde_json::{json, Value as Json};
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{PhrasePrefixQuery, Query, QueryParser};
use tantivy::schema::{Field, Value};
use tantivy::{DocAddress, Index, ReloadPolicy, Score, Searcher, TantivyDocument, Term};

use crate::{flag, register, Flags, Outcome};

type Top = Vec<(Score, DocAddress)>;

struct Asked {
    k: usize,
    count: bool,
    exhaustive: bool,
}

struct Engine {
    searcher: Searcher,
    parser: QueryParser,
    id: Field,
    body: Field,
    asked: Asked,
}

/// A query, the answer of its first run, and what each timed run took.
struct Entry {
    text: String,
    answer: Option<Json>,
    took: Vec<[f64; 3]>, // microseconds: parsing, searching, ids
}

impl Engine {
    fn open(flags: &Flags) -> Outcome<Engine> {
        let index = Index::open_in_dir(&flags["--index"])?;
        register(&index);
        let id = index.schema().get_field("id")?;
        let body = index.schema().get_field("body")?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(1 << 20)
            .try_into()?;
        let asked = Asked {
            k: flag(flags, "--k", "10").parse()?,
            count: flag(flags, "--count", "off") == "on",
            exhaustive: flag(flags, "--exhaustive", "off") == "on",
        };
        let parser = QueryParser::for_index(&index, vec![body]);
        let searcher = reader.searcher();
        Ok(Engine {
            searcher,
            parser,
            id,
            body,
            asked,
        })
    }

    /// Uses Tantivy's parser except for prefixes: there a prefix must follow a phrase and matches at most 50 words.
    fn parse(&self, text: &str) -> Outcome<Box<dyn Query>> {
        if let Some(prefix) = text.strip_suffix('*') {
            let mut query = PhrasePrefixQuery::new(vec![Term::from_field_text(self.body, prefix)]);
            query.set_max_expansions(u32::MAX);
            return Ok(Box::new(query));
        }
        Ok(self.parser.parse_query(text)?)
    }

    /// Returns the number of matches if it is asked for, and the best hits.
    fn search(&self, query: &dyn Query) -> Outcome<(Option<usize>, Top)> {
        if self.asked.k == 0 {
            return Ok((Some(query.count(&self.searcher)?), Vec::new()));
        }
        let top = TopDocs::with_limit(self.asked.k).order_by_score();
        if self.asked.count || self.asked.exhaustive {
            let (hits, count) = self.searcher.search(query, &(top, Count))?;
            return Ok((Some(count), hits));
        }
        Ok((None, self.searcher.search(query, &top)?))
    }

    fn ids(&self, top: &Top) -> Outcome<Vec<String>> {
        let mut ids = Vec::with_capacity(top.len());
        for (_, address) in top {
            let document: TantivyDocument = self.searcher.doc(*address)?;
            let id = document.get_first(self.id).and_then(|value| value.as_str());
            ids.push(id.unwrap_or("").to_string());
        }
        Ok(ids)
    }

    fn answer(&self, entry: &mut Entry, timed: bool) -> Outcome<()> {
        let start = Instant::now();
        let query = self.parse(&entry.text)?;
        let parsed = start.elapsed();
        let (total, top) = self.search(&*query)?;
        let searched = start.elapsed();
        let ids = self.ids(&top)?;
        let done = start.elapsed();
        if timed {
            entry
                .took
                .push([parsed, searched - parsed, done - searched].map(|d| d.as_secs_f64() * 1e6));
        }
        if timed && entry.answer.is_none() {
            let hits: Vec<Json> = (ids.iter().zip(&top))
                .map(|(id, (score, _))| json!({"id": id, "score": score}))
                .collect();
            let total = json!({"value": total.unwrap_or(hits.len()), "exact": total.is_some()});
            entry.answer = Some(json!({"query": entry.text, "total": total, "hits": hits}));
        }
        Ok(())
    }
}

fn round(engine: &Engine, entries: &[Mutex<Entry>], threads: usize, timed: bool) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut entry = entry.lock().expect("one thread an entry");
                    if let Err(error) = engine.answer(&mut entry, timed) {
                        eprintln!("query {}: {error}", entry.text);
                        std::process::exit(1);
                    }
                }
            });
        }
    });
}

/// The nearest-rank median of the sums of the parts.
fn median(took: &[[f64; 3]], parts: std::ops::Range<usize>) -> f64 {
    let mut sums: Vec<f64> = took
        .iter()
        .map(|each| each[parts.clone()].iter().sum())
        .collect();
    sums.sort_by(f64::total_cmp);
    sums[sums.len().div_ceil(2) - 1]
}

pub fn search(flags: &Flags) -> Outcome<()> {
    let engine = Engine::open(flags)?;
    let threads: usize = flag(flags, "--threads", "1").parse()?;
    let repeat: usize = flag(flags, "--repeat", "1").parse()?;
    let warm_up_rounds: usize = flag(flags, "--warm-up-rounds", "0").parse()?;
    let entries: Vec<Mutex<Entry>> = std::fs::read_to_string(&flags["--queries"])?
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            Mutex::new(Entry {
                text: line.to_string(),
                answer: None,
                took: Vec::new(),
            })
        })
        .collect();
    for _ in 0..warm_up_rounds {
        round(&engine, &entries, threads, false);
    }
    let start = Instant::now();
    for _ in 0..repeat {
        round(&engine, &entries, threads, true);
    }
    let wall = start.elapsed().as_secs_f64();
    print(&engine, entries, wall)
}

fn print(engine: &Engine, entries: Vec<Mutex<Entry>>, wall: f64) -> Outcome<()> {
    let queries = entries.len();
    let mut out = String::new();
    for entry in entries {
        let entry = entry.into_inner()?;
        let mut line = entry.answer.expect("a timed round");
        line["took_us"] = json!(median(&entry.took, 0..3));
        line["parse_us"] = json!(median(&entry.took, 0..1));
        line["search_us"] = json!(median(&entry.took, 1..2));
        out += &format!("{line}\n");
    }
    let segments = engine.searcher.segment_readers().len();
    print!("{out}");
    println!(
        "{}",
        json!({"summary": {"queries": queries, "wall_s": wall, "segments": segments}})
    );
    Ok(())
}
