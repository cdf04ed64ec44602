//! Encoding many texts to a list of encodings.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use piecework_core::encoding::pad::Padding;
use piecework_core::encoding::{self, Direction};
use piecework_core::pipeline::{Options, Scratch};
use pyo3::prelude::*;

use crate::aligned::{AlignedEncoding, TruncatedInput, without_text};
use crate::call::{Call, Failure};
use crate::encoding::Encoding;
use crate::errors::{in_text, to_py};
use crate::input::InputRows;
use crate::threads::{self, MIN_DETACHED_BYTES, TaskNumbers, detach};

/// An encoding and its offsets in characters.
type Aligned = (encoding::Encoding, Vec<(u32, u32)>);

/// Encodes the rows on at most the requested number of threads; pads them after all are encoded.
///
/// Without columns, the encodings have ids and masks alone.
pub(crate) fn encode_list(
    py: Python<'_>,
    call: &Call<'_>,
    rows: InputRows<'_>,
    requested: Option<threads::ThreadCount>,
) -> PyResult<Vec<Encoding>> {
    let mut options = Options { padding: None, ..call.options.clone() };
    let unpadded = Call { options: &options, ..*call };
    let mut encodings = encode_rows(py, &unpadded, &rows, threads::number(requested))?;
    if let Some(padding) = &call.options.padding {
        let longest = encodings.iter().map(|(encoding, _)| encoding.len()).max().unwrap_or(0);
        let target = padding.target(longest).map_err(to_py)?;
        detach(py, || encodings.iter_mut().for_each(|encoding| pad(encoding, padding, target)))?;
        options.padding = Some(Padding { length: Some(target), pad_to_multiple_of: None, ..padding.clone() });
    }
    let rows = rows.into_rows().into_iter();
    let whole = |((encoding, offsets), (number, row)): (Aligned, (usize, _))| {
        let input = encoding.is_truncated.then(|| {
            let options = call.tokenizer.options_of_input(&options, number as u64);
            TruncatedInput::new(*call, row, options.into_owned())
        });
        Encoding::new(AlignedEncoding::with_offsets(encoding, offsets, call.tokenizer, input))
    };
    Ok(encodings.into_iter().zip(rows.enumerate()).map(whole).collect())
}

/// Returns the encodings of all rows, or the error of the first that has one.
fn encode_rows(py: Python<'_>, call: &Call<'_>, rows: &InputRows<'_>, threads: usize) -> PyResult<Vec<Aligned>> {
    if rows.total_bytes() < MIN_DETACHED_BYTES {
        let encode = || encode_range(call, rows, 0..rows.len(), &mut call.pool.scratch());
        return detach(py, encode)?.map_err(in_text);
    }
    let tasks = rows.tasks(threads);
    let (tickets, failed) = (TaskNumbers::new(tasks.len()), AtomicBool::new(false));
    let work = |(), stop: &AtomicBool| {
        let (mut scratch, mut done) = (call.pool.scratch(), Vec::new());
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let Some(ticket) = tickets.next() else { break };
            let encoded = encode_range(call, rows, tasks[ticket].clone(), &mut scratch);
            failed.fetch_or(encoded.is_err(), Ordering::Relaxed);
            done.push((ticket, encoded));
        }
        done
    };
    let done = threads::run(py, vec![(); threads.min(tasks.len())], work, threads::no_progress)?;
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    // In the order of the texts, so that the first failure is that of the first text that has one.
    done.sort_unstable_by_key(|&(ticket, _)| ticket);
    let mut all = Vec::with_capacity(rows.len());
    for (_, encoded) in done {
        all.extend(encoded.map_err(in_text)?);
    }
    Ok(all)
}

/// Returns the encodings of a range of rows, with offsets in characters.
fn encode_range(
    call: &Call<'_>,
    rows: &InputRows<'_>,
    range: Range<usize>,
    scratch: &mut Scratch,
) -> Result<Vec<Aligned>, Failure> {
    let encode = |row: usize| {
        let options = call.tokenizer.options_of_input(call.options, row as u64);
        let encoding = rows.with_inputs(row, |text, pair| call.tokenizer.encode(text, pair, &options, scratch));
        let encoding = encoding.map_err(|error| (row, error))?;
        if !call.columns {
            let offsets = vec![(0, 0); encoding.len()];
            return Ok((without_text(encoding), offsets));
        }
        let offsets = rows.maps(row).characters(&encoding).collect();
        Ok((encoding, offsets))
    };
    range.map(encode).collect()
}

/// Pads an encoding and its offsets to `target` tokens.
fn pad((encoding, offsets): &mut Aligned, padding: &Padding, target: usize) {
    padding.pad_to(encoding, target);
    let missing = std::iter::repeat_n((0, 0), encoding.len() - offsets.len());
    match padding.direction {
        Direction::Right => offsets.extend(missing),
        Direction::Left => drop(offsets.splice(0..0, missing)),
    }
}
