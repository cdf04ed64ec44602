//! Streams of ids: text that is decoded while a model generates it, up to a stop.
//!
//! Most steps copy the bytes of a token from the table. The stages of the decoder run where text depends on tokens to come,
//! as within a character, and for decoders without a table.

use std::collections::HashMap;

use super::Tokenizer;
use super::decode::DecodeOptions;
use crate::decode::{DecodeTable, Found, Stages, StopStrings, StreamOutput};
use crate::error::{Error, Message, Result};
use crate::stop;

/// A string or an id that ends a stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stop {
    /// A string in the text.
    Text(String),
    /// An id.
    Id(u32),
}

/// The stops of a stream.
#[derive(Debug, Default)]
pub struct Stops {
    strings: StopStrings,
    /// The stop of each string.
    of_strings: Vec<usize>,
    /// The stop of each id.
    ids: HashMap<u32, usize>,
}

/// The settings of a stream.
#[derive(Debug, Default)]
pub struct StreamSettings {
    /// Text or bytes.
    pub output: StreamOutput,
    /// The options of decoding.
    pub decoding: DecodeOptions,
    /// What ends the stream.
    pub stops: Stops,
    /// Whether steps return bytes and positions with the text.
    pub has_positions: bool,
}

/// The state of a stream of ids.
#[derive(Debug, Clone)]
pub struct IdStream {
    decoding: Decoding,
    /// The state of the search for stop strings, whose text is held back.
    node: u32,
    met: Option<Box<MetStop>>,
    positions: Option<Box<Positions>>,
    is_finished: bool,
}

/// The state of the decoder.
#[derive(Debug, Clone)]
enum Decoding {
    /// A state of the table, and the stages that emit text while this depends on ids to come.
    Table(u8, Option<Box<Stages>>),
    /// The stages of a decoder without a table.
    Stages(Box<Stages>),
}

/// The stop that a stream met, and the text after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetStop {
    /// The index of the stop.
    pub stop: usize,
    /// The text, or the bytes, after it.
    pub rest: Vec<u8>,
}

/// The positions of a stream, before its next id.
#[derive(Debug, Clone, Default)]
struct Positions {
    /// The stages that emit bytes, for a decoder whose table does not contain them.
    stages: Option<Stages>,
    /// The number of bytes.
    bytes: usize,
    /// The number of characters that begin in these bytes, and of those that the decoder has emitted.
    begun: usize,
    emitted: usize,
}

/// The bytes that the ids of a step add, with their positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepPositions {
    /// The bytes of the ids.
    pub bytes: Vec<u8>,
    /// The position of their first character in the text.
    pub start: usize,
    /// The position of their first byte.
    pub byte_start: usize,
}

impl Tokenizer {
    /// Returns the stops of streams, an error for an empty string or an id without token.
    ///
    /// Where special tokens are skipped, a string that is spelled like one is met by its id.
    pub fn stops(&self, stops: &[Stop], skip_special_tokens: bool) -> Result<Stops> {
        let (mut strings, mut of_strings, mut ids) = (Vec::new(), Vec::new(), HashMap::new());
        for (index, stop) in stops.iter().enumerate() {
            match stop {
                Stop::Id(id) => {
                    self.expect_token(*id)?;
                    ids.entry(*id).or_insert(index);
                }
                Stop::Text(text) if text.is_empty() => {
                    return Err(Error::Config(Message::new("expected strings that are not empty").setting("stop")));
                }
                Stop::Text(text) => {
                    let special =
                        self.added().id(text).filter(|_| skip_special_tokens && self.added().is_special(text));
                    if let Some(id) = special {
                        ids.entry(id).or_insert(index);
                    }
                    strings.push(text.clone());
                    of_strings.push(index);
                }
            }
        }
        if strings.iter().map(String::len).sum::<usize>() > MAX_STOP_BYTES {
            return Err(Error::Config(Message::new("the stop strings have more than 16 MiB").setting("stop")));
        }
        Ok(Stops { strings: StopStrings::new(&strings), of_strings, ids })
    }

