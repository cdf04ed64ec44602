//! Cutting blocks of bytes into lines, and reading the document of each.
//!
//! A line ends with a line feed. The part of a line at the end of a block is kept until the next block; a carriage
//! return before the line feed belongs to the line end, any other is text.

use memchr::{memchr, memchr_iter, memrchr};

use super::json::{JsonFields, JsonScratch, parse_line};
use super::{DocumentColumns, Fault, FaultKind, TextColumn};

/// The byte order mark in UTF-8.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The format of the lines of a file.
#[derive(Debug, Clone)]
pub enum LineFormat {
    /// Each line is a text.
    Text {
        /// Whether a text includes its line end.
        keep_ends: bool,
    },
    /// The whole file is a text.
    WholeFile,
    /// Each line is a JSON object, whose members are the text and others to keep; lines of white space are ignored.
    Json(JsonFields),
}

impl LineFormat {
    /// Returns the number of members to keep besides the text.
    pub(super) fn kept(&self) -> usize {
        match self {
            Self::Text { .. } | Self::WholeFile => 0,
            Self::Json(fields) => fields.kept(),
        }
    }
}

/// The part of a file whose lines are read: those that begin in it.
#[derive(Debug, Clone, Copy)]
pub struct LineRange {
    /// The byte of the file where the first block begins.
    pub start: u64,
    /// Whether the first line began before, and belongs to another range.
    pub skips_first: bool,
    /// The byte from which on lines belong to another range.
    pub end: u64,
}

/// A reader of the documents of consecutive blocks of bytes.
///
/// ```
/// use piecework_core::documents::{DocumentColumns, JsonFields, LineFormat, LineRange, LineReader};
///
/// let format = LineFormat::Json(JsonFields::new("text", &[])?);
/// let mut columns = DocumentColumns::new(&format);
/// let mut reader = LineReader::new(format, LineRange { start: 0, skips_first: false, end: u64::MAX });
/// reader.read(b"{\"text\": \"a\"}\n{\"te", false, &mut columns);
/// reader.read(b"xt\": 3}\n", true, &mut columns);
/// assert_eq!((&columns.texts.bytes[..], columns.faults[0].line), (&b"a"[..], 1));
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug)]
pub struct LineReader {
    format: LineFormat,
    range: LineRange,
    /// Whether reading ends at the first fault.
    stops: bool,
    /// The maximum number of bytes of a line.
    longest: usize,
    /// The bytes of the unfinished line, and its start in the file.
    rest: Vec<u8>,
    position: u64,
    /// The number of line ends so far.
    line: u64,
    /// Whether the bytes up to the next line end are ignored.
    skips_line: bool,
    is_finished: bool,
    scratch: JsonScratch,
}

impl LineReader {
    /// The maximum number of bytes of a line, which is that of a text.
    pub const LONGEST: usize = (u32::MAX / 4) as usize;

    /// Returns a reader that continues after faults.
    #[must_use]
    pub fn new(format: LineFormat, range: LineRange) -> Self {
        Self {
            format,
            range,
            stops: false,
            longest: Self::LONGEST,
            rest: Vec::new(),
            position: range.start,
            line: 0,
            skips_line: range.skips_first,
            is_finished: false,
            scratch: JsonScratch::default(),
        }
    }

    /// Makes the reader end at the first fault.
    #[must_use]
    pub fn stop_at_fault(mut self) -> Self {
        self.stops = true;
        self
    }

