//! Files in blocks that end where their text may be cut.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use piecework_core::Error;
use piecework_core::text::span::check_bytes;
use pyo3::prelude::*;

use crate::errors::from_io;

/// Opens a file that can be read, which a folder cannot.
pub(crate) fn open(py: Python<'_>, path: &Path) -> PyResult<File> {
    let file = File::open(path).map_err(|error| from_io(py, &error, path))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let error = std::io::Error::from_raw_os_error(21); // EISDIR, which opening alone does not raise
        return Err(from_io(py, &error, path));
    }
    Ok(file)
}

/// Why there is no next block.
pub(crate) enum Broken {
    Io(std::io::Error),
    Core(Error),
}

/// Where a block stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// How many blocks come before.
    pub(crate) number: usize,
    /// How many bytes come before.
    pub(crate) byte: u64,
    /// Whether nothing comes behind.
    pub(crate) is_last: bool,
}

/// What is read, block by block.
pub(crate) struct Blocks<'a> {
    source: Box<dyn Read + Send + 'a>,
    /// How many bytes are read at a time.
    size: usize,
    /// What was read beyond the end of the last block.
    rest: Vec<u8>,
    next: Option<Place>,
    /// The bytes of all blocks so far.
    pub(crate) read: u64,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(source: Box<dyn Read + Send + 'a>, size: usize) -> Self {
        let next = Some(Place { number: 0, byte: 0, is_last: false });
        Self { source, size: size.max(1), rest: Vec::new(), next, read: 0 }
    }

    /// Fills `block` with the next one and says where it stands. At least the first is given, if only an empty one.
    ///
    /// `cut` gives the last place, from some place on, where a block may end; without one it goes on.
    pub(crate) fn next(
        &mut self,
        block: &mut Vec<u8>,
        cut: impl Fn(&[u8], usize) -> Option<usize>,
    ) -> Result<Option<Place>, Broken> {
        let Some(place) = self.next.take() else { return Ok(None) };
        block.clear();
        block.append(&mut self.rest);
        loop {
            let before = block.len();
            let read = (&mut self.source).take(self.size as u64).read_to_end(block).map_err(Broken::Io)?;
            check_bytes(block.len()).map_err(Broken::Core)?;
            if read < self.size {
                self.read += block.len() as u64;
                return Ok(Some(Place { is_last: true, ..place }));
            }
            if let Some(end) = cut(block, before) {
                self.rest.extend_from_slice(&block[end..]);
                block.truncate(end);
                self.read += end as u64;
                self.next = Some(Place { number: place.number + 1, byte: self.read, ..place });
                return Ok(Some(place));
            }
        }
    }
}
