"""reference.py ENCODE: tokens of texts compared with the published algorithm in plain Python, and what is refused.

The regular expressions are those of GPT-2, Llama 3 and Qwen 2, with \\p{L}, \\p{N} and \\s written out for each text
by unicodedata; `re` does the rest. A vocabulary is trained on a text: the most frequent pair of neighbours is merged,
again and again (arXiv:1508.07909)."""
import collections
import copy
import json
import random
import re
import subprocess
import sys
import unicodedata

from checks import check, conclude

ENCODE = sys.argv[1]
BLANKS = {*map(chr, range(9, 14)), *" \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000", *map(chr, range(0x2000, 0x200b))}
LLAMA = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
         r"\s+(?!\S)|\s+")
# Characters of Unicode 15, 15.1 and 16, which this Python may not know; then two of Unicode 17: in tokenizers 0.23.2,
# these are neither letters nor numbers.
NEWER = {**dict.fromkeys("\U00031350\U0001e4d0\U0002ebf0\u1c89\ua7cb\U000105c0\U00013460\U00016d40", "L"),
         **dict.fromkeys("\U0001d2c0\U0001e4f0\U00010d40\U000116d0\U0001ccf0", "N"),
         **dict.fromkeys("\U000323b0\U00011de0", "S")}
PATTERNS = {"gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
            "llama3": LLAMA, "qwen2": LLAMA.replace("{1,3}", "")}
LEARNED = ("The quick brown fox jumps over the lazy dog; it's they've we'll I'M you'RE 12345 and 67.\n\n  def f(x):"
           "\n\treturn x ** 2  # sum\r\n über Größe naïve Привет, мир! Ελληνικά 日本語 中文 हिन्दी العربية 👍🏽 🎉🎉 ½ ² Ⅷ ") * 3


def category(c):
    return NEWER.get(c) or unicodedata.category(c)[0]


def split(name, text):
    letters = "".join(sorted({c for c in text if category(c) == "L"})) or "A"
    numbers = "".join(sorted({c for c in text if category(c) == "N"})) or "0"
    blanks = "".join(sorted(BLANKS))
    pattern = PATTERNS[name].replace(r"\S", f"[^{blanks}]")
    for inside, written in ((r"\p{L}", re.escape(letters)), (r"\p{N}", re.escape(numbers)), (r"\s", re.escape(blanks))):
        pattern = re.sub(r"\[[^]]*\]", lambda m: m[0].replace(inside, written), pattern)
        pattern = pattern.replace(inside, f"[{written}]")
    pieces = re.findall(pattern, text)
    assert "".join(pieces) == text
    return pieces


