//! Tests of the grammars with Oniguruma as the oracle.

use onig::Regex;

use super::*;

/// Characters that the patterns distinguish, and similar ones that they should not.
const ALPHABET: [char; 34] = [
    ' ', '\n', '\t', '\r', '\u{85}', '\u{A0}', '\u{3000}', '\u{2028}', '\u{200B}', '\u{1C}', '\'', '’', '!', '/', 'a',
    's', 'S', 't', 'r', 'e', 'v', 'l', 'm', 'd', 'É', 'ſ', '中', '7', '²', '\u{301}', 'ǅ', 'ʼ', '〇', '⼀',
];

fn engine(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

fn pieces(grammar: Grammar, text: &str) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    grammar.find_matches(text, |found| pieces.push((found.start, found.end)));
    pieces
}

fn words(grammar: Grammar, text: &str) -> Vec<&str> {
    pieces(grammar, text).into_iter().map(|(start, end)| &text[start..end]).collect()
}

fn check(grammar: Grammar, engine: &Regex, text: &str) {
    assert_eq!(pieces(grammar, text), engine.find_iter(text).collect::<Vec<_>>(), "{grammar:?} {text:?}");
}

/// Checks every text of up to `longest` characters of `alphabet`.
fn check_all(grammar: Grammar, engine: &Regex, alphabet: &[char], longest: usize) -> usize {
    fn extend(grammar: Grammar, engine: &Regex, alphabet: &[char], text: &mut String, left: usize) -> usize {
        check(grammar, engine, text);
        if left == 0 {
            return 1;
        }
        let mut checked = 1;
        for &c in alphabet {
            text.push(c);
            checked += extend(grammar, engine, alphabet, text, left - 1);
            text.pop();
        }
        checked
    }
    extend(grammar, engine, alphabet, &mut String::new(), longest)
}

/// Checks random texts (linear congruential generator), mostly of `alphabet`, with occasional other characters.
fn check_random(grammar: Grammar, engine: &Regex, alphabet: &[char], texts: usize) {
    let mut state = 1u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for _ in 0..texts {
        let length = below(24);
        let text: String = (0..length)
            .map(|_| match below(8) {
                0 => u32::try_from(below(0x11_0000)).ok().and_then(char::from_u32).unwrap_or('\0'),
                1 => u32::try_from(below(0x3000)).ok().and_then(char::from_u32).unwrap_or('\0'),
                _ => alphabet[below(alphabet.len())],
            })
            .collect();
        check(grammar, engine, &text);
    }
}

/// Iterates over all patterns with their grammars.
fn patterns() -> impl Iterator<Item = (Grammar, &'static str)> {
    Grammar::all().flat_map(|grammar| grammar.known().spellings.iter().map(move |&pattern| (grammar, pattern)))
}

#[test]
fn gpt2_has_words_with_the_space_before_them() {
    let words = |text| words(Grammar::GPT2, text);
    assert_eq!(words("Hello, the  world "), ["Hello", ",", " the", " ", " world", " "]);
    assert_eq!(words("a\n\nb \n"), ["a", "\n", "\n", "b", " \n"]);
    assert_eq!(words("x\u{A0}y\u{A0}"), ["x", "\u{A0}", "y", "\u{A0}"]);
    assert_eq!(words("I'll say it's 'save'"), ["I", "'ll", " say", " it", "'s", " '", "save", "'"]);
    assert_eq!(words("'saved 'S ''s x!'s"), ["'s", "aved", " '", "S", " ''", "s", " x", "!'", "s"]);
    assert!(words("").is_empty());
}

#[test]
fn cl100k_and_llama3_differ_in_white_space_at_the_end() {
    let text = "(It'S 12345!!\n\n  x\n \n ";
    let start = ["(It", "'S", " ", "123", "45", "!!\n\n", " ", " x"];
    assert_eq!(words(Grammar::CL100K, text), [&start[..], &["\n \n "]].concat());
    assert_eq!(words(Grammar::named("llama3").unwrap(), text), [&start[..], &["\n \n", " "]].concat());
    assert_eq!(words(Grammar::named("qwen2").unwrap(), "a 12"), ["a", " ", "1", "2"]);
}

#[test]
fn o200k_divides_words_by_case() {
    let words = |text| words(Grammar::O200K, text);
    assert_eq!(words("HTTPServer camelCase don'tX"), ["HTTPServer", " camel", "Case", " don't", "X"]);
    assert_eq!(words("中文ABC 中文Abc e\u{301}A"), ["中文", "ABC", " 中文Abc", " e\u{301}", "A"]);
    assert_eq!(words("y'all'd've;\n//\n/x"), ["y", "'all'd", "'ve", ";\n//\n/", "x"]);
    assert_eq!(words("❤\u{FE0F}x !\u{301}!"), ["❤\u{FE0F}x", " !\u{301}!"]);
}

