//! index --input FILE --format jsonl|lines --index DIR [--threads N --memory MIB --positions on|off --merge off|on|one]
//!
//! Indexes a file with Tantivy as fast as possible: one thread reads, and Tantivy's threads index. Only the field
//! "body" is indexed for search; "id" is stored. Ends with a commit, which is durable, and with --merge one also with a
//! merge to a single segment. search.rs describes `search`, and typed.rs `index-typed` and `search-typed`.

mod search;
mod typed;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::time::Instant;

use tantivy::indexer::NoMergePolicy;
use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions, STORED};
use tantivy::tokenizer::{LowerCaser, SimpleTokenizer, TextAnalyzer};
use tantivy::{doc, Index, TantivyDocument};

type Flags = HashMap<String, String>;
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn flag<'a>(flags: &'a Flags, name: &str, default: &'a str) -> &'a str {
    flags.get(name).map(String::as_str).unwrap_or(default)
}

fn create(flags: &Flags) -> Outcome<Index> {
    let option = match flag(flags, "--positions", "on") {
        "on" => IndexRecordOption::WithFreqsAndPositions,
        _ => IndexRecordOption::WithFreqs,
    };
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("words")
        .set_index_option(option);
    let mut schema = Schema::builder();
    schema.add_text_field("id", STORED);
    schema.add_text_field("body", TextOptions::default().set_indexing_options(indexing));
    std::fs::create_dir_all(&flags["--index"])?;
    let index = Index::create_in_dir(&flags["--index"], schema.build())?;
    register(&index);
    Ok(index)
}

/// Makes the tokens that pmdex's analyzers "standard" and "log" make from ASCII text.
fn register(index: &Index) {
    let words = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(LowerCaser)
        .build();
    index.tokenizers().register("words", words);
}

fn index(flags: &Flags) -> Outcome<()> {
    let start = Instant::now();
    let index = create(flags)?;
    let id = index.schema().get_field("id")?;
    let body = index.schema().get_field("body")?;
    let threads: usize = flag(flags, "--threads", "1").parse()?;
    let memory_mib: usize = flag(flags, "--memory", "1024").parse()?;
    let mut writer = index.writer_with_num_threads::<TantivyDocument>(threads, memory_mib << 20)?;
    if flag(flags, "--merge", "off") != "on" {
        writer.set_merge_policy(Box::new(NoMergePolicy));
    }
    let json = flag(flags, "--format", "jsonl") == "jsonl";
    let mut reader = BufReader::with_capacity(1 << 20, File::open(&flags["--input"])?);
    let mut line = String::new();
    let mut number = 0u64;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            break;
        }
        let text = line.trim_end_matches('\n');
        if text.is_empty() {
            continue;
        }
        if json {
            let value: serde_json::Value = serde_json::from_str(text)?;
            writer.add_document(doc!(
                id => value["id"].as_str().unwrap_or(""),
                body => value["body"].as_str().unwrap_or("")))?;
        } else {
            writer.add_document(doc!(id => number.to_string(), body => text))?;
        }
        number += 1;
    }
    writer.commit()?;
    if flag(flags, "--merge", "off") == "one" {
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()?;
    }
    report(&index, start.elapsed().as_secs_f64())
}

fn report(index: &Index, seconds: f64) -> Outcome<()> {
    let body = index.schema().get_field("body")?;
    let searcher = index.reader()?.searcher();
    let (mut tokens, mut postings) = (0u64, 0u64);
    let mut terms = HashSet::<Vec<u8>>::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(body)?;
        tokens += inverted.total_num_tokens();
        let mut stream = inverted.terms().stream()?;
        while stream.advance() {
            terms.insert(stream.key().to_vec());
            postings += u64::from(stream.value().doc_freq);
        }
    }
    println!(
        "{{\"documents\": {}, \"tokens\": {}, \"postings\": {}, \"terms\": {}, \"segments\": {}, \
         \"seconds\": {:.3}, \"version\": \"{}\"}}",
        searcher.num_docs(),
        tokens,
        postings,
        terms.len(),
        searcher.segment_readers().len(),
        seconds,
        tantivy::version_string()
    );
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flags: Flags = arguments[1..]
        .chunks(2)
        .filter(|pair| pair.len() == 2)
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect();
    match arguments[0].as_str() {
        "index" => index(&flags),
        "search" => search::search(&flags),
        "index-typed" => typed::index(&flags),
        "search-typed" => typed::search(&flags),
        other => Err(format!("unknown command {other}").into()),
    }
}
