//! Compares the trainer with one that recounts everything in each step, and checks the golden figures.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::missing_panics_doc,
    reason = "in a test a panic is the message, and its numbers are small"
)]

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use num_bigint::{BigInt, BigUint};
use piecework_core::Error;
use piecework_core::learn::MergeTrace;
use piecework_core::model::wordpiece::train::{
    Criterion, Merge, MergeRecorder, Ties, Trained, WordPieceTrainerConfig, train,
};

/// A symbol: whether it begins a word, and its text.
type Symbol = (bool, String);
type Pair = (Symbol, Symbol);

struct Naive<'a> {
    config: &'a WordPieceTrainerConfig,
    words: Vec<(&'a str, u64)>,
    /// Segments between removed characters, with the count of their word, in order.
    segments: Vec<(Vec<Symbol>, u64)>,
    ids: BTreeMap<Symbol, usize>,
    taken: HashSet<String>,
    alphabet: Vec<String>,
    learned: Vec<String>,
    history: Vec<Merge>,
    /// The number of steps whose tied candidates have different counts, and of those whose floats differ as well.
    mixed_ties: [u64; 2],
}

/// The counts of a pair, and its first position.
#[derive(Clone, Default)]
struct PairCounts {
    adjacent: u64,
    merges: u64,
    first: (usize, usize),
}

