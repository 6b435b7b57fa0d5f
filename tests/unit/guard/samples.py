"""Builds secrets that never existed, and lays them into the carriers people use.

Every value is put together from parts at run time, so no string in this repository looks like a secret to us or to any
other scanner. Each format is a function of a seeded `random.Random`; `FORMATS` names it by the kind we expect back.
"""

import string
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from random import Random
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
B64 = ALNUM + "+/"
URLSAFE = ALNUM + "_-"
LOWER_NUM = string.ascii_lowercase + string.digits
UPPER_NUM = string.ascii_uppercase + string.digits
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
WORDS = ("Sommer", "kayak", "Blue", "falcon", "Winter", "tulip", "Berlin", "coffee", "Dragon", "monkey", "River")


class Sample(NamedTuple):
    """One secret in its carrier: the text, and where the part that must not survive stands."""

    text: str
    secret: str


def chars(rng: Random, alphabet: str, low: int, high: int | None = None) -> str:
    return "".join(rng.choices(alphabet, k=rng.randint(low, high or low)))


def joined(*parts: str) -> str:
    """Glue a prefix to its tail; a function so that no literal prefix stands next to a literal tail."""
    return "".join(parts)


def jwt(rng: Random) -> str:
    header = urlsafe_b64encode(b'{"alg":"' + rng.choice([b"HS256", b"RS256", b"ES256"]) + b'","typ":"JWT"}')
    claims = f'{{"sub":"{rng.randrange(10**9)}","exp":{rng.randrange(10**9, 2 * 10**9)}}}'.encode()
    body = urlsafe_b64encode(claims)
    return ".".join([header.decode().rstrip("="), body.decode().rstrip("="), chars(rng, URLSAFE, 43, 86)])


def private_key(rng: Random) -> str:
    name = rng.choice(["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA "]) + "PRIVATE" + " KEY"
    lines = [chars(rng, B64, 64) for _ in range(rng.randint(1, 25))] + [chars(rng, B64, 20, 60) + "=="]
    dashes = "-" * 5
    pem = [f"{dashes}BEGIN {name}{dashes}", *lines, f"{dashes}END {name}{dashes}"]
    return rng.choice(["\n", "\\n", "\r\n", "\n    ", " ", "\n> ", "\\r\\n"]).join(pem)


def pgp_private_key(rng: Random) -> str:
    name = "PGP PRIVATE" + " KEY BLOCK"
    lines = [chars(rng, B64, 64) for _ in range(rng.randint(3, 12))]
    dashes = "-" * 5
    tail = [chars(rng, B64, 30), "=" + chars(rng, B64, 4), f"{dashes}END {name}{dashes}"]
    return "\n".join([f"{dashes}BEGIN {name}{dashes}", "Version: GnuPG v2", "", *lines, *tail])


def password(rng: Random) -> str:
    """What a generator makes: letters, digits and symbols that need no quoting."""
    return chars(rng, ALNUM + "!#%*+-_.~@^", 10, 24) + rng.choice(string.digits) + rng.choice(string.ascii_letters)


def human_password(rng: Random) -> str:
    """What a person makes: words, a year or a few digits, perhaps a symbol."""
    word, other, digits = rng.choice(WORDS), rng.choice(WORDS), str(rng.randrange(10, 9999))
    forms = [
        f"{word}{other}{digits}",
        f"{word}{digits}!{other}",
        f"{word}-{other}-{digits}",
        f"{word}_{digits}#{other}",
    ]
    return rng.choice(forms)


def prose_assignment(rng: Random, value: str) -> str:
    lead = rng.choice(
        [
            "password is ",
            "password: ",
            "passwd=",
            "pwd = ",
            "passphrase is ",
            "Password for staging is ",
            "DB_PASSWORD=",
            "Das Passwort ist ",
            "Passwort: ",
            "le mot de passe est ",
            "Mot de passe : ",
            "la contraseña es ",
            "contraseña: ",
            "the admin password is now ",
            "dbPassword: ",
            "password was changed to ",
        ]
    )
    quote = rng.choice(["", "", "", "'", "`"])
    return f"{lead}{quote}{value}{quote}"


def token_assignment(rng: Random, value: str) -> str:
    lead = rng.choice(
        [
            "api_key = ",
            "API key: ",
            "apiKey: ",
            "api-key is ",
            "secret = ",
            "client_secret: ",
            "token: ",
            "ACCESS_TOKEN=",
            "the token is ",
            "SECRET_KEY=",
            "webhook secret is ",
            "x-api-key: ",
            "auth_token=",
            "the API key for staging is ",
        ]
    )
    quote = rng.choice(["", "", "'", "`"])
    return f"{lead}{quote}{value}{quote}"


