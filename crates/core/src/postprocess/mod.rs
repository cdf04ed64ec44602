//! Tokens of one or two texts to the sequence a model reads.

mod template;

pub use template::{Piece, Template};
