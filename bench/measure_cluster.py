"""Ray and Spark beside processes of this machine, columns of data frames, memory of workers, and the costs of a large run.

It runs in the environment of `make test-cluster`, in a network that has loopback alone. The text is real, in JSON lines of
documents of 2.4 KB; CLUSTER_MB sets its size.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpus
from measure_corpus import VOCABS, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Row

MB = int(os.environ.get("CLUSTER_MB", "1000"))
ROWS = 1_000_000
PYTHON = Path(__file__).parents[1] / ".venv-cluster" / "bin" / "python"
ALONE = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
VOCAB = "bert-base-uncased"

ENGINES = """
import json, os, re, sys, time
from pathlib import Path
from piecework.engines import Local, Ray, Spark, connected
engine = {"local": Local, "ray": Ray, "spark": Spark}[sys.argv[1]](workers=2)

def peak(names):
    peaks = [0]
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if any(name in (entry / "cmdline").read_text() for name in names):
                    peaks.append(int(re.search(r"VmHWM:\\s+(\\d+)", (entry / "status").read_text())[1]))
            except OSError:
                pass
    return max(peaks) * 1024
"""

RUN = (
    ENGINES
    + """
import piecework as pw
tok = pw.Tokenizer.from_file(sys.argv[2])
start = time.monotonic()
with connected(engine):
    started = time.monotonic() - start
    begin = time.monotonic()
    manifest = pw.corpus.tokenize(tok, sys.argv[3], sys.argv[4] + "/" + sys.argv[1], format="megatron", engine=engine)
    seconds = time.monotonic() - begin
    memory = peak(["ray::", "pyspark.daemon"])
print(json.dumps([started, seconds, memory, manifest.sha256]))
"""
)

TASKS = (
    ENGINES
    + """
with connected(engine):
    list(engine.run(len, ["warm"] * 4))
    begin = time.monotonic()
    count = sum(engine.run(len, ["a"] * 1000))
    print(json.dumps([time.monotonic() - begin, count]))
"""
)

COLUMNS = """
import json, os, sys, time
import pyarrow as pa
import piecework as pw
from piecework.engines import Ray, Spark, connected
tok = pw.Tokenizer.from_file(sys.argv[2])
words = open(sys.argv[3], encoding="utf-8").read().split()
starts = (7919 * number % (len(words) - 8) for number in range(int(sys.argv[4])))
texts = [" ".join(words[start:start + 8]) for start in starts]
table = pa.table({"text": texts, "n": range(len(texts))})

def best(run):
    times = []
    for _ in range(3):
        begin = time.monotonic()
        result = run()
        times.append(time.monotonic() - begin)
    return min(times), result

alone, batch = best(lambda: tok.encode_batch(table["text"], threads=2))
wanted = len(batch.ids)
if sys.argv[1] == "ray":
    with connected(Ray(workers=2)):
        import ray.data
        frame = ray.data.from_arrow(table).repartition(4).materialize()
        encode = tok.arrow_udf("text")
        seconds, done = best(lambda: frame.map_batches(encode, batch_format="pyarrow", batch_size=None).materialize())
        found = sum(len(row["ids"]) for row in done.iter_rows())
else:
    with connected(Spark(workers=2, config={"spark.driver.memory": "4g"})) as session:
        from pyspark.sql import functions
        frame = session.createDataFrame(table).repartition(4).cache()
        frame.count()
        encoded = frame.withColumn("ids", tok.spark_udf("text"))
        seconds, _ = best(lambda: encoded.write.format("noop").mode("overwrite").save())
        found = encoded.select(functions.sum(functions.size("ids"))).first()[0]
assert found == wanted, (found, wanted)
print(json.dumps([alone, seconds]))
"""

COSTS = """
import json, os, sys, time

class InThisProcess:
    def run(self, fn, parts):
        return map(fn, parts)

import piecework as pw
from piecework.corpus._counting.plan import CountPlan
from piecework.corpus._counting.part import CountPart
from piecework._io.documents import read
source, folder, tokenizer = sys.argv[1:]
corpus = pw.Corpus(source)

def timed(run):
    begin = time.process_time()
    result = run()
    return time.process_time() - begin, result

