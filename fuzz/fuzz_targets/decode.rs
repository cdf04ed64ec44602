//! The text of tokens equals that of the decoder's definition, with tables and without, whole and in streams with stops.
//!
//! The first two bytes choose the decoder, the third whether special tokens are skipped, and each other byte is a token.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::decode::{DecodeStream, StreamOutput};
use piecework_fuzz::decoding::{DecoderTrial, check_decoding};

fuzz_target!(|data: &[u8]| {
    let Some((&[one, other, skip], tokens)) = data.split_first_chunk() else { return };
    let trial = DecoderTrial::new(u16::from_be_bytes([one, other]));
    let (ids, skip) = (trial.ids(tokens), skip & 1 == 1);
    let (wanted, strings) = (trial.text(&ids, skip), trial.tokens(&ids, skip));
    let mut bytes = DecodeStream::new(trial.tokenizer.decoder(), StreamOutput::Bytes);
    let mut wanted_bytes: Vec<u8> = strings.iter().flat_map(|&token| bytes.step([token]).expect("no error")).collect();
    wanted_bytes.extend(bytes.finish().expect("no error"));
    // The first call has no table, and the checks between build it.
    for _ in 0..2 {
        trial.same(&trial.tokenizer.decode(&ids, skip).expect("no error"), &wanted);
        trial.same(&trial.tokenizer.decode_bytes(&ids, skip).expect("no error"), &wanted_bytes);
        check_decoding(&trial.tokenizer, &ids, skip);
    }
});
