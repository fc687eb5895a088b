//! index-typed --input FILE --index DIR [--memory MIB]; search-typed --index DIR --queries FILE [--repeat N]
//!
//! Documents with typed fields, and queries about them: what bench/peers/typed asks of every engine. All fields but
//! the text are fast fields; `size` and `time` are indexed, too.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Bound;
use std::time::Instant;

use serde_json::{json, Value as Json};
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::aggregation::AggregationCollector;
use tantivy::collector::{Count, TopDocs};
use tantivy::indexer::NoMergePolicy;
use tantivy::query::{AllQuery, BooleanQuery, ConstScoreQuery, Occur, Query, RangeQuery, TermQuery};
use tantivy::schema::{
    IndexRecordOption, Schema, TextFieldIndexing, TextOptions, FAST, INDEXED, STORED, STRING,
};
use tantivy::{doc, DateTime, Index, Order, ReloadPolicy, Searcher, TantivyDocument, Term};

use crate::{flag, register, Flags, Outcome};

pub fn index(flags: &Flags) -> Outcome<()> {
    let text = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer("words")
            .set_index_option(IndexRecordOption::WithFreqsAndPositions),
    );
    let mut schema = Schema::builder();
    let id = schema.add_text_field("id", STORED);
    let body = schema.add_text_field("body", text);
    let size = schema.add_i64_field("size", INDEXED | FAST);
    let time = schema.add_date_field("time", INDEXED | FAST);
    let kind = schema.add_text_field("kind", STRING | FAST);
    std::fs::create_dir_all(&flags["--index"])?;
    let index = Index::create_in_dir(&flags["--index"], schema.build())?;
    register(&index);
    let memory_mib: usize = flag(flags, "--memory", "1024").parse()?;
    let mut writer = index.writer_with_num_threads::<TantivyDocument>(1, memory_mib << 20)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    for line in BufReader::with_capacity(1 << 20, File::open(&flags["--input"])?).lines() {
        let each: Json = serde_json::from_str(&line?)?;
        let text_of = |name: &str| each[name].as_str().unwrap_or("").to_string();
        let seconds = each["seconds"].as_i64().unwrap_or(0);
        writer.add_document(doc!(id => text_of("id"), body => text_of("body"),
            size => each["size"].as_i64().unwrap_or(0),
            time => DateTime::from_timestamp_secs(seconds), kind => text_of("kind")))?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    Ok(())
}

fn query_of(index: &Index, asked: &Json) -> Outcome<Box<dyn Query>> {
    let mut parts: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    let word = asked["word"].as_str().unwrap_or("");
    if !word.is_empty() {
        let term = Term::from_field_text(index.schema().get_field("body")?, word);
        parts.push((Occur::Must, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))));
    }
    if let Some(range) = asked["range"].as_array() {
        let size = index.schema().get_field("size")?;
        let bound = |at: usize| Bound::Included(Term::from_field_i64(size, range[at].as_i64().unwrap_or(0)));
        let within: Box<dyn Query> = Box::new(RangeQuery::new(bound(0), bound(1)));
        // No part of the score.
        let within: Box<dyn Query> = if word.is_empty() { within } else { Box::new(ConstScoreQuery::new(within, 0.0)) };
        parts.push((Occur::Must, within));
    }
    if parts.is_empty() {
        return Ok(Box::new(AllQuery));
    }
    if parts.len() == 1 {
        return Ok(parts.remove(0).1);
    }
    Ok(Box::new(BooleanQuery::new(parts)))
}

/// The greatest count of the buckets.
fn most(searcher: &Searcher, query: &dyn Query, request: Json) -> Outcome<i64> {
    let aggregations: Aggregations = serde_json::from_value(json!({ "a": request }))?;
    let collector = AggregationCollector::from_aggs(aggregations, Default::default());
    let result = serde_json::to_value(searcher.search(query, &collector)?)?;
    let buckets = result["a"]["buckets"].as_array().cloned().unwrap_or_default();
    Ok(buckets.iter().filter_map(|each| each["doc_count"].as_i64()).max().unwrap_or(0))
}

/// What must be the same for all engines.
fn answer(index: &Index, searcher: &Searcher, asked: &Json) -> Outcome<i64> {
    let query = query_of(index, asked)?;
    match asked["what"].as_str().unwrap_or("") {
        "count" => Ok(searcher.search(&*query, &Count)? as i64),
        "top" => {
            let best = searcher.search(&*query, &TopDocs::with_limit(10).order_by_score())?;
            Ok(best.len() as i64)
        }
        "sort" => {
            let top = TopDocs::with_limit(10).order_by_fast_field::<i64>("size", Order::Desc);
            Ok(searcher.search(&*query, &top)?[0].0.unwrap_or(0))
        }
        "terms" => most(searcher, &*query, json!({"terms": {"field": "kind", "size": 10}})),
        "histogram" => most(
            searcher,
            &*query,
            json!({"date_histogram": {"field": "time", "fixed_interval": "1d"}}),
        ),
        other => Err(format!("unknown query {other}").into()),
    }
}

pub fn search(flags: &Flags) -> Outcome<()> {
    let index = Index::open_in_dir(&flags["--index"])?;
    register(&index);
    let searcher = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?.searcher();
    let repeat: usize = flag(flags, "--repeat", "1").parse()?;
    for line in std::fs::read_to_string(&flags["--queries"])?.lines() {
        let asked: Json = serde_json::from_str(line)?;
        let mut found = answer(&index, &searcher, &asked)?;
        let mut took = Vec::with_capacity(repeat);
        for _ in 0..repeat {
            let start = Instant::now();
            found = answer(&index, &searcher, &asked)?;
            took.push(start.elapsed().as_secs_f64() * 1e6);
        }
        took.sort_by(f64::total_cmp);
        println!("{}", json!({"found": found, "took_us": took[(repeat - 1) / 2]}));
    }
    Ok(())
}
