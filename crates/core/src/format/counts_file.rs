//! The file format of word counts: a first line of JSON, one word a line, and a last line of JSON.
//!
//! ```text
//! {"format":"piecework.word_counts","version":2,"splitter":{…},"splitter_fingerprint":"…"}
//! hello⇥2⇥0⇥0
//! world⇥1⇥0⇥1
//! {"words":2,"total":3,"sha256":"…"}
//! ```
//!
//! A line holds a word, its count, and the document and position of its first occurrence, ordered by the bytes of the
//! words, so that equal tables are equal files, and files are merged line by line. Backslashes, tabs and line ends in a
//! word are escaped. The last line covers all before it. In version 1 its members are in the first line. Version 3 has
//! added tokens in the splitter.

use std::fmt::Write as _;
use std::io::{BufRead, Write};

use sha2::{Digest, Sha256};

use super::fingerprint::splitter_fingerprint;
use super::json::{Json, JsonNode, object};
use super::tokenizer_json::{refuse_functions, text_splitter, text_splitter_json};
use crate::counts::{
    CountedWord, FirstOccurrence, SortedWords, TextSplitter, WordCounts, bucket, hash_word, hexadecimal, overflow,
};
use crate::error::{Error, Message, Place, Result, shorten};

const FORMAT: &str = "piecework.word_counts";
/// What to do where a file is no table.
const MADE: &str = "save one with WordCounts.save or `piecework count-words`; for texts call count_words(Corpus(path))";
/// The version of tables that were cut at no added tokens.
const VERSION: u64 = 2;
/// The version of the others, which older readers would take for the former.
const VERSION_WITH_TOKENS: u64 = 3;
const ESCAPES: [(char, char); 4] = [('\\', '\\'), ('\t', 't'), ('\n', 'n'), ('\r', 'r')];
/// The number of bytes that are written at once.
const BUFFER: usize = 1 << 16;

/// The facts of a table that was written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountsSummary {
    /// The number of different words.
    pub words: u64,
    /// The sum of all counts.
    pub total: u64,
    /// The SHA-256 of words and counts, as of [`WordCounts::fingerprint`].
    pub fingerprint: String,
}

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
    let mut file = Vec::new();
    write_sorted_counts(counts.sorted(), counts.splitter(), &mut file)?;
    Ok(String::from_utf8(file).expect("words and JSON are UTF-8"))
}

/// Writes the words of a source as a file, one at a time.
pub fn write_sorted_counts(
    mut source: impl SortedWords,
    splitter: Option<&TextSplitter>,
    out: &mut dyn Write,
) -> Result<CountsSummary> {
    let mut writer = CountsWriter::new(splitter, out)?;
    while source.advance()? {
        writer.push(source.current())?;
    }
    writer.finish()
}

/// Writes the words of a source as several files, each word to the file of its bucket.
///
/// All words of a bucket are in the file of that number, whatever the source, so the files of one number of many sources
/// can be merged apart from all others.
///
/// ```
/// use piecework_core::counts::WordCounts;
/// use piecework_core::format::write_buckets;
///
/// let (mut one, mut other) = (Vec::new(), Vec::new());
/// let written = write_buckets(WordCounts::default().sorted(), None, vec![&mut one, &mut other])?;
/// assert_eq!(written.len(), 2);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn write_buckets(
    mut source: impl SortedWords,
    splitter: Option<&TextSplitter>,
    outs: Vec<&mut dyn Write>,
) -> Result<Vec<CountsSummary>> {
    let mut writers: Vec<_> = outs.into_iter().map(|out| CountsWriter::new(splitter, out)).collect::<Result<_>>()?;
    while source.advance()? {
        let place = bucket(source.current().word, writers.len());
        writers[place].push(source.current())?;
    }
    writers.into_iter().map(CountsWriter::finish).collect()
}

/// Writes a file of word counts, one word at a time.
struct CountsWriter<'a> {
    out: &'a mut dyn Write,
    /// The lines that are not written and hashed yet.
    lines: String,
    sha: Sha256,
    words: u64,
    total: u64,
    fingerprint: Sha256,
}