    /// Returns whether no further line belongs to the range, or reading ended at a fault.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns the number of bytes of the unfinished line.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.rest.len()
    }

    /// Appends the documents of the lines that end in `block`, or at its end if it is the last one.
    pub fn read(&mut self, mut block: &[u8], is_last: bool, columns: &mut DocumentColumns) {
        if matches!(self.format, LineFormat::WholeFile) {
            return self.read_whole(block, is_last, columns);
        }
        if !self.rest.is_empty() || self.skips_line {
            let end = memchr(b'\n', block).map(|end| end + 1);
            let (head, tail) = block.split_at(end.unwrap_or(block.len()));
            self.hold(head, columns);
            if end.is_none() && !is_last {
                return;
            }
            block = tail;
            self.finish_line(end.is_some(), columns);
        }
        let end = if is_last { block.len() } else { memrchr(b'\n', block).map_or(0, |end| end + 1) };
        self.lines(&block[..end], columns);
        if !self.is_finished {
            self.hold(&block[end..], columns);
        }
        self.is_finished |= is_last || self.position >= self.range.end;
    }

    /// Appends the document of the whole file after its last block.
    fn read_whole(&mut self, block: &[u8], is_last: bool, columns: &mut DocumentColumns) {
        self.hold(block, columns);
        if is_last && !self.skips_line {
            let text = std::mem::take(&mut self.rest);
            self.document(&text, false, columns);
        }
        self.is_finished |= is_last;
    }

    /// Appends bytes to the unfinished line, unless it is skipped or too long.
    fn hold(&mut self, bytes: &[u8], columns: &mut DocumentColumns) {
        if self.is_finished {
            return;
        }
        if !self.skips_line && self.rest.len() + bytes.len() > self.longest {
            let reason = format!("the line is longer than the limit of {} bytes", self.longest);
            if self.position < self.range.end {
                self.push_fault(Fault::new(FaultKind::TooLong, self.longest, reason), columns);
            }
            self.position += self.rest.len() as u64;
            self.rest = Vec::new();
            self.skips_line = true;
        }
        if self.skips_line {
            self.position += bytes.len() as u64;
        } else {
            self.rest.extend_from_slice(bytes);
        }
    }

    /// Reads the unfinished line, which is complete.
    fn finish_line(&mut self, has_end: bool, columns: &mut DocumentColumns) {
        if self.skips_line {
            self.skips_line = false;
            self.line += u64::from(has_end);
            return;
        }
        let mut line = std::mem::take(&mut self.rest);
        self.lines(&line, columns);
        line.clear();
        self.rest = line;
    }

    /// Reads complete lines.
    fn lines(&mut self, block: &[u8], columns: &mut DocumentColumns) {
        let is_utf8 = simdutf8::basic::from_utf8(block).is_ok();
        let mut rest = block;
        while !rest.is_empty() {
            self.is_finished |= self.position >= self.range.end;
            if self.is_finished {
                return;
            }
            let end = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let (line, tail) = rest.split_at(end);
            self.document(line, is_utf8, columns);
            self.position += end as u64;
            self.line += 1;
            rest = tail;
        }
    }

    /// Appends the document of a line, or its fault.
    fn document(&mut self, line: &[u8], is_utf8: bool, columns: &mut DocumentColumns) {
        if line.len() > self.longest {
            let reason = format!("the line is longer than the limit of {} bytes", self.longest);
            return self.push_fault(Fault::new(FaultKind::TooLong, self.longest, reason), columns);
        }
        if !is_utf8 && let Err(error) = simdutf8::compat::from_utf8(line) {
            let (byte, value) = (error.valid_up_to(), line[error.valid_up_to()]);
            let reason = format!("invalid UTF-8 (0x{value:02x})");
            self.line += memchr_iter(b'\n', &line[..byte]).count() as u64; // of a whole file
            return self.push_fault(Fault::new(FaultKind::InvalidUtf8(value), byte, reason), columns);
        }
        match self.push(line, columns) {
            Ok(true) => {
                columns.positions.push(self.position);
                columns.lines.push(self.line);
            }
            Ok(false) => {}
            Err(fault) => {
                columns.texts.truncate(columns.positions.len());
                columns.kept.iter_mut().for_each(|column| column.truncate(columns.positions.len()));
                self.push_fault(fault, columns);
            }
        }
    }

    /// Appends the texts of a line; returns whether it is a document.
    fn push(&mut self, line: &[u8], columns: &mut DocumentColumns) -> Result<bool, Fault> {
        match &self.format {
            LineFormat::Text { keep_ends } => {
                push_line(if *keep_ends { line } else { without_end(line) }, &mut columns.texts);
                Ok(true)
            }
            LineFormat::WholeFile => {
                push_line(line, &mut columns.texts);
                Ok(true)
            }
            LineFormat::Json(fields) => {
                // A byte order mark at the start of the file is no part of its JSON (RFC 8259, section 8.1).
                let mark = if self.position == 0 && line.starts_with(BOM) { BOM.len() } else { 0 };
                let line = without_end(&line[mark..]);
                let done = parse_line(line, fields, &mut self.scratch, columns);
                done.map_err(|fault| Fault { byte: fault.byte + mark as u64, ..fault })
            }
        }
    }

    /// Appends a fault, whose byte is that of the line.
    fn push_fault(&mut self, fault: Fault, columns: &mut DocumentColumns) {
        let (line, start) = (self.line, self.position);
        columns.faults.push(Fault { line, start, byte: start + fault.byte, ..fault });
        self.is_finished |= self.stops;
    }
}

fn push_line(line: &[u8], column: &mut TextColumn) {
    column.bytes.extend_from_slice(line);
    column.end_text();
}

