"""Lists what is known of the tokenizer classes of ``transformers``: a class, or several that are equal, are a :class:`Family`.

A class of release 5 uses the vocabulary and merges of a tokenizer.json and builds its normalizer, its pre-tokenizer and the
settings of its model anew; most classes build the post-processor and the decoder too. To add a class, add a record.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from piecework import normalizers as n, pre_tokenizers as p
from piecework.patterns import Regex
from piecework.processors import BertProcessing, ByteLevel, RobertaProcessing, TemplateProcessing
from piecework.tokenizer._folders import components as c

if TYPE_CHECKING:
    from collections.abc import Mapping


BACKEND = "TokenizersBackend"
"""The class that uses a tokenizer.json unchanged."""
WRITTEN = "PreTrainedTokenizerFast"
"""Its name in written folders, which release 4 knows, too."""


@dataclass(frozen=True)
class Family:
    """Describes tokenizer classes that build the same tokenizer.

    Attributes:
        classes: The names of the classes, each with the types of its models, separated by spaces.
        tokens: The special tokens of a folder that names none, as in a tokenizer_config.json.
        options: The settings of a tokenizer_config.json that the class reads, with their defaults.
        model: The type of the model that the class builds; None for one that uses a tokenizer.json unchanged.
        model_settings: The settings of the model that differ from those of its type.
        names_unknown: Whether the model uses the unknown token of the folder.
        components: Builds the normalizer, the pre-tokenizer and the decoder.
        ends: Builds the post-processor; None for a class that uses that of a tokenizer.json, otherwise bos_token and eos_token.
        keeps_ends: Whether the post-processor of a tokenizer.json comes before that of the class.
        has_fixed_ends: Whether the class adds tokens of fixed ids in place of special tokens that the files set to null.
        keeps_file: Whether the class uses all but the post-processor of a tokenizer.json.
        keeps_byte_level: Whether a byte-level tokenizer.json is used unchanged.
        merges: The kind of a vocab.json with merges.txt in the core; None for a class that does not read these files.
        reads_bpe_model: Whether a BPE ``.model`` is read as the class reads it.
        decoding: What the class does in decoding that no decoder does, for a warning.
        task: What a class that is written in Python does if it is no subword tokenizer, for an error; empty for other classes
            that are written in Python, None for those that are not.
    """

    classes: Mapping[str, str]
    tokens: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    model_settings: Mapping[str, Any] = field(default_factory=dict)
    names_unknown: bool = False
    components: c.Build | None = None
    ends: c.PostBuild | None = None
    keeps_ends: bool = False
    has_fixed_ends: bool = False
    keeps_file: bool = False
    keeps_byte_level: bool = False
    merges: str | None = None
    reads_bpe_model: bool = False
    decoding: str | None = None
    task: str | None = None

    def variant(self, classes: Mapping[str, str], **changes: Any) -> Family:
        """Returns the record of other classes that differs in some attributes."""
        return replace(self, classes=classes, **changes)


def _tokens(text: str, *more: str) -> dict[str, Any]:
    """Returns the members of a tokenizer_config.json for special tokens that are written as ``"bos=<s> eos=</s>"``.

    Args:
        text: The tokens. One that is written as ``"mask=^<mask>"`` takes the spaces before it.
        more: The tokens without a role.
    """
    roles = (pair.split("=") for pair in text.split())
    tokens: dict[str, Any] = {
        f"{role}_token": {"content": token[1:], "lstrip": True} if token[0] == "^" else token
        for role, token in roles
    }
    return tokens | ({"additional_special_tokens": list(more)} if more else {})


_BRACKETS = "unk=[UNK] sep=[SEP] pad=[PAD] cls=[CLS] mask=[MASK]"
_FAIRSEQ = "bos=<s> eos=</s> unk=<unk> sep=</s> pad=<pad> cls=<s>"
_MASKED = _tokens(f"{_FAIRSEQ} mask=^<mask>")
_BERT_OPTIONS = {"strip_accents": None, "tokenize_chinese_chars": True}
_BYTES = {"fuse_unk": True, "byte_fallback": True}
_SPACES = n.Replace(Regex(" {2,}"), " ")
_JOINED = n.Replace(Regex(" {2,}"), "▁")
_CLEAN = c.sequence(n.Replace(Regex(r"\s{2,}|[\n\r\t]"), " "), n.NFC(), n.Strip(left=False))
_ONE_DIGIT = p.Digits(individual_digits=True)
_NOUGAT = r"""[\(\)\[\]\{\}]|([!\"#\$%\&'\*\+,\-\./:;<=>\?\\\^_`\|\~])\1*"""
"""The regular expression that a class passes as a text, so that only that text is a match."""
_LANGUAGE_FIRST = c.template("src_lang $A eos", "src_lang $A $B eos")
_LANGUAGE_LAST = c.template("$A eos src_lang", "$A $B eos src_lang")
_CTC = "drops repeated ids and padding in decoding"

# The formatter would write each argument on a line of its own.
# fmt: off

BERT = Family(
    {"BertTokenizer": "align bark bert blip bros chinese_clip convbert distilbert electra ernie flava git grounding-dino layoutlm megatron-bert mm-grounding-dino nomic_bert squeezebert tvp vilt visual_bert",
     "DistilBertTokenizer": "", "ElectraTokenizer": "", "LayoutLMTokenizer": "", "SqueezeBertTokenizer": "",
     "LayoutLMv2Tokenizer": "layoutlmv2", "LxmertTokenizer": "lxmert", "MobileBertTokenizer": "mobilebert"},
    _tokens(_BRACKETS), {"do_lower_case": True, **_BERT_OPTIONS}, "WordPiece", names_unknown=True,
    components=c.bert, ends=c.bert_ends, has_fixed_ends=True,
)
UNKNOWN = Family({"EsmcTokenizer": "esmc esmfold2", "RoFormerTokenizer": "roformer"}, options=BERT.options)
"""The record of classes that are not known; the options are those of a vocab.txt without a class."""

_GPT2 = Family(
    {"GPT2Tokenizer": "blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj hyperclovax_vision_v2 instructblip instructblipvideo jais2 opt phi starcoder2"},
    _tokens("bos=<|endoftext|> eos=<|endoftext|> unk=<|endoftext|>"), {"add_prefix_space": False}, "BPE",
    components=c.byte_level(), merges="gpt2",
)
_ROBERTA = _GPT2.variant(
    {"RobertaTokenizer": "bart bridgetower clap data2vec-text ibert lilt longformer mra roberta roberta-prelayernorm", "BartTokenizer": "florence2", "LEDTokenizer": "led", "MvpTokenizer": "mvp", "LongformerTokenizer": ""},
    tokens=_tokens(f"{_FAIRSEQ} mask=<mask>"), options={"add_prefix_space": False, "trim_offsets": True},
    ends=lambda e: RobertaProcessing(e["sep"], e["cls"], e.settings["trim_offsets"], e.settings["add_prefix_space"]),
)
_QWEN2 = _GPT2.variant(
    {"Qwen2Tokenizer": "audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl lighton_ocr moss_transcribe_diarize ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe vibevoice"},
    tokens=_tokens("eos=<|endoftext|> unk=<|endoftext|> pad=<|endoftext|>"), components=c.split_bytes("qwen2"),
)
_CLIP = Family(
    {"CLIPTokenizer": "aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit sam3 sam3_video xclip"},
    _tokens("bos=<|startoftext|> eos=<|endoftext|> unk=<|endoftext|> pad=<|endoftext|>"), {}, "BPE", {"end_of_word_suffix": "</w>"},
    names_unknown=True, components=c.clip, ends=lambda e: RobertaProcessing(e["eos"], e["bos"], False, False), merges="clip",
)
_T5 = Family(
    {"T5Tokenizer": "mt5 musicgen musicgen_melody switch_transformers t5"},
    _tokens("eos=</s> unk=<unk> pad=<pad>"), {}, "Unigram", {"unk_id": 2},
    components=c.metaspace(lambda _, rules: rules, splits=True), ends=c.template("$A eos", "$A eos $B eos"),
)
_ALBERT = _T5.variant(
    {"AlbertTokenizer": "albert yoso"},
    tokens=_tokens("bos=[CLS] eos=[SEP] unk=<unk> sep=[SEP] pad=<pad> cls=[CLS] mask=[MASK]"),
    options={"do_lower_case": True, "keep_accents": False, "add_prefix_space": True}, model_settings={"unk_id": 1},
    components=c.metaspace(c.without_accents, splits=True), ends=c.bert_ends, keeps_ends=True,
)
_XLM_R = _T5.variant(
    {"XLMRobertaTokenizer": "gte jina_embeddings_v3 metaclip_2 trocr xlm-roberta xmod"},
    tokens=_tokens(f"{_FAIRSEQ} mask=<mask>"), options={"add_prefix_space": True}, model_settings={"unk_id": 3},
    ends=c.template("bos $A eos", "bos $A eos eos $B eos"),
)
_LLAMA = Family(
    {"LlamaTokenizer": "idefics idefics2", "Phi3Tokenizer": ""},
    _tokens("bos=<s> eos=</s> unk=<unk>"), {"add_prefix_space": True, "legacy": False}, "BPE", _BYTES,
    components=c.llama(), keeps_byte_level=True, reads_bpe_model=True,
)
_GEMMA = Family(
    {"GemmaTokenizer": "diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2 t5gemma zaya"},
    _tokens("bos=<bos> eos=<eos> unk=<unk> pad=<pad> mask=<mask>"), {}, "BPE", _BYTES,
    names_unknown=True, components=c.gemma(), reads_bpe_model=True,
)
_REFORMER = Family(
    {"ReformerTokenizer": "reformer"}, _tokens("eos=</s> unk=<unk>"), {}, "BPE", {"fuse_unk": True}, names_unknown=True,
    components=c.metaspace(lambda _, rules: c.sequence(rules, _SPACES) if rules else None, splits=False),
)

FAMILIES = (
    UNKNOWN,
    Family({BACKEND: "arctic aria beam bigbird_pegasus camembertv2-base canary chatlm cohere_asr ernie4_5 ernie4_5_moe EvollaModel flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image glmasr got_ocr2 gpt_bigcode gradium_phonon_tts granite granitemoe granitemoehybrid granitemoeshared h2ovl_chat hyperclovax hyperclovax_vlm internlm2 internlm3 iquestcoder jamba kimi_k25 kimi_linear kosmos-2 llava llava_next mimo_v2_flash minicpm3 minicpm_ocr minicpmv minicpmv4_6 minicpmv4_7 minimax_m2 ministral ministral3 mistral mistral3 mistral_large4 mixtral modernbert modernbert-decoder molmo molmo2 nemo_speechlm nemotron nvfp4 nystromformer olmo2 olmo3 olmo_hybrid opencua openvla paddleocr_vl pegasus_x persimmon phi3 phi3_v phimoe pix2struct pixtral pocket_tts smolvlm stablelm step3_vl umt5 vipllava voxtral voxtral_realtime xlm-roberta-xl",
            "PreTrainedTokenizer": "", "BloomTokenizer": "", "FNetTokenizer": "fnet"}),
    Family({"ParakeetTokenizer": "granite_speech5_ctc nemotron3_5_asr nemotron_asr_streaming parakeet_ctc parakeet_rnnt parakeet_tdt"}, decoding=_CTC),

    # WordPiece
    BERT,
    BERT.variant({"ConvBertTokenizer": ""}, keeps_file=True),
    BERT.variant({"DPRContextEncoderTokenizer": "", "DPRQuestionEncoderTokenizer": "dpr", "DPRReaderTokenizer": ""},
                 options=_BERT_OPTIONS),  # it lowercases, whatever do_lower_case says
    BERT.variant({"FunnelTokenizer": "funnel"}, tokens=_tokens("bos=<s> eos=</s> unk=<unk> sep=<sep> pad=<pad> cls=<cls> mask=<mask>"),
                 options={**BERT.options, "clean_text": True, "wordpieces_prefix": "##"},
                 ends=c.template("cls:2 $A sep", "cls:2 $A sep $B:1 sep:1"), has_fixed_ends=False),
    BERT.variant({"MPNetTokenizer": "mpnet"}, tokens=_tokens("bos=<s> eos=</s> unk=[UNK] sep=</s> pad=<pad> cls=<s> mask=^<mask>"),
                 ends=lambda e: RobertaProcessing(e["sep"], e["cls"], True, False), has_fixed_ends=False),
    BERT.variant({"SplinterTokenizer": "splinter"}, tokens=_tokens(_BRACKETS, "[QUESTION]"), ends=c.splinter, has_fixed_ends=False),

    # BPE with a vocab.json
    _GPT2,
    _GPT2.variant({"BlenderbotTokenizer": "blenderbot"}, tokens=_MASKED, options={"add_prefix_space": True}),
    _GPT2.variant({"CodeGenTokenizer": ""}, ends=lambda e: c.around(e) or ByteLevel(trim_offsets=False), keeps_ends=True),
    _GPT2.variant({"GPTNeoXTokenizer": "falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm"}, tokens={**_GPT2.tokens, "pad_token": "<|padding|>"},
                  components=c.byte_level(n.NFC()), ends=lambda e: c.around(e) or TemplateProcessing()),
    _GPT2.variant({"CohereTokenizer": "aya_vision cohere cohere2"}, components=c.byte_level(n.NFC(), _ONE_DIGIT), tokens=_tokens(
        "bos=<BOS_TOKEN> eos=<|END_OF_TURN_TOKEN|> unk=<UNK> sep=<SEP> pad=<PAD> cls=<CLS> mask=<MASK_TOKEN>")),
    _GPT2.variant({"DebertaTokenizer": "deberta"}, tokens=_tokens(f"bos=[CLS] eos=[SEP] {_BRACKETS}"),
                  ends=c.template("cls $A sep", "cls $A sep sep $B sep")),
    _GPT2.variant({"WhisperTokenizer": "whisper"}, components=c.whisper, ends=c.whisper_ends,
                  options={"add_prefix_space": False, "language": "", "task": "", "predict_timestamps": False}),
    _GPT2.variant({"NougatTokenizer": "nougat pp_formulanet"}, tokens=_tokens("bos=<s> eos=</s> unk=<unk> pad=<pad>"), options={},
                  components=c.byte_level(n.NFKC(), p.Split("SPL1T-TH1S-Pl3A5E", "removed"), _ONE_DIGIT,
                                          p.Split(_NOUGAT, "isolated"), p.Split("\n", "isolated")),
                  ends=c.template("bos $A eos", "$A $B:1")),
    _ROBERTA,
    _ROBERTA.variant({"LayoutLMv3Tokenizer": "layoutlmv3"}, options={"add_prefix_space": True},
                     ends=lambda e: RobertaProcessing(e["sep"], e["cls"], True, e.settings["add_prefix_space"])),
    _ROBERTA.variant({"LukeTokenizer": "luke"}, ends=lambda e: RobertaProcessing(e["sep"], e["cls"]),
                     tokens=_tokens(f"{_FAIRSEQ} mask=<mask>", "<ent>", "<ent2>", "[UNK]", "[PAD]", "[MASK]", "[MASK2]")),
    _ROBERTA.variant({"MarkupLMTokenizer": "markuplm"}, tokens=_MASKED, ends=c.template("cls $A sep", "cls $A sep $B sep")),
    _QWEN2,
    _QWEN2.variant({"Qwen3_5Tokenizer": "qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp"}, components=c.split_bytes("qwen35"), merges=None),
    _CLIP,
    _CLIP.variant({"OpenAIGPTTokenizer": "openai-gpt"}, tokens=_tokens("unk=<unk>"), components=c.words(lowercase=True), ends=None),
    _CLIP.variant({"HerbertTokenizer": ""}, tokens=_tokens("unk=<unk> sep=</s> pad=<pad> cls=<s> mask=<mask>"),
                  components=c.words(lowercase=False, strip_accents=False),
                  ends=lambda e: BertProcessing((e["sep"][0], 2), (e["cls"][0], 0))),  # the ids are fixed

    # Unigram
    _T5,
    _T5.variant({"LasrTokenizer": "lasr_ctc lasr_encoder"}, model_settings={"unk_id": 3}, decoding=_CTC),
    _T5.variant({"VideoPrismTokenizer": "videoprism"}, ends=None),
    _T5.variant({"UdopTokenizer": "udop"}, tokens=_tokens("eos=</s> unk=<unk> sep=</s> pad=<pad>"), names_unknown=True,
                components=c.metaspace(lambda *_: None, splits=True)),
    _T5.variant({"XLNetTokenizer": "xlnet"}, tokens=_tokens("bos=<s> eos=</s> unk=<unk> sep=<sep> pad=<pad> cls=<cls> mask=^<mask>"),
                options={"do_lower_case": False, "unk_id": 0}, model_settings={},
                components=c.metaspace(c.without_accents, splits=True),
                ends=c.template("$A sep cls:2", "$A sep $B:1 sep:1 cls:2")),
    _T5.variant({"PegasusTokenizer": "pegasus"}, tokens=_tokens("eos=</s> unk=<unk> pad=<pad> mask=<mask_2>"), model_settings={},
                names_unknown=True, ends=c.template("$A eos", "$A $B eos"), components=c.metaspace(
                    lambda _, rules: c.sequence(rules or n.Replace(Regex(r"\n"), " "), _SPACES), splits=False)),
    _ALBERT,
    _ALBERT.variant({"RemBertTokenizer": "rembert"}, options={"do_lower_case": False, "keep_accents": True, "add_prefix_space": True},
                    model_settings={"unk_id": 2}, keeps_ends=False,
                    components=c.metaspace(lambda s, rules: c.without_accents(s, rules, _SPACES), splits=False),
                    # Over a file without a post-processor it adds no tokens.
                    ends=lambda e: e.tokenizer.post_processor and c.bert_ends(e)),
    _XLM_R,
    _XLM_R.variant({"CamembertTokenizer": "camembert"}, tokens=_MASKED, model_settings={}, names_unknown=True),
    _XLM_R.variant({"BarthezTokenizer": ""}, tokens=_MASKED, ends=None,
                   components=c.metaspace(lambda *_: _CLEAN, splits=False)),
    _XLM_R.variant({"XGLMTokenizer": "xglm"}, tokens=_tokens(_FAIRSEQ), ends=c.template("eos $A", "eos $A eos eos $B"),
                   components=c.metaspace(lambda _, rules: c.sequence(rules, _SPACES), splits=False)),
    _XLM_R.variant({"LayoutXLMTokenizer": "layoutxlm"}, tokens=_MASKED, ends=c.template("cls $A sep", "cls $A sep sep $B sep"),
                   components=c.metaspace(lambda *_: c.sequence(n.Strip(left=False), _JOINED), splits=False)),
    _XLM_R.variant({"MBartTokenizer": "mbart"}, tokens=_MASKED, options={"src_lang": "en_XX"}, ends=_LANGUAGE_LAST,
                   components=c.metaspace(lambda *_: None, splits=True)),
    _XLM_R.variant({"MBart50Tokenizer": ""}, tokens=_MASKED, options={"src_lang": "en_XX"}, ends=_LANGUAGE_FIRST,
                   components=c.metaspace(lambda _, rules: c.sequence(rules, _SPACES), splits=False)),
    _XLM_R.variant({"MLukeTokenizer": ""}, tokens=_MASKED, options={}, model_settings={},
                   components=c.metaspace(lambda *_: c.sequence(*c.QUOTES), splits=False),
                   ends=c.template("cls $A sep", "cls $A sep sep $B:1 sep:1")),
    _XLM_R.variant({"BigBirdTokenizer": "big_bird"}, tokens=_tokens("bos=<s> eos=</s> unk=<unk> sep=[SEP] pad=<pad> cls=[CLS] mask=^[MASK]"),
                   model_settings={"unk_id": 100}, names_unknown=True, ends=c.bert_ends,
                   components=c.metaspace(lambda *_: _JOINED, splits=False)),
    _XLM_R.variant({"DebertaV2Tokenizer": "deberta-v2"}, tokens=_tokens(f"bos=[CLS] eos=[SEP] {_BRACKETS}"), names_unknown=True,
                   options={"do_lower_case": False, "split_by_punct": False, "add_prefix_space": True, "unk_id": 1},
                   components=c.deberta_v2, ends=c.bert_ends, has_fixed_ends=True),

    # BPE with a SentencePiece model
    _LLAMA,
    _LLAMA.variant({"CodeLlamaTokenizer": ""}, options={"add_prefix_space": True}, names_unknown=True,
                   tokens=_tokens("bos=<s> eos=</s> unk=<unk>", "▁<PRE>", "▁<MID>", "▁<SUF>", "▁<EOT>", "<FILL_ME>"),
                   components=c.llama(strips=True), ends=c.bos_first, keeps_byte_level=False),
    _GEMMA,
    _GEMMA.variant({"Siglip2Tokenizer": "siglip2"}, components=c.gemma(n.Lowercase())),
    _REFORMER,
    _REFORMER.variant({"NllbTokenizer": "nllb-moe"}, tokens=_MASKED, options={"src_lang": "eng_Latn", "legacy_behaviour": False},
                      ends=lambda e: (_LANGUAGE_LAST if e.settings["legacy_behaviour"] else _LANGUAGE_FIRST)(e)),
    _REFORMER.variant({"SeamlessM4TTokenizer": "seamless_m4t seamless_m4t_v2"}, tokens=_tokens(_FAIRSEQ), options={"src_lang": "eng"},
                      components=c.seamless, ends=c.seamless_ends),
    Family({"Tipsv2Tokenizer": "tipsv2"}, _tokens("unk=<unk> pad=<pad>"), {"do_lower_case": True}, "BPE", _BYTES, components=c.tips),

    # Written in Python
    Family({"BartphoTokenizer": "", "BertGenerationTokenizer": "bert-generation", "BertJapaneseTokenizer": "",
            "BertweetTokenizer": "", "BioGptTokenizer": "biogpt", "BlenderbotSmallTokenizer": "blenderbot-small",
            "CTRLTokenizer": "ctrl", "ClvpTokenizer": "clvp", "CpmTokenizer": "", "FSMTTokenizer": "fsmt",
            "FlaubertTokenizer": "flaubert", "GPTNeoXJapaneseTokenizer": "gpt_neox_japanese", "GPTSw3Tokenizer": "gpt-sw3",
            "M2M100Tokenizer": "m2m_100", "MarianTokenizer": "marian", "PLBartTokenizer": "plbart", "PhobertTokenizer": "",
            "ProphetNetTokenizer": "prophetnet", "RoCBertTokenizer": "roc_bert", "SiglipTokenizer": "siglip",
            "Speech2TextTokenizer": "speech_to_text", "SpeechT5Tokenizer": "speecht5", "XLMTokenizer": "xlm",
            "BertTokenizerLegacy": ""}, task=""),
    Family({"ByT5Tokenizer": "", "DiaTokenizer": "dia", "MyT5Tokenizer": "", "PerceiverTokenizer": "perceiver"}, task="encodes to bytes"),
    Family({"MgpstrTokenizer": "mgp-str", "VitsTokenizer": "vits", "Wav2Vec2CTCTokenizer": "data2vec-audio hubert unispeech unispeech-sat wav2vec2 wav2vec2-bert wav2vec2-conformer", "Wav2Vec2Tokenizer": ""}, task="encodes to characters"),
    Family({"CanineTokenizer": "canine"}, task="encodes to code points"),
    Family({"FastSpeech2ConformerTokenizer": "", "Wav2Vec2PhonemeCTCTokenizer": ""}, task="encodes to phonemes"),
    Family({"EsmTokenizer": "esm"}, task="encodes to residues of proteins"),
    Family({"Pop2PianoTokenizer": ""}, task="encodes to notes"),
    Family({"TransfoXLTokenizer": ""}, task="encodes to words"),
    Family({"CpmAntTokenizer": "cpmant"}, task="encodes words that rjieba finds, with pieces of their own"),
    Family({"JukeboxTokenizer": ""}, task="encodes artists, genres and characters"),
    Family({"TapasTokenizer": "tapas", "TapexTokenizer": ""}, task="encodes tables and questions about them"),
    Family({"RagTokenizer": "rag"}, task="consists of two tokenizers, each with a folder of its own"),
)
"""The records."""
# fmt: on

_FAMILY_OF = {name: family for family in FAMILIES for name in family.classes}


def without_fast(name: str | None) -> str:
    """Returns the name of a class without the ending that release 4 of ``transformers`` gave it; empty for None."""
    return (name or "").removesuffix("Fast")


def family_of(name: str | None) -> Family:
    """Returns the record of a class.

    >>> family_of("LlamaTokenizerFast").model, family_of("MyTokenizer") is UNKNOWN
    ('BPE', True)
    """
    return _FAMILY_OF.get(without_fast(name), UNKNOWN)
