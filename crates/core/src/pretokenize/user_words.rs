//! Words that a user adds to jieba's dictionary, and files of them.

use crate::error::{Error, Place, Result, shorten};

/// A word that is added to the dictionary, or whose frequency is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserWord {
    /// The word.
    pub word: String,
    /// Its frequency; `None` for one so high that the dictionary alone does not split it; 0 removes it.
    pub frequency: Option<u64>,
    /// Its part of speech, which has no effect on segmentation.
    pub tag: Option<String>,
}

/// Parses a user dictionary of jieba: a line has a word, and optionally its frequency and tag, separated by spaces.
///
/// Empty lines are ignored.
///
/// ```
/// use piecework_core::pretokenize::parse_user_dictionary;
///
/// let words = parse_user_dictionary("云计算 5 n\n创新办\n")?;
/// assert_eq!(words.len(), 2);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn parse_user_dictionary(text: &str) -> Result<Vec<UserWord>> {
    let blank = |c: char| c.is_ascii_whitespace() || c == '\x0b';
    (1..)
        .zip(text.split('\n'))
        .map(|(number, line)| (number, line.trim_matches(blank).trim_start_matches('\u{feff}')))
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| parse_line(number, line))
        .collect()
}

fn parse_line(number: usize, line: &str) -> Result<UserWord> {
    let (line, tag) = take_last(line, u8::is_ascii_lowercase);
    let (word, digits) = take_last(line, u8::is_ascii_digit);
    let frequency = digits.map(str::parse).transpose().map_err(|_| Error::Format {
        at: Place::Line(number),
        message: format!("the frequency {} is over 2^64 - 1", shorten(digits.unwrap_or_default())).into(),
    })?;
    Ok(UserWord { word: word.to_owned(), frequency, tag: tag.map(str::to_owned) })
}

/// Removes the last field, if it consists of `kind` alone and is not the only one.
fn take_last(line: &str, kind: impl Fn(&u8) -> bool) -> (&str, Option<&str>) {
    match line.rsplit_once(' ') {
        Some((left, right)) if !left.is_empty() && !right.is_empty() && right.as_bytes().iter().all(kind) => {
            (left, Some(right))
        }
        _ => (line, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(word: &str, frequency: Option<u64>, tag: Option<&str>) -> UserWord {
        UserWord { word: word.to_owned(), frequency, tag: tag.map(str::to_owned) }
    }

    #[test]
    fn lines_of_all_kinds() {
        let text = "\u{feff}云计算 5\n李小福 2 nr\r\n\n  创新办 i \n台中\nhello world\n机器 学习 3\n5\n3 n\na  3\nx N\nb 1 2 n\n";
        assert_eq!(
            parse_user_dictionary(text).unwrap(),
            [
                word("云计算", Some(5), None),
                word("李小福", Some(2), Some("nr")),
                word("创新办", None, Some("i")),
                word("台中", None, None),
                word("hello", None, Some("world")),
                word("机器 学习", Some(3), None),
                word("5", None, None),
                word("3", None, Some("n")),
                word("a ", Some(3), None),
                word("x N", None, None),
                word("b 1", Some(2), Some("n")),
            ]
        );
        assert!(parse_user_dictionary(" \n\t\n").unwrap().is_empty());
    }

    #[test]
    fn a_frequency_that_no_number_holds() {
        let error = parse_user_dictionary("a 1\n\nb 18446744073709551616 n").unwrap_err();
        assert_eq!(error.to_string(), "line 3: the frequency 18446744073709551616 is over 2^64 - 1");
    }
}
