//! Encoding files, as one text or as one text a line.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;
use std::sync::Mutex;

use memchr::memchr_iter;
use piecework_core::Error;
use piecework_core::added::SpecialsPolicy;
use piecework_core::counts::strip_line_end;
use piecework_core::pipeline::{Input, Scratch, SplitPart, TextCutter};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::batch::Batch;
use crate::blocks::{FileBlockError, FileBlockPosition, FileBlocks, last_line_end, open, report};
use crate::call::Call;
use crate::encoded::{Encoded, in_order};
use crate::errors::{from_io, in_file, in_line};
use crate::threads;
use crate::tuples::tuple_struct;

tuple_struct! {
    /// How a file is read.
    FileReading {
        /// The bytes of the file, if Python has read them.
        data: Option<PyBackedBytes>,
        /// Whether each line is a text.
        lines: bool,
        /// Whether U+FFFD replaces invalid UTF-8.
        replace: bool,
        /// The number of bytes of a read.
        block: usize,
    }
}

/// A call that encodes a file.
struct FileCall<'a> {
    call: Call<'a>,
    reading: &'a FileReading,
    cuts: Option<TextCutter<'a>>,
}

/// An error, with the number of its block and of its line in the block.
struct Failure {
    block: usize,
    line: Option<u64>,
    error: FileBlockError,
}

/// A reader of blocks that numbers the first line of each, if its number affects sampling.
struct Reader<'a> {
    blocks: FileBlocks<'a>,
    /// Whether lines are counted.
    counts: bool,
    /// The number of lines of all blocks so far; 0 if they are not counted.
    lines: u64,
}

impl Reader<'_> {
    /// Reads the next block into `block`; returns its position and the number of its first line.
    fn next(
        &mut self,
        file: &FileCall<'_>,
        block: &mut Vec<u8>,
    ) -> Result<Option<(FileBlockPosition, u64)>, FileBlockError> {
        let Some(place) = self.blocks.next(block, |block, from| file.cut(block, from))? else {
            return Ok(None);
        };
        let first_line = self.lines;
        if self.counts {
            self.lines += memchr_iter(b'\n', block).count() as u64;
        }
        Ok(Some((place, first_line)))
    }
}

/// Encodes a file on several threads; calls `progress` with the bytes read.
pub(crate) fn encode_file(
    call: Call<'_>,
    path: &Path,
    reading: &FileReading,
    requested: Option<threads::ThreadCount>,
    progress: &Bound<'_, PyAny>,
) -> PyResult<Batch> {
    let (source, length) = reading.open(path)?;
    // At most the number of blocks, as far as the length is known.
    let bytes = usize::try_from(length).unwrap_or(usize::MAX);
    let threads = threads::number(requested).min(bytes / reading.block.max(1) + 1);
    let file = FileCall { call, reading, cuts: call.tokenizer.cuts(call.options) };
    let blocks = FileBlocks::new(source, reading.block);
    let reader = Mutex::new(Reader { blocks, counts: file.samples_lines(), lines: 0 });
    let start = || {
        let (mut block, mut scratch, file, reader) = (Vec::new(), call.pool.scratch(), &file, &reader);
        move |encoded: &mut Encoded| {
            let read = reader.lock().map_or(Ok(None), |mut reader| reader.next(file, &mut block));
            let place = read.map_err(|error| Failure { block: usize::MAX, line: None, error })?;
            let Some((place, first_line)) = place else { return Ok(None) };
            let done = file.encode(place, first_line, &block, &mut scratch, encoded);
            done.map_err(|(line, error)| Failure { block: place.number, line, error: FileBlockError::Core(error) })?;
            Ok(Some(place.number))
        }
    };
    let (py, progress) = (progress.py(), progress.clone().unbind());
    let tick = |py: Python<'_>| report(py, &progress, reader.try_lock().map_or(0, |reader| reader.blocks.read));
    let empty = Encoded::for_threads(threads, bytes, false);
    let (encoded, failures): (_, Vec<Failure>) = in_order(py, empty, start, tick)?;
    if let Some(failure) = failures.into_iter().min_by_key(|failure| failure.block) {
        // The encoded part ends at the failure.
        return Err(failure.into_py(path, &encoded));
    }
    tick(py)?;
    Ok(encoded.into_batch(None))
}

