//! The file format of word counts: a header line of JSON, then one word a line.
//!
//! ```text
//! {"format":"piecework.word_counts","version":1,"words":2,"total":3,"sha256":"…","splitter":{…}}
//! hello⇥2⇥0⇥0
//! world⇥1⇥0⇥1
//! ```
//!
//! A line holds a word, its count, and the document and position of its first occurrence, ordered by the bytes of the
//! words, so that equal tables are equal files. Backslashes, tabs and line ends in a word are escaped.

use super::json::{Json, Node, object};
use super::tokenizer_json::{refuse_functions, splitter, splitter_json};
use crate::counts::{FirstOccurrence, WordCounts};
use crate::error::{Error, Place, Result};

const FORMAT: &str = "piecework.word_counts";
const VERSION: u64 = 1;
const ESCAPES: [(char, char); 4] = [('\\', '\\'), ('\t', 't'), ('\n', 'n'), ('\r', 'r')];

/// Writes the table as a file.
///
/// ```
/// use piecework_core::counts::Counter;
/// use piecework_core::format::{read_counts, write_counts};
/// use piecework_core::splitter::WordSplitter;
///
/// let mut counter = Counter::new(WordSplitter::bert()?);
/// counter.add_text(0, "low low lower")?;
/// let file = write_counts(&counter.finish()?)?;
/// assert_eq!(read_counts(file.as_bytes())?.total(), 3);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn write_counts(counts: &WordCounts) -> Result<String> {
    counts.splitter().map_or(Ok(()), |splitter| refuse_functions(splitter, "word counts"))?;
    let header = object([
        ("format", FORMAT.into()),
        ("version", VERSION.into()),
        ("words", (counts.len() as u64).into()),
        ("total", counts.total().into()),
        ("sha256", counts.fingerprint().as_str().into()),
        ("splitter", counts.splitter().map(splitter_json).into()),
    ]);
    let mut text = header.text();
    for (word, count, first) in counts.by_word() {
        text.push('\n');
        escape(word, &mut text);
        text.push_str(&format!("\t{count}\t{}\t{}", first.document, first.word));
    }
    text.push('\n');
    Ok(text)
}

/// Reads the table of a file; a truncated or changed file is an error.
pub fn read_counts(bytes: &[u8]) -> Result<WordCounts> {
    let text = std::str::from_utf8(bytes).map_err(|error| at(1, &format!("not text: {error}")))?;
    let mut lines = (1..).zip(text.lines());
    let (_, header) = lines.next().ok_or_else(|| at(1, "the file is empty; expected a line of JSON"))?;
    let header = Json::parse(header.as_bytes())?;
    let header = Node::root(&header);
    if header.find("format")?.map(|node| node.str()).transpose()? != Some(FORMAT) {
        return Err(header.error(format!("not a file of word counts: expected \"format\": {FORMAT:?}")));
    }
    header.only(&["format", "version", "words", "total", "sha256", "splitter"])?;
    let version = header.member("version")?;
    if version.unsigned()? != VERSION {
        return Err(version.unsupported(format!("this version of piecework reads version {VERSION}")));
    }
    let mut counts = WordCounts::new(header.find("splitter")?.map(|node| splitter(&node, &[])).transpose()?);
    for (number, line) in lines {
        let (word, count, first) = entry(line)
            .ok_or_else(|| at(number, "expected a word, its count, its document and its place, with tabs between"))?;
        if counts.get(&word).is_some() {
            return Err(at(number, &format!("the word {word:?} occurs twice")));
        }
        counts.add(&word, count, first)?;
    }
    if counts.len() as u64 != header.member("words")?.unsigned()?
        || counts.fingerprint() != header.member("sha256")?.str()?
    {
        return Err(header.error("the words do not agree with the first line: the file was cut or changed"));
    }
    Ok(counts)
}

fn at(line: usize, message: &str) -> Error {
    Error::Format { at: Place::Line(line), message: message.into() }
}

fn entry(line: &str) -> Option<(String, u64, FirstOccurrence)> {
    let mut fields = line.split('\t');
    let word = unescape(fields.next()?)?;
    let mut number = || fields.next()?.parse().ok();
    let (count, document, place) = (number()?, number()?, number()?);
    (fields.next().is_none() && count > 0).then_some((word, count, FirstOccurrence { document, word: place }))
}

fn escape(word: &str, out: &mut String) {
    for c in word.chars() {
        match ESCAPES.iter().find(|(raw, _)| *raw == c) {
            Some((_, letter)) => out.extend(['\\', *letter]),
            None => out.push(c),
        }
    }
}

fn unescape(field: &str) -> Option<String> {
    let mut word = String::with_capacity(field.len());
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            let letter = chars.next()?;
            word.push(ESCAPES.iter().find(|(_, other)| *other == letter)?.0);
        } else {
            word.push(c);
        }
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitter::WordSplitter;

    fn table() -> WordCounts {
        let mut counts = WordCounts::new(Some(WordSplitter::default()));
        for (place, word) in (0..).zip(["b", "a\\\t\r\nz", "é"]) {
            counts.add(word, place + 1, FirstOccurrence { document: place, word: 7 }).unwrap();
        }
        counts
    }

    #[test]
    fn tables_round_trip() {
        let text = write_counts(&table()).unwrap();
        let back = read_counts(text.as_bytes()).unwrap();
        assert_eq!(back.by_word(), table().by_word());
        assert_eq!(back.splitter(), table().splitter());
        assert_eq!(write_counts(&back).unwrap(), text);
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let text = write_counts(&table()).unwrap();
        for end in 0..text.len() - 1 {
            if text.is_char_boundary(end) {
                assert!(read_counts(&text.as_bytes()[..end]).is_err(), "cut at {end}");
            }
        }
    }
}