read_time, _ = timed(lambda: sum(len(each) for each in read(corpus._sources[0])))
splitter = json.dumps({"normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
    "strip_accents": None, "lowercase": True}, "pre_tokenizer": {"type": "BertPreTokenizer"}})
plan = CountPlan.of(corpus, splitter, 0, 1 << 40)
count = CountPart(plan.sha256, folder, splitter, plan.reading, plan.inputs, 1, None)
count_time, receipt = timed(lambda: count(plan.parts[0]))
merge_time, _ = timed(lambda: pw.WordCounts.merge_files([f"{folder}/{receipt.files[0].name}"] * 8, f"{folder}/sum"))
tok = pw.Tokenizer.from_file(tokenizer)
encode_time, manifest = timed(lambda: pw.corpus.tokenize(tok, corpus, f"{folder}/tokens", engine=InThisProcess()))
print(json.dumps([read_time, count_time, receipt.files[0].bytes, merge_time / 8, encode_time, manifest.tokens]))
"""


def measure() -> Iterator[Row]:
    """Measures the engines, the columns and the costs."""
    if not corpus.is_there():
        yield corpus.skipped("clusters")
        return
    if not PYTHON.exists():
        yield "clusters", "skipped: `make test-cluster` makes their environment", "-"
        return
    tokenizer = str(corpus.DATA / "vocabs" / VOCABS[VOCAB])
    with tempfile.TemporaryDirectory(prefix="piecework-bench-") as name:
        folder = Path(name)
        lines = write(folder / "lines.jsonl", MB * 1_000_000)
        yield from _engines(tokenizer, lines, folder)
        for engine in ("ray", "spark"):
            seconds, count = _run(TASKS, engine)
            yield f"{engine}, a part that does nothing", f"{1000 * seconds / count:.1f} ms", "-"
        text = folder / "novels.txt"
        text.write_bytes(corpus.read("en/novels-25.txt"))
        for engine, call in (("ray", "map_batches"), ("spark", "spark_udf")):
            alone, seconds = _run(COLUMNS, engine, tokenizer, text, ROWS)
            figure = f"{alone / seconds:.2f} of the speed of encode_batch ({alone:.2f} s)"
            yield f"{engine}, {call}, {ROWS / 1e6:.0f} M short rows", figure, "half"
        yield from _costs(tokenizer, write(folder / "part.jsonl", 100_000_000), folder)


def _engines(tokenizer: str, lines: Path, folder: Path) -> Iterator[Row]:
    """Encodes the same file on each engine."""
    local, hashes = 0.0, set()
    for engine, goal in (("local", "-"), ("ray", "1.5 times"), ("spark", "3 times")):
        started, seconds, memory, sha256 = _run(RUN, engine, tokenizer, lines, folder)
        hashes.add(sha256)
        local = local or seconds
        times = f", {seconds / local:.2f} times local" if engine != "local" else ""
        figure = f"{seconds:.1f} s{times}; started in {started:.1f} s"
        yield f"{engine}, two workers, {MB} MB to Megatron files", figure, goal
        if engine != "local":
            yield f"{engine}, memory of a worker", f"{memory / 1e6:.0f} MB", "under 700 MB"
    if len(hashes) > 1:
        raise AssertionError("the engines give different manifests")


def _costs(tokenizer: str, part: Path, folder: Path) -> Iterator[Row]:
    """Measures the steps that docs/cluster.md reckons with, on one core."""
    size = part.stat().st_size / 1e6
    reading, counting, counts, merging, encoding, tokens = _run(COSTS, part, folder, tokenizer)
    yield "one core, reading JSON lines", f"{size / reading:.0f} MB/s", "-"
    yield "one core, reading, encoding and writing twice", f"{size / encoding:.0f} MB/s", "-"
    yield "bytes of text for a token", f"{size * 1e6 / tokens:.2f}", "-"
    yield "one core, counting words", f"{size / counting:.0f} MB/s", "-"
    yield f"counts of a part of {size:.0f} MB", f"{counts / 1e6:.1f} MB", "-"
    yield "one core, merging counts", f"{counts / 1e6 / merging:.0f} MB/s of counts", "-"


def _run(code: str, *arguments: object) -> Any:
    """Returns what a program prints as JSON, run in the environment of the engines."""
    run = [*ALONE, str(PYTHON), "-c", code, *map(str, arguments)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])