    /// Returns the state of a new stream.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Stop, StreamSettings};
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// let stops = tokenizer.stops(&[Stop::Text("er l".to_owned())], true)?;
    /// let settings = StreamSettings { stops, ..StreamSettings::default() };
    /// let (mut stream, mut text) = (tokenizer.id_stream(&settings), Vec::new());
    /// tokenizer.decode_step(&mut stream, &settings, &[1, 2], &mut text)?;
    /// assert_eq!(text, b"low", "er may begin the stop");
    /// tokenizer.decode_step(&mut stream, &settings, &[1], &mut text)?;
    /// assert_eq!((text, &*stream.met().unwrap().rest), (b"low".to_vec(), &b"ow"[..]));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    #[must_use]
    pub fn id_stream(&self, settings: &StreamSettings) -> IdStream {
        let decoding = self.decoding_of(settings);
        let stages = || match decoding {
            Decoding::Table(..) if self.decode_table().has_bytes() => None,
            _ => Some(Stages::of(self.decoder(), StreamOutput::Bytes)),
        };
        let positions =
            settings.has_positions.then(|| Box::new(Positions { stages: stages(), ..Positions::default() }));
        IdStream { node: 0, met: None, positions, is_finished: false, decoding }
    }

    fn decoding_of(&self, settings: &StreamSettings) -> Decoding {
        if self.uses_table(settings.decoding) {
            let table = self.decode_table();
            if table.decodes() && (table.has_bytes() || settings.output == StreamOutput::Text) {
                return Decoding::Table(0, None);
            }
        }
        Decoding::Stages(Box::new(Stages::of(self.decoder(), settings.output)))
    }

    /// Decodes ids before those of the stream: their text is neither returned nor searched for stops.
    pub fn decode_before(&self, stream: &mut IdStream, settings: &StreamSettings, ids: &[u32]) -> Result<()> {
        for &id in ids {
            self.expect_token(id)?;
        }
        self.decode_ids(stream, settings, ids, &mut Vec::new())?;
        if let Some(stages) = stream.positions.as_mut().and_then(|positions| positions.stages.as_mut()) {
            stages.run(&self.decoder_tokens(ids, settings.decoding)?, false)?;
        }
        Ok(())
    }

