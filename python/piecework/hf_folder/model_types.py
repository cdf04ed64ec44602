"""Lists the tokenizer classes of models, by the type that their configuration names.

``AutoTokenizer`` of ``transformers`` 5.23 takes the class from here if no file of a folder names one. Models that are not listed
use their tokenizer.json unchanged.
"""

from __future__ import annotations

__all__ = ["CLASS_OF_MODEL"]

_MODELS = """
AlbertTokenizer: albert yoso
BartTokenizer: florence2
BarthezTokenizer: barthez
BartphoTokenizer: bartpho
BertGenerationTokenizer: bert-generation
BertJapaneseTokenizer: bert-japanese
BertTokenizer: align bark bert blip bros chinese_clip convbert distilbert electra ernie flava git grounding-dino layoutlm megatron-bert mm-grounding-dino nezha nomic_bert qdqbert realm retribert squeezebert tvp vilt visual_bert
BertweetTokenizer: bertweet
BigBirdTokenizer: big_bird
BioGptTokenizer: biogpt
BlenderbotSmallTokenizer: blenderbot-small
BlenderbotTokenizer: blenderbot
ByT5Tokenizer: byt5
CLIPTokenizer: aimv2 clip clipseg groupvit omdet-turbo oneformer owlv2 owlvit sam3 sam3_video xclip
CTRLTokenizer: ctrl
CamembertTokenizer: camembert
CanineTokenizer: canine
ClvpTokenizer: clvp
CodeLlamaTokenizer: code_llama
CohereTokenizer: aya_vision cohere cohere2
CpmAntTokenizer: cpmant
CpmTokenizer: cpm
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
HerbertTokenizer: herbert
LEDTokenizer: led
LasrTokenizer: lasr_ctc lasr_encoder
LayoutLMv2Tokenizer: layoutlmv2
LayoutLMv3Tokenizer: layoutlmv3
LayoutXLMTokenizer: layoutxlm
LlamaTokenizer: idefics idefics2
LukeTokenizer: luke
LxmertTokenizer: lxmert
M2M100Tokenizer: m2m_100
MBart50Tokenizer: mbart50
MBartTokenizer: mbart
MLukeTokenizer: mluke
MPNetTokenizer: mpnet
MarianTokenizer: marian
MarkupLMTokenizer: markuplm
MgpstrTokenizer: mgp-str
MobileBertTokenizer: mobilebert
MvpTokenizer: mvp
MyT5Tokenizer: myt5
NllbTokenizer: nllb nllb-moe
NougatTokenizer: nougat pp_formulanet
OpenAIGPTTokenizer: openai-gpt
PLBartTokenizer: plbart
ParakeetTokenizer: granite_speech5_ctc nemotron3_5_asr nemotron_asr_streaming parakeet_ctc parakeet_rnnt parakeet_tdt
PegasusTokenizer: pegasus
PerceiverTokenizer: perceiver
PhobertTokenizer: phobert
ProphetNetTokenizer: prophetnet
Qwen2Tokenizer: audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl lighton_ocr moss_transcribe_diarize ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe vibevoice
Qwen3_5Tokenizer: qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp
RagTokenizer: rag
ReformerTokenizer: reformer
RemBertTokenizer: rembert
RoCBertTokenizer: roc_bert
RoFormerTokenizer: roformer
RobertaTokenizer: bart bridgetower clap data2vec-text ibert lilt longformer mega mra roberta roberta-prelayernorm
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
Wav2Vec2PhonemeCTCTokenizer: wav2vec2_phoneme
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
