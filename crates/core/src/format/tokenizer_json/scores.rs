//! Reading and writing numbers with the rounding of `tokenizers`.
//!
//! `tokenizers` parses a float by one rounded multiplication or division, so one score in eight is a neighbor of the
//! exact value. Sums of such scores tie differently from sums of exact ones. So the numbers of a Unigram model are read
//! with the same rounding, and written in digits that both roundings read as the same number.
//!
//! Models that are made from parts keep their scores to the bit.

use crate::format::json::{Json, shortest};

/// Replaces the exact floats of a document by those that `tokenizers` reads.
pub(super) fn round_numbers(json: &mut Json, document: &[u8]) {
    let mut numbers = numbers(document);
    each_number(json, &mut |value| {
        let number = numbers.next();
        if let (Json::Float(value), Some(number)) = (value, number) {
            *value = parse(number);
        }
    });
}

fn each_number(json: &mut Json, take: &mut impl FnMut(&mut Json)) {
    match json {
        Json::Unsigned(_) | Json::Float(_) => take(json),
        Json::Array(items) => items.iter_mut().for_each(|item| each_number(item, take)),
        Json::Object(members) => members.iter_mut().for_each(|(_, value)| each_number(value, take)),
        Json::Null | Json::Bool(_) | Json::String(_) => {}
    }
}

/// Iterates over the numbers of a valid document, in order.
fn numbers(mut rest: &[u8]) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        loop {
            let at = rest.iter().position(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9'))?;
            rest = &rest[at..];
            if rest[0] == b'"' {
                rest = after_string(&rest[1..]);
                continue;
            }
            let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
            let end = rest.iter().position(|byte| !is_digit(byte)).unwrap_or(rest.len());
            let (number, others) = rest.split_at(end);
            rest = others;
            return std::str::from_utf8(number).ok();
        }
    })
}

/// Returns the bytes after the quote that ends a string.
fn after_string(bytes: &[u8]) -> &[u8] {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == b'"' {
            break;
        }
    }
    bytes.get(at..).unwrap_or_default()
}

/// The largest exponent that matters: all numbers of larger ones are 0 or infinite.
const MOST_EXPONENT: i64 = 1 << 40;

/// Parses a number with the rounding of `serde_json` without `float_roundtrip`.
#[expect(clippy::cast_precision_loss, reason = "the first of its roundings")]
fn parse(number: &str) -> f64 {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    // Beyond these all numbers are 0, or too large.
    let is_negative = exponent.starts_with('-');
    let exponent: i64 = exponent.parse().unwrap_or(if is_negative { i64::MIN } else { i64::MAX });
    let mut exponent = exponent.clamp(-MOST_EXPONENT, MOST_EXPONENT);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut significand = 0_u64;
    let more = |significand: u64, digit: u8| significand.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    let mut digits = whole.trim_start_matches('-').bytes();
    while let Some(digit) = digits.next() {
        let Some(longer) = more(significand, digit) else {
            exponent += digits.len().cast_signed() as i64 + 1;
            break;
        };
        significand = longer;
    }
    for digit in fraction.bytes() {
        let Some(longer) = more(significand, digit) else { break };
        significand = longer;
        exponent -= 1;
    }
    let value = scaled(significand as f64, exponent);
    if number.starts_with('-') { -value } else { value }
}

fn scaled(mut value: f64, mut exponent: i64) -> f64 {
    if value == 0.0 {
        return value;
    }
    while exponent < -308 && value != 0.0 {
        value /= 1e308;
        exponent += 308;
    }
    match power_of_ten(exponent.unsigned_abs()) {
        power if exponent < 0 => value / power,
        power => value * power,
    }
}

fn power_of_ten(exponent: u64) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::INFINITY)
}

/// Returns digits that are read here as this number, and exactly as well if such digits exist.
///
/// A few numbers have no such digits; they are read as a neighbor, as by `tokenizers`.
pub(super) fn compatible_digits(value: f64) -> String {
    let fewest = shortest(value);
    let is_read = |number: &String| parse(number) == value;
    if is_read(&fewest) || !value.is_finite() {
        return fewest;
    }
    let near = || (15..=19).flat_map(|digits| decimals_near(value, digits)).filter(is_read);
    near().find(|number| number.parse() == Ok(value)).or_else(|| near().next()).unwrap_or(fewest)
}

/// Returns decimals with `digits` digits around a number, in steps of a fraction of the distance between floats.
fn decimals_near(value: f64, digits: usize) -> impl Iterator<Item = String> {
    let exact = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let significand: i128 = mantissa.replace('.', "").parse().unwrap_or_default();
    let exponent = exponent.parse().unwrap_or(0) + 1 - i64::try_from(digits).unwrap_or_default();
    let step = (significand.abs() >> 55).max(1);
    (0..=8)
        .flat_map(move |steps| [significand + steps * step, significand - steps * step])
        .map(move |near| format!("{near}e{exponent}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_after_strings_are_found() {
        let text = br#"{"a\"1": [1, -2.5e-3, "3"], "\\": 4.0}"#;
        assert_eq!(numbers(text).collect::<Vec<_>>(), ["1", "-2.5e-3", "4.0"]);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "to the last bit")]
    fn reads_the_same_neighbors_as_the_library() {
        assert_eq!(parse("-15.774467468261719"), -15.77446746826172);
        assert_eq!(parse("-1.8771917819976807"), -1.8771917819976809);
        assert_eq!(parse("123456789012345678901234567890"), 1.2345678901234568e29);
        assert_eq!((parse("0.1"), parse("-5"), parse("1e-400"), parse("2.5E3")), (0.1, -5.0, 0.0, 2500.0));
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "any floats will do")]
    fn written_numbers_read_back_equal() {
        let (mut state, mut changed) = (1_u64, 0);
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let value = -30.0 * ((state >> 11) as f64 / (1_u64 << 53) as f64);
            let read_back = parse(&compatible_digits(value));
            assert!((read_back - value).abs() <= value.abs() * f64::EPSILON, "{value}");
            assert_eq!(parse(&compatible_digits(read_back)), read_back, "{value}");
            changed += u32::from(read_back != value);
        }
        assert!(changed < 3_000, "{changed}");
    }
}