    /// Decodes an id, and returns its bytes, as [`Self::decode_step`] does; `None`, without effect, if that needs more than a
    /// look at the table.
    #[inline]
    pub fn decode_plain<'a>(&'a self, stream: &mut IdStream, settings: &StreamSettings, id: u32) -> Option<&'a [u8]> {
        let Decoding::Table(state, None) = &mut stream.decoding else { return None };
        let table = self.decode_table.get()?;
        let token = table.token(*state, id)?;
        if !(settings.is_plain() && (token.is_text() || settings.output == StreamOutput::Bytes)) {
            return None;
        }
        if token.is_special() && settings.decoding.skip_special_tokens {
            return Some(&[]);
        }
        *state = token.next();
        Some(table.bytes_of(token))
    }

    /// Decodes more ids, and appends the bytes that later ids cannot change and that begin no stop; they are UTF-8 if the
    /// output is text. Returns the positions of the ids, if the settings ask for them.
    ///
    /// An id that is not in the vocabulary is an error and leaves the stream unchanged. After another error the stream is
    /// reset.
    pub fn decode_step(
        &self,
        stream: &mut IdStream,
        settings: &StreamSettings,
        ids: &[u32],
        out: &mut Vec<u8>,
    ) -> Result<Option<StepPositions>> {
        for &id in ids {
            self.expect_token(id)?;
        }
        if std::mem::take(&mut stream.is_finished) {
            *stream = self.id_stream(settings);
        }
        let done = self.step_all(stream, settings, ids, out);
        if done.is_err() {
            *stream = self.id_stream(settings);
        }
        done
    }

    fn step_all(
        &self,
        stream: &mut IdStream,
        settings: &StreamSettings,
        ids: &[u32],
        out: &mut Vec<u8>,
    ) -> Result<Option<StepPositions>> {
        let positions = stream.positions.is_some().then(|| self.positions_of(stream, settings, ids)).transpose()?;
        let (mut from, mut new) = (0, Vec::new());
        while let Some(place) =
            ids[from..].iter().position(|id| stream.met.is_none() && settings.stops.ids.contains_key(id))
        {
            self.decode_ids(stream, settings, &ids[from..from + place], &mut new)?;
            stream.emit(settings, &new, out);
            new.clear();
            from += place;
            if stream.met.is_some() {
                break;
            }
            self.meet_id(stream, settings, ids[from], out)?;
            from += 1;
        }
        self.decode_ids(stream, settings, &ids[from..], &mut new)?;
        stream.emit(settings, &new, out);
        Ok(positions)
    }

    /// Ends the text at the id of a stop, unless a string ends in the text before it, or a longer one with it.
    fn meet_id(&self, stream: &mut IdStream, settings: &StreamSettings, id: u32, out: &mut Vec<u8>) -> Result<()> {
        let (mut with_id, mut text, mut before) = (stream.clone(), Vec::new(), Vec::new());
        self.decode_ids(&mut with_id, settings, &[id], &mut text)?;
        self.end(&mut with_id, settings, &mut text)?;
        self.end(stream, settings, &mut before)?;
        if let Found::Stop(index, end) = settings.stops.strings.search(stream.node, &text)
            && (end < text.len() || settings.stops.strings.length(index) + before.len() > text.len())
        {
            stream.emit(settings, &text, out);
            return Ok(());
        }
        stream.emit(settings, &before, out);
        if stream.met.is_none() {
            out.extend_from_slice(settings.stops.strings.held(stream.node));
            stream.node = 0;
            let stop = settings.stops.ids[&id];
            stream.met = Some(Box::new(MetStop { stop, rest: Vec::new() }));
            // The ids after it are another text, which is the rest.
            stream.positions = self.id_stream(settings).positions;
        }
        Ok(())
    }

    /// Appends the rest of the text after the last id, and ends the stream: the next step begins another text.
    ///
    /// Returns the positions of what no id has added before, if the settings ask for them.
    pub fn decode_rest(
        &self,
        stream: &mut IdStream,
        settings: &StreamSettings,
        out: &mut Vec<u8>,
    ) -> Result<Option<StepPositions>> {
        let mut rest = Vec::new();
        let positions = self.last_positions(stream);
        let done = self.end(stream, settings, &mut rest);
        stream.emit(settings, &rest, out);
        out.extend_from_slice(settings.stops.strings.held(std::mem::take(&mut stream.node)));
        // A plain stream is as it was before the text.
        stream.is_finished = !settings.is_plain();
        stream.positions = self.id_stream(settings).positions;
        done.and(positions)
    }

    /// Returns the bytes at the end of the text, with their positions.
    fn last_positions(&self, stream: &mut IdStream) -> Result<Option<StepPositions>> {
        let Some(positions) = &mut stream.positions else { return Ok(None) };
        let bytes = match (&mut positions.stages, &stream.decoding) {
            (Some(stages), _) => stages.run(&[], true)?,
            (None, Decoding::Table(state, _)) => self.decode_table().end(*state).to_vec(),
            (None, Decoding::Stages(_)) => Vec::new(),
        };
        Ok(Some(StepPositions { bytes, start: positions.begun, byte_start: positions.bytes }))
    }

    /// Appends what the decoder emits at the end of a text, and sets it to the start of a text.
    fn end(&self, stream: &mut IdStream, settings: &StreamSettings, out: &mut Vec<u8>) -> Result<()> {
        let decoding = std::mem::replace(&mut stream.decoding, self.decoding_of(settings));
        match decoding {
            Decoding::Table(_, Some(mut stages)) | Decoding::Stages(mut stages) => out.extend(stages.run(&[], true)?),
            Decoding::Table(state, None) => {
                let table = self.decode_table();
                let text = table.text_stages(state).filter(|_| settings.output == StreamOutput::Text);
                out.extend_from_slice(text.map_or(table.end(state), |(_, end)| end));
            }
        }
        Ok(())
    }

    /// Appends the bytes of ids.
    fn decode_ids(
        &self,
        stream: &mut IdStream,
        settings: &StreamSettings,
        ids: &[u32],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match &mut stream.decoding {
            Decoding::Stages(stages) => out.extend(stages.run(&self.decoder_tokens(ids, settings.decoding)?, false)?),
            Decoding::Table(state, text) => {
                let table = self.decode_table();
                for &id in stop::blocks(ids).flatten() {
                    self.decode_id(table, (state, text), settings, id, out)?;
                }
            }
        }
        Ok(())
    }

    /// Appends the bytes of an id by the table, or by the stages that emit text.
    fn decode_id(
        &self,
        table: &DecodeTable,
        (state, text): (&mut u8, &mut Option<Box<Stages>>),
        settings: &StreamSettings,
        id: u32,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(token) = table.token(*state, id) else { return Ok(()) };
        let is_skipped = token.is_special() && settings.decoding.skip_special_tokens;
        if settings.output == StreamOutput::Bytes || (text.is_none() && (token.is_text() || is_skipped)) {
            table.step(state, id, settings.decoding.skip_special_tokens, out);
            return Ok(());
        }
        if text.is_none() {
            *text = table.text_stages(*state).map(|(stages, _)| Box::new(stages.clone()));
        }
        let Some(stages) = text else { return Ok(()) };
        out.extend(stages.run(&self.decoder_tokens(&[id], settings.decoding)?, false)?);
        if !is_skipped {
            *state = token.next();
        }
        if table.text_stages(*state).is_some_and(|(known, _)| *known == **stages) {
            *text = None;
        }
        Ok(())
    }

    /// Returns the positions of ids, and adds them to those of the stream.
    fn positions_of(&self, stream: &mut IdStream, settings: &StreamSettings, ids: &[u32]) -> Result<StepPositions> {
        let Some(positions) = &mut stream.positions else { return Ok(StepPositions::default()) };
        let (mut bytes, start, byte_start) = (Vec::new(), positions.begun, positions.bytes);
        match (&mut positions.stages, &stream.decoding) {
            (Some(stages), _) => bytes = stages.run(&self.decoder_tokens(ids, settings.decoding)?, false)?,
            (None, Decoding::Table(state, _)) => {
                let (table, mut state) = (self.decode_table(), *state);
                for &id in stop::blocks(ids).flatten() {
                    table.step(&mut state, id, settings.decoding.skip_special_tokens, &mut bytes);
                }
            }
            (None, Decoding::Stages(_)) => {}
        }
        positions.bytes += bytes.len();
        positions.begun += bytes.iter().filter(|&&byte| begins_character(byte)).count();
        Ok(StepPositions { bytes, start, byte_start })
    }
}

