//! Encoding files, as one text or as one text a line.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use memchr::{memchr_iter, memrchr};
use piecework_core::Error;
use piecework_core::added::Specials;
use piecework_core::counts::strip_line_end;
use piecework_core::pipeline::{Cuts, Input, Scratch, SplitPart};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::batch::Batch;
use crate::blocks::{BlockError, BlockPosition, Blocks, open};
use crate::call::Call;
use crate::encoded::{Encoded, in_order};
use crate::errors::{from_io, in_file, in_line};
use crate::scratch_pool::PooledScratch;
use crate::threads;

/// The arguments of a call that encodes a file.
pub(crate) struct FileCall<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) path: PathBuf,
    /// The bytes of the file, if Python has read them.
    pub(crate) data: Option<PyBackedBytes>,
    /// Whether each line is a text.
    pub(crate) lines: bool,
    /// Whether U+FFFD replaces invalid UTF-8.
    pub(crate) replace: bool,
    /// The number of bytes of a read.
    pub(crate) block: usize,
}

/// An error, with the number of its block and of its line in the block.
struct Failure {
    block: usize,
    line: Option<u64>,
    error: BlockError,
}

/// A reader of blocks that numbers the first line of each, if its number affects sampling.
struct Reader<'a> {
    blocks: Blocks<'a>,
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
        cuts: Option<Cuts<'_>>,
        block: &mut Vec<u8>,
    ) -> Result<Option<(BlockPosition, u64)>, BlockError> {
        let Some(place) = self.blocks.next(block, |block, from| file.cut(cuts, block, from))? else {
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
    py: Python<'_>,
    file: &FileCall<'_>,
    requested: Option<threads::Requested>,
    progress: &Bound<'_, PyAny>,
) -> PyResult<Batch> {
    let (source, length): (Box<dyn Read + Send + '_>, _) = match &file.data {
        Some(data) => (Box::new(&**data), data.len() as u64),
        None => {
            let source = open(&file.path)?;
            let length = source.metadata().map_or(0, |metadata| metadata.len());
            (Box::new(source), length)
        }
    };
    // At most the number of blocks, as far as the length is known.
    let bytes = usize::try_from(length).unwrap_or(usize::MAX);
    let most = bytes / file.block.max(1) + 1;
    let threads = threads::number(requested).min(most);
    let cuts = file.call.tokenizer.cuts(file.call.options);
    let reader = Mutex::new(Reader { blocks: Blocks::new(source, file.block), counts: file.samples_lines(), lines: 0 });
    let start = || (Vec::new(), file.call.pool.scratch());
    let next = |(block, scratch): &mut (Vec<u8>, PooledScratch<'_>), encoded: &mut Encoded| {
        let read = reader.lock().map_or(Ok(None), |mut reader| reader.next(file, cuts, block));
        let place = read.map_err(|error| Failure { block: usize::MAX, line: None, error })?;
        let Some((place, first_line)) = place else { return Ok(None) };
        let done = file.encode(cuts, place, first_line, block, scratch, encoded);
        done.map_err(|(line, error)| Failure { block: place.number, line, error: BlockError::Core(error) })?;
        Ok(Some(place.number))
    };
    let progress = progress.clone().unbind();
    let tick = |py: Python<'_>| match reader.try_lock().map_or(0, |reader| reader.blocks.read) {
        0 => Ok(()),
        read => progress.call1(py, (read,)).map(drop),
    };
    let (encoded, failures): (_, Vec<Failure>) = in_order(py, threads, bytes, false, start, next, tick)?;
    if let Some(failure) = failures.into_iter().min_by_key(|failure| failure.block) {
        // The encoded part ends at the failure.
        return Err(failure.into_py(&file.path, &encoded));
    }
    tick(py)?;
    Ok(encoded.into_batch(None))
}

impl FileCall<'_> {
    /// Returns whether each line is a text that is sampled with its number as a part of the seed.
    fn samples_lines(&self) -> bool {
        self.lines && matches!(self.call.tokenizer.options_of_input(self.call.options, 0), Cow::Owned(_))
    }

    /// Returns the last position of a block, from `from` on, where it may end.
    fn cut(&self, cuts: Option<Cuts<'_>>, block: &[u8], from: usize) -> Option<usize> {
        if self.lines {
            return memrchr(b'\n', &block[from..]).map(|end| from + end + 1);
        }
        // A cut needs a byte before it.
        let from = from.saturating_sub(1);
        cuts?.last(&block[from..]).map(|end| from + end)
    }

    /// Encodes a block and appends to `encoded`; an error comes with the index of its line in the block.
    fn encode(
        &self,
        cuts: Option<Cuts<'_>>,
        place: BlockPosition,
        first_line: u64,
        block: &[u8],
        scratch: &mut Scratch,
        encoded: &mut Encoded,
    ) -> Result<(), (Option<u64>, Error)> {
        let text = self.text(place, block).map_err(|error| (None, error))?;
        if self.lines {
            return self.encode_lines(&text, first_line, scratch, encoded).map_err(|(line, error)| (Some(line), error));
        }
        let Call { tokenizer, options, .. } = self.call;
        let (before, part) =
            (encoded.ids.len(), SplitPart { text: &text, is_first: place.number == 0, is_last: place.is_last });
        let done = match cuts {
            Some(cuts) => cuts.encode(part, scratch, &mut encoded.ids),
            None => tokenizer.encode_ids(Input::Text(&text), None, options, scratch, &mut encoded.ids),
        };
        done.map_err(|error| (None, error))?;
        encoded.push_part(encoded.ids.len() - before, part.is_first);
        encoded.lines += memchr_iter(b'\n', block).count() as u64;
        if options.specials == Specials::Error {
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

    fn text<'a>(&self, place: BlockPosition, block: &'a [u8]) -> Result<Cow<'a, str>, Error> {
        match simdutf8::compat::from_utf8(block) {
            Ok(text) => Ok(text.into()),
            // No character crosses a block boundary, which is next to an ASCII character.
            Err(_) if self.replace => Ok(String::from_utf8_lossy(block)),
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
            (BlockError::Io(error), _) => from_io(&error, path),
            (BlockError::Core(Error::Utf8 { line, byte, value }), _) => {
                in_file(Error::Utf8 { line: before.lines + line, byte, value }, path)
            }
            (BlockError::Core(error), Some(line)) => in_line(error, path, before.lines + line + 1),
            (BlockError::Core(error), None) => in_file(error.shifted(before.characters), path),
        }
    }
}
