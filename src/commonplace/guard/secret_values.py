"""Is this value a secret? The judgement about values that carry no mark of their issuer.

What follows `password =` may be a password, a reference to one, a type, a path or the next word of a sentence. Two
questions decide. Does it stand in for something else (a template, an environment variable, a mask)? And how is it
built: names and words come in long runs of one kind of letter, generated values change kind every second character.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache

# A value's shape: what kind each character is of, as one bit in a byte; no bit is a symbol.
_SMALL, _CAPITAL, _DIGIT, _SYMBOL = 1, 2, 4, 0
_BITS = bytes(
    (_SMALL if chr(code).islower() else _CAPITAL if chr(code).isupper() else _DIGIT if chr(code).isdigit() else _SYMBOL)
    if code < 128
    else _SYMBOL
    for code in range(256)
)
_ONES = int.from_bytes(bytes([1]) * 64)
_TURNS = tuple(bytes(pair) for letter in (_SMALL, _CAPITAL) for pair in ((letter, _DIGIT), (_DIGIT, letter)))
_SLUG = r"(?:[A-Za-z]?[a-z]+|[A-Z]+|[vV]?[0-9]+)(?:[-_./:@,+ ](?:[A-Za-z]?[a-z]+|[A-Z]+|[vV]?[0-9]+))*"

_TEMPLATE = (
    r"\$(?:[A-Z][A-Z0-9_]*|[a-z_]+)$|\$env:|\$[({]|\{\{|\{%|\{[A-Za-z_]|%[({]|%s$|%[A-Z_]+%|<[A-Za-z]|#\{"
    r"|!(?:vault|Ref|Sub|GetAtt|ImportValue|reference|secret|env)\b"
    r"|(?i:arn:|op://|vault:|file:|env[:.]|ref\+|ssm:|sops|kms:|enc\[|urn:|https?://|data:|os\.|process\.|import\.)"
    r"|0x[0-9a-fA-F]{40}$"  # the address of a contract
)
# Without quotes a name before a bracket is a call or a subscript.
_CODE = r"[A-Za-z_$][\w.$?!:>-]*[(\[]"
# How they begin: what begins otherwise need not be compared with them.
_TEMPLATE_MARKS = "${%<#!0"
_TEMPLATE_WORDS = frozenset(("ar", "op", "va", "fi", "en", "re", "ss", "so", "km", "ur", "ht", "da", "os", "pr", "im"))
# Words with digits in them that are not made-up words, in lower case.
_TECHNICAL = (
    r"base(?:16|32|58|64)|sha-?[0-9]{1,3}|md5|argon2(?:id?)?|bcrypt|scrypt|pbkdf2|oauth2?|utf-?8|http/?[23]|x\.?509|"
    r"ed25519|[rhep]s(?:256|384|512)|aes-?[0-9]{0,3}|ipv[46]|1password|s3|k8s|ec2|[234]fa|mfa|i18n|web3|v[0-9]+|p12|pkcs[0-9]*"
)
_OTHER_WORDS = (
    *("passw", "passphrase", "secret", "token", "apikey", "api-key", "api_key", "credential", "required", "string"),
    *("nullable", "minimum", "undefined"),
)
_DOTTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
_NOT_CHOSEN = (
    r"[A-Z][A-Z0-9]*_[A-Z0-9_]*$"  # NAME_OF_A_VARIABLE
    r"|[A-Z]{2,10}-[0-9]+$"  # ticket
    r"|[0-9]{1,4}-[a-z]+$"  # 64-character
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}"  # date
    r"|[~.]{0,2}/|[A-Za-z]:\\"  # path
)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile on first use: importing costs nothing, and `re`'s own cache is slower than a dictionary."""
    return re.compile(pattern, re.ASCII if pattern.isascii() else 0)


def is_plain(value: str) -> bool:
    """Too short, a sentence, or only words: nothing in it that a word would not have."""
    if " " in value:  # generated values may hold spaces, but a long one then holds every kind of character
        return len(value) < 32 or not _is_jumbled(value)
    return len(value) < 8 or compiled(r"[0-9]|[a-z][A-Z]|[!#%^*~&$?=+@]").search(value) is None


def _is_jumbled(value: str) -> bool:
    shape = _shape(value)
    return _kinds(value, shape) >= 4 and _mean_piece(shape) <= 2.0


def is_reference(value: str, quoted: bool) -> bool:
    """Names where the secret is kept, or computes it."""
    if (value[0] in _TEMPLATE_MARKS or value[:2].lower() in _TEMPLATE_WORDS) and compiled(_TEMPLATE).match(value):
        return True
    called = not quoted and ("(" in value or "[" in value)
    call = compiled(_CODE).match(value) if called else None
    return call is not None and _mean_piece(_shape(call[0])) >= 2.5


def is_generated(value: str) -> bool:
    """Built like something a machine drew: opaque, changing kind all the time."""
    size = len(value)
    if size < 8:
        return False
    if size >= 32 and compiled(r"[0-9a-f]+|[0-9A-F]+").fullmatch(value):
        return _has_bits(value, 2.0)
    shape = _shape(value)
    kinds = _kinds(value, shape)
    if kinds < 2 and value.isascii():  # one piece
        return False
    drawn = _is_drawn(value, shape, kinds) if size < 16 else _is_drawn_at_length(value, shape, kinds)
    # So many short pieces make a name only if something stands between them.
    return drawn and (value.isalnum() or not compiled(_SLUG).fullmatch(value))


def _is_drawn(value: str, shape: bytes, kinds: int) -> bool:
    if _mean_piece(shape) > 2.4 or not _has_bits(value, 2.7):
        return False
    return kinds >= 3 or _is_unpronounceable(value, shape)


