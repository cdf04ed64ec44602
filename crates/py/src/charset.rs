//! Detection of the character set of a file.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use pyo3::prelude::*;

/// Returns the likely character set of `data`, by its name in the Encoding Standard.
///
/// `data` is the start of a file, and all of it if `whole`.
#[pyfunction]
pub(crate) fn detect_encoding(data: &[u8], whole: bool) -> &'static str {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(data) {
        return encoding.name();
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(data, whole);
    detector.guess(None, Utf8Detection::Allow).name()
}
