//! Builds without the feature `jieba`: the segmenter is an error that names the feature.
#![cfg(not(feature = "jieba"))]
#![allow(clippy::unwrap_used, reason = "in a test a panic is the message")]

use piecework_core::Error;
use piecework_core::format::read_splitter;
use piecework_core::pretokenize::Jieba;

#[test]
fn the_error_names_the_feature() {
    let json = r#"{"pre_tokenizer": {"type": "piecework.Jieba"}}"#;
    for error in [Jieba::new(true, Vec::new()).unwrap_err(), read_splitter(json, &[]).unwrap_err()] {
        assert!(matches!(error, Error::Config(_)), "{error}");
        assert!(error.to_string().ends_with("with the cargo feature \"jieba\""), "{error}");
    }
}
