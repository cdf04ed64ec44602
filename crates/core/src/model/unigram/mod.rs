//! Unigram: each piece has a probability, and a word is the likeliest row of pieces that spells it.

pub mod train;