impl FileReading {
    /// Returns the bytes of the file, and their number as far as it is known.
    fn open(&self, path: &Path) -> PyResult<(Box<dyn Read + Send + '_>, u64)> {
        if let Some(data) = &self.data {
            return Ok((Box::new(&**data), data.len() as u64));
        }
        let file = open(path)?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        Ok((Box::new(file), length))
    }
}

impl FileCall<'_> {
    /// Returns whether each line is a text that is sampled with its number as a part of the seed.
    fn samples_lines(&self) -> bool {
        self.reading.lines && matches!(self.call.tokenizer.options_of_input(self.call.options, 0), Cow::Owned(_))
    }

    /// Returns the last position of a block, from `from` on, where it may end.
    fn cut(&self, block: &[u8], from: usize) -> Option<usize> {
        if self.reading.lines {
            return last_line_end(block, from);
        }
        // A cut needs a byte before it.
        let from = from.saturating_sub(1);
        self.cuts?.last(&block[from..]).map(|end| from + end)
    }

    /// Encodes a block and appends to `encoded`; an error comes with the index of its line in the block.
    fn encode(
        &self,
        place: FileBlockPosition,
        first_line: u64,
        block: &[u8],
        scratch: &mut Scratch,
        encoded: &mut Encoded,
    ) -> Result<(), (Option<u64>, Error)> {
        let text = self.text(place, block).map_err(|error| (None, error))?;
        if self.reading.lines {
            return self.encode_lines(&text, first_line, scratch, encoded).map_err(|(line, error)| (Some(line), error));
        }
        let Call { tokenizer, options, .. } = self.call;
        let (before, part) =
            (encoded.ids.len(), SplitPart { text: &text, is_first: place.number == 0, is_last: place.is_last });
        let done = match self.cuts {
            Some(cuts) => cuts.encode(part, scratch, &mut encoded.ids),
            None => tokenizer.encode_ids(Input::Text(&text), None, options, scratch, &mut encoded.ids),
        };
        done.map_err(|error| (None, error))?;
        encoded.push_part(encoded.ids.len() - before, part.is_first);
        encoded.lines += memchr_iter(b'\n', block).count() as u64;
        if matches!(options.specials, SpecialsPolicy::Error(_)) {
            encoded.characters += text.chars().count();
        }
        Ok(())
    }

    /// Encodes each line as an input, numbered as in the file; `first_line` is the number of the first one.
    fn encode_lines(
        &self,
        text: &str,
        first_line: u64,
        scratch: &mut Scratch,
        encoded: &mut Encoded,
    ) -> Result<(), (u64, Error)> {
        let Call { tokenizer, options, .. } = self.call;
        let Encoded { ids, lengths, .. } = encoded;
        let mut lines = 0;
        for whole in text.split_inclusive('\n') {
            let (before, line) = (ids.len(), strip_line_end(whole));
            let options = tokenizer.options_of_input(options, first_line + lines);
            tokenizer.encode_ids(Input::Text(line), None, &options, scratch, ids).map_err(|error| (lines, error))?;
            lengths.push(ids.len() - before);
            lines += 1;
        }
        encoded.lines += lines;
        Ok(())
    }

    fn text<'a>(&self, place: FileBlockPosition, block: &'a [u8]) -> Result<Cow<'a, str>, Error> {
        match simdutf8::compat::from_utf8(block) {
            Ok(text) => Ok(text.into()),
            // No character crosses a block boundary, which is next to an ASCII character.
            Err(_) if self.reading.replace => Ok(String::from_utf8_lossy(block)),
            Err(error) => {
                let valid = error.valid_up_to();
                let line = memchr_iter(b'\n', &block[..valid]).count() as u64 + 1;
                Err(Error::Utf8 { line, byte: place.byte + valid as u64, value: block[valid] })
            }
        }
    }
}

impl Failure {
    /// Returns the exception; `before` is what was encoded before the block.
    fn into_py(self, path: &Path, before: &Encoded) -> PyErr {
        match (self.error, self.line) {
            (FileBlockError::Io(error), _) => from_io(&error, path),
            (FileBlockError::Core(Error::Utf8 { line, byte, value }), _) => {
                in_file(Error::Utf8 { line: before.lines + line, byte, value }, path)
            }
            (FileBlockError::Core(error), Some(line)) => in_line(error, path, before.lines + line + 1),
            (FileBlockError::Core(error), None) => in_file(error.shifted(before.characters), path),
        }
    }
}
