"""Tokenization in plain Python: the executable specification of this project.

Read the files in this order; each adds one idea, and none requires a later one.

1. `alignment`        a normalized text, and the span of the original of each of its characters
2. `normalize`        normalize a text
3. `split`            split a text: one primitive, five behaviors
4. `pretokenize`      split it into words
5. `counts`           count words: the table is the only input of training
6. `alphabet`         words become symbols, `hug` becomes `h ##u ##g`
7. `criteria`         the score of a merge: four criteria, or your own (`gain` and `logarithms`: one
   of them, compared exactly)
8. `settings`         all other settings of a training
9. `merging`          merge the best pair, repeatedly, and keep a history (`pairs` counts pairs)
10. `wordpiece`       encode a word by greedy longest match
11. `probability`     the vocabulary as a unigram language model
12. `wordpiece_train` what WordPiece adds to merging: counts of entries, pruning
13. `decode`          from tokens back to text

The second algorithm, byte-pair encoding, shares the loop and keeps its merges:

14. `bpe_train`       what BPE adds: suffixes of words, the tie rules of other libraries
15. `bpe`             encode a word by merges, with dropout by `prng`

The third, Unigram, does not merge. It considers all segmentations of a word:

16. `lattice`         the best segmentation, the sum over all, a sampled one
17. `nbest`           the n best, in order
18. `unigram`         encode a word as its likeliest pieces
19. `unigram_seeds`   the strings that a training begins with
20. `unigram_train`   estimate probabilities, prune the pieces that cost the least likelihood
21. `likeliest`       the same lattice for a vocabulary of WordPiece

Then whole tokenizers, as a tokenizer.json describes them:

22. `added`           strings that become tokens before all other stages
23. `models`          from a word to its tokens: WordPiece, BPE, Unigram, WordLevel, one interface
24. `encoding`        the result: rows of tokens, and how two encodings merge
25. `truncate`        truncation, which keeps what it cuts off, and padding
26. `postprocess`     special tokens around texts
27. `pipeline`        all stages in order
28. `tokenizer`       a trained WordPiece tokenizer: a pipeline, a decoder, probabilities
29. `trained_decoder` the decoder that training chooses for a pipeline

Six files help: `unicode` holds properties of characters, `regex` reads patterns of other libraries,
`charsmap` the normalization rules of SentencePiece models, `scores` numbers as `tokenizers` parses
them, `chunks` the safe split points of a text, and `floats` is arithmetic with equal results on
every machine. The code is meant to be read and to be correct, not to be fast: the compiled core
agrees with it in every id, span, score and count. It requires the standard library alone, and works
without the core.

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

>>> from piecework.reference import BPE, BpeTrainer, train_bpe
>>> from piecework.reference.model import bpe
>>> trained = train_bpe(words, BpeTrainer(end_of_word_suffix="</w>", max_merges=3))
>>> merges = [(merge.left, merge.right) for merge in trained.history]
>>> merges
[('h', 'u'), ('hu', 'g</w>'), ('g', 's</w>')]
>>> ids = {entry: i for i, entry in enumerate(trained.vocabulary)}
>>> model = BPE(ids, bpe.ListedMerges(merges), bpe.BpeSettings(end_of_word_suffix="</w>"))
>>> [token.text for token in model.tokens("hugs")]
['hu', 'gs</w>']

Train Unigram on the words above:

>>> from piecework.reference import Unigram, UnigramTrainer, train_unigram
>>> from piecework.reference.model import unigram
>>> trained = train_unigram(words, UnigramTrainer(12))
>>> [piece for piece, _ in trained.vocabulary[3:7]]
['hug', 'p', 's', 'un']
>>> model = Unigram(trained.vocabulary, unigram.UnigramSettings(unk_token="<unk>"))
>>> [token.text for token in model.tokens("hugs")]
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
from piecework.reference.learn.settings import (
    SPECIAL_TOKENS,
    BpeTrainer,
    UnigramTrainer,
    WordPieceTrainer,
)
from piecework.reference.learn.unigram_train import UnigramTraining, train_unigram
from piecework.reference.learn.wordpiece_train import (
    Candidate,
    Merge,
    TrainedVocabulary,
    WordPieceTraining,
    train,
)
from piecework.reference.model.models import BPE, Unigram
from piecework.reference.model.wordpiece import LongestMatchEncoder, Piece
from piecework.reference.normalize.normalizers import BertNormalizer
from piecework.reference.pipeline.pipeline import Pipeline, from_dict
from piecework.reference.pipeline.tokenizer import Token, Tokenizer
from piecework.reference.postprocess.encoding import Encoding
from piecework.reference.text.alignment import Normalized

__all__ = [
    "BPE",
    "CRITERIA",
    "SPECIAL_TOKENS",
    "BertNormalizer",
    "BpeTrainer",
    "BpeTraining",
    "Candidate",
    "Criterion",
    "Encoding",
    "LongestMatchEncoder",
    "Merge",
    "Normalized",
    "Piece",
    "Pipeline",
    "Symbol",
    "Token",
    "Tokenizer",
    "TrainedVocabulary",
    "Unigram",
    "UnigramTrainer",
    "UnigramTraining",
    "WordCount",
    "WordPieceTrainer",
    "WordPieceTraining",
    "count_words",
    "frequency",
    "from_dict",
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
