//! Pieces of a `SentencePiece` model.

use super::{Flow, Form, Stage};
use crate::decode::SentencePieceDecoder;
use crate::decode::sentencepiece::Progress;
use crate::error::Result;

/// Pieces, to one part.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    decoder: SentencePieceDecoder,
    form: Form,
    piece: Vec<u8>,
    progress: Progress,
}

impl Pieces {
    pub(super) fn new(decoder: &SentencePieceDecoder, form: Form) -> Self {
        Self { decoder: decoder.clone(), form, piece: Vec::new(), progress: decoder.start() }
    }
}

impl Stage for Pieces {
    fn piece(&mut self, piece: &[u8], _out: &mut Flow) -> Result<()> {
        self.piece.extend_from_slice(piece);
        Ok(())
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        let mut new = Vec::new();
        self.decoder.push(&String::from_utf8_lossy(&self.piece), &mut self.progress, self.form, &mut new);
        self.piece.clear();
        out.push(&new)
    }

    fn finish(&mut self, out: &mut Flow) -> Result<()> {
        let mut rest = Vec::new();
        self.progress.finish(&mut rest);
        out.push(&rest)?;
        out.end();
        Ok(())
    }
}