impl<'a> Naive<'a> {
    fn new(words: &'a [(&'a str, u64)], config: &'a WordPieceTrainerConfig) -> Result<Self, Error> {
        let least = config.min_word_frequency.max(1);
        let symbols = &config.user_defined_symbols;
        let is_symbol = |word: &str| symbols.iter().any(|symbol| symbol == word);
        let kept = |(word, count): &(&str, u64)| *count >= if is_symbol(word) { 1 } else { least } && !word.is_empty();
        let words: Vec<_> = words.iter().copied().filter(kept).collect();
        if words.is_empty() {
            return Err(Error::Counts(String::new().into()));
        }
        let specials = &config.special_tokens;
        let is_bad = |(at, symbol): (usize, &String)| {
            symbol.is_empty() || symbols[..at].contains(symbol) || specials.contains(symbol)
        };
        if symbols.iter().enumerate().any(is_bad) {
            return Err(Error::Config("user_defined_symbols".into()));
        }
        let all_initial = config.continuing_subword_prefix.is_empty();
        let mut weights: BTreeMap<char, u64> = BTreeMap::new();
        let mut total = 0_u64;
        for (word, count) in &words {
            for letter in word.chars() {
                total = total.checked_add(*count).ok_or_else(|| Error::Overflow(String::new().into()))?;
                if is_symbol(word) {
                    continue;
                }
                *weights.entry(letter).or_default() += count;
            }
        }
        let mut kept: HashSet<char> = weights.keys().copied().chain(config.initial_alphabet.clone()).collect();
        if let Some(limit) = config.limit_alphabet {
            let wanted: HashSet<char> = config.initial_alphabet.iter().copied().collect();
            let mut rest: Vec<char> = weights.keys().copied().filter(|c| !wanted.contains(c)).collect();
            rest.sort_by_key(|c| (u64::MAX - weights[c], *c));
            rest.truncate(limit.saturating_sub(wanted.len()));
            kept = wanted.into_iter().chain(rest).collect();
        }
        let mut order: Vec<Symbol> = Vec::new();
        let mut segments = Vec::new();
        for (word, count) in words.iter().filter(|(word, _)| !is_symbol(word)) {
            let mut segment = Vec::new();
            for (at, letter) in word.chars().enumerate() {
                if !kept.contains(&letter) {
                    segments.push((std::mem::take(&mut segment), *count));
                    continue;
                }
                let symbol = (at == 0 || all_initial, letter.to_string());
                if !order.contains(&symbol) {
                    order.push(symbol.clone());
                }
                segment.push(symbol);
            }
            segments.push((segment, *count));
        }
        for letter in &config.initial_alphabet {
            for initial in [true, all_initial] {
                let symbol = (initial, letter.to_string());
                if !order.contains(&symbol) {
                    order.push(symbol);
                }
            }
        }
        let mut naive = Self {
            config,
            words,
            segments,
            ids: BTreeMap::new(),
            taken: HashSet::new(),
            alphabet: Vec::new(),
            learned: Vec::new(),
            history: Vec::new(),
            mixed_ties: [0; 2],
        };
        match config.ties {
            Ties::Lex | Ties::SentencePiece => order.sort_by_key(|s| naive.name(s).into_bytes()),
            Ties::First => {}
            Ties::Hf => order.sort_by_key(|s| (!s.0, s.1.clone())),
        }
        naive.taken.extend(config.special_tokens.iter().cloned());
        for symbol in order {
            let name = naive.name(&symbol);
            if !config.special_tokens.contains(&name) && !config.user_defined_symbols.contains(&name) {
                naive.alphabet.push(name.clone());
            }
            naive.taken.insert(name);
            let id = naive.ids.len();
            naive.ids.insert(symbol, id);
        }
        if naive.size() > config.vocab_size {
            return Err(Error::Config(naive.size().to_string().into()));
        }
        Ok(naive)
    }

    fn name(&self, symbol: &Symbol) -> String {
        let prefix = if symbol.0 { "" } else { &self.config.continuing_subword_prefix };
        format!("{prefix}{}", symbol.1)
    }

    fn joined(&self, pair: &Pair) -> Symbol {
        (pair.0.0, format!("{}{}", pair.0.1, pair.1.1))
    }

    fn size(&self) -> usize {
        let named = self.config.special_tokens.len() + self.config.user_defined_symbols.len();
        named + self.alphabet.len() + self.learned.len()
    }

    fn count(&self) -> (BTreeMap<Symbol, u64>, u64, BTreeMap<Pair, PairCounts>) {
        let (mut symbols, mut total, mut pairs) = (BTreeMap::new(), 0, BTreeMap::<Pair, PairCounts>::new());
        for (number, (segment, weight)) in self.segments.iter().enumerate() {
            let mut run = 0;
            for (at, symbol) in segment.iter().enumerate() {
                *symbols.entry(symbol.clone()).or_default() += weight;
                total += weight;
                let Some(next) = segment.get(at + 1) else {
                    continue;
                };
                let new = PairCounts { first: (number, at), ..PairCounts::default() };
                let found = pairs.entry((symbol.clone(), next.clone())).or_insert(new);
                run = if symbol == next { run + 1 } else { 0 };
                found.adjacent += weight;
                found.merges += if run % 2 == 0 && symbol == next { 0 } else { *weight };
            }
        }
        (symbols, total, pairs)
    }

    fn merge_on(&mut self) {
        loop {
            let done = self.size() >= self.config.vocab_size;
            if done || self.config.max_merges.is_some_and(|most| self.history.len() >= most) {
                return;
            }
            let (symbols, total, pairs) = self.count();
            let likelihood = self.config.criterion == Criterion::Likelihood;
            let n = |found: &PairCounts| {
                if likelihood { found.merges } else { found.adjacent }
            };
            if let Some(k) = self.config.stop_at_pair_frequency
                && pairs.values().map(n).max().unwrap_or(0) <= k
            {
                return;
            }
            let mut best: Vec<(&Pair, &PairCounts)> = Vec::new();
            for (pair, found) in &pairs {
                let token = self.joined(pair);
                let wide = self.config.max_token_length.is_some_and(|most| token.1.chars().count() > most);
                if n(found) < self.config.min_frequency || wide || self.taken.contains(&self.name(&token)) {
                    continue;
                }
                let fraction = |pair: &Pair, found| (n(found), symbols[&pair.0], symbols[&pair.1]);
                let order = best.first().map_or(Ordering::Greater, |(other, other_found)| {
                    let (one, two) = (fraction(pair, found), fraction(other, other_found));
                    match self.config.criterion {
                        Criterion::Frequency => one.0.cmp(&two.0),
                        Criterion::Pmi => product(&[one.0, two.1, two.2]).cmp(&product(&[two.0, one.1, one.2])),
                        Criterion::Sum => {
                            let add = |(_, a, b): (u64, u64, u64)| u128::from(a) + u128::from(b);
                            big(add(two), one.0).cmp(&big(add(one), two.0))
                        }
                        Criterion::Likelihood => {
                            compare_gains((one, pair.0 == pair.1), (two, other.0 == other.1), total)
                        }
                    }
                });
                match order {
                    Ordering::Greater => best = vec![(pair, found)],
                    Ordering::Equal => best.push((pair, found)),
                    Ordering::Less => {}
                }
            }
            let ties = best.len() as u64;
            if likelihood && ties > 1 {
                let counts = |(pair, found): &(&Pair, &PairCounts)| {
                    let (a, b) = (symbols[&pair.0], symbols[&pair.1]);
                    (found.merges, a.min(b), a.max(b), pair.0 == pair.1)
                };
                let float = |(n, a, b, same): (u64, u64, u64, bool)| gain((n, a, b), total, same);
                let differs = |tied: &(&Pair, &PairCounts)| counts(tied) != counts(&best[0]);
                self.mixed_ties[0] += u64::from(best.iter().any(differs));
                let differs = |tied: &(&Pair, &PairCounts)| float(counts(tied)) != float(counts(&best[0]));
                self.mixed_ties[1] += u64::from(best.iter().any(differs));
            }
            let rule = |(pair, found): &(&Pair, &PairCounts)| match self.config.ties {
                Ties::Lex => (self.name(&pair.0).into_bytes(), self.name(&pair.1).into_bytes(), (0, 0)),
                Ties::First => (vec![], vec![], found.first),
                Ties::Hf => (vec![], vec![], (self.ids[&pair.0], self.ids[&pair.1])),
                Ties::SentencePiece => {
                    let made = self.joined(pair);
                    let key = format!("{:09}{}", made.1.chars().count(), self.name(&made));
                    (key.into_bytes(), self.name(&pair.0).into_bytes(), (0, 0))
                }
            };
            let Some((pair, found)) = best.into_iter().min_by_key(rule) else {
                return;
            };
            let (a, b) = (symbols[&pair.0], symbols[&pair.1]);
            let same = pair.0 == pair.1;
            if self.config.stop_without_gain && sign_of_gain(((found.merges, a, b), same), total).is_le() {
                return;
            }
            let count = n(found);
            let score = match self.config.criterion {
                Criterion::Frequency => count as f64,
                Criterion::Pmi => count as f64 / (a as f64 * b as f64),
                Criterion::Sum => count as f64 / (a as f64 + b as f64),
                Criterion::Likelihood => gain((count, a, b), total, same),
            };
            let token = self.joined(pair);
            self.history.push(Merge {
                left: self.name(&pair.0),
                right: self.name(&pair.1),
                token: self.name(&token),
                score,
                pair_count: count,
                left_count: a,
                right_count: b,
                ties,
            });
            let pair = pair.clone();
            self.apply(&pair, &token);
        }
    }

    fn apply(&mut self, pair: &Pair, token: &Symbol) {
        let name = self.name(token);
        assert!(self.taken.insert(name.clone()));
        if !self.config.user_defined_symbols.contains(&name) {
            self.learned.push(name);
        }
        let id = self.ids.len();
        assert!(self.ids.insert(token.clone(), id).is_none());
        for (segment, _) in &mut self.segments {
            let mut at = 0;
            while at + 1 < segment.len() {
                if segment[at] == pair.0 && segment[at + 1] == pair.1 {
                    segment.splice(at..at + 2, [token.clone()]);
                }
                at += 1;
            }
        }
    }

    fn entries(&self) -> Vec<String> {
        let specials = self.config.special_tokens.iter();
        let symbols = self.config.user_defined_symbols.iter();
        let rest = symbols.chain(&self.alphabet).chain(&self.learned);
        if self.config.special_tokens_first {
            specials.chain(rest).cloned().collect()
        } else {
            rest.chain(specials).cloned().collect()
        }
    }

    fn usage(&self) -> BTreeMap<String, u64> {
        let entries: HashSet<String> = self.entries().into_iter().collect();
        let mut usage = BTreeMap::new();
        for (word, count) in &self.words {
            let letters: Vec<char> = word.chars().collect();
            let (mut start, mut found) = (0, Vec::new());
            while start < letters.len() {
                let prefix = if start == 0 { "" } else { &self.config.continuing_subword_prefix };
                let piece = |end: usize| format!("{prefix}{}", letters[start..end].iter().collect::<String>());
                let Some(end) = (start + 1..=letters.len()).rev().find(|&end| entries.contains(&piece(end))) else {
                    found.clear();
                    break;
                };
                found.push(piece(end));
                start = end;
            }
            for piece in found {
                *usage.entry(piece).or_default() += count;
            }
        }
        for special in &self.config.special_tokens {
            usage.remove(special);
        }
        usage
    }

    fn run(mut self) -> Trained {
        self.finish()
    }

    fn finish(&mut self) -> Trained {
        self.merge_on();
        for _ in 0..if self.config.prune_unused { 4 } else { 0 } {
            let usage = self.usage();
            let before = self.learned.len();
            self.learned.retain(|token| usage.contains_key(token));
            if self.learned.len() == before {
                break;
            }
            self.merge_on();
        }
        let (entries, usage) = (self.entries(), self.usage());
        let token_counts = entries.iter().map(|e| usage.get(e).copied().unwrap_or(0)).collect();
        Trained { entries, token_counts, history: std::mem::take(&mut self.history) }
    }
}