def _is_drawn_at_length(value: str, shape: bytes, kinds: int) -> bool:
    mean = _mean_piece(shape)
    if mean > 5 or kinds < 2 or not _has_bits(value, 3.0):
        return False
    return mean <= 3.3 or _is_unpronounceable(value, shape)


def is_encoded(value: str) -> bool:
    """Looks like base64 or the like; enough where a header already says that a credential follows."""
    return is_generated(value) or (
        _kinds(value, _shape(value)) >= 3 and compiled(r"[\w+/=~.-]+").fullmatch(value) is not None
    )


def is_chosen(value: str) -> bool:
    """Built like a password a person would choose: letters and digits, or letters and symbols, and no plain name."""
    if "/" in value or not _has_letter(value) or not _has_bits(value, 2.2):
        return False
    if compiled(_NOT_CHOSEN).match(value) or ("." in value and compiled(_DOTTED).fullmatch(value)):
        return False
    rest = _untechnical(value)
    if not _has_letter(rest) or not (_has_digit(rest) or _has_symbol(rest)):
        return False
    return not any(map(value.lower().__contains__, _OTHER_WORDS))


def is_mixed(value: str) -> bool:
    """Letters of both cases and digits, or a symbol among them: what the next word of a sentence never is."""
    return _kinds(value, _shape(value)) >= 3 and compiled(r"[0-9]").search(_untechnical(value)) is not None


def _untechnical(value: str) -> str:
    return compiled(_TECHNICAL).sub("", value.lower()) if _has_digit(value) else value


def _has_letter(value: str) -> bool:
    return any(map(str.isalpha, value)) if not value.isascii() else value.lower() != value.upper()


def _has_digit(value: str) -> bool:
    return compiled(r"[0-9]").search(value) is not None or (not value.isascii() and any(map(str.isdigit, value)))


def _has_symbol(value: str) -> bool:
    return compiled(r"[!#%^*~&$?=+@]").search(value.strip("*?=")) is not None


def _shape(value: str) -> bytes:
    return value.encode("latin-1", "replace").translate(_BITS)


def _mean_piece(shape: bytes) -> float:
    """Mean length of the runs of one kind of letter or of digits.

    A capital belongs to the small letters after it, but not a whole word of them. With one bit for each kind, and the value
    as one number, a run begins where a bit is set that was not set in the byte before: all of them are found at once.
    """
    bits = int.from_bytes(shape)
    ones = _ONES if len(shape) <= 64 else int.from_bytes(bytes([1]) * len(shape))
    capitalised = bits & bits >> 9 & ~(bits >> 17) & ones  # a small letter, before it one capital, and no second
    pieces = (bits & ~(bits >> 8)).bit_count() - capitalised.bit_count()
    return bits.bit_count() / pieces if pieces else len(shape)


def _is_unpronounceable(value: str, shape: bytes) -> bool:
    """Letters and digits alternate, or consonants pile up, more than in any name."""
    if sum(map(shape.count, _TURNS)) >= 4:
        return True
    return compiled(r"[bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ]{5}").search(value) is not None


def _kinds(value: str, shape: bytes) -> int:
    """How many of lower case, upper case, digits and symbols occur."""
    if value.isascii():
        return (_SMALL in shape) + (_CAPITAL in shape) + (_DIGIT in shape) + (_SYMBOL in shape)
    return (value != value.upper()) + (value != value.lower()) + (_DIGIT in shape) + (not value.isalnum())


def _has_bits(value: str, least: float) -> bool:
    """Is the entropy per character at least so much? The number of different characters alone nearly always tells."""
    different = set(value)
    few, many = _telling(len(value), least)
    if few < len(different) < many:
        # Of a few different characters each is counted as fast.
        halves = len(different) > 16 and _halves_have_bits(value, least)
        return halves or _bits([*map(value.count, different)]) >= least
    return len(different) >= many


def _halves_have_bits(value: str, least: float) -> bool:
    """What is mixed of two parts has at least the entropy they have on average, and their letters are soon counted."""
    half = len(value) // 2
    many = _telling(len(value) - half, least)[1]
    return len(set(value[:half])) >= many and len(set(value[half:])) >= many


@lru_cache(maxsize=1024)
def _telling(size: int, least: float) -> tuple[int, int]:
    """With how few different characters there cannot be so much entropy, and with how many there must be.

    The most that n characters can have is log2(n). The least they can have is when all but one of them occur once; it grows
    with n, so the place where it is enough is found by halving.
    """
    from math import ceil

    few = max(min(ceil(2**least) - 1, size), 1)
    low, high = 1, size + 1
    while low < high:
        middle = (low + high) // 2
        if _least_bits(size, middle) >= least:
            high = middle
        else:
            low = middle + 1
    return few, low


def _least_bits(size: int, different: int) -> float:
    log2 = _logarithms()[0]
    most = size - different + 1
    return log2(size) - most * log2(most) / size


def _bits(counts: list[int]) -> float:
    """Shannon entropy per character, of how often each occurs."""
    log2, weights = _logarithms()
    size = sum(counts)
    if size < len(weights):
        return log2(size) - sum(map(weights.__getitem__, counts)) / size
    return log2(size) - sum([count * log2(count) for count in counts]) / size


@cache
def _logarithms() -> tuple[Callable[[float], float], list[float]]:
    """The function, and n log n for as many characters as most values have."""
    from math import log2  # a shared library; most processes never judge a value

    return log2, [0.0, *(count * log2(count) for count in range(1, 65))]
