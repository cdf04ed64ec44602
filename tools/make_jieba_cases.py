"""Writes spec/cases/jieba.json, the expected Chinese segmentations, from live jieba.

Run it with a Python that has jieba 0.42.1; nothing of this project is imported, so the expected
pieces are independent of it:

    python tools/make_jieba_cases.py [--check]
"""

import argparse
import io
import json
import random
import sys
import warnings
from pathlib import Path
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba
    import jieba.finalseg

TARGET = Path(__file__).parents[1] / "spec" / "cases" / "jieba.json"
SEED = 20
RANDOM_TEXTS = 160

# User dictionaries as jieba reads them.
DICTIONARIES = {
    "none": "",
    "new words": "创新办 3 i\n云计算 5\n凱特琳 nz\n台中\n低成本造词 1\n",
    "no frequencies": "创新办\n中将\n江大桥\n石墨烯\n石墨烯\n今天天气\nγ射线\n",
    "taken away": "小明 0\n中国科学院 0\n杭研 0\n天气 0\n天气 7\n",
    "all shapes": "\ufeff  入套 100 n\r\n\n机器 学习 3\nb 1 2 n\n5\na+b 9\nx N\na  3\n",
    "large": "的话 18446744073649449640\n话说 1\n",
    "out of reach": "γ射线\n人工 智能 9\n· 5\n阿·甘\n\U00020000字\n",
}

TEXTS = [
    "",
    "我来到北京清华大学",
    "他来到了网易杭研大厦",
    "小明硕士毕业于中国科学院计算所,后在日本京都大学深造",
    "李小福是创新办主任也是云计算方面的专家",
    "如果放到旧字典中将出错",
    "「台中」正确应该不会被切开",
    "今天天气真好,我们去长江大桥看石墨烯",
    "南京市长江大桥",
    "凱特琳買了一本書",
    "低成本造词",
    "γ射线和阿·甘",
    "人工 智能 人工智能",
    "的话说回来",
    "机器 学习 a+b x N a  3",
    "杭研大厦里的小明说天气",
    "結婚的和尚未結婚的",
    "研究生命的起源",
    "乒乓球拍卖完了",
    "T恤和B超,还有AT&T与C++",
    "价格是3.5%,涨了12.25%,共1.2.3元,v1.5a",
    "a.b .5 5. 5.% %5 5%% 1.5.%",
    "test-case_name+x#1&2",
    "第一行\n第二行\r\n第三行\r第四行\r\r\n\n\r",
    "全角　空格\u00a0和\u2028分行\x1c\x85\x0b",
    "繁體中文與简体中文",
    "ｆｕｌｌ　ｗｉｄｔｈ１２３",
    "日本語のテキストと한국어",
    "中a国1人",
    "鿕鿖鿿㐀豈\U00020000",
    "é e\u0301 ß",
    "\x00\ufeff\U0001f600中",
    "一一一一一一一一",
    "的的的的的的的的的",
    "长春市长春节致辞",
    "hello world",
    "Hello,世界!你好,world。",
    "不明觉厉,喜大普奔,累觉不爱",
    "欧阳建国与慕容雪村在佛山南海",
    # Equally likely segmentations: the longest word, or the last bit of a logarithm decides.
    "入套入弹词",
    "入套入仅够",
    "小叠小",
    "大原大变大真大",
    "丁税政丁丁丁",
]


def tokenizer(dictionary: str) -> jieba.Tokenizer:
    """Returns a segmenter of its own with a user dictionary."""
    jieba.finalseg.Force_Split_Words.clear()  # jieba shares them between segmenters
    made = jieba.Tokenizer()
    made.load_userdict(io.BytesIO(dictionary.encode()))
    return made


def parsed(dictionary: str) -> list[list[str | int | None]]:
    """Returns the words of a user dictionary as jieba adds them."""
    words: list[list[str | int | None]] = []

    class Listener(jieba.Tokenizer):  # type: ignore[misc]
        def add_word(self, word: str, freq: str | None = None, tag: str | None = None) -> None:
            words.append([word, freq and int(freq), tag])

    Listener().load_userdict(io.BytesIO(dictionary.encode()))
    return words


def random_texts() -> list[str]:
    """Returns texts of words, parts of words, characters and signs."""
    jieba.initialize()
    words = sorted(word for word, frequency in jieba.dt.FREQ.items() if frequency)
    chosen = random.Random(SEED)

    def part() -> str:
        word = chosen.choice(words)
        return chosen.choice(
            (
                word,
                word[: chosen.randint(1, 2)],
                word[-1],
                chosen.choice(words) + word[0],
                chr(chosen.randrange(0x4E00, 0x9FD6)),
                chosen.choice("aB3 .%-+#&_,。\u3000々"),
            )
        )

    return ["".join(part() for _ in range(chosen.randint(2, 9))) for _ in range(RANDOM_TEXTS)]


def cases() -> dict[str, Any]:
    """Returns the table."""
    jieba.setLogLevel(60)
    texts = TEXTS + random_texts()
    dictionaries = {
        name: {"text": dictionary, "words": parsed(dictionary)}
        for name, dictionary in DICTIONARIES.items()
    }
    found = []
    for name, dictionary in DICTIONARIES.items():
        made = tokenizer(dictionary)
        for text in texts if name == "none" else TEXTS:
            pieces = {"hmm": made.lcut(text, HMM=True), "no_hmm": made.lcut(text, HMM=False)}
            found.append({"dictionary": name, "text": text, **pieces})
    return {"source": f"jieba {jieba.__version__}", "dictionaries": dictionaries, "cases": found}


def written(table: dict[str, Any]) -> str:
    """Returns the table as JSON, a dictionary or a case a line."""
    names = [f"{dump(name)}: {dump(value)}" for name, value in table["dictionaries"].items()]
    rows = map(dump, table["cases"])
    return (
        f'{{"source": {dump(table["source"])},\n'
        '"dictionaries": {\n' + ",\n".join(names) + "\n},\n"
        '"cases": [\n' + ",\n".join(rows) + "\n]}\n"
    )


def dump(value: Any) -> str:
    """Returns a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Writes or checks the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 on differences")
    text = written(cases())
    if not parser.parse_args().check:
        TARGET.write_text(text, encoding="utf-8", newline="\n")
    elif TARGET.read_text(encoding="utf-8") != text:
        sys.exit(f"{TARGET} is stale: run tools/make_jieba_cases.py")


if __name__ == "__main__":
    main()
