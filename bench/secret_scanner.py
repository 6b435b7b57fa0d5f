"""What the secret scanner costs. Run: `python -m bench secret_scanner`.

Protocol: every text is scanned in a loop; the best of seven rounds counts, because the machine may be shared and noise
only ever adds. CPU time of this process. Texts are built here, from fixed words and a fixed seed, and hold no secret
unless the line says so. Of a text that is nothing but secrets every one is found; `has_secret` stops at the first.
"First scan" includes compiling the patterns that the text asks for.
"""

import random
import subprocess
import sys
import time
from base64 import b64encode
from pathlib import Path

from bench.measure import verdict
from commonplace.guard.secrets import has_secret, scan

PROSE = (
    "The staging cluster runs in eu-central-1, production in eu-west-1 and us-east-2. Deploys happen on Tuesdays and "
    "Thursdays; never on the last day of the month. Ask Ingrid when in doubt about windows, please. "
)
GERMAN = (
    "Die Nutzerin bevorzugt kurze Antworten ohne Aufzählungen; der Schlüssel liegt unter der Fußmatte, nicht im Blumentopf. "
    "Das Geheimnis eines guten Brotes ist die lange Teigruhe, sagt Jürgen. "
)
PATHS = (
    "Fixed in src/commonplace/guard/trust.py at commit 9fceb02d0ae598e95dc970b74767f19372d61af8, see "
    "https://git.example.org/acme/widgets/-/merge_requests/482 and docs/guide/trust.md for the reasons given there. "
)
TALK = (
    "Rotate the API key every 90 days; the password is stored in the team vault, ask Ingrid. The token budget is 8000 "
    "tokens and the secret is mounted by the platform, so nothing has to be typed by hand. "
)


def best(text: str, loops: int) -> float:
    """Seconds per scan."""
    rounds = []
    for _ in range(7):
        start = time.process_time()
        for _ in range(loops):
            scan(text)
        rounds.append((time.process_time() - start) / loops)
    return min(rounds)


def filled(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def large_texts() -> dict[str, str]:
    rng, size = random.Random(1), 200_000
    code = "for key, value in sorted(mapping.items()):\n    assert response.status_code == 200, response.text\n"
    return {
        "prose": filled(PROSE, size),
        "German": filled(GERMAN, size),
        "paths and hashes": filled(PATHS, size),
        "talk of passwords": filled(TALK, size),
        "code": filled(code, size),
        "hex": "".join(rng.choices("0123456789abcdef", k=size)),
        "base64": b64encode(rng.randbytes(size * 3 // 4)).decode(),
        "one letter": "a" * size,
        "a:": filled("a:", size),
        "worst: nothing but `token:`": filled("token:", size),
        "worst: one password, again and again": filled("password: " + "aB3xY9z" + "!Q \n", size),
        "worst: names of keys": filled("secret_access_key_x=", size),
        "worst: keys for something": filled("secret_access_key for x &", size),
        "worst: headers of web tokens": "ey" * (size // 2) + ".ey",
        "worst: short values in quotes": _short_values(rng, size),
        "worst: different values, nearly secrets": _near_values(rng, size),
        "worst: one name in another": _nested_names(rng, size),
        "worst: web tokens that only stand in": filled("-ey" * 1400 + ".ey" + "a" * 15 + "." + "b" * 10 + "\n", size),
        "secrets: nothing but passwords": "".join(f"password: {_drawn(rng)}\n" for _ in range(size // 23)),
        "secrets: nothing but tokens": "".join(f"token: {_drawn(rng)}{_drawn(rng)}\n" for _ in range(size // 32)),
    }


def _short_values(rng: random.Random, size: int) -> str:
    words, quotes = ("pw", "token", "secret", "api_key"), "\"'`“„"
    return "".join(f"{rng.choice(words)}={rng.choice(quotes)}{rng.randrange(10**5)}" for _ in range(size // 10))


def _near_values(rng: random.Random, size: int) -> str:
    heads = ("pw=example", "token=changeme", "password: your_", "secret=src/app.")
    return "".join(f"{rng.choice(heads)}{''.join(rng.choices('abcdefghijk0123', k=6))}\n" for _ in range(size // 20))


def _nested_names(rng: random.Random, size: int) -> str:
    """Without white space every value goes on into the next ones: what stands there is judged again from each name."""
    heads = ("passwords=example", "token_x9=", "secret_access_keyA::", "_pass=", "0x_access_keyId=")
    units = (f"{rng.choice(heads)}{''.join(rng.choices('aA1', k=rng.randint(6, 10)))}" for _ in range(size // 20))
    return "".join(units)[:size]


def _drawn(rng: random.Random) -> str:
    return "".join(rng.choices("abcdefghABCDEFGH01234567!#%^", k=12))


def first_scan() -> str:
    code = (
        "import re, time, commonplace.errors\nt = time.perf_counter()\nfrom commonplace.guard.secrets import scan\n"
        "u = time.perf_counter()\n"
        f"scan({PROSE!r})\nv = time.perf_counter()\nscan({TALK!r})\nw = time.perf_counter()\n"
        "print(f'import {(u-t)*1e3:.2f} ms, first scan of prose {(v-u)*1e3:.2f} ms, '"
        "f'of talk of passwords {(w-v)*1e3:.2f} ms')"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return min((run.stdout.strip() for run in runs), key=lambda said: float(said.split()[1]))


def run(_: Path) -> list[str]:
    lines = ["  a memory of 200 characters, microseconds:"]
    for name, text in {"prose": PROSE, "German": GERMAN, "paths and hashes": PATHS, "talk of passwords": TALK}.items():
        assert not has_secret(text)
        lines.append(f"        {name:36} {best(text[:200], 3000) * 1e6:6.1f}")
    lines.append("  200 KB of, milliseconds per KB:")
    costs = {name: best(text, 1) * 1e3 / (len(text) / 1000) for name, text in large_texts().items()}
    lines += [f"        {name:36} {cost:8.3f}" for name, cost in costs.items()]
    for sort in ("worst", "secrets"):
        dearest = max(cost for name, cost in costs.items() if name.startswith(sort))
        lines.append(verdict(f"{sort}, ms per KB", dearest, 0.3))
    ordinary = max(cost for name, cost in costs.items() if ": " not in name)
    lines.append(verdict("ordinary text, ms per KB", ordinary, 0.3))
    return [*lines, f"  new process: {first_scan()}"]