def opaque_value(rng: Random) -> str:
    return rng.choice(
        [
            chars(rng, ALNUM, 20, 48),
            chars(rng, HEX, 32),
            chars(rng, HEX, 40),
            chars(rng, HEX, 64),
            chars(rng, URLSAFE, 24, 64),
        ]
    )


def url_credentials(rng: Random, value: str) -> str:
    scheme = rng.choice(["postgres", "postgresql", "mysql", "mongodb+srv", "redis", "amqp", "https", "ftp", "http"])
    user = rng.choice(["app", "svc_report", "root", "maya", "deploy-bot"])
    host = rng.choice(["db.internal:5432/app", "10.0.3.7/0", "queue.example.net", "git.example.org/acme/w.git"])
    return f"{scheme}://{user}:{value}@{host}"


def aws_secret_in_context(rng: Random, value: str) -> str:
    lead = rng.choice(["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY=", "aws secret: ", "AWS secret key is "])
    return lead + value


def header(rng: Random, value: str) -> str:
    scheme = rng.choice(["Bearer", "Bearer", "Token"])
    return f"Authorization: {scheme} {value}"


def basic_header(rng: Random, value: str) -> str:
    del rng
    return "Authorization: Basic " + value


def curl_user(rng: Random, value: str) -> str:
    flag = rng.choice(["-u ", "--user ", "-u"])
    return f"curl -sS {flag}{rng.choice(['maya', 'ci-bot'])}:{value} https://ci.example.net/api"


def session_cookie(rng: Random, value: str) -> str:
    name = rng.choice(["session", "sessionid", "connect.sid", "PHPSESSID", "auth_session"])
    return f"Cookie: theme=dark; {name}={value}; lang=en"


Value = Callable[[Random], str]
Context = Callable[[Random, str], str]


def prefixed(prefix: str, alphabet: str, low: int, high: int | None = None, tail: str = "") -> Value:
    return lambda rng: joined(prefix, chars(rng, alphabet, low, high), tail)


def one_of(*values: Value) -> Value:
    return lambda rng: rng.choice(values)(rng)


def url_password(rng: Random) -> str:
    return chars(rng, ALNUM + "!$*_-.~%", 6, 24)


def _openai(rng: Random) -> str:
    side = rng.choice([58, 74])
    kind = rng.choice(["proj", "svcacct", "admin"])
    return joined(f"sk-{kind}-", chars(rng, URLSAFE, side), "T3Blbk", "FJ", chars(rng, URLSAFE, side))


def _onepassword(rng: Random) -> str:
    sizes = rng.choice([(6, 6, 5, 5, 5, 5), (6, 11, 5, 5, 5)])
    return joined("A3-", "-".join(chars(rng, UPPER_NUM, size) for size in sizes))


def _basic(rng: Random) -> str:
    return b64encode(f"{rng.choice(WORDS)}:{chars(rng, ALNUM, 10, 20)}".encode()).decode()


