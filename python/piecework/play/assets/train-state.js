// States of a training by merging, which follow from its record as `MergeTrace.to_dict` says. A state is the number of merges
// made: 0 is the start.

const MAX_PIECES = 60; // of a word that are shown

export class MergeStates {
  // `readable` maps tokens to their readable forms; those that are equal are left out.
  constructor(trace, readable) {
    this.trace = trace;
    this.readable = readable;
    this.steps = trace.steps;
    this.length = trace.steps.length;
    this.state = 0;
    this.counts = new Map(Object.entries(trace.symbols));
    this.changes = wordsByMerge(trace.words, this.length);
    this.initial = trace.initial_vocab;
    [this.learned, this.learnedAt] = learnedTokens(trace);
  }

  show(token) {
    return this.readable.get(token) ?? token;
  }

  // Returns the merge that led to a state from 1 to the last.
  merge(state) {
    return this.steps[state - 1].candidates[0];
  }

  // Goes to a state; returns the indices of the words that look different there.
  moveTo(state) {
    const [from, to] = [this.state, state];
    for (let step = from + 1; step <= to; step++) this.apply(this.merge(step), 1);
    for (let step = from; step > to; step--) this.apply(this.merge(step), -1);
    this.state = state;
    const words = new Set();
    // The first and the last of these merges also gain or lose the mark of the last change.
    for (let step = Math.min(from, to); step <= Math.max(from, to); step++) {
      for (const index of this.changes[step]) words.add(index);
    }
    return words;
  }

  apply({ left, right, token, merge_count: count }, sign) {
    this.add(left, -sign * count);
    this.add(right, -sign * count);
    this.add(token, sign * count);
  }

  add(token, count) {
    this.counts.set(token, (this.counts.get(token) ?? 0) + count);
  }

  // Returns the number of tokens in all words.
  total() {
    const { steps, length, state } = this;
    if (state < length) return steps[state].total;
    if (length) return steps[length - 1].total - this.merge(length).merge_count;
    return Object.values(this.trace.symbols).reduce((sum, count) => sum + count, 0);
  }

  // Returns the number of tokens that were learned before this state.
  learnedNumber() {
    return this.learnedAt[this.state];
  }

  // Returns the candidates for the next merge, and what is known of them.
  candidates() {
    if (this.state < this.length) return this.steps[this.state];
    const remaining = this.trace.remaining;
    return { candidates: remaining, ties: remaining.filter((each) => each.rank === 1).length, pairs: null };
  }

  // Returns the first pieces of a word as [text, isNew], and whether there are more.
  pieces(index) {
    const { symbols, merged_at: mergedAt } = this.trace.words[index];
    const prefix = this.trace.prefix.length;
    const pieces = [];
    let part = null;
    let isNew = false;
    for (let place = 0; place < symbols.length; place++) {
      if (pieces.length === MAX_PIECES) return { pieces, isCut: true };
      const symbol = symbols[place];
      if (symbol === null) {
        pieces.push(["□", false]);
        continue;
      }
      part = part === null ? symbol : part + symbol.slice(prefix);
      const step = mergedAt[place] ?? null;
      if (step === null || step > this.state) {
        pieces.push([this.show(part), isNew]);
        [part, isNew] = [null, false];
      } else if (step === this.state) isNew = true;
    }
    return { pieces, isCut: false };
  }
}

// Returns for each state the indices of the words that its merge changed.
function wordsByMerge(words, length) {
  const changes = Array.from({ length: length + 1 }, () => []);
  words.forEach(({ merged_at: mergedAt }, index) => {
    for (const step of mergedAt) {
      if (step !== null && changes[step].at(-1) !== index) changes[step].push(index);
    }
  });
  return changes;
}

// Returns the learned tokens in order, and for each state their number.
function learnedTokens(trace) {
  const seen = new Set(trace.initial_vocab);
  const learned = [];
  const numbers = [0];
  for (const { candidates } of trace.steps) {
    const { token } = candidates[0];
    if (!seen.has(token)) learned.push(token);
    seen.add(token);
    numbers.push(learned.length);
  }
  return [learned, numbers];
}
