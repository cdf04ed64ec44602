"""Tokenization in plain Python: the executable specification of this project.

Read the files in this order; each adds one idea, and none needs more than the ones before it.

1. `aligned`      a text under way, and where each character of it came from
2. `normalize`    tidy it
3. `split`        divide it: one primitive, five behaviours
4. `pretokenize`  into words
5. `counts`       count them: the table is all that training sees
6. `alphabet`     words become symbols, `hug` becomes `h ##u ##g`
7. `criteria`     what a merge is worth: four answers, or your own (`gain` and `logarithms`: one of
   them, compared exactly)
8. `settings`     what else can be asked of a training
9. `merging`      merge the best pair, again and again, and keep a history
10. `train`       what WordPiece adds: probabilities, pruning
11. `encode`      split a word by greedy longest match
12. `probability` the vocabulary as a unigram language model
13. `decode`      from tokens back to text

The other algorithm, byte-pair encoding, shares the loop and keeps its merges:

14. `bpe_train`   what BPE adds: marks at the end of a word, the ties of other libraries
15. `bpe`         split a word by merges, with or without `chance`

The third, Unigram, does not merge. It looks at all segmentations at once:

16. `lattice`        the best of them, the sum over all, one by chance
17. `nbest`          the best few, in order
18. `unigram`        split a word into its likeliest pieces
19. `unigram_seeds`  the strings that a training begins with
20. `unigram_train`  learn their probabilities, and drop those that are missed least
21. `likeliest`      the same lattice for a vocabulary of WordPiece

Then whole tokenizers, as a tokenizer.json describes them:

22. `added`       strings that become tokens before anything else is asked
23. `models`      from a word to its tokens: WordPiece, BPE, Unigram, WordLevel behind one interface
24. `encoding`    what comes out: rows of tokens, and how two encodings merge
25. `truncate`    shorter with what was cut off kept, or longer with padding
26. `postprocess` special tokens around texts
27. `pipeline`    all of it in the order of the flow
28. `tokenizer`   a trained WordPiece tokenizer: a pipeline, a decoder, probabilities

Five files help: `unicode` holds the facts about code points, `regex` reads other people's patterns,
`charsmap` the rewriting tables of SentencePiece models, `scores` numbers as `tokenizers` does, and `floats`
is arithmetic that comes out the same everywhere. Everything is written to be read and to
be right, not to be fast: the compiled core must agree with it in every id, span, score and count. It
needs the standard library alone, and works where the core is absent.

From text to a trained tokenizer and back:

>>> from piecework.reference import Tokenizer, WordPieceTrainer, count_words, in_order, train
>>> words = in_order(count_words(["hug pug pun bun hugs", "hug hugs hug"]))
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

The same words merged, and merged once more:

>>> from piecework.reference import BPE, BpeTrainer, bpe, train_bpe
>>> trained = train_bpe(words, BpeTrainer(end_of_word_suffix="</w>", max_merges=3))
>>> merges = [(merge.left, merge.right) for merge in trained.history]
>>> merges
[('h', 'u'), ('hu', 'g</w>'), ('g', 's</w>')]
>>> ids = {entry: i for i, entry in enumerate(trained.vocabulary)}
>>> model = BPE(ids, bpe.Listed(merges), bpe.Settings(end_of_word_suffix="</w>"))
>>> [token.text for token in model.tokens("hugs")]
['hu', 'gs</w>']

The same words, to pieces that have probabilities:

>>> from piecework.reference import Unigram, UnigramTrainer, train_unigram, unigram
>>> trained = train_unigram(words, UnigramTrainer(12))
>>> [piece for piece, _ in trained.vocabulary[3:7]]
['hug', 'p', 's', 'un']
>>> model = Unigram(trained.vocabulary, unigram.Settings(unk_token="<unk>"))
>>> [token.text for token in model.tokens("hugs")]
['hug', 's']

`python -m piecework.reference` walks through a training, merge by merge.
"""

from piecework.reference.aligned import Normalized
from piecework.reference.alphabet import Symbol
from piecework.reference.bpe_train import BpeTraining, train_bpe
from piecework.reference.counts import Count, count_words, in_order, merge_counts
from piecework.reference.criteria import (
    CRITERIA,
    Criterion,
    frequency,
    likelihood,
    log_likelihood,
    pmi,
    ratio_to_sum,
)
from piecework.reference.encode import Piece, Splitter
from piecework.reference.encoding import Encoding
from piecework.reference.models import BPE, Unigram
from piecework.reference.normalize import BertNormalizer
from piecework.reference.pipeline import Pipeline, from_dict
from piecework.reference.settings import (
    SPECIAL_TOKENS,
    BpeTrainer,
    UnigramTrainer,
    WordPieceTrainer,
)
from piecework.reference.tokenizer import Token, Tokenizer
from piecework.reference.train import Candidate, Merge, Trained, Training, train
from piecework.reference.unigram_train import UnigramTraining, train_unigram

__all__ = [
    "BPE",
    "CRITERIA",
    "SPECIAL_TOKENS",
    "BertNormalizer",
    "BpeTrainer",
    "BpeTraining",
    "Candidate",
    "Count",
    "Criterion",
    "Encoding",
    "Merge",
    "Normalized",
    "Piece",
    "Pipeline",
    "Splitter",
    "Symbol",
    "Token",
    "Tokenizer",
    "Trained",
    "Training",
    "Unigram",
    "UnigramTrainer",
    "UnigramTraining",
    "WordPieceTrainer",
    "count_words",
    "frequency",
    "from_dict",
    "in_order",
    "likelihood",
    "log_likelihood",
    "merge_counts",
    "pmi",
    "ratio_to_sum",
    "train",
    "train_bpe",
    "train_unigram",
]