/// Returns the product in base 2^32, most significant digit first, all of one length.
fn product(factors: &[u64]) -> Vec<u64> {
    let mut digits = vec![0_u64; 8];
    digits[0] = 1;
    for factor in factors {
        let mut carry = 0_u128;
        for digit in &mut digits {
            carry += u128::from(*digit) * u128::from(*factor);
            *digit = (carry & 0xffff_ffff) as u64;
            carry >>= 32;
        }
        assert_eq!(carry, 0);
    }
    digits.reverse();
    digits
}

fn big(one: u128, other: u64) -> (u128, u64) {
    let low = (one & u128::from(u64::MAX)) * u128::from(other);
    ((one >> 64) * u128::from(other) + (low >> 64), low as u64)
}

fn gain((n, a, b): (u64, u64, u64), total: u64, same: bool) -> f64 {
    let (a, b) = (a.min(b), a.max(b));
    let term = |x: u64, n: u64| {
        let share = n as f64 / x as f64;
        let log = if share == 1.0 { libm::log((x - n) as f64 / x as f64) } else { libm::log1p(-share) };
        (x - n) as f64 * log
    };
    let mut s = n as f64 * libm::log((n as f64 * total as f64) / (a as f64 * b as f64));
    if same {
        if a > 2 * n {
            s += term(a, 2 * n);
        }
    } else {
        if a > n {
            s += term(a, n);
        }
        if b > n {
            s += term(b, n);
        }
    }
    if total > n {
        s -= term(total, n);
    }
    s
}