/// The maximum length of all stop strings of a stream.
const MAX_STOP_BYTES: usize = 1 << 24;

fn begins_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

impl StreamSettings {
    /// Returns whether a step has nothing to do but to decode its ids.
    fn is_plain(&self) -> bool {
        !self.has_positions && self.stops.strings.is_empty() && self.stops.ids.is_empty()
    }
}

impl IdStream {
    /// Returns the stop that was met, and the text after it.
    #[must_use]
    pub fn met(&self) -> Option<&MetStop> {
        self.met.as_deref()
    }

    /// Appends new text of the decoder, up to a stop and without what may begin one.
    fn emit(&mut self, settings: &StreamSettings, new: &[u8], out: &mut Vec<u8>) {
        self.count(new);
        let strings = &settings.stops.strings;
        if let Some(met) = &mut self.met {
            return met.rest.extend_from_slice(new);
        }
        if strings.is_empty() {
            return out.extend_from_slice(new);
        }
        let held = strings.held(self.node);
        let found = strings.search(self.node, new);
        let (read, kept) = match found {
            Found::Nothing(node) => (new.len(), strings.held(node).len()),
            Found::Stop(index, end) => (end, strings.length(index)),
        };
        // Only what leaves is copied: a long stop may be held back for many steps.
        let emitted = held.len() + read - kept;
        out.extend_from_slice(&held[..emitted.min(held.len())]);
        out.extend_from_slice(&new[..emitted.saturating_sub(held.len())]);
        match found {
            Found::Nothing(node) => self.node = node,
            Found::Stop(index, end) => {
                let stop = settings.stops.of_strings[index];
                (self.node, self.met) = (0, Some(Box::new(MetStop { stop, rest: new[end..].to_vec() })));
            }
        }
    }

    /// Adds new text to the positions.
    fn count(&mut self, new: &[u8]) {
        let Some(positions) = &mut self.positions else { return };
        positions.emitted += new.iter().filter(|&&byte| begins_character(byte)).count();
        let is_behind = matches!(self.decoding, Decoding::Table(_, Some(_)) | Decoding::Stages(_));
        positions.begun = if is_behind { positions.begun.max(positions.emitted) } else { positions.emitted };
    }
}
