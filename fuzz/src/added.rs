//! Added tokens and phrases by their definition (P33, P34 and P2 of spec/pipeline.md), by trial at each position.

use piecework_core::added::AddedToken;

/// A part of a text: its start and its end, and the place of the token that it is.
pub type Part = (usize, usize, Option<usize>);

/// Returns the parts of a text; each token is searched in its form `form`, where `allowed` says so.
#[must_use]
pub fn parts(
    text: &str,
    tokens: &[AddedToken],
    form: impl Fn(&AddedToken) -> Option<String>,
    allowed: impl Fn(&AddedToken, usize, usize) -> bool,
) -> Vec<Part> {
    let forms: Vec<Option<String>> = tokens.iter().map(|token| form(token).filter(|form| !form.is_empty())).collect();
    let (mut parts, mut at, mut done) = (Vec::new(), 0, 0);
    while at < text.len() {
        let end_of =
            |place: usize| Some(at + forms[place].as_ref().filter(|form| text[at..].starts_with(&***form))?.len());
        let here = (0..tokens.len()).filter_map(|place| Some((end_of(place)?, place)));
        let here = here.filter(|&(end, place)| allowed(&tokens[place], at, end));
        let Some((end, place)) = here.max_by_key(|&(end, place)| (end, std::cmp::Reverse(place))) else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let token = &tokens[place];
        if !token.single_word || stands_alone(text, at, end) {
            let (start, stop) = with_spaces(text, token, (at, end), done);
            parts.extend((done < start).then_some((done, start, None)));
            // The token before may have taken all of it.
            parts.extend((start < stop).then_some((start, stop, Some(place))));
            done = stop;
        }
        at = end;
    }
    parts.extend((done < text.len()).then_some((done, text.len(), None)));
    parts
}

/// Returns whether no word character is next to a range.
#[must_use]
pub fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !is_word(text[..start].chars().next_back()) && !is_word(text[end..].chars().next())
}

/// Returns a match with the white space that its token takes, after the end of the match before.
fn with_spaces(text: &str, token: &AddedToken, (start, end): (usize, usize), done: usize) -> (usize, usize) {
    let (mut start, mut end) = (start, end);
    if token.rstrip {
        let from = end.max(done);
        end = text.len() - text[from..].trim_start().len();
    }
    if token.lstrip {
        let from = done.min(start);
        start = from + text[from..start].trim_end().len();
        start = start.max(done).min(end);
    }
    (start, end)
}