def characters():
    """The character of each byte, as GPT-2 has it."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in shown]
    return {**{b: chr(b) for b in shown}, **{b: chr(256 + i) for i, b in enumerate(others)}}


CHARACTERS = characters()


def merged(word, pair):
    out, i = [], 0
    while i < len(word):
        both = word[i:i + 2] == list(pair)
        out.append("".join(pair) if both else word[i])
        i += 1 + both
    return out


def learn(text, count):
    words = collections.Counter(split("gpt2", text))
    words = [([CHARACTERS[b] for b in word.encode()], n) for word, n in words.items()]
    merges = []
    for _ in range(count):
        pairs = collections.Counter()
        for word, n in words:
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        best = max(pairs, key=lambda p: (pairs[p], p))
        merges.append(best)
        words = [(merged(word, best), n) for word, n in words]
    return merges


def encode(name, text, vocab, ranks, added):
    ids = []
    for part in re.split("(" + "|".join(map(re.escape, added)) + ")", text):
        if part in added:
            ids.append(added[part])
            continue
        for piece in split(name, part) if part else []:
            word = [CHARACTERS[b] for b in piece.encode()]
            while len(word) > 1:
                best = min(zip(word, word[1:]), key=lambda p: ranks.get(p, len(ranks)))
                if best not in ranks:
                    break
                word = merged(word, best)
            ids += [vocab[token] for token in word]
    return ids


def run(tokenizer, text):
    with open("tokenizer.json", "w", encoding="utf-8") as file:
        file.write(tokenizer if isinstance(tokenizer, str) else json.dumps(tokenizer))
    with open("text", "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return subprocess.run([ENCODE, "tokenizer.json", "text"], capture_output=True, text=True, check=True).stdout


def pre_tokenizer(name):
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    if name == "gpt2":
        return level
    cut = {"type": "Split", "pattern": {"Regex": PATTERNS[name]}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [cut, {**level, "use_regex": False}]}


def made(name, merges, vocab, added, pairs):
    return {"version": "1.0", "truncation": None, "padding": None, "normalizer": None,
            "added_tokens": [{"id": i, "content": c, "single_word": False, "lstrip": False, "rstrip": False,
                              "normalized": False, "special": True} for c, i in added.items()],
            "pre_tokenizer": pre_tokenizer(name), "post_processor": None, "decoder": {"type": "ByteLevel"},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                      "end_of_word_suffix": "", "fuse_unk": False, "vocab": vocab,
                      "merges": [list(m) if pairs else " ".join(m) for m in merges]}}


def texts():
    """What is learned from, edges of the expressions, and random mixtures of scripts."""
    draw = random.Random(21)
    then = unicodedata.ucd_3_2_0  # later versions of Unicode add characters: those are not compared
    known = [chr(c) for c in range(0x20000) if then.category(chr(c)) not in ("Cn", "Cs", "Co")]
    few = [*"'stremvdlSTREMVDL\u017f", *" \n\r\t\x0b", *" aZ09.,!(_\xa0\u3000\x85\x1c\u200b", *"äЖ中अ½²👍"]
    return [LEARNED, "", " ", "a", "'", "''s", "'S's'ſ'RE'lL x'd", "  a", "   ", " \n \n  b", "\r\n\r\n!\n\n?\n",
            "1234567 89", " 12 a1b2", "<|end|>x <|end|><|end|", "<|end|>> 's<|en|>", "a" * 1000, " " * 999 + "x",
            "".join(draw.choices(few, k=3000)), "".join(draw.choices(known, k=3000)),
            "".join(draw.choice((draw.choice(few), draw.choice(known), "<|en|>")) for _ in range(2000))]


def compare():
    merges = learn(LEARNED, 150)
    vocab = {c: i for i, c in enumerate(CHARACTERS.values())}
    vocab.update({"".join(m): 256 + i for i, m in enumerate(merges)})
    added = {"<|end|>": len(vocab), "<|end|>>": len(vocab) + 1, "<|en|>": len(vocab) + 2}
    ranks = {m: i for i, m in enumerate(merges)}
    longest = dict(sorted(added.items(), key=lambda item: -len(item[0])))
    cases, compared = texts(), 0
    for name in PATTERNS:
        tokenizer = made(name, merges, vocab, added, name == "llama3")
        for text in cases:
            want = encode(name, text, vocab, ranks, longest)
            check(run(tokenizer, text) == "".join(f"{i}\n" for i in want), f"{name}: tokens of {text[:60]!r}")
            compared += len(want)
    print(f"{3 * len(cases)} texts, {compared} tokens compared")
    return made("gpt2", merges, vocab, added, False)


def newer():
    """Every pair of bytes is a merge, so that tokens show where a text was split."""
    draw = random.Random(3)
    merges = [(a, b) for a in CHARACTERS.values() for b in CHARACTERS.values()]
    draw.shuffle(merges)
    vocab = {c: i for i, c in enumerate([*CHARACTERS.values(), *map("".join, merges)])}
    added, ranks = {"<|end|>": len(vocab)}, {m: i for i, m in enumerate(merges)}
    for name in PATTERNS:
        tokenizer = made(name, merges, vocab, added, True)
        for text in ("".join(draw.choices([*NEWER, *"aä1 !"], k=500)), *(f"a{c}1{c}{c}!{c}a" for c in NEWER)):
            want = encode(name, text, vocab, ranks, added)
            check(run(tokenizer, text) == "".join(f"{i}\n" for i in want), f"{name}: newer characters {text[:9]!a}")


def whole_words(tokenizer):
    """ignore_merges: a piece that is a token is not merged."""
    changed = copy.deepcopy(tokenizer)
    model, changed["added_tokens"] = changed["model"], []
    model["vocab"] = {**model["vocab"], "Ġzq": 1000}
    check(run(changed, " zq") == "".join(f"{model['vocab'][c]}\n" for c in "Ġzq"), "without ignore_merges")
    model["ignore_merges"] = True
    check(run(changed, " zq") == "1000\n", "ignore_merges")


def nfc(tokenizer):
    """What passes, NFC does not change; and text that nothing is composed of passes, also each character alone."""
    changed, draw = {**tokenizer, "normalizer": {"type": "NFC"}}, random.Random(5)
    then = unicodedata.ucd_3_2_0
    points = [chr(c) for c in range(0x20000) if then.category(chr(c)) not in ("Cn", "Cs", "Co")]
    halves = {unicodedata.normalize("NFD", c)[-1] for c in points if len(unicodedata.normalize("NFD", c)) > 1}
    kept = [c for c in points if unicodedata.normalize("NFC", c) == c and c not in halves]
    for text in ("日本語のテキスト、中文文本。", "한국어 텍스트", "Привет Ελληνικά Việt Nam हिन्दी עברית", "\n".join(kept)):
        check(run(changed, text) == run(tokenizer, text), f"NFC keeps {text[:20]!r}")
    for text in ("\U000113c5\U000113c2", "\u0897\U00010efd", "\U00016121"):  # of Unicode 16 and 15
        check("NFC may change" in run(changed, text), f"NFC and {ascii(text)}")
    for text in ("\U00010efd\u0897", "\U000105c9"):
        check(run(changed, text) == run(tokenizer, text), f"NFC keeps {ascii(text)}")
    marks = [c for c in points if unicodedata.combining(c)]
    passing = 0
    for _ in range(150):
        text = "".join(draw.choice((draw.choice(marks), draw.choice(points), "a")) for _ in range(draw.choice((2, 3, 5))))
        passes = not run(changed, text).startswith("refused")
        passing += passes
        check(not passes or unicodedata.normalize("NFC", text) == text, f"NFC changes {text!r}")
    check(20 < passing < 130, f"NFC: {passing} of 150 random texts pass")


def refusals(tokenizer):
    def refused(what, text, words, **changes):
        changed = copy.deepcopy(tokenizer)
        for path, value in changes.items():
            place, keys = changed, path.split("__")
            for key in keys[:-1]:
                place = place[int(key[1:])] if key[0] == "_" else place[key]
            place[keys[-1]] = value
        out = run(changed, text)
        check(out.startswith("refused: ") and words in out, f"{what}: {out!r}")

    vocab, model = tokenizer["model"]["vocab"], tokenizer["model"]
    refused("UTF-8", b"ab\xff", "byte 0xff at offset 2 is not UTF-8")
    refused("a surrogate", b"ab\xed\xa0\x80", "byte 0xed at offset 2 is not UTF-8")
    refused("a cut character", b"a\xe4\xb8", "byte 0xe4 at offset 1 is not UTF-8")
    refused("NFC", "ä e\u0301", "0xcc at offset 4 begins a character that the normalizer NFC",
            normalizer={"type": "NFC"})
    check(run({**tokenizer, "normalizer": {"type": "NFC"}}, "naïve") == run(tokenizer, "naïve"), "NFC of Latin letters")
    refused("NFKC", "a", "normalizer 'NFKC'", normalizer={"type": "NFKC"})
    refused("WordPiece", "a", "model 'WordPiece'", model={"type": "WordPiece"})
    for key, value in (("dropout", 0.1), ("byte_fallback", True), ("end_of_word_suffix", "</w>"), ("odd", 1)):
        refused(key, "a", f"model.{key} is not supported", model={**model, key: value})
    refused("a splitter", "a", "pre_tokenizer 'Whitespace'", pre_tokenizer={"type": "Whitespace"})
    refused("no splitter", "a", "pre_tokenizer", pre_tokenizer=None)
    refused("a prefix", "a", "add_prefix_space", pre_tokenizer={"type": "ByteLevel", "add_prefix_space": True})
    odd = pre_tokenizer("llama3")
    odd["pretokenizers"][0]["pattern"]["Regex"] = "x+"
    refused("a regex", "a", "the regular expression of Split", pre_tokenizer=odd)
    refused("truncation", "a", "truncation is not supported", truncation={"max_length": 5})
    token = {"id": 500, "content": "q", "lstrip": True}
    refused("lstrip", "a", "'q' has lstrip", added_tokens=[token])
    refused("another id", "a", "'q' has the id 500, and in model.vocab", added_tokens=[{**token, "lstrip": False}])
    new, content = len(vocab), {"id": len(vocab), "content": "<x>"}
    refused("a gap", "a", f"'<x>' has the id {new + 7}, and tokenizers would give it {new}",
            added_tokens=[{**content, "id": new + 7}])
    refused("another order", "a", f"'<y>' has the id {new + 1}, and tokenizers would give it {new}",
            added_tokens=[{"id": new + 1, "content": "<y>"}, content])
    refused("an id twice", "a", f"'<y>' has the id {new}, and tokenizers would give it {new + 1}",
            added_tokens=[content, {"id": new, "content": "<y>"}])
    for again in (new, new + 1):
        refused("a content twice", "a", "'<x>' is listed twice", added_tokens=[content, {**content, "id": again}])
    known = [{"id": vocab["q"], "content": "q"}, content]  # as GPT-2 has its added token in the vocabulary
    check(run({**tokenizer, "added_tokens": known}, "q<x>q") == f"{vocab['q']}\n{new}\n{vocab['q']}\n", "added ids")
    refused("ids twice", "a", "two tokens have the id 0", model={**model, "vocab": {**vocab, "new": 0}})
    refused("no id", "a", "the id of 'new' must be an integer", model={**model, "vocab": {**vocab, "new": "1"}})
    refused("no vocabulary", "a", "model.vocab must be an object", model={**model, "vocab": None})
    refused("no merges", "a", "model.merges must be a list", model={**model, "merges": None})
    for merge, words in (("ab", "must be two tokens"), ("a b c", "must be two tokens"), (["a"], "must be two tokens"),
                         (["merged", "a"], "'merged' is not in model.vocab"),
                         ("a nein", "'nein' is not in model.vocab"), ("q q", "together are not in model.vocab")):
        refused(merge, "a", words, model={**model, "merges": [merge]})
    refused("a merge twice", "a", "are merged by an earlier line", model={**model, "merges": model["merges"][:1] * 2})
    refused("a byte", "a~", "byte 0x7e at offset 1 has no token",
            model={**model, "vocab": {k: v for k, v in vocab.items() if k != "~"}}, added_tokens=[])
    for text in ("", "{", json.dumps(tokenizer)[:-9], '{"model": 1, "model": 2}', "[1]"):
        check(run(text, "a").startswith("refused: "), f"broken JSON {text[:9]!r}")


TOKENIZER = compare()
newer()
whole_words(TOKENIZER)
nfc(TOKENIZER)
refusals(TOKENIZER)
conclude(f"Unicode {unicodedata.unidata_version}")