/// Returns a line without its line feed, and without a carriage return before it.
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: LineRange = LineRange { start: 0, skips_first: false, end: u64::MAX };

    fn json() -> LineFormat {
        LineFormat::Json(JsonFields::new("text", &["id".to_owned()]).unwrap())
    }

    /// Returns the columns of a file that is read in blocks of a size.
    fn read(mut reader: LineReader, data: &[u8], size: usize) -> DocumentColumns {
        let mut columns = DocumentColumns::new(&reader.format);
        for block in data.chunks(size) {
            reader.read(block, false, &mut columns);
        }
        reader.read(b"", true, &mut columns);
        assert!(reader.is_finished());
        columns
    }

    fn texts(columns: &DocumentColumns) -> Vec<&str> {
        let starts = std::iter::once(&0).chain(&columns.texts.ends);
        let ranges = starts.zip(&columns.texts.ends);
        ranges.map(|(&start, &end)| std::str::from_utf8(&columns.texts.bytes[start..end]).unwrap()).collect()
    }

    const DATA: &[u8] = b"\xEF\xBB\xBF{\"text\": \"one\", \"id\": null}\r\n\n{\"text\": 2}\n \xFF\n{\"id\": \"\\ud800\", \"text\": \"lost\"}\
        \n{\"id\": 5, \"text\": \"three\"}";

    #[test]
    fn blocks_of_all_sizes_give_equal_columns() {
        let whole = read(LineReader::new(json(), ALL), DATA, DATA.len());
        assert_eq!(texts(&whole), ["one", "three"]);
        assert_eq!(whole.kept[0].validity, [false, true]);
        assert_eq!(whole.kept[0].bytes, b"5");
        let faults: Vec<_> = whole.faults.iter().map(|fault| (fault.line, fault.byte, fault.kind.clone())).collect();
        let expected = [
            (2, 42, FaultKind::NoText(None)),
            (3, 46, FaultKind::InvalidUtf8(0xFF)),
            (4, 56, FaultKind::LoneSurrogate),
        ];
        assert_eq!(faults, expected);
        assert_eq!(whole.lines, [0, 5]);
        for format in [json(), LineFormat::Text { keep_ends: true }, LineFormat::Text { keep_ends: false }] {
            let whole = read(LineReader::new(format.clone(), ALL), DATA, DATA.len());
            for size in 1..DATA.len() {
                assert_eq!(read(LineReader::new(format.clone(), ALL), DATA, size), whole);
            }
        }
    }

    #[test]
    fn a_range_has_the_lines_that_begin_in_it() {
        let whole = read(LineReader::new(json(), ALL), DATA, DATA.len());
        for cut in 1..DATA.len() {
            let end = cut as u64;
            let first = read(LineReader::new(json(), LineRange { end, ..ALL }), DATA, 7);
            let range = LineRange { start: end - 1, skips_first: true, end: u64::MAX };
            let second = read(LineReader::new(json(), range), &DATA[cut - 1..], 5);
            assert_eq!([texts(&first), texts(&second)].concat(), texts(&whole));
            assert_eq!([&first.positions[..], &second.positions].concat(), whole.positions);
            assert_eq!(first.faults.len() + second.faults.len(), whole.faults.len());
        }
    }

    #[test]
    fn reading_stops_at_the_first_fault_on_request() {
        let columns = read(LineReader::new(json(), ALL).stop_at_fault(), DATA, 10);
        assert_eq!((texts(&columns), columns.faults.len()), (vec!["one"], 1));
    }

    #[test]
    fn long_lines_are_faults_and_not_stored() {
        let data = b"abc\nabcdefghij\nabcd\nabcde";
        for size in 1..=data.len() {
            let format = LineFormat::Text { keep_ends: false };
            let mut reader = LineReader { longest: 5, ..LineReader::new(format, ALL) };
            assert_eq!(reader.pending(), 0);
            let mut columns = DocumentColumns::default();
            for block in data.chunks(size) {
                reader.read(block, false, &mut columns);
                assert!(reader.pending() <= 5);
            }
            reader.read(b"", true, &mut columns);
            assert_eq!((texts(&columns), &columns.positions[..]), (vec!["abc", "abcd", "abcde"], &[0, 15, 20][..]));
            let faults: Vec<_> = columns.faults.iter().map(|fault| (fault.line, fault.start, fault.byte)).collect();
            assert_eq!(faults, [(1, 4, 9)], "{size}");
        }
    }

    #[test]
    fn a_whole_file_is_one_text() {
        let columns = read(LineReader::new(LineFormat::WholeFile, ALL), b"a\r\nb\n", 2);
        assert_eq!(texts(&columns), ["a\r\nb\n"]);
        let columns = read(LineReader::new(LineFormat::WholeFile, ALL), b"a\nb\xFF\n", 2);
        assert_eq!((columns.faults[0].line, columns.faults[0].byte), (1, 3));
    }
}
