"""How a receipt lies in its row: deflated (RFC 1950), with the words that all receipts share known beforehand.

Of the five kilobytes of a receipt nearly all is said in every other one: names of fields, of components, of reasons. Deflated by
itself it has 1.3 kilobytes, and with those words known 0.9. They are a part of the format: another dictionary is another format.
"""

from __future__ import annotations

import zlib

# What comes up most often stands last: it is the cheapest to point to.
_KNOWN = (
    b'"session_start","goal","prompt","phase","task","agent_call"nothing_foundnot_searched'
    b'is too low","relevance "says the same as "of another project, linked: of another project, not linked: such are enough'
    b'there is no embedder: everything works on words"there are no vectors yet: `index` makes them"'
    b'"actor":"library","cli","http","mcp","hooks","profile":"words","recent","vault","aegis"'
    b'"asked":{"project":"","repo":"","agent":"","scopes":[""],"types":[""],"kinds":[""],"statuses":[""],"tags":[""],"since":"'
    b'"links":0.,"mentions":0.,"time":0.,"entities":0.,"breadth":-0.,"coverage":0.,"wishes":1.5,"instructions":1.0,"change":0.8,'
    b'"brevity":-0.,"freshness":0.,"rerank":1.,"embedder":"e5-small-v2/int8/d74a213c","reranker":"ms-marco-minilm-l12/int8/1225ccd6"}'
    b',"moment":"search","actor":"","surface":"library","query":"","query_hash":"","profile":"hybrid","asked":{"limit":10,"rerank":false},'
    b'"chosen":[{"memory_id":"01M'
    b'"thresholds":{"least":0.0,"linked":0.4,"strong":0.75},"outcome":"found","confidence":0.,"streams":[{"name":"lexical","searched":true,'
    b'"found":100,"why_not":null},{"name":"semantic","searched":true,"found":100,"why_not":null}],"timings":{"understand":0.0,"lexical":0.,'
    b'"embed":0.,"semantic":0.,"fuse":0.,"records":0.,"links":0.,"weigh":0.,"rerank":0.,"choose":0.,"explain":0.},"models":{"embedder":"'
    b'"tokens":null,"session":null}],"near_misses":[{"memory_id":"01M'
    b'","score":1.,"scores":{"lexical":1.,"semantic":1.,"recency":0.0,"confidence":0.01,"scope":0.016},"ranks":{},"reach":"linked",'
    b'"reach":"strong","reach":"near","reason":"others scored higher","tokens":null},{"memory_id":"01M'
    b'","score":2.,"scores":{"lexical":2.,"semantic":2.,"recency":0.0,"confidence":0.005,"scope":0.012},'
    b'"ranks":{"confidence":1,"lexical":1,"recency":1,"rerank":1,"scope":1,"semantic":1},"reach":"near","reason":null,"tokens":null},'
    b'{"memory_id":"01M'
)
_LONGEST = 16_000_000
"""No receipt is a thousandth as long; what claims to be longer is damaged."""


def deflate(raw: bytes) -> bytes:
    # A receipt and the dictionary fit into this window, and a larger one costs twice as much to begin with.
    # Level 6 would save a fourteenth of the length for a fifth of the time.
    made = zlib.compressobj(level=4, wbits=13, memLevel=7, zdict=_KNOWN)
    return made.compress(raw) + made.flush()


def inflate(stored: object) -> bytes:
    """Raises `ValueError` for what `deflate` did not make."""
    made = zlib.decompressobj(zdict=_KNOWN)
    try:
        found = made.decompress(stored, _LONGEST) if isinstance(stored, bytes) else b""
    except zlib.error as cause:
        raise ValueError("this was not deflated by us") from cause
    if not made.eof:
        raise ValueError("this has no end")
    return found
