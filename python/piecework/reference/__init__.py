"""Tokenization in plain Python: the executable specification of this project.

It holds what no other library defines. Everything else of a tokenizer (its normalizers,
pre-tokenizers, post-processors, decoders, truncation and padding) is defined by `tokenizers`,
SentencePiece and others, and the core is compared with these themselves.

To learn how the three algorithms work, read `mini` first: one file for each, without settings. The
other files have all settings. They are listed in an order to read them in: no file imports one
below it.

    text/                the material
      bytes              bytes and spaces as visible characters
      scripts            the script of a character
      bert               BERT's normalization and words, with spans of the original

    numbers/             results that are equal on every machine
      floats             exp, log, and floats that do not underflow
      logarithms         the exact sign of a sum of logarithms
      prng               pseudo-random numbers

    model/               from a word to its tokens
      wordpiece          greedy longest match
      probability        a WordPiece vocabulary as a unigram language model
      bpe                merges, with dropout
      lattice            all segmentations of a word: the best, the sum, a sampled one
      nbest              the n best segmentations, in order
      unigram            the likeliest pieces
      likeliest          the likeliest segmentation with a vocabulary of WordPiece

    learn/               from counts of words to a vocabulary
      counts             count words: the table is the only input of training
      cut                words are cut at the tokens that encoding always matches
      alphabet           words become symbols, `hug` becomes `h ##u ##g`
      pairs              count adjacent symbols, and merge them
      gain               the gain of a merge in log-likelihood, compared exactly
      criteria           the score of a merge: four criteria, or your own
      settings           all other settings of a training
      merging            merge the best pair, repeatedly, and keep a history
      wordpiece_train    what WordPiece adds: counts of entries, pruning
      bpe_train          what BPE adds: suffixes of words, the tie rules of other libraries
      word_level_train   the most frequent words
      unigram_seeds      the strings that a Unigram training begins with
      unigram_train      estimate probabilities, prune the pieces that cost the least likelihood
      extension          merges on top of an existing BPE or WordPiece vocabulary
      unigram_extension  pieces on top of an existing Unigram vocabulary

    tokenizer            a WordPiece tokenizer as BERT has it: from text to ids and back

The code is meant to be read and to be correct, not to be fast: the compiled core agrees with it in
every id, span, score and count. It requires the standard library alone, and works without the core.

From text to a trained tokenizer and back:

>>> from piecework.reference import Tokenizer, WordPieceTrainer, count_words, sort_counts, train
>>> words = sort_counts(count_words(["hug pug pun bun hugs", "hug hugs hug"]))
>>> words
{'hug': 3, 'pug': 1, 'pun': 1, 'bun': 1, 'hugs': 2}
>>> trained = train(words, WordPieceTrainer(16, criterion="likelihood"))
>>> [merge.token for merge in trained.history]
['##ug', 'hug', '##un', 'hugs']
>>> tokenizer = Tokenizer(trained.vocabulary, counts=trained.counts)
>>> [token.text for token in tokenizer.encode("Pugs, hugs!")]
['p', '##ug', '##s', '[UNK]', 'hugs', '[UNK]']
>>> tokenizer.decode(token.id for token in tokenizer.encode("pugs hug"))
'pugs hug'

Train BPE on the words above, and encode with the merges:

>>> from piecework.reference import BpeEncoder, BpeSettings, BpeTrainer, ListedMerges, train_bpe
>>> trained = train_bpe(words, BpeTrainer(end_of_word_suffix="</w>", max_merges=3))
>>> merges = [(merge.left, merge.right) for merge in trained.history]
>>> merges
[('h', 'u'), ('hu', 'g</w>'), ('g', 's</w>')]
>>> settings = BpeSettings(end_of_word_suffix="</w>")
>>> encode = BpeEncoder(trained.vocabulary, ListedMerges(merges), settings)
>>> [piece.entry for piece in encode("hugs")]
['hu', 'gs</w>']

Train Unigram on the words above:

>>> from piecework.reference import UnigramEncoder, UnigramSettings, UnigramTrainer, train_unigram
>>> trained = train_unigram(words, UnigramTrainer(12))
>>> [piece for piece, _ in trained.vocabulary[3:7]]
['hug', 'p', 's', 'un']
>>> encode = UnigramEncoder(dict(trained.vocabulary), UnigramSettings(unk_token="<unk>"))
>>> [piece.entry for piece in encode("hugs")]
['hug', 's']

`python -m piecework.reference` shows a training, merge by merge.
"""

from piecework.reference.learn.alphabet import Symbol
from piecework.reference.learn.bpe_train import BpeTraining, train_bpe
from piecework.reference.learn.counts import WordCount, count_words, merge_counts, sort_counts
from piecework.reference.learn.criteria import (
    CRITERIA,
    Criterion,
    frequency,
    likelihood,
    log_likelihood,
    pmi,
    ratio_to_sum,
)
from piecework.reference.learn.merging import Candidate, Merge, TrainedVocabulary
from piecework.reference.learn.settings import (
    SPECIAL_TOKENS,
    BpeTrainer,
    UnigramTrainer,
    WordPieceTrainer,
)
from piecework.reference.learn.unigram_train import UnigramTraining, train_unigram
from piecework.reference.learn.wordpiece_train import WordPieceTraining, train
from piecework.reference.model.bpe import BpeEncoder, BpeSettings, ListedMerges
from piecework.reference.model.unigram import UnigramEncoder, UnigramSettings
from piecework.reference.model.wordpiece import LongestMatchEncoder, Piece
from piecework.reference.text.bert import BertNormalizer, Normalized
from piecework.reference.tokenizer import Token, Tokenizer

__all__ = [
    "CRITERIA",
    "SPECIAL_TOKENS",
    "BertNormalizer",
    "BpeEncoder",
    "BpeSettings",
    "BpeTrainer",
    "BpeTraining",
    "Candidate",
    "Criterion",
    "ListedMerges",
    "LongestMatchEncoder",
    "Merge",
    "Normalized",
    "Piece",
    "Symbol",
    "Token",
    "Tokenizer",
    "TrainedVocabulary",
    "UnigramEncoder",
    "UnigramSettings",
    "UnigramTrainer",
    "UnigramTraining",
    "WordCount",
    "WordPieceTrainer",
    "WordPieceTraining",
    "count_words",
    "frequency",
    "likelihood",
    "log_likelihood",
    "merge_counts",
    "pmi",
    "ratio_to_sum",
    "sort_counts",
    "train",
    "train_bpe",
    "train_unigram",
]