FORMATS: dict[str, tuple[str, Value, Context | None]] = {
    # name of the sample: (kind we expect, the value, the context it needs)
    "aws id": ("aws-access-key", one_of(*(prefixed(p, BASE32, 16) for p in ("AKIA", "ASIA", "ABIA", "ACCA"))), None),
    "aws secret": ("aws-secret-key", lambda rng: chars(rng, B64, 40), aws_secret_in_context),
    "aws bedrock": ("aws-bedrock-key", prefixed("ABSK", B64, 109, 269, "="), None),
    "github": ("github-token", one_of(*(prefixed(f"gh{c}_", ALNUM, 36, 60) for c in "pousr")), None),
    "github fine": ("github-token", prefixed("github_pat_", ALNUM + "_", 82), None),
    "gitlab": ("gitlab-token", one_of(prefixed("glpat-", URLSAFE, 20), prefixed("GR1348941", URLSAFE, 20)), None),
    "gitlab other": (
        "gitlab-token",
        one_of(
            *(
                prefixed(f"gl{p}-", URLSAFE, 20, 64)
                for p in ("rt", "dt", "cbt", "ptt", "agent", "oas", "soat", "ft", "imt")
            )
        ),
        None,
    ),
    "slack": ("slack-token", one_of(*(prefixed(f"xox{c}-", ALNUM + "-", 24, 60) for c in "bpeoars")), None),
    "slack short": ("slack-token", one_of(*(prefixed(f"xox{c}-", ALNUM, 10, 12) for c in "bp")), None),
    "slack app": (
        "slack-token",
        lambda r: joined(
            "xapp", f"-{r.randrange(9)}-", chars(r, UPPER_NUM, 11), f"-{r.randrange(10**12)}-", chars(r, LOWER_NUM, 64)
        ),
        None,
    ),
    "slack refresh": (
        "slack-token",
        one_of(prefixed("xoxe.xoxp-1-", ALNUM, 160), prefixed("xoxe-1-", ALNUM, 146)),
        None,
    ),
    "slack hook": (
        "slack-webhook",
        lambda r: joined(
            "hooks.slack.com/",
            r.choice(["services/T", "workflows/T", "triggers/T"]),
            chars(r, UPPER_NUM, 8),
            "/B",
            chars(r, UPPER_NUM, 8),
            "/",
            chars(r, ALNUM, 24, 30),
        ),
        lambda _, value: "https://" + value,
    ),
    "openai": ("openai-key", _openai, None),
    "openai old": (
        "openai-key",
        lambda r: joined("sk-", chars(r, ALNUM, 20), "T3Blbk", "FJ", chars(r, ALNUM, 20)),
        None,
    ),
    "anthropic": (
        "anthropic-key",
        one_of(*(prefixed(f"sk-ant-{k}-", URLSAFE, 93, None, "AA") for k in ("api03", "admin01"))),
        None,
    ),
    "openrouter": ("openrouter-key", prefixed("sk-or-v1-", HEX, 64), None),
    "groq": ("groq-key", prefixed("gsk_", ALNUM, 52), None),
    "xai": ("xai-key", prefixed("xai-", ALNUM + "_", 80), None),
    "perplexity": ("perplexity-key", prefixed("pplx-", ALNUM, 48), None),
    "hugging face": (
        "huggingface-token",
        one_of(prefixed("hf_", string.ascii_letters, 34), prefixed("api_org_", string.ascii_letters, 34)),
        None,
    ),
    "replicate": ("replicate-token", prefixed("r8_", ALNUM, 37, 40), None),
    "langsmith": (
        "langsmith-key",
        lambda r: joined("lsv2_", r.choice(["pt", "sk"]), "_", chars(r, HEX, 32), "_", chars(r, HEX, 10)),
        None,
    ),
    "nvidia": ("nvidia-key", prefixed("nvapi-", URLSAFE, 30, 70), None),
    "memory services": (
        "memory-service-key",
        one_of(*(prefixed(p, ALNUM, 24, 64) for p in ("mem0_", "hsk-", "retaindb_", "brv_"))),
        None,
    ),
    "google": ("google-api-key", prefixed("AIza", URLSAFE, 35), None),
    "google oauth": (
        "google-oauth-secret",
        one_of(prefixed("GOCSPX-", URLSAFE, 28), prefixed("ya29.", URLSAFE, 20, 180)),
        None,
    ),
    "azure": (
        "azure-secret",
        lambda r: joined(
            chars(r, ALNUM + "_~.", 3), chars(r, string.digits, 1), "Q", "~", chars(r, URLSAFE + "~.", 31, 34)
        ),
        None,
    ),
    "stripe": (
        "stripe-key",
        one_of(*(prefixed(f"{c}k_{m}_", ALNUM, 10, 99) for c in "sr" for m in ("live", "test", "prod"))),
        None,
    ),
    "stripe hook": ("stripe-webhook-secret", prefixed("whsec_", ALNUM, 16, 40), None),
    "twilio": ("twilio-key", prefixed("SK", HEX, 32), None),
    "sendgrid": ("sendgrid-key", lambda r: joined("SG.", chars(r, URLSAFE, 22), ".", chars(r, URLSAFE, 43)), None),
    "mailgun": (
        "mailgun-key",
        prefixed("key-", HEX, 32),
        lambda r, v: f"{r.choice(['mailgun', 'Mailgun key', 'MAILGUN_KEY'])}: {v}",
    ),
    "npm": ("npm-token", prefixed("npm_", ALNUM, 36), None),
    "pypi": ("pypi-token", prefixed("pypi-AgEI", URLSAFE, 50, 150), None),
    "clojars": ("clojars-token", prefixed("CLOJARS_", LOWER_NUM, 60), None),
    "digitalocean": ("digitalocean-token", one_of(*(prefixed(f"do{c}_v1_", HEX, 64) for c in "opr")), None),
    "databricks": ("databricks-token", prefixed("dapi", HEX, 32), None),
    "vault": ("vault-token", one_of(prefixed("hvs.", URLSAFE, 90, 120), prefixed("hvb.", URLSAFE, 138, 300)), None),
    "heroku": ("heroku-key", prefixed("HRKU-AA", URLSAFE, 58), None),
    "fly": ("fly-token", prefixed("fo1_", URLSAFE, 43), None),
    "pulumi": ("pulumi-token", prefixed("pul-", HEX, 40), None),
    "supabase": ("supabase-key", one_of(prefixed("sbp_", HEX, 40), prefixed("sb_secret_", URLSAFE, 20, 40)), None),
    "cloudflare": (
        "cloudflare-origin-key",
        lambda r: joined("v1.0-", chars(r, HEX, 24), "-", chars(r, HEX, 146)),
        None,
    ),
    "tailscale": (
        "tailscale-key",
        lambda r: joined(
            "tskey-", r.choice(["auth", "api", "client"]), "-", chars(r, ALNUM, 12), "-", chars(r, ALNUM, 32)
        ),
        None,
    ),
    "notion": ("notion-token", lambda r: joined("ntn_", chars(r, string.digits, 11), chars(r, ALNUM, 35)), None),
    "linear": ("linear-key", prefixed("lin_api_", ALNUM, 40), None),
    "postman": ("postman-key", lambda r: joined("PMAK-", chars(r, HEX, 24), "-", chars(r, HEX, 34)), None),
    "sentry": (
        "sentry-token",
        one_of(prefixed("sntryu_", HEX, 64), prefixed("sntrys_eyJ", ALNUM + "+/", 120, 200)),
        None,
    ),
    "grafana": (
        "grafana-token",
        one_of(lambda r: joined("glsa_", chars(r, ALNUM, 32), "_", chars(r, HEX, 8)), prefixed("glc_", B64, 32, 120)),
        None,
    ),
    "doppler": ("doppler-token", prefixed("dp.pt.", LOWER_NUM, 43), None),
    "shopify": ("shopify-token", one_of(*(prefixed(f"shp{p}_", HEX, 32) for p in ("at", "ca", "pa", "ss"))), None),
    "planetscale": (
        "planetscale-token",
        one_of(*(prefixed(f"pscale_{p}_", URLSAFE + "=.", 32, 64) for p in ("tkn", "pw", "oauth"))),
        None,
    ),
    "telegram": (
        "telegram-bot-token",
        lambda r: joined(chars(r, "123456789", 8, 10), ":", "A", chars(r, URLSAFE, 34)),
        None,
    ),
    "1password": ("onepassword-key", one_of(_onepassword, prefixed("ops_eyJ", B64, 250, 400)), None),
    "age": ("age-secret-key", prefixed("AGE-SECRET-" + "KEY-1", BECH32, 58), None),
    "private key": ("private-key", private_key, None),
    "pgp private key": ("private-key", pgp_private_key, None),
    "jwt": ("jwt", jwt, None),
    "url credentials": ("url-credentials", url_password, url_credentials),
    "bearer": ("authorization-header", lambda rng: chars(rng, URLSAFE + "+/.~", 24, 80) + "k", header),
    "basic": ("authorization-header", _basic, basic_header),
    "curl user": ("command-password", lambda rng: chars(rng, ALNUM + "!_-.", 8, 20), curl_user),
    "session cookie": ("session-cookie", lambda rng: chars(rng, ALNUM + "._-%", 24, 64), session_cookie),
    "password": ("password", password, prose_assignment),
    "human password": ("password", human_password, prose_assignment),
    "token": ("secret-assignment", opaque_value, token_assignment),
}