/// The counts n, A and B, and whether both symbols are equal.
type SymbolCounts = ((u64, u64, u64), bool);

/// Compares two gains as floats if these are far apart, else as sums of logarithms with many digits.
fn compare_gains(one: SymbolCounts, other: SymbolCounts, total: u64) -> Ordering {
    let apart = gain(one.0, total, one.1) - gain(other.0, total, other.1);
    if apart.abs() > (one.0.0 as f64 + other.0.0 as f64) * 1e-9 {
        return apart.partial_cmp(&0.0).unwrap();
    }
    sign(&(precise_gain(one, total) - precise_gain(other, total)))
}

fn sign_of_gain(counts: SymbolCounts, total: u64) -> Ordering {
    sign(&precise_gain(counts, total))
}

/// Binary places of the logarithms below, and of the numbers that they are computed from.
const PLACES: u64 = 400;
const DIGITS: u64 = 640;

/// Returns the sign of a number in units of 2^-400; below 2^-300 it is rounding. (The core proves zeros; this does
/// not.)
fn sign(number: &BigInt) -> Ordering {
    if number.magnitude().bits() < 100 { Ordering::Equal } else { number.cmp(&BigInt::ZERO) }
}

/// Returns the gain in units of 2^-400, as a sum of x log2 x.
fn precise_gain(((n, a, b), same): SymbolCounts, total: u64) -> BigInt {
    let phi = |x: u64| log2(x) * x;
    let symbols = if same { phi(a - 2 * n) - phi(a) } else { phi(a - n) - phi(a) + phi(b - n) - phi(b) };
    symbols + phi(n) + phi(total) - phi(total - n)
}

