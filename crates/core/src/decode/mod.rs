//! Tokens back to text.

mod wordpiece;

pub use wordpiece::WordPieceDecoder;
