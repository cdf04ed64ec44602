//! A guess at the character set of bytes that do not say (note 003).

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

/// The name, as the Encoding Standard has it, of the likely character set of `data`, which begins a file and
/// is all of it if `whole`.
#[must_use]
pub fn detect(data: &[u8], whole: bool) -> &'static str {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(data) {
        return encoding.name();
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(data, whole);
    detector.guess(None, Utf8Detection::Allow).name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_usual_ones() {
        assert_eq!(detect("naïve café".as_bytes(), true), "UTF-8");
        assert_eq!(detect(b"\xff\xfea\0", true), "UTF-16LE");
        let (bytes, _, _) = encoding_rs::GBK.encode("我们都知道自然语言处理是人工智能的一个分支。");
        assert_eq!(detect(&bytes, true), "GBK");
    }
}