#[test]
fn kimi_has_runs_of_han_characters() {
    let words = |text| words(Grammar::named("kimi").unwrap(), text);
    assert_eq!(words("中文ABCd's⼀々〇 12〇3"), ["中文", "ABCd's", "⼀々〇", " ", "12〇", "3"]);
    assert_eq!(words(" 中\u{301}かな，⼀。\n/"), [" ", "中", "\u{301}かな", "，⼀。\n", "/"]);
}

#[test]
fn line_ends_and_digits_differ() {
    assert_eq!(words(Grammar::named("seedcoder").unwrap(), "a!\n\n 12"), ["a", "!", "\n\n", " ", "1", "2"]);
    assert_eq!(words(Grammar::named("minicpm5").unwrap(), "a!\n 1234²"), ["a", "!\n", " ", "1234²"]);
    assert_eq!(words(Grammar::named("spark").unwrap(), "a!\n\n 12  \n"), ["a", "!", "\n", "\n", " ", "  \n"]);
}

#[test]
fn clip_has_no_white_space() {
    let words = |text| words(Grammar::CLIP, text);
    assert_eq!(words(" it's 12 o'clock!! "), ["it", "'s", "1", "2", "o", "'", "clock", "!!"]);
}

#[test]
fn grammars_are_found_by_exact_pattern() {
    for (grammar, pattern) in patterns() {
        assert_eq!(Grammar::of(pattern), Some(grammar));
        assert_eq!(translated(pattern), Some(grammar.pattern()));
    }
    assert!(Grammar::all().all(|grammar| Grammar::of(grammar.pattern()) == Some(grammar)));
    assert_eq!((Grammar::of(TIKTOKEN_CL100K), translated(TIKTOKEN_CL100K)), (None, Some(Grammar::CL100K.pattern())));
    assert_eq!((Grammar::of(r"\p{L}+"), translated(r"\p{L}+")), (None, None));
}

#[test]
fn categories_equal_the_engine() {
    let text: String = ('\0'..=char::MAX).flat_map(|c| ['a', c, '1', c, '!', c, 'A', c]).collect();
    for grammar in Grammar::all() {
        check(grammar, &engine(grammar.pattern()), &text);
    }
}

#[test]
fn short_texts_are_split_like_the_engine() {
    for (grammar, pattern) in patterns() {
        let engine = engine(pattern);
        assert_eq!(check_all(grammar, &engine, &ALPHABET, 2), 1 + 34 + 34 * 34);
        check_all(grammar, &engine, &[' ', '\n', '\'', 's', 'É', '2', '!'], 4);
        check_all(grammar, &engine, &['A', 'a', '中', '\u{301}', '!', ' ', '〇', '⼀'], 4);
        check_random(grammar, &engine, &ALPHABET, 3000);
    }
}

#[test]
#[ignore = "two minutes in release mode: sixty million texts"]
fn random_texts_are_split_like_the_engine() {
    let around = |c| [' ', c, 'a', c, 'A', '\'', c, 'a', '\'', c, '\n', c, '\n'];
    let text: String = ('\0'..=char::MAX).flat_map(around).collect();
    for (grammar, pattern) in patterns() {
        let engine = engine(pattern);
        check(grammar, &engine, &text);
        check_all(grammar, &engine, &ALPHABET, 4);
        check_all(grammar, &engine, &[' ', '\n', '\u{3000}', '\'', 's', 'l', 'É', '²', '!', '\u{301}', '\u{85}'], 6);
        check_all(grammar, &engine, &['A', 'a', '中', '\u{301}', '!', ' ', '/', '\n', '\'', 's'], 6);
        check_all(grammar, &engine, &['\'', 's', 't', 'r', 'e', 'v', 'l', 'm', 'd', ' '], 6);
        check_random(grammar, &engine, &ALPHABET, 1_000_000);
    }
}

#[test]
fn numbers_have_groups_of_three_from_their_end() {
    let grammar = Grammar::named("thousands").unwrap();
    let words = |text| words(grammar, text);
    assert_eq!(words("1234567, 12 and 123"), ["1", "234", "567", "12", "123"]);
    assert_eq!(words("123a 1234_ 12\u{301} 1²"), [""; 0], "a word goes on behind them");
    assert_eq!(words("a1234\u{200D} ٣٤٥٦"), ["1", "234", "٣", "٤٥٦"]);
    let engine = engine(grammar.pattern());
    check_all(grammar, &engine, &['1', '٣', 'a', ' ', '_', '²', '\u{301}'], 6);
    check_all(grammar, &engine, &['1', ' '], 12);
}

#[test]
fn newlines_are_whole_runs() {
    let grammar = Grammar::named("newlines").unwrap();
    assert_eq!(pieces(grammar, "a\n\r\n\r\rb\r\n"), [(1, 4), (7, 9)]);
    check_all(grammar, &engine(grammar.pattern()), &['\r', '\n', 'a', '\u{85}'], 8);
}