/// Returns the binary logarithm, or 0 for 0, in units of 2^-400. A bit is 1 if the square exceeds 2.
fn log2(x: u64) -> BigInt {
    thread_local! { static KNOWN: RefCell<HashMap<u64, BigInt>> = RefCell::default(); }
    let compute = || {
        let mut log = BigInt::from(x.max(1).ilog2());
        let mut rest = BigUint::from(x.max(1)) << (DIGITS - u64::from(x.max(1).ilog2()));
        for _ in 0..PLACES {
            rest = (&rest * &rest) >> DIGITS;
            log <<= 1;
            if rest.bits() > DIGITS + 1 {
                rest >>= 1;
                log += 1;
            }
        }
        log
    };
    KNOWN.with_borrow_mut(|known| known.entry(x).or_insert_with(compute).clone())
}

/// A small generator (splitmix64): the trials are equal on all machines.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn option(&mut self, chances: u64, below: u64) -> Option<u64> {
        self.one_in(chances).then(|| self.below(below))
    }
}

fn words(random: &mut Random) -> Vec<(String, u64)> {
    let alphabet = random.pick(&["a", "ab", "abc", "abcd", "#a", "##b", "中文a", "#", "ab#é"]);
    let letters: Vec<char> = alphabet.chars().collect();
    let longest = random.pick(&[4, 8, 12, 30]);
    let top = random.pick(&[1, 2, 5, 50, 1000, 1 << 56]);
    let mut words: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..=random.below(random.0 % 14 + 1) {
        let len = random.below(longest) + 1;
        let word = (0..len).map(|_| random.pick(&letters)).collect();
        let count = if top == 1 << 56 { top - random.below(3) } else { 1 + random.below(top) };
        words.insert(word, count);
    }
    let mut words: Vec<_> = words.into_iter().collect();
    for at in (1..words.len()).rev() {
        words.swap(at, random.below(at as u64 + 1) as usize);
    }
    words
}

fn config(random: &mut Random) -> WordPieceTrainerConfig {
    let specials: &[&str] = random.pick(&[&[][..], &["[UNK]"], &["ab", "##aa", "[X]"], &["a", "##ab", "##b"]]);
    let forced: &[&[&str]] = &[&["ba", "ab", "aab"], &["b", "##a", "aaa", "中文"], &["##ba", "z", "aaaa"], &["a", "a"]];
    let symbols: &[&str] = if random.one_in(3) { random.pick(forced) } else { &[] };
    WordPieceTrainerConfig {
        vocab_size: random.pick(&[8, 12, 20, 30, 60, 1000]),
        criterion: random.pick(&[Criterion::Frequency, Criterion::Pmi, Criterion::Sum, Criterion::Likelihood]),
        min_frequency: random.pick(&[0, 1, 1, 1, 2, 3, 10]),
        min_word_frequency: random.pick(&[0, 1, 1, 1, 1, 2]),
        max_merges: random.option(6, 20).map(|n| n as usize),
        stop_at_pair_frequency: random.option(4, 6),
        stop_without_gain: random.one_in(6),
        ties: random.pick(&[Ties::Lex, Ties::First, Ties::Hf, Ties::SentencePiece]),
        special_tokens: specials.iter().map(|&s| s.to_owned()).collect(),
        special_tokens_first: random.one_in(2),
        user_defined_symbols: symbols.iter().map(|&s| s.to_owned()).collect(),
        initial_alphabet: random.pick(&[&[][..], &[], &['a', 'x', 'a'], &['b', '#']]).to_vec(),
        limit_alphabet: random.option(5, 5).map(|n| n as usize),
        continuing_subword_prefix: random.pick(&["##", "##", "##", "", "#", "a"]).to_owned(),
        max_token_length: random.option(5, 7).map(|n| n as usize),
        prune_unused: random.one_in(3),
    }
}

