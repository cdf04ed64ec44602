"""The three algorithms, one short file each: start here to learn how a tokenizer works.

Each file has a whole algorithm from top to bottom: count words, train, encode, decode. There are no
settings, and no file imports another. Read them in this order:

1. `bpe`        merge the most frequent pair, and encode a word by the same merges
2. `wordpiece`  merge the pair with the best score, and encode a word by longest match
3. `unigram`    start with many pieces, estimate their probabilities, and remove the least useful;
                encode a word as its likeliest pieces

Each runs as a program that prints its steps on a small text: `python -m
piecework.reference.mini.bpe`. The tests compare vocabularies and ids with the full reference, whose
settings are named at the head of each file. `docs/notes.md` uses these files to work through examples.
"""
