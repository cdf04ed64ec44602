"""Holds the texts that the page starts with, and the tokenizers if none are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.tokenizer import Tokenizer

__all__ = ["PARALLEL_TEXTS", "train_samples"]

PARALLEL_TEXTS: Final[Mapping[str, str]] = {
    "English": "A tokenizer divides text into pieces. Frequent words stay whole, and rare words are split into parts that occur "
    "elsewhere. How many pieces a sentence needs depends on its language, and on the texts from which the vocabulary was learned.",
    "中文": "分词器把文本切成片段。常用词保持完整，罕见词则被切成在别处也出现的部分。一个句子需要多少片段，取决于它的语言，也取决于学习词表时所用的文本。",
    "Deutsch": "Ein Tokenizer zerlegt Text in Stücke. Häufige Wörter bleiben ganz, und seltene Wörter werden in Teile zerlegt, die "
    "auch anderswo vorkommen. Wie viele Stücke ein Satz braucht, hängt von seiner Sprache ab und von den Texten, aus denen das "
    "Vokabular gelernt wurde.",
    "Español": "Un tokenizador divide el texto en piezas. Las palabras frecuentes quedan enteras y las raras se dividen en partes "
    "que aparecen en otros lugares. Cuántas piezas necesita una frase depende de su lengua y de los textos con los que se aprendió "
    "el vocabulario.",
    "Français": "Un tokeniseur découpe le texte en morceaux. Les mots fréquents restent entiers, et les mots rares sont divisés en "
    "parties qui apparaissent ailleurs. Le nombre de morceaux qu'il faut pour une phrase dépend de sa langue et des textes dont le "
    "vocabulaire a été appris.",
    "Polski": "Tokenizer dzieli tekst na części. Częste słowa pozostają w całości, a rzadkie są dzielone na fragmenty, które "
    "występują także gdzie indziej. To, ilu części potrzebuje zdanie, zależy od jego języka i od tekstów, z których wyuczono "
    "słownik.",
    "Suomi": "Tokenisoija jakaa tekstin palasiin. Yleiset sanat pysyvät kokonaisina, ja harvinaiset sanat jaetaan osiin, joita "
    "esiintyy muuallakin. Se, kuinka monta palasta lause tarvitsee, riippuu sen kielestä ja teksteistä, joista sanasto opittiin.",
    "Türkçe": "Bir belirteçleyici metni parçalara böler. Sık kullanılan sözcükler bütün kalır, seyrek olanlar ise başka yerlerde de "
    "geçen parçalara ayrılır. Bir cümlenin kaç parçaya gerek duyduğu, diline ve söz varlığının öğrenildiği metinlere bağlıdır.",
    "Tiếng Việt": "Bộ tách từ chia văn bản thành các mảnh. Những từ thường gặp được giữ nguyên, còn những từ hiếm được chia thành "
    "các phần cũng xuất hiện ở nơi khác. Một câu cần bao nhiêu mảnh tùy thuộc vào ngôn ngữ của nó và vào những văn bản đã dùng để "
    "học từ vựng.",
    "Русский": "Токенизатор делит текст на части. Частые слова остаются целыми, а редкие разбиваются на части, которые встречаются "
    "и в других местах. Сколько частей нужно предложению, зависит от его языка и от текстов, по которым был обучен словарь.",
    "Ελληνικά": "Ένας τμηματοποιητής χωρίζει το κείμενο σε κομμάτια. Οι συχνές λέξεις μένουν ολόκληρες και οι σπάνιες χωρίζονται σε "
    "μέρη που εμφανίζονται και αλλού. Το πόσα κομμάτια χρειάζεται μια πρόταση εξαρτάται από τη γλώσσα της και από τα κείμενα από τα "
    "οποία μαθεύτηκε το λεξιλόγιο.",
    "العربية": "يقسم المجزئ النص إلى قطع. تبقى الكلمات الشائعة كاملة، وتُقسم الكلمات النادرة إلى أجزاء تظهر في أماكن أخرى. يعتمد عدد "
    "القطع التي تحتاجها الجملة على لغتها وعلى النصوص التي تُعلمت منها المفردات.",
    "हिन्दी": "टोकनाइज़र पाठ को टुकड़ों में बाँटता है। आम शब्द पूरे रहते हैं, और दुर्लभ शब्द ऐसे हिस्सों में बाँटे जाते हैं जो और जगहों पर भी आते हैं। किसी वाक्य को "
    "कितने टुकड़े चाहिए, यह उसकी भाषा पर और उन पाठों पर निर्भर करता है जिनसे शब्दावली सीखी गई थी।",
    "ไทย": "ตัวตัดคำแบ่งข้อความออกเป็นชิ้น คำที่พบบ่อยจะคงอยู่ทั้งคำ ส่วนคำที่พบน้อยจะถูกแบ่งเป็นส่วนที่พบในที่อื่นด้วย ประโยคหนึ่งต้องใช้กี่ชิ้นขึ้นอยู่กับภาษา"
    "ของประโยคและข้อความที่ใช้เรียนรู้คลังคำ",
    "日本語": "トークナイザーはテキストを断片に分けます。よく使われる単語はそのまま残り、まれな単語はほかの場所にも現れる部分に分けられます。一つの文にいくつの断片が"
    "必要かは、その言語と、語彙の学習に使われたテキストによって決まります。",
    "한국어": "토크나이저는 텍스트를 조각으로 나눕니다. 자주 쓰이는 단어는 그대로 남고, 드문 단어는 다른 곳에도 나타나는 부분으로 나뉩니다. 한 문장에 몇 개의 조각이 필요한지는 "
    "그 언어와 어휘를 학습한 텍스트에 달려 있습니다.",
}
"""One paragraph in several languages, by their own names."""


def train_samples() -> dict[str, Tokenizer]:
    """Returns small tokenizers of three models, trained on the texts of this module.

    >>> [tokenizer.model_type for tokenizer in train_samples().values()]
    ['WordPiece', 'BPE', 'Unigram']
    """
    import piecework as pw

    texts = list(PARALLEL_TEXTS.values())
    return {
        "sample WordPiece": pw.train(texts, pw.WordPieceTrainer(900)),
        "sample byte-level BPE": pw.train(texts, pw.BpeTrainer(900, alphabet="byte")),
        "sample Unigram": pw.train(texts, pw.UnigramTrainer(900, character_coverage=1.0)),
    }
