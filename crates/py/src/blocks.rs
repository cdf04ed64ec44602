//! Files in blocks that end at safe split points.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memchr::memrchr;
use piecework_core::Error;
use piecework_core::text::span::check_bytes;
use pyo3::prelude::*;

use crate::errors::from_io;

/// Opens a file; a folder is an error.
pub(crate) fn open(path: &Path) -> PyResult<File> {
    let file = File::open(path).map_err(|error| from_io(&error, path))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let error = std::io::Error::from_raw_os_error(21); // EISDIR, which opening alone does not raise
        return Err(from_io(&error, path));
    }
    Ok(file)
}

/// Returns the position after the last line end of a block, from `from` on.
pub(crate) fn last_line_end(block: &[u8], from: usize) -> Option<usize> {
    memrchr(b'\n', &block[from..]).map(|end| from + end + 1)
}

/// Calls `progress` with the number of bytes read, once there are some.
pub(crate) fn report(py: Python<'_>, progress: &Py<PyAny>, read: u64) -> PyResult<()> {
    if read > 0 { progress.call1(py, (read,)).map(drop) } else { Ok(()) }
}

/// The reason why there is no next block.
pub(crate) enum FileBlockError {
    Io(std::io::Error),
    Core(Error),
}

/// The position of a block in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileBlockPosition {
    /// The number of blocks before it.
    pub(crate) number: usize,
    /// The number of bytes before it.
    pub(crate) byte: u64,
    /// Whether it is the last block.
    pub(crate) is_last: bool,
}

/// A reader of a file in blocks.
pub(crate) struct FileBlocks<'a> {
    source: Box<dyn Read + Send + 'a>,
    /// The number of bytes of a read.
    size: usize,
    /// The bytes that were read after the end of the last block.
    rest: Vec<u8>,
    next: Option<FileBlockPosition>,
    /// The number of bytes of all blocks so far.
    pub(crate) read: u64,
}

impl<'a> FileBlocks<'a> {
    pub(crate) fn new(source: Box<dyn Read + Send + 'a>, size: usize) -> Self {
        let next = Some(FileBlockPosition { number: 0, byte: 0, is_last: false });
        Self { source, size: size.max(1), rest: Vec::new(), next, read: 0 }
    }

    /// Reads the next block into `block` and returns its position; an empty file has one empty block.
    ///
    /// `cut` returns the last position, from a given one on, where a block may end; `None` extends the block.
    pub(crate) fn next(
        &mut self,
        block: &mut Vec<u8>,
        cut: impl Fn(&[u8], usize) -> Option<usize>,
    ) -> Result<Option<FileBlockPosition>, FileBlockError> {
        let Some(place) = self.next.take() else { return Ok(None) };
        block.clear();
        block.append(&mut self.rest);
        loop {
            let before = block.len();
            let read = (&mut self.source).take(self.size as u64).read_to_end(block).map_err(FileBlockError::Io)?;
            if read < self.size {
                self.read += block.len() as u64;
                return Ok(Some(FileBlockPosition { is_last: true, ..place }));
            }
            if let Some(end) = cut(block, before) {
                self.rest.extend_from_slice(&block[end..]);
                block.truncate(end);
                self.read += end as u64;
                self.next = Some(FileBlockPosition { number: place.number + 1, byte: self.read, ..place });
                return Ok(Some(place));
            }
            // No longer text can be encoded or counted.
            check_bytes(block.len()).map_err(FileBlockError::Core)?;
        }
    }
}
