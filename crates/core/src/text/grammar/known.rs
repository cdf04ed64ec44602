//! The table of known split patterns: the pattern of a new model is a row here, and its cases.

use super::{Letters, LineEnds, Modern, Rules};

/// A known split pattern.
#[derive(Debug)]
pub(super) struct KnownPattern {
    pub(super) name: &'static str,
    pub(super) rules: Rules,
    /// Its spellings in the syntax of Oniguruma; the first is the canonical one.
    pub(super) spellings: &'static [&'static str],
}

const CL100K: Modern =
    Modern { digits: 3, end: true, letters: Letters::Alone, contractions: true, line_ends: LineEnds::All };
const LLAMA3: Modern = Modern { end: false, ..CL100K };
const QWEN2: Modern = Modern { digits: 1, ..LLAMA3 };
const O200K: Modern = Modern { letters: Letters::Cased, line_ends: LineEnds::WithSlashes, ..LLAMA3 };

/// The pattern of `r50k` and `p50k` in tiktoken. Both engines agree on it: the rest after `\s++` has no line end.
const TIKTOKEN_R50K: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";

/// The pattern of `cl100k` in tiktoken.
pub(super) const TIKTOKEN_CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";

/// The known patterns. Those that have a constant in [`Grammar`](super::Grammar) come first, in its order.
pub(super) const KNOWN: &[KnownPattern] = &[
    // GPT-2, RoBERTa, and tiktoken's `r50k` and `p50k`.
    KnownPattern {
        name: "gpt2",
        rules: Rules::Runs,
        spellings: &[
            r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
            r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
            TIKTOKEN_R50K,
        ],
    },
    // GPT-3.5 and GPT-4 as in tiktoken: white space at the end of the text is one match.
    KnownPattern {
        name: "cl100k",
        rules: Rules::Modern(CL100K),
        spellings: &[
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\z|\s*[\r\n]|\s+(?!\S)|\s",
        ],
    },
    // GPT-4o and later: words are also split by case, and include a contraction.
    KnownPattern {
        name: "o200k",
        rules: Rules::Modern(O200K),
        spellings: &[concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        )],
    },
    // CLIP: white space is in no match.
    KnownPattern {
        name: "clip",
        rules: Rules::Spaceless,
        spellings: &[
            r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
            r"'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+",
        ],
    },
    // GPT-3.5 and GPT-4 as in `transformers`; also Llama 3 and many later models.
    KnownPattern {
        name: "llama3",
        rules: Rules::Modern(LLAMA3),
        spellings: &[
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
        ],
    },
    // Qwen 2: every digit is a match.
    KnownPattern {
        name: "qwen2",
        rules: Rules::Modern(QWEN2),
        spellings: &[
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
        ],
    },
    // Seed-Coder and Zeta: as Qwen 2, but line ends after punctuation are not in its match.
    KnownPattern {
        name: "seedcoder",
        rules: Rules::Modern(Modern { line_ends: LineEnds::None, ..QWEN2 }),
        spellings: &[concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^",
            "\r\n",
            r"\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}",
            "\r\n",
            r"]+|\s*[",
            "\r\n",
            r"]+|\s+(?!\S)|\s+",
        )],
    },
    // The last of the patterns of `MiniCPM` 5: as Llama 3 with all digits of a number in one match.
    KnownPattern {
        name: "minicpm5",
        rules: Rules::Modern(Modern { digits: usize::MAX, ..LLAMA3 }),
        spellings: &[
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    },
    // Qwen 3.5: marks are part of words.
    KnownPattern {
        name: "qwen35",
        rules: Rules::Modern(Modern { letters: Letters::WithMarks, ..QWEN2 }),
        spellings: &[concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}",
            r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        )],
    },
    // Kimi K2 and later: runs of Han characters are matches; other words as in GPT-4o.
    KnownPattern {
        name: "kimi",
        rules: Rules::Modern(Modern { letters: Letters::CasedExceptHan, ..LLAMA3 }),
        spellings: &[concat!(
            r"[\p{Han}]+|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        )],
    },
    // Mistral `NeMo` and later: words are split by case, every digit is a match, and there are no contractions.
    KnownPattern {
        name: "tekken",
        rules: Rules::Modern(Modern { digits: 1, contractions: false, ..O200K }),
        spellings: &[concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|",
            r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        )],
    },
    // The last of the patterns of `DeepSeek` V2 and V3, which sees no digits: words with their marks, each with the character
    // before it. Other characters may be in no match.
    KnownPattern {
        name: "deepseek",
        rules: Rules::Marked(LineEnds::All),
        spellings: &[
            concat!(
                r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^"##,
                "\r\n",
                r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[",
                "\r\n]*",
                r"|\s*[",
                "\r\n]+",
                r"|\s+(?!\S)|\s+",
            ),
            concat!(
                r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"##,
                r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            ),
        ],
    },
    // The last of the patterns of Spark X2.5: as `DeepSeek`, but each line end is a match.
    KnownPattern {
        name: "spark",
        rules: Rules::Marked(LineEnds::None),
        spellings: &[concat!(
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^"##,
            "\r\n",
            r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+|[",
            "\r\n",
            r"]|\s+(?!\S)|\s+",
        )],
    },
    // The first of the patterns of Cohere 2 (tiny).
    KnownPattern { name: "thousands", rules: Rules::Thousands, spellings: &[r"\d{1,3}(?=(?:\d{3})*\b)"] },
    // The first of the patterns of Laguna, whose matches are merged with the lines behind them.
    KnownPattern { name: "newlines", rules: Rules::LineEnds, spellings: &[r"(?:\r?\n)+(?!\r?\n)"] },
];
