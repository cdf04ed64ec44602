"""Lists what is known of the tokenizer classes of ``transformers``: a class, or several that are equal, are a :class:`Family`.

A class of release 5 uses the vocabulary and merges of a tokenizer.json and builds its normalizer, its pre-tokenizer and the
settings of its model anew; most classes build the post-processor and the decoder too. To add a class, add a record.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from piecework import normalizers as n
from piecework.patterns import Regex
from piecework.processors import RobertaProcessing
from piecework.tokenizer._folders import components as c

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BACKEND",
    "BERT",
    "FAMILIES",
    "UNKNOWN",
    "WRITTEN",
    "Family",
    "family_of",
    "without_fast",
]


@dataclass(frozen=True)
class Family:
    """Describes tokenizer classes that build the same tokenizer.

    Attributes:
        classes: The names of the classes, each with the types of its models, separated by spaces.
        tokens: The special tokens of a folder that names none, as in a tokenizer_config.json.
        options: The settings of a tokenizer_config.json that the class reads, with their defaults.
        model: The type of the model that the class builds; None for one that uses a tokenizer.json unchanged.
        settings: The settings of the model that differ from those of its type.
        names_unknown: Whether the model uses the unknown token of the folder, if its vocabulary has it.
        components: Builds the normalizer, the pre-tokenizer and the decoder.
        ends: Builds the post-processor.
        prefers_ends_of_file: Whether the post-processor of a tokenizer.json comes before that of the class.
        keeps_file: Whether the class uses all but the post-processor of a tokenizer.json.
        byte_level_is_backend: Whether a byte-level tokenizer.json is used unchanged.
        has_fixed_ends: Whether the class adds tokens of fixed ids in place of special tokens that the files set to null.
        merges: The kind of a vocab.json with merges.txt in the core; None for a class that does not read these files.
        reads_bpe_model: Whether the tokenizer of a BPE ``.model`` is built as the class does.
        task: What a class does that is no subword tokenizer, for an error.
    """

    classes: Mapping[str, str]
    tokens: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    names_unknown: bool = False
    components: c.Build | None = None
    ends: c.PostBuild = c.around
    prefers_ends_of_file: bool = True
    keeps_file: bool = False
    byte_level_is_backend: bool = False
    has_fixed_ends: bool = False
    merges: str | None = None
    reads_bpe_model: bool = False
    task: str | None = None


def _tokens(text: str, **others: Any) -> dict[str, Any]:
    """Returns the members of a tokenizer_config.json for special tokens that are written as ``"bos=<s> eos=</s>"``."""
    pairs = (pair.split("=") for pair in text.split())
    return {f"{role}_token": token for role, token in pairs} | others


def _strips(token: str) -> dict[str, Any]:
    """Returns a token that takes the spaces before it."""
    return {"content": token, "lstrip": True}


_FAIRSEQ = "bos=<s> eos=</s> unk=<unk> sep=</s> pad=<pad> cls=<s>"
_BERT_OPTIONS = {"strip_accents": None, "tokenize_chinese_chars": True}
_SPACES = n.Replace(Regex(" {2,}"), " ")

BACKEND = "TokenizersBackend"
"""The class that uses a tokenizer.json unchanged."""
WRITTEN = "PreTrainedTokenizerFast"
"""Its name in written folders, which release 4 knows, too."""

BERT = Family(
    {
        "BertTokenizer": "align bark bert blip bros chinese_clip convbert distilbert electra ernie flava git grounding-dino layoutlm megatron-bert mm-grounding-dino nomic_bert squeezebert tvp vilt visual_bert",
        "DistilBertTokenizer": "",
        "ElectraTokenizer": "",
        "LayoutLMTokenizer": "",
        "LxmertTokenizer": "lxmert",
        "MobileBertTokenizer": "mobilebert",
        "SqueezeBertTokenizer": "",
    },
    _tokens("unk=[UNK] sep=[SEP] pad=[PAD] cls=[CLS] mask=[MASK]"),
    {"do_lower_case": True, **_BERT_OPTIONS},
    "WordPiece",
    names_unknown=True,
    components=c.bert,
    ends=c.bert_ends,
    prefers_ends_of_file=False,
    has_fixed_ends=True,
)

UNKNOWN = Family(
    {
        "EsmcTokenizer": "esmc esmfold2",
        "BertGenerationTokenizer": "bert-generation",
        "BigBirdTokenizer": "big_bird",
        "BioGptTokenizer": "biogpt",
        "BlenderbotSmallTokenizer": "blenderbot-small",
        "BlenderbotTokenizer": "blenderbot",
        "CTRLTokenizer": "ctrl",
        "CamembertTokenizer": "camembert",
        "ClvpTokenizer": "clvp",
        "CohereTokenizer": "aya_vision cohere cohere2",
        "DebertaTokenizer": "deberta",
        "DebertaV2Tokenizer": "deberta-v2",
        "FSMTTokenizer": "fsmt",
        "FlaubertTokenizer": "flaubert",
        "GPTNeoXJapaneseTokenizer": "gpt_neox_japanese",
        "GPTNeoXTokenizer": "falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm",
        "GPTSw3Tokenizer": "gpt-sw3",
        "GemmaTokenizer": "diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2 t5gemma zaya",
        "LasrTokenizer": "lasr_ctc lasr_encoder",
        "LayoutLMv2Tokenizer": "layoutlmv2",
        "LayoutLMv3Tokenizer": "layoutlmv3",
        "LayoutXLMTokenizer": "layoutxlm",
        "LukeTokenizer": "luke",
        "M2M100Tokenizer": "m2m_100",
        "MBartTokenizer": "mbart",
        "MarianTokenizer": "marian",
        "MarkupLMTokenizer": "markuplm",
        "NllbTokenizer": "nllb-moe",
        "NougatTokenizer": "nougat pp_formulanet",
        "OpenAIGPTTokenizer": "openai-gpt",
        "PLBartTokenizer": "plbart",
        "ProphetNetTokenizer": "prophetnet",
        "Qwen3_5Tokenizer": "qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp",
        "ReformerTokenizer": "reformer",
        "RemBertTokenizer": "rembert",
        "RoCBertTokenizer": "roc_bert",
        "RoFormerTokenizer": "roformer",
        "SeamlessM4TTokenizer": "seamless_m4t seamless_m4t_v2",
        "Siglip2Tokenizer": "siglip2",
        "SiglipTokenizer": "siglip",
        "Speech2TextTokenizer": "speech_to_text",
        "SpeechT5Tokenizer": "speecht5",
        "SplinterTokenizer": "splinter",
        "Tipsv2Tokenizer": "tipsv2",
        "UdopTokenizer": "udop",
        "VideoPrismTokenizer": "videoprism",
        "WhisperTokenizer": "whisper",
        "XGLMTokenizer": "xglm",
        "XLMRobertaTokenizer": "gte jina_embeddings_v3 metaclip_2 trocr xlm-roberta xmod",
        "XLMTokenizer": "xlm",
    },
    options=BERT.options,
)
"""The record of classes that are not known; the options are those of a vocab.txt without a class."""

_GPT2 = Family(
    {
        "GPT2Tokenizer": "blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj hyperclovax_vision_v2 instructblip instructblipvideo jais2 opt phi starcoder2"
    },
    _tokens("bos=<|endoftext|> eos=<|endoftext|> unk=<|endoftext|>"),
    {"add_prefix_space": False},
    "BPE",
    components=c.byte_level(),
    merges="gpt2",
)

_T5 = Family(
    {"T5Tokenizer": "mt5 musicgen musicgen_melody switch_transformers t5"},
    _tokens("eos=</s> unk=<unk> pad=<pad>"),
    model="Unigram",
    settings={"unk_id": 2},
    components=c.metaspace(lambda _, rules: rules, splits=True),
    ends=c.template("$A eos", "$A eos $B eos"),
    prefers_ends_of_file=False,
)

FAMILIES = (
    UNKNOWN,
    Family(
        {
            BACKEND: "arctic aria beam bigbird_pegasus camembertv2-base canary chatlm cohere_asr ernie4_5 ernie4_5_moe EvollaModel flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image glmasr got_ocr2 gpt_bigcode gradium_phonon_tts granite granitemoe granitemoehybrid granitemoeshared h2ovl_chat hyperclovax hyperclovax_vlm internlm2 internlm3 iquestcoder jamba kimi_k25 kimi_linear kosmos-2 llava llava_next mimo_v2_flash minicpm3 minicpm_ocr minicpmv minicpmv4_6 minicpmv4_7 minimax_m2 ministral ministral3 mistral mistral3 mistral_large4 mixtral modernbert modernbert-decoder molmo molmo2 nemo_speechlm nemotron nvfp4 nystromformer olmo2 olmo3 olmo_hybrid opencua openvla paddleocr_vl pegasus_x persimmon phi3 phi3_v phimoe pix2struct pixtral pocket_tts smolvlm stablelm step3_vl umt5 vipllava voxtral voxtral_realtime xlm-roberta-xl",
            "PreTrainedTokenizer": "",
            "BloomTokenizer": "",
            "FNetTokenizer": "fnet",
            "ParakeetTokenizer": "granite_speech5_ctc nemotron3_5_asr nemotron_asr_streaming parakeet_ctc parakeet_rnnt parakeet_tdt",
        }
    ),
    BERT,
    replace(BERT, classes={"ConvBertTokenizer": ""}, keeps_file=True),
    # They lowercase, whatever do_lower_case says.
    replace(
        BERT,
        classes={
            "DPRContextEncoderTokenizer": "",
            "DPRQuestionEncoderTokenizer": "dpr",
            "DPRReaderTokenizer": "",
        },
        options=_BERT_OPTIONS,
    ),
    replace(
        BERT,
        classes={"FunnelTokenizer": "funnel"},
        tokens=_tokens("bos=<s> eos=</s> unk=<unk> sep=<sep> pad=<pad> cls=<cls> mask=<mask>"),
        ends=c.template("cls:2 $A sep", "cls:2 $A sep $B:1 sep:1"),
        has_fixed_ends=False,
    ),
    replace(
        BERT,
        classes={"MPNetTokenizer": "mpnet"},
        tokens=_tokens(_FAIRSEQ.replace("<unk>", "[UNK]"), mask_token=_strips("<mask>")),
        ends=lambda e: RobertaProcessing(e["sep"], e["cls"], True, False),
        has_fixed_ends=False,
    ),
    _GPT2,
    replace(
        _GPT2,
        classes={
            "RobertaTokenizer": "bart bridgetower clap data2vec-text ibert lilt longformer mra roberta roberta-prelayernorm",
            "BartTokenizer": "florence2",
            "LEDTokenizer": "led",
            "LongformerTokenizer": "",
            "MvpTokenizer": "mvp",
        },
        tokens=_tokens(f"{_FAIRSEQ} mask=<mask>"),
        options={"add_prefix_space": False, "trim_offsets": True},
        ends=lambda e: RobertaProcessing(
            e["sep"], e["cls"], e.settings["trim_offsets"], e.settings["add_prefix_space"]
        ),
        prefers_ends_of_file=False,
    ),
    Family(
        {
            "CLIPTokenizer": "aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit sam3 sam3_video xclip"
        },
        _tokens("bos=<|startoftext|> eos=<|endoftext|> unk=<|endoftext|> pad=<|endoftext|>"),
        model="BPE",
        settings={"end_of_word_suffix": "</w>"},
        names_unknown=True,
        components=c.clip,
        ends=lambda e: RobertaProcessing(e["eos"], e["bos"], False, False),
        prefers_ends_of_file=False,
        merges="clip",
    ),
    replace(
        _GPT2,
        classes={
            "Qwen2Tokenizer": "audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl lighton_ocr moss_transcribe_diarize ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe vibevoice"
        },
        tokens=_tokens("eos=<|endoftext|> unk=<|endoftext|> pad=<|endoftext|>"),
        components=c.split_bytes("qwen2"),
    ),
    _T5,
    replace(
        _T5,
        classes={"AlbertTokenizer": "albert yoso"},
        tokens=_tokens("bos=[CLS] eos=[SEP] unk=<unk> sep=[SEP] pad=<pad> cls=[CLS] mask=[MASK]"),
        options={"do_lower_case": True, "keep_accents": False, "add_prefix_space": True},
        settings={"unk_id": 1},
        components=c.metaspace(c.without_accents, splits=True),
        ends=c.bert_ends,
        prefers_ends_of_file=True,
    ),
    replace(
        _T5,
        classes={"XLNetTokenizer": "xlnet"},
        tokens=_tokens(
            "bos=<s> eos=</s> unk=<unk> sep=<sep> pad=<pad> cls=<cls>", mask_token=_strips("<mask>")
        ),
        options={"do_lower_case": False, "unk_id": 0},
        settings={},
        components=c.metaspace(c.without_accents, splits=True),
        ends=c.template("$A sep cls:2", "$A sep $B:1 sep:1 cls:2"),
    ),
    replace(
        _T5,
        classes={"PegasusTokenizer": "pegasus"},
        tokens=_tokens("eos=</s> unk=<unk> pad=<pad> mask=<mask_2>"),
        settings={},
        names_unknown=True,
        components=c.metaspace(
            lambda _, rules: c.sequence(rules or n.Replace(Regex(r"\n"), " "), _SPACES),
            splits=False,
        ),
        ends=c.template("$A eos", "$A $B eos"),
    ),
    Family(
        {"LlamaTokenizer": "idefics idefics2", "Phi3Tokenizer": ""},
        _tokens("bos=<s> eos=</s> unk=<unk>"),
        {"add_prefix_space": True, "legacy": False},
        "BPE",
        {"fuse_unk": True, "byte_fallback": True},
        components=c.llama,
        byte_level_is_backend=True,
        reads_bpe_model=True,
    ),
    Family(
        {"RagTokenizer": "rag"}, task="consists of two tokenizers, each with a folder of its own"
    ),
    Family({"JukeboxTokenizer": ""}, task="encodes artists, genres and characters"),
    Family(
        {"TapasTokenizer": "tapas", "TapexTokenizer": ""},
        task="encodes tables and questions about them",
    ),
    Family(
        {
            "ByT5Tokenizer": "",
            "DiaTokenizer": "dia",
            "MyT5Tokenizer": "",
            "PerceiverTokenizer": "perceiver",
        },
        task="encodes to bytes",
    ),
    Family(
        {
            "MgpstrTokenizer": "mgp-str",
            "VitsTokenizer": "vits",
            "Wav2Vec2CTCTokenizer": "data2vec-audio hubert unispeech unispeech-sat wav2vec2 wav2vec2-bert wav2vec2-conformer",
            "Wav2Vec2Tokenizer": "",
        },
        task="encodes to characters",
    ),
    Family({"CanineTokenizer": "canine"}, task="encodes to code points"),
    Family({"Pop2PianoTokenizer": ""}, task="encodes to notes"),
    Family(
        {"FastSpeech2ConformerTokenizer": "", "Wav2Vec2PhonemeCTCTokenizer": ""},
        task="encodes to phonemes",
    ),
    Family({"EsmTokenizer": "esm"}, task="encodes to residues of proteins"),
    Family({"TransfoXLTokenizer": ""}, task="encodes to words"),
    Family(
        {"CpmAntTokenizer": "cpmant"},
        task="encodes words that rjieba finds, with pieces of their own",
    ),
)
"""The records."""

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