impl<'a> CountsWriter<'a> {
    /// Writes the first line.
    fn new(splitter: Option<&TextSplitter>, out: &'a mut dyn Write) -> Result<Self> {
        splitter.map_or(Ok(()), |splitter| refuse_functions(splitter.words(), "word counts"))?;
        let header = [
            ("format", FORMAT.into()),
            ("version", splitter.map_or(VERSION, version).into()),
            ("splitter", splitter.map(text_splitter_json).into()),
            ("splitter_fingerprint", splitter.map(splitter_fingerprint).transpose()?.as_deref().map(Json::from).into()),
        ];
        let mut lines = String::with_capacity(BUFFER);
        lines.push_str(&object(header).text());
        let mut writer = Self { out, lines, sha: Sha256::new(), words: 0, total: 0, fingerprint: Sha256::default() };
        writer.end_line()?;
        Ok(writer)
    }

    /// Writes a word, which is after the one before it.
    fn push(&mut self, each: CountedWord<&str>) -> Result<()> {
        self.words += 1;
        self.total = self.total.checked_add(each.count).ok_or_else(|| overflow(each.word))?;
        hash_word(&mut self.fingerprint, each);
        write_entry(each, &mut self.lines);
        self.end_line()
    }

    /// Writes the last line.
    fn finish(mut self) -> Result<CountsSummary> {
        self.flush()?;
        let sha256 = hexadecimal(self.sha.clone());
        let (words, total) = (self.words, self.total);
        let footer = object([("words", words.into()), ("total", total.into()), ("sha256", sha256.as_str().into())]);
        self.lines.push_str(&(footer.text() + "\n"));
        self.flush()?;
        Ok(CountsSummary { words, total, fingerprint: hexadecimal(self.fingerprint) })
    }

    /// Ends a line, and writes the lines if there are enough.
    fn end_line(&mut self) -> Result<()> {
        self.lines.push('\n');
        if self.lines.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        self.sha.update(&self.lines);
        self.out.write_all(self.lines.as_bytes()).map_err(Error::storage)?;
        self.lines.clear();
        Ok(())
    }
}

/// Returns the version of the file of a table.
fn version(splitter: &TextSplitter) -> u64 {
    if splitter.added().is_empty() { VERSION } else { VERSION_WITH_TOKENS }
}

fn write_entry(CountedWord { word, count, first }: CountedWord<&str>, line: &mut String) {
    escape(word, line);
    let (document, word) = (first.document, first.word);
    write!(line, "\t{count}\t{document}\t{word}").expect("a String takes all that is written");
}

/// Reads the table of a file; a truncated or changed file is an error.
pub fn read_counts(bytes: &[u8]) -> Result<WordCounts> {
    let reader = CountsReader::new(bytes)?;
    WordCounts::from_sorted(reader.splitter().cloned(), reader)
}

/// Reads the words of a file one at a time; the end of a truncated or changed file is an error.
///
/// ```
/// use piecework_core::counts::{SortedWords, WordCounts};
/// use piecework_core::format::{CountsReader, write_counts};
///
/// let file = write_counts(&WordCounts::default())?;
/// assert!(!CountsReader::new(file.as_bytes())?.advance()?);
/// assert!(CountsReader::new(&b"{}"[..]).is_err());
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug)]
pub struct CountsReader<R> {
    input: R,
    line: Vec<u8>,
    /// The number of the line, from 1.
    number: usize,
    splitter: Option<TextSplitter>,
    /// The first line of a file of version 1, which describes the words.
    header: Option<Json>,
    current: CountedWord<String>,
    words: u64,
    total: u64,
    sha: Sha256,
    fingerprint: Sha256,
    is_finished: bool,
}

impl<R: BufRead> CountsReader<R> {
    /// Reads the first line.
    pub fn new(input: R) -> Result<Self> {
        let mut reader = Self {
            input,
            line: Vec::new(),
            number: 0,
            splitter: None,
            header: None,
            current: CountedWord::default(),
            words: 0,
            total: 0,
            sha: Sha256::new(),
            fingerprint: Sha256::default(),
            is_finished: false,
        };
        reader.read_header()?;
        Ok(reader)
    }

