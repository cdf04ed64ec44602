//! Temporary files for sorted runs, and errors of files that name them.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use piecework_core::counts::{RunStorage, RunStore};

/// A folder for temporary files. They have no names, so nothing is left of them when the process ends in any way.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: Arc<Path>,
}

impl WorkFolder {
    /// Returns the folder, after creating a file in it; the default is the system's folder for temporary files.
    pub(crate) fn new(path: Option<PathBuf>) -> io::Result<Arc<Self>> {
        let folder = Self { path: path.unwrap_or_else(std::env::temp_dir).into() };
        folder.create()?;
        Ok(Arc::new(folder))
    }
}

impl RunStore for WorkFolder {
    fn create(&self) -> io::Result<Box<dyn RunStorage>> {
        let in_folder = |source| io::Error::other(PathError { path: self.path.clone(), is_work_folder: true, source });
        let file = unnamed(&self.path).map_err(in_folder)?;
        Ok(Box::new(FileWithPath { file, path: self.path.clone(), is_work_folder: true }))
    }
}

/// Creates a file that is removed when it is closed.
fn unnamed(folder: &Path) -> io::Result<File> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".piecework-{}-{number}.run", std::process::id()));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        #[cfg(windows)] // FILE_FLAG_DELETE_ON_CLOSE
        std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0400_0000);
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => {
                let file = opened?;
                #[cfg(unix)]
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
        }
    }
}

/// A file whose errors name a path.
#[derive(Debug)]
pub(crate) struct FileWithPath {
    file: File,
    path: Arc<Path>,
    is_work_folder: bool,
}

impl FileWithPath {
    pub(crate) fn new(file: File, path: &Path) -> Self {
        Self { file, path: path.into(), is_work_folder: false }
    }

    fn named<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|source| {
            if source.kind() == io::ErrorKind::Interrupted {
                return source; // the caller tries again
            }
            io::Error::other(PathError { path: self.path.clone(), is_work_folder: self.is_work_folder, source })
        })
    }
}

impl Read for FileWithPath {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer);
        self.named(read)
    }
}

impl Write for FileWithPath {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer);
        self.named(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.named(flushed)
    }
}

impl Seek for FileWithPath {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let sought = self.file.seek(to);
        self.named(sought)
    }
}

/// An error of the system, with its file or its folder of temporary files.
#[derive(Debug)]
pub(crate) struct PathError {
    pub(crate) path: Arc<Path>,
    pub(crate) is_work_folder: bool,
    pub(crate) source: io::Error,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for PathError {}
