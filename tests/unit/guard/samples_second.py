"""A second set, written after the scanner was tuned on the first: other carriers, other lead-ins, other habits.

It is measured and reported beside the first set (docs/guide/secrets.md), to show how far the figures travel.
"""

import string
from random import Random

from samples import ALNUM, FORMATS, HEX, URLSAFE, Context, Sample, Value, chars

NAMES = ("Orchid", "marble", "Tango", "pepper", "Saturn", "violet", "Harbour", "gecko", "lemon", "Atlas")


def chosen(rng: Random) -> str:
    one, two = rng.choice(NAMES), rng.choice(NAMES)
    year, few = str(rng.randrange(1950, 2027)), str(rng.randrange(1, 99))
    forms = [
        f"{one}{year}?{few}",
        f"{one.lower()}.{two}@{few}",
        f"{few}{one}{two}!",
        f"{one}&{two}{year}",
        f"{one}{two}{year}",
    ]
    return rng.choice(forms)


def drawn(rng: Random) -> str:
    return chars(rng, ALNUM, 1) + chars(rng, ALNUM + "!$%^*_-+=?@", 9, 30) + chars(rng, ALNUM, 1)


def opaque(rng: Random) -> str:
    lower = string.ascii_lowercase + string.digits
    return rng.choice(
        [chars(rng, lower, 24, 40), chars(rng, HEX.upper(), 32), chars(rng, URLSAFE, 22), chars(rng, ALNUM, 16)]
    )


def with_lead(*leads: str) -> Context:
    return lambda rng, value: rng.choice(leads).replace("%", value)


PASSWORD_LEADS = with_lead(
    *("The WiFi password at the office is %", "admin password → %", "root pwd: %", '"password": "%"', "PGPASSWORD=%"),
    *(
        "Kennwort lautet %",
        "Das neue Passwort ist jetzt %",
        "mot de passe du serveur : %",
        "La contraseña del router es %",
    ),
    *("--password %", "<password>%</password>", 'setPassword("%")', "SMTP_PASS=%", "password for the VPN is %"),
    *("senha: %", "пароль: %", "密码是 %", "password='%'", "| password | % |", "passphrase was reset to %"),
)
TOKEN_LEADS = with_lead(
    *(
        "API token: %",
        "bearer_token = '%'",
        "clientSecret: '%'",
        "X-Auth-Token: %",
        "?access_token=%",
        "signing secret is %",
    ),
    *(
        "the api key of the sandbox is %",
        "SECRET=%",
        '"apiKey":"%"',
        "encryption key: %",
        "--token %",
        "Webhook-Secret: %",
    ),
    *("secret_key_base: %", "private-token: %", 'api_token => "%"', "service key is %"),
)

SECOND_FORMATS: dict[str, tuple[Value, Context]] = {
    "chosen password": (chosen, PASSWORD_LEADS),
    "drawn password": (drawn, PASSWORD_LEADS),
    "opaque token": (opaque, TOKEN_LEADS),
}


def second_carriers(whole: str, rng: Random) -> dict[str, str]:
    n = rng.randrange(10_000)
    return {
        "bare": f"{whole}\n",
        "prose": f"Talked to Priya (ticket OPS-{n}). She said: {whole}. Do not share it further.",
        "code": f"try:\n    run({n})\nexcept Exception:\n    # TODO remove: {whole}\n    raise",
        "url": f"see http://wiki.example.org/page?id={n}&note={whole}#top",
        "json": f'[{{"event":"note","n":{n},"body":"{whole}"}},{{"event":"end"}}]',
        "yaml": f"- name: job-{n}\n  env:\n    - {whole}\n    - LANG=C.UTF-8",
        "table": f"key\tvalue\trow\n{n}\t{whole}\tok",
        "log": f"[{n}] DEBUG (http) > {whole} < 200 OK in 12ms",
    }


def second_samples(name: str, count: int, seed: int) -> dict[str, list[Sample]]:
    rng = Random(f"second/{name}/{seed}")
    value, context = SECOND_FORMATS[name] if name in SECOND_FORMATS else FORMATS[name][1:]
    found: dict[str, list[Sample]] = {}
    for _ in range(count):
        secret = value(rng)
        whole = context(rng, secret) if context else secret
        for carrier, text in second_carriers(whole, rng).items():
            found.setdefault(carrier, []).append(Sample(text, secret))
    return found
