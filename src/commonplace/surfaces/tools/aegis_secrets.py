"""What this surface takes for a secret, by its own rules (G15-G17), beside what the one scanner of all surfaces finds (X-16).

The rules are read strictly (G-c): one character behind a prefix is enough. Known cost, which the design has too: prose such as
"Bearer tokens are used" is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from commonplace.guard.secrets import has_secret

_START = r"(?<![A-Za-z0-9])"
_PREFIXED = _START + r"(?:ghp_|gho_|glpat-|xox[bp]-)[A-Za-z0-9]"
_NAMED = _START + r"(?:(?:token|password):\s*|bearer\s+)\S"
# Six characters and a digit among them: `sk-learn` and `task-force` are no keys.
_SK = _START + r"sk-(?=[A-Za-z0-9_-]{6})[A-Za-z_-]{0,200}[0-9]"
_KEYS = re.compile("|".join((_PREFIXED, _NAMED, _SK)), re.IGNORECASE)
_BLOB = re.compile(r"[A-Za-z0-9+/]{40,}")


def holds_secret(texts: Iterable[str]) -> bool:
    """Does any of these look like a secret, by this surface's rules or by the scanner's?"""
    return any(
        bool(_KEYS.search(text)) or any(map(_is_blob, _BLOB.findall(text))) or has_secret(text) for text in texts
    )


def _is_blob(run: str) -> bool:
    """Upper case, lower case and digits, forty and more in a row. A path has more slashes than base 64 ever would."""
    kinds = (any(map(test, run)) for test in (str.isupper, str.islower, str.isdigit))
    return all(kinds) and run.count("/") * 16 <= len(run)
