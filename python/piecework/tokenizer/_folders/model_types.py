"""Decides which tokenizer class of ``transformers`` reads a folder, from the names in its configuration files.

``AutoTokenizer`` of ``transformers`` 5.23 takes the class that the files name, with two exceptions: models whose published files
are known to name a wrong one have a class of their own, and models without a class of their own use their tokenizer.json unchanged.
If no file names a class, the type of the model decides.
"""

from __future__ import annotations

__all__ = ["BACKEND", "BACKEND_MODELS", "CLASS_OF_MODEL", "WRONGLY_NAMED", "class_that_reads"]

BACKEND = "TokenizersBackend"
"""The class that uses a tokenizer.json unchanged."""

_MODELS = """
AlbertTokenizer: albert yoso
BartTokenizer: florence2
BertGenerationTokenizer: bert-generation
BertTokenizer: align bark bert blip bros chinese_clip convbert distilbert electra ernie flava git grounding-dino layoutlm megatron-bert mm-grounding-dino nomic_bert squeezebert tvp vilt visual_bert
BigBirdTokenizer: big_bird
BioGptTokenizer: biogpt
BlenderbotSmallTokenizer: blenderbot-small
BlenderbotTokenizer: blenderbot
CLIPTokenizer: aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit sam3 sam3_video xclip
CTRLTokenizer: ctrl
CamembertTokenizer: camembert
CanineTokenizer: canine
ClvpTokenizer: clvp
CohereTokenizer: aya_vision cohere cohere2
CpmAntTokenizer: cpmant
DPRQuestionEncoderTokenizer: dpr
DebertaTokenizer: deberta
DebertaV2Tokenizer: deberta-v2
DiaTokenizer: dia
EsmTokenizer: esm
EsmcTokenizer: esmc esmfold2
FNetTokenizer: fnet
FSMTTokenizer: fsmt
FlaubertTokenizer: flaubert
FunnelTokenizer: funnel
GPT2Tokenizer: blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj hyperclovax_vision_v2 instructblip instructblipvideo jais2 opt phi starcoder2
GPTNeoXJapaneseTokenizer: gpt_neox_japanese
GPTNeoXTokenizer: falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm
GPTSw3Tokenizer: gpt-sw3
GemmaTokenizer: diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2 t5gemma zaya
LEDTokenizer: led
LasrTokenizer: lasr_ctc lasr_encoder
LayoutLMv2Tokenizer: layoutlmv2
LayoutLMv3Tokenizer: layoutlmv3
LayoutXLMTokenizer: layoutxlm
LlamaTokenizer: idefics idefics2
LukeTokenizer: luke
LxmertTokenizer: lxmert
M2M100Tokenizer: m2m_100
MBartTokenizer: mbart
MPNetTokenizer: mpnet
MarianTokenizer: marian
MarkupLMTokenizer: markuplm
MgpstrTokenizer: mgp-str
MobileBertTokenizer: mobilebert
MvpTokenizer: mvp
NllbTokenizer: nllb-moe
NougatTokenizer: nougat pp_formulanet
OpenAIGPTTokenizer: openai-gpt
PLBartTokenizer: plbart
ParakeetTokenizer: granite_speech5_ctc nemotron3_5_asr nemotron_asr_streaming parakeet_ctc parakeet_rnnt parakeet_tdt
PegasusTokenizer: pegasus
PerceiverTokenizer: perceiver
ProphetNetTokenizer: prophetnet
Qwen2Tokenizer: audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl lighton_ocr moss_transcribe_diarize ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe vibevoice
Qwen3_5Tokenizer: qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp
RagTokenizer: rag
ReformerTokenizer: reformer
RemBertTokenizer: rembert
RoCBertTokenizer: roc_bert
RoFormerTokenizer: roformer
RobertaTokenizer: bart bridgetower clap data2vec-text ibert lilt longformer mra roberta roberta-prelayernorm
SeamlessM4TTokenizer: seamless_m4t seamless_m4t_v2
Siglip2Tokenizer: siglip2
SiglipTokenizer: siglip
Speech2TextTokenizer: speech_to_text
SpeechT5Tokenizer: speecht5
SplinterTokenizer: splinter
T5Tokenizer: mt5 musicgen musicgen_melody switch_transformers t5
TapasTokenizer: tapas
Tipsv2Tokenizer: tipsv2
UdopTokenizer: udop
VideoPrismTokenizer: videoprism
VitsTokenizer: vits
Wav2Vec2CTCTokenizer: data2vec-audio hubert unispeech unispeech-sat wav2vec2 wav2vec2-bert wav2vec2-conformer
WhisperTokenizer: whisper
XGLMTokenizer: xglm
XLMRobertaTokenizer: gte jina_embeddings_v3 metaclip_2 trocr xlm-roberta xmod
XLMTokenizer: xlm
XLNetTokenizer: xlnet
"""
"""A class in each line, with the types of its models."""

CLASS_OF_MODEL = {
    model: line.partition(":")[0]
    for line in _MODELS.split("\n")
    for model in line.partition(":")[2].split()
}
"""The class of each type of model."""

BACKEND_MODELS = frozenset(
    """
arctic aria beam bigbird_pegasus camembertv2-base canary chatlm cohere_asr ernie4_5 ernie4_5_moe EvollaModel
flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image glmasr got_ocr2 gpt_bigcode
gradium_phonon_tts granite granitemoe granitemoehybrid granitemoeshared h2ovl_chat hyperclovax hyperclovax_vlm
internlm2 internlm3 iquestcoder jamba kimi_k25 kimi_linear kosmos-2 llava llava_next mimo_v2_flash minicpm3
minicpm_ocr minicpmv minicpmv4_6 minicpmv4_7 minimax_m2 ministral ministral3 mistral mistral3 mistral_large4
mixtral modernbert modernbert-decoder molmo molmo2 nemo_speechlm nemotron nvfp4 nystromformer olmo2 olmo3
olmo_hybrid opencua openvla paddleocr_vl pegasus_x persimmon phi3 phi3_v phimoe pix2struct pixtral pocket_tts
smolvlm stablelm step3_vl umt5 vipllava voxtral voxtral_realtime xlm-roberta-xl
""".split()
)
"""The types of models whose tokenizer.json is used unchanged, whatever class the files name."""

WRONGLY_NAMED = frozenset(
    {
        "hyperclovax_vision_v2",
        "qwen2",
        "qwen3_5",
        "qwen3_5_moe",
        "qwen3_5_moe_text",
        "qwen4_exp",
        "siglip2",
    }
)
"""The types of models that have the class of the table, whatever class the files name."""


def class_that_reads(named: str | None, model_type: str | None) -> str | None:
    """Returns the class with which ``AutoTokenizer`` reads a folder.

    Args:
        named: The class that the configuration names, or None.
        model_type: The type of the model, or None.

    Returns:
        The class; None if the files decide nothing, so that a tokenizer.json is used unchanged.

    >>> class_that_reads("LlamaTokenizer", "qwen2"), class_that_reads("LlamaTokenizer", "mistral")
    ('Qwen2Tokenizer', 'TokenizersBackend')
    """
    own = CLASS_OF_MODEL.get(model_type or "")
    if named is None:
        return own
    if model_type in BACKEND_MODELS:
        return BACKEND
    is_replaced = model_type in WRONGLY_NAMED and named.removesuffix("Fast") != own
    return own if is_replaced else named