    /// Returns the splitter of the words, if it is known.
    pub fn splitter(&self) -> Option<&TextSplitter> {
        self.splitter.as_ref()
    }

    fn read_header(&mut self) -> Result<()> {
        if !self.read_line()? {
            return Err(at(1, "the file is empty; expected a line of JSON"));
        }
        let json = Json::parse(&self.line).map_err(|error| {
            let problem = format!("not a table of word counts: {}", error.problem());
            Error::Format { at: Place::Line(1), message: Message::new(problem).hint(MADE) }
        })?;
        let header = JsonNode::root(&json);
        if header.find("format")?.map(|node| node.str()).transpose()? != Some(FORMAT) {
            return Err(header.error(format!("not a file of word counts: expected \"format\": {FORMAT:?}")));
        }
        let version = header.member("version")?;
        match version.unsigned()? {
            1 => header.only(&["format", "version", "words", "total", "sha256", "splitter"])?,
            VERSION | VERSION_WITH_TOKENS => header.only(&["format", "version", "splitter", "splitter_fingerprint"])?,
            _ => {
                let message = format!("this version of piecework reads the versions 1 to {VERSION_WITH_TOKENS}");
                return Err(version.unsupported(message));
            }
        }
        self.splitter = header.find("splitter")?.map(|node| text_splitter(&node)).transpose()?;
        self.header = (version.unsigned()? == 1).then_some(json);
        Ok(())
    }

    /// Reads a line without its line end; returns whether there is one.
    fn read_line(&mut self) -> Result<bool> {
        if self.number > 0 {
            self.sha.update(&self.line);
            self.sha.update("\n");
        }
        self.line.clear();
        self.number += 1;
        let read = self.input.read_until(b'\n', &mut self.line).map_err(Error::storage)?;
        self.line.pop_if(|byte| *byte == b'\n');
        Ok(read > 0)
    }

    fn read_word(&mut self) -> Result<()> {
        let line = std::str::from_utf8(&self.line).map_err(|error| at(self.number, &format!("not text: {error}")))?;
        let before = std::mem::take(&mut self.current);
        self.current = entry(line.strip_suffix('\r').unwrap_or(line)).ok_or_else(|| {
            at(self.number, "expected a word, its count, its document and its place, with tabs between")
        })?;
        if self.words > 0 && self.current.word <= before.word {
            return Err(at(self.number, &disorder(&before.word, &self.current.word)));
        }
        self.words += 1;
        self.total = self.total.checked_add(self.current.count).ok_or_else(|| overflow(&self.current.word))?;
        if self.header.is_some() {
            hash_word(&mut self.fingerprint, self.current.borrowed());
        }
        Ok(())
    }

    /// Compares the words with the last line, in version 1 with the first.
    fn finish(&mut self, has_line: bool) -> Result<()> {
        let (line, json, sha256) = match self.header.take() {
            Some(header) => (1, header, hexadecimal(std::mem::take(&mut self.fingerprint))),
            None if !has_line => return Err(at(self.number, "the file ends without its last line; it was cut off")),
            None => {
                (self.number, Json::parse(&self.line).map_err(|error| self.here(error))?, hexadecimal(self.sha.clone()))
            }
        };
        let facts = JsonNode::root(&json);
        let agree = || -> Result<bool> {
            Ok(facts.member("words")?.unsigned()? == self.words
                && facts.member("total")?.unsigned()? == self.total
                && facts.member("sha256")?.str()? == sha256)
        };
        if !agree().map_err(|error| self.here(error))? {
            return Err(at(line, "the words do not agree with this line: the file was cut or changed"));
        }
        if has_line && self.read_line()? {
            return Err(at(self.number, "expected the end of the file"));
        }
        Ok(())
    }

    /// Returns an error of JSON as one of the current line.
    fn here(&self, error: Error) -> Error {
        Error::Format { at: Place::Line(self.number), message: Message::from(error) }
    }
}

impl<R: BufRead> SortedWords for CountsReader<R> {
    fn advance(&mut self) -> Result<bool> {
        if self.is_finished {
            return Ok(false);
        }
        let has_line = self.read_line()?;
        let is_footer = self.header.is_none() && self.line.starts_with(b"{") && !self.line.contains(&b'\t');
        if has_line && !is_footer {
            self.read_word()?;
            return Ok(true);
        }
        self.is_finished = true;
        self.finish(has_line)?;
        Ok(false)
    }