/// Cuts words at special tokens, the leftmost and of those the longest, which are left out; equal parts are one word.
fn cut<'w>(words: &[(&'w str, u64)], specials: &[String]) -> Vec<(&'w str, u64)> {
    let mut parts: Vec<(&str, u64)> = Vec::new();
    let mut add = |part, count| match parts.iter_mut().find(|(other, _)| *other == part) {
        _ if str::is_empty(part) => {}
        Some((_, sum)) => *sum += count,
        None => parts.push((part, count)),
    };
    for &(word, count) in words {
        let (mut start, mut at) = (0, 0);
        while at < word.len() {
            let found = specials.iter().filter(|special| !special.is_empty() && word[at..].starts_with(*special));
            match found.map(String::len).max() {
                Some(length) => {
                    add(&word[start..at], count);
                    at += length;
                    start = at;
                }
                None => at += word[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        add(&word[start..], count);
    }
    parts
}

/// Trains, and checks that a recorded training gives the same result, of which the record has the merges.
fn core(words: &[(&str, u64)], config: &WordPieceTrainerConfig) -> Result<Trained, Error> {
    let trained = train(words, config, None, &mut |_| ControlFlow::Continue(()));
    let mut recorder = MergeRecorder::new(3, 2);
    let recorded = train(words, config, Some(&mut recorder), &mut |_| ControlFlow::Continue(()));
    match (&trained, &recorded) {
        (Ok(trained), Ok(recorded)) => {
            assert_eq!(trained, recorded);
            check_record(&recorder.into_trace(), &trained.history);
        }
        (trained, recorded) => assert_eq!(trained.is_err(), recorded.is_err()),
    }
    trained
}

fn check_record(trace: &MergeTrace, history: &[Merge]) {
    assert_eq!(trace.steps.len(), history.len());
    let name = |id: u32| trace.names[id as usize].as_str();
    for (step, merge) in trace.steps.iter().zip(history) {
        let found = &step.candidates[0];
        assert_eq!((name(found.left), name(found.right)), (&*merge.left, &*merge.right));
        assert_eq!((name(step.token), step.ties), (&*merge.token, merge.ties));
        assert_eq!((found.score, found.rank), (merge.score, 1));
        assert_eq!((found.left_count, found.right_count), (merge.left_count, merge.right_count));
        assert!(step.candidates.is_sorted_by(|one, other| one.rank <= other.rank));
    }
}

#[test]
fn equals_a_recount() {
    let trials = std::env::var("TRIALS").ok().and_then(|n| n.parse().ok()).unwrap_or(6000);
    let (mut trained, mut merges) = (0, 0);
    for seed in 0..trials {
        let mut random = Random(seed);
        let (words, config) = (words(&mut random), config(&mut random));
        let words: Vec<(&str, u64)> = words.iter().map(|(w, c)| (w.as_str(), *c)).collect();
        let parts = cut(&words, &config.special_tokens);
        match (core(&words, &config), Naive::new(&parts, &config)) {
            (Ok(core), Ok(naive)) => {
                let naive = naive.run();
                let differs = core.history.iter().zip(&naive.history).position(|(one, two)| one != two);
                if let Some(at) = differs {
                    panic!(
                        "seed {seed}, step {at}: {:?}\nnot {:?}\n{words:?}\n{config:?}",
                        core.history[at], naive.history[at]
                    );
                }
                assert_eq!(core, naive, "seed {seed}: {words:?} {config:?}");
                trained += 1;
                merges += core.history.len();
            }
            (Err(Error::Config(text)), Err(Error::Config(least))) => {
                let (text, least) = (text.to_string(), least.to_string());
                assert!(text.contains(&least), "{text}");
            }
            (Err(core), Err(naive)) => {
                assert_eq!(std::mem::discriminant(&core), std::mem::discriminant(&naive), "seed {seed}");
            }
            (core, naive) => panic!("seed {seed}: {core:?} {:?}\n{words:?} {config:?}", naive.err()),
        }
    }
    println!("{trained} of {trials} tables trained, {merges} merges");
}

/// Uses few distinct counts and few letters: many gains of different counts are equal, though not as floats.
#[test]
fn equals_a_recount_with_tied_gains() {
    let trials = std::env::var("TRIALS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let (mut merges, mut mixed) = (0, [0; 2]);
    for seed in 0..trials {
        let mut random = Random(seed ^ 0x7ea5);
        let letters: Vec<char> =
            random.pick(&["ab", "abc", "abcdef", "hello", "ᄀa文", "abcdefghijklmnop"]).chars().collect();
        let counts = random.pick(&[&[1][..], &[1, 2], &[2, 4], &[5, 10], &[3, 6, 12], &[(1 << 56) - 1, 1 << 56]]);
        let mut words: BTreeMap<String, u64> = BTreeMap::new();
        for _ in 0..=random.below(12) {
            let len = 1 + random.below(7);
            words.insert((0..len).map(|_| random.pick(&letters)).collect(), random.pick(counts));
        }
        let words: Vec<(&str, u64)> = words.iter().map(|(word, count)| (word.as_str(), *count)).collect();
        let config = WordPieceTrainerConfig {
            criterion: Criterion::Likelihood,
            ties: [Ties::Lex, Ties::First, Ties::Hf, Ties::SentencePiece][seed as usize % 4],
            special_tokens: Vec::new(),
            vocab_size: 1000,
            continuing_subword_prefix: random.pick(&["##", "##", ""]).to_owned(),
            stop_without_gain: random.one_in(4),
            ..WordPieceTrainerConfig::default()
        };
        let mut naive = Naive::new(&words, &config).unwrap();
        let wanted = naive.finish();
        assert_eq!(core(&words, &config).unwrap(), wanted, "seed {seed}: {words:?} {config:?}");
        merges += wanted.history.len();
        mixed = [mixed[0] + naive.mixed_ties[0], mixed[1] + naive.mixed_ties[1]];
    }
    println!("{trials} tables, {merges} merges; ties of other counts {}, of other floats {}", mixed[0], mixed[1]);
    assert!(mixed[0] > trials / 4 && mixed[1] > trials / 40, "{mixed:?} of {trials} tables");
}

#[test]
fn equals_a_recount_of_larger_tables() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let parts = ["t", "a", "e", "st", "in", "oo", "ra", "l", "mm"];
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for rank in 1..400 {
            let word = (0..=random.below(4)).map(|_| random.pick(&parts)).collect();
            counts.insert(word, 1 + 1000 / rank);
        }
        let words: Vec<(&str, u64)> = counts.iter().map(|(word, count)| (word.as_str(), *count)).collect();
        let criteria = [Criterion::Frequency, Criterion::Pmi, Criterion::Sum, Criterion::Likelihood];
        let config = WordPieceTrainerConfig {
            criterion: criteria[seed as usize % 4],
            ties: [Ties::Lex, Ties::First, Ties::Hf][seed as usize % 3],
            vocab_size: 200,
            prune_unused: true,
            ..WordPieceTrainerConfig::default()
        };
        let naive = Naive::new(&words, &config).unwrap().run();
        assert_eq!(core(&words, &config).unwrap(), naive, "seed {seed}");
    }
}

fn hug(criterion: Criterion) -> Trained {
    let words = [("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)];
    let config = WordPieceTrainerConfig { criterion, ties: Ties::First, ..WordPieceTrainerConfig::default() };
    core(&words, &config).unwrap()
}

fn first_six(criterion: Criterion) -> Vec<(String, f64)> {
    hug(criterion).history.into_iter().take(6).map(|merge| (merge.token, merge.score)).collect()
}

fn figures(expected: [(&str, f64); 6]) -> Vec<(String, f64)> {
    expected.iter().map(|&(token, score)| (token.to_owned(), score)).collect()
}

#[test]
fn golden_hug() {
    let pmi = [
        ("##gs", 1.0 / 20.0),
        ("hu", 1.0 / 36.0),
        ("hugs", 1.0 / 15.0),
        ("hug", 1.0 / 15.0),
        ("pu", 1.0 / 21.0),
        ("bu", 1.0 / 4.0),
    ];
    assert_eq!(first_six(Criterion::Pmi), figures(pmi));
    let frequency = [("##ug", 20.0), ("##un", 16.0), ("hug", 15.0), ("pun", 12.0), ("pug", 5.0), ("hugs", 5.0)];
    assert_eq!(first_six(Criterion::Frequency), figures(frequency));
    let rounded = |criterion| {
        let round = |(token, score): (String, f64)| (token, (score * 1e4).round() / 1e4);
        first_six(criterion).into_iter().map(round).collect::<Vec<_>>()
    };
    let sum = [("##ug", 0.3571), ("##un", 0.5), ("hug", 0.4286), ("pun", 0.3636), ("pug", 0.5), ("bun", 0.5)];
    assert_eq!(rounded(Criterion::Sum), figures(sum));
    let likelihood =
        [("##ug", 28.0178), ("##un", 42.6973), ("hug", 26.7232), ("pun", 11.1664), ("pug", 16.2541), ("bun", 13.4982)];
    assert_eq!(rounded(Criterion::Likelihood), figures(likelihood));
    let gains: f64 = hug(Criterion::Likelihood).history.iter().take(7).map(|merge| merge.score).sum();
    assert!((gains - (198.5343 - 54.5224)).abs() < 1e-4, "{gains}");
}

#[test]
fn golden_four_sentences() {
    let text = "This is the Hugging Face Course . This chapter is about tokenization . \
                This section shows several tokenizer algorithms . \
                Hopefully , you will be able to understand how they are trained and generate tokens .";
    let mut words: Vec<(&str, u64)> = Vec::new();
    for word in text.split(' ') {
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    let config = WordPieceTrainerConfig {
        vocab_size: 70,
        criterion: Criterion::Pmi,
        ties: Ties::First,
        ..WordPieceTrainerConfig::default()
    };
    let trained = core(&words, &config).unwrap();
    let expected = "[PAD] [UNK] [CLS] [SEP] [MASK] T ##h ##i ##s i t ##e H ##u ##g ##n F ##a ##c C ##o ##r . c \
                    ##p ##t a ##b ##k ##z s ##w ##v ##l ##m ##f ##y , y w b u ##d h g ab ##fu Fa Fac ##ct ##ful \
                    ##full ##fully Th ch ##hm cha chap chapt ##thm Hu Hug Hugg sh th is ##thms ##za ##zat ##ut";
    assert_eq!(trained.entries, expected.split_whitespace().collect::<Vec<_>>());
    assert_eq!(trained.history[0].score, 0.2);
    assert_eq!(trained.history[24].score, 1.0 / 9.0);
}

#[test]
fn the_progress_callback_can_stop_a_training_at_any_call() {
    let words = [("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)];
    let config = WordPieceTrainerConfig { prune_unused: true, ..WordPieceTrainerConfig::default() };
    let mut calls = 0;
    let all = train(&words, &config, None, &mut |_| {
        calls += 1;
        ControlFlow::Continue(())
    });
    assert!(all.is_ok());
    for last in 0..calls {
        let mut left = last;
        let ended = train(&words, &config, None, &mut |_| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            ControlFlow::Continue(())
        });
        assert_eq!(ended, Err(Error::Interrupted));
    }
}

#[test]
fn bad_settings_are_errors() {
    let words = [("ab", u64::MAX / 2), ("b", 1)];
    let config = WordPieceTrainerConfig { vocab_size: 7, ..WordPieceTrainerConfig::default() };
    let Err(Error::Config(text)) = core(&words, &config) else { panic!("too small") };
    assert!(text.to_string().contains("at least 8"), "{text}");
    let twice = vec!["[X]".to_owned(), "[X]".to_owned()];
    let config = WordPieceTrainerConfig { special_tokens: twice, ..WordPieceTrainerConfig::default() };
    assert!(matches!(core(&words, &config), Err(Error::Config(_))));
    for (symbols, said) in
        [(["x", "x"], "\"x\" is given twice"), (["x", "[CLS]"], "special token"), (["x", ""], "empty")]
    {
        let symbols = symbols.map(str::to_owned).into();
        let config = WordPieceTrainerConfig { user_defined_symbols: symbols, ..WordPieceTrainerConfig::default() };
        let Err(Error::Config(text)) = core(&words, &config) else { panic!("{said}") };
        assert!(text.to_string().contains(said), "{text}");
    }
    let config =
        WordPieceTrainerConfig { user_defined_symbols: vec!["ab".to_owned()], ..WordPieceTrainerConfig::default() };
    assert!(matches!(core(&[("ab", u64::MAX / 2), ("c", 2)], &config), Err(Error::Overflow(_))));
    let config = WordPieceTrainerConfig::default();
    assert!(matches!(core(&[("ab", u64::MAX / 2), ("c", 2)], &config), Err(Error::Overflow(_))));
    assert!(matches!(core(&[("ab", 0)], &config), Err(Error::Counts(_))));
    assert!(core(&[("ab", u64::MAX / 2), ("c", 1)], &config).is_ok());
}
