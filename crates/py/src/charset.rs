//! A guess at the character set of a file that does not name it.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use pyo3::prelude::*;

/// The likely name of the character set of `data`, which begins a file and is all of it if `whole`; names are those of
/// the Encoding Standard.
#[pyfunction]
pub(crate) fn detect_encoding(data: &[u8], whole: bool) -> &'static str {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(data) {
        return encoding.name();
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(data, whole);
    detector.guess(None, Utf8Detection::Allow).name()
}