    fn current(&self) -> CountedWord<&str> {
        self.current.borrowed()
    }
}

/// Returns the message for a word that is not after the one before it.
fn disorder(before: &str, word: &str) -> String {
    let shown = shorten(word);
    if before == word {
        return format!("the word {shown:?} occurs twice");
    }
    format!("the word {shown:?} is not after {:?}; sort the lines by the bytes of the words", shorten(before))
}

fn at(line: usize, message: &str) -> Error {
    Error::Format { at: Place::Line(line), message: message.into() }
}

fn entry(line: &str) -> Option<CountedWord<String>> {
    let mut fields = line.split('\t');
    let word = unescape(fields.next()?)?;
    let mut number = || fields.next()?.parse().ok();
    let (count, document, place) = (number()?, number()?, number()?);
    let first = FirstOccurrence { document, word: place };
    (fields.next().is_none() && count > 0 && !word.is_empty()).then_some(CountedWord { word, count, first })
}

fn escape(word: &str, out: &mut String) {
    if !word.contains(|c| ESCAPES.iter().any(|(raw, _)| *raw == c)) {
        return out.push_str(word);
    }
    for c in word.chars() {
        match ESCAPES.iter().find(|(raw, _)| *raw == c) {
            Some((_, letter)) => out.extend(['\\', *letter]),
            None => out.push(c),
        }
    }
}

fn unescape(field: &str) -> Option<String> {
    if !field.contains('\\') {
        return Some(field.to_owned());
    }
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

    fn table() -> WordCounts {
        let mut counts = WordCounts::new(Some(TextSplitter::default()));
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
        for text in [write_counts(&table()).unwrap(), version_1()] {
            for end in 0..text.len() - 1 {
                assert!(read_counts(&text.as_bytes()[..end]).is_err(), "cut at {end}");
            }
        }
    }

    #[test]
    fn a_changed_file_is_an_error() {
        let text = write_counts(&table()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let of = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        assert_eq!(of(&lines), text);
        let changed = [
            of(&[lines[0], lines[1], lines[2], lines[4]]),
            of(&[lines[0], lines[1], lines[3], lines[2], lines[4]]),
            of(&[lines[0], lines[1], lines[1], lines[2], lines[3], lines[4]]),
            text.replace("b\t1\t0\t7", "b\t1\t1\t7"),
            text.clone() + "\n",
            text.clone() + &text,
        ];
        for text in changed {
            assert!(matches!(read_counts(text.as_bytes()), Err(Error::Format { .. })), "{text}");
        }
    }

    #[test]
    fn buckets_hold_all_words_once() {
        let mut counts = WordCounts::default();
        (0..500).for_each(|number| {
            counts.add(&format!("w{number}"), 1, FirstOccurrence { document: 0, word: number }).unwrap();
        });
        let mut outs = vec![Vec::new(); 7];
        let outs_mut = outs.iter_mut().map(|out| out as &mut dyn Write).collect();
        let written = write_buckets(counts.sorted(), None, outs_mut).unwrap();
        let mut sum = WordCounts::default();
        for (out, summary) in outs.iter().zip(&written) {
            assert!((40..110).contains(&summary.words), "{written:?}");
            sum.merge(&read_counts(out).unwrap()).unwrap();
        }
        assert_eq!(sum, counts);
    }

    fn version_1() -> String {
        let first = format!(
            r#"{{"format":"piecework.word_counts","version":1,"words":3,"total":6,"sha256":"{}","splitter":{{"normalizer":null,"pre_tokenizer":null}}}}"#,
            table().fingerprint()
        );
        let text = write_counts(&table()).unwrap();
        let words: Vec<&str> = text.lines().skip(1).take(3).collect();
        format!("{first}\n{}\n", words.join("\n"))
    }

    #[test]
    fn version_1_is_read() {
        assert_eq!(read_counts(version_1().as_bytes()).unwrap(), table());
        assert!(read_counts(version_1().replace("b\t1", "b\t2").as_bytes()).is_err());
    }
}