def carriers(secret: str, whole: str, rng: Random) -> dict[str, str]:
    """The eight carriers of reliability row 122. `whole` is the secret together with the context it needs."""
    del secret
    n = rng.randrange(100)
    return {
        "bare": whole,
        "prose": f"For the staging box we agreed on this, {whole} and Maya will rotate it on Friday.",
        "code": f"    client = connect(region={n})  # {whole}\n    return client",
        "url": f"https://api.example.net/v2/items?limit={n}&q={whole}&page=2",
        "json": f'{{"id": {n}, "note": "{whole}", "tags": ["ops"]}}',
        "yaml": f"service:\n  replicas: {n}\n  note: {whole}\n  region: eu-west-1",
        "table": f"| name | value |\n|---|---|\n| row {n} | {whole} |",
        "log": f"2026-01-14T03:15:{n % 60:02d}Z INFO worker[{n}]: loaded {whole} (3 ms)",
    }


def samples(name: str, count: int, seed: int) -> dict[str, list[Sample]]:
    """`count` samples of one format in each carrier, the same for the same seed."""
    rng = Random(f"{name}/{seed}")
    _, value, context = FORMATS[name]
    found: dict[str, list[Sample]] = {}
    for _ in range(count):
        secret = value(rng)
        whole = context(rng, secret) if context else secret
        for carrier, text in carriers(secret, whole, rng).items():
            found.setdefault(carrier, []).append(Sample(text, secret))
    return found
