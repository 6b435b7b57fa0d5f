"""What secrets look like: the table of formats, and the words around values that have no format of their own.

Everything here is plain data; nothing is compiled until a text asks for it. A format is tried only when one of its
anchors was seen, so a row costs an ordinary memory next to nothing. Lengths are minima where the prefix is distinctive
(issuers lengthen their tokens), exact where it is not. Every pattern starts with its literal prefix, because the
regular-expression engine finds a literal much faster than a look-behind; the left boundary is checked afterwards.
"""

Row = tuple[str, tuple[str, ...], str]

# Every format is written in these characters and is at least so long. Ordinary prose has no such run, and is done after one
# search for it.
RUN_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~=+/:$,-"
RUN_LENGTH = 15

# (kind, anchors, pattern), the most specific first: when two findings overlap, the earlier row names them.
FORMATS: tuple[Row, ...] = (
    ("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"A(?:KI|SI|BI|CC)A[A-Z2-7]{16}(?![A-Za-z0-9])"),
    ("aws-bedrock-key", ("ABSK",), r"ABSK[A-Za-z0-9+/]{109,}={0,2}"),
    ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[0-9A-Za-z]{36,}"),
    ("github-token", ("github_pat_",), r"github_pat_\w{82,}"),
    ("gitlab-token", ("glpat-", "GR1348941"), r"(?:glpat-|GR1348941)[\w-]{20,}"),
    (
        "gitlab-token",
        ("glrt-", "gldt-", "glcbt-", "glptt-", "glagent-", "gloas-", "glsoat-", "glft-", "glimt-"),
        r"gl(?:rt|dt|cbt|ptt|agent|oas|soat|ft|imt)-[\w-]{20,}",
    ),
    (
        "slack-token",
        ("xoxb-", "xoxp-", "xoxe-", "xoxo-", "xoxa-", "xoxr-", "xoxs-", "xoxe."),
        r"xox(?:[bpeoars]-|e\.xox[bp]-)[0-9A-Za-z-]{10,}",
    ),
    ("slack-token", ("xapp-",), r"xapp-\d-[A-Z0-9]{6,20}-\d{6,20}-[a-z0-9]{16,}"),
    ("slack-webhook", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,}"),
    ("discord-webhook", ("/api/webhooks/",), r"/api/webhooks/\d{15,22}/[\w-]{60,}"),
    ("anthropic-key", ("sk-ant-",), r"sk-ant-[a-z0-9]{3,12}-[\w-]{80,}"),
    ("openrouter-key", ("sk-or-",), r"sk-or-v1-[0-9a-f]{64,}"),
    ("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-"), r"sk-(?:proj|svcacct|admin)-[\w-]{40,}"),
    # The unmarked form is shared by several model services; thirty-two characters keep `sk-learn` legal.
    ("openai-key", ("sk-",), r"sk-[A-Za-z0-9]{32,}"),
    ("groq-key", ("gsk_",), r"gsk_[A-Za-z0-9]{48,}"),
    ("xai-key", ("xai-",), r"xai-\w{70,}"),
    ("perplexity-key", ("pplx-",), r"pplx-[A-Za-z0-9]{40,}"),
    ("huggingface-token", ("hf_", "api_org_"), r"(?:hf_|api_org_)[A-Za-z0-9]{30,}"),
    ("replicate-token", ("r8_",), r"r8_[A-Za-z0-9]{36,}"),
    ("langsmith-key", ("lsv2_",), r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10,}"),
    ("nvidia-key", ("nvapi-",), r"nvapi-[\w-]{30,}"),
    ("memory-service-key", ("mem0_", "hsk-", "retaindb_", "brv_"), r"(?:mem0_|hsk-|retaindb_|brv_)[A-Za-z0-9]{20,}"),
    ("memory-service-key", ("m0-",), r"m0-[A-Za-z0-9]{32,}"),
    ("google-api-key", ("AIza",), r"AIza[\w-]{35,}"),
    ("google-oauth-secret", ("GOCSPX-", "ya29."), r"(?:GOCSPX-[\w-]{28,}|ya29\.[\w-]{20,})"),
    # The marker stands in the middle, so this one starts with a class; the anchor keeps it rare.
    ("azure-secret", ("Q~",), r"[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34}"),
    ("stripe-key", ("k_live_", "k_test_", "k_prod_"), r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    ("stripe-webhook-secret", ("whsec_",), r"whsec_[0-9A-Za-z+/]{16,}={0,2}"),
    ("twilio-key", ("SK",), r"SK[0-9a-fA-F]{32}(?![0-9A-Za-z])"),
    ("sendgrid-key", ("SG.",), r"SG\.[\w=.-]{66,}"),
    ("npm-token", ("npm_",), r"npm_[A-Za-z0-9]{36,}"),
    ("pypi-token", ("pypi-AgEI",), r"pypi-AgEI[\w-]{50,}"),
    ("clojars-token", ("CLOJARS_",), r"CLOJARS_[a-z0-9]{60,}"),
    ("digitalocean-token", ("doo_v1_", "dop_v1_", "dor_v1_"), r"do[opr]_v1_[0-9a-f]{64,}"),
    ("databricks-token", ("dapi",), r"dapi[0-9a-f]{32}(?:-\d)?(?![0-9A-Za-z])"),
    ("vault-token", ("hvs.", "hvb."), r"hv[sb]\.[\w-]{80,}"),
    ("heroku-key", ("HRKU-AA",), r"HRKU-AA[\w-]{58,}"),
    ("fly-token", ("fo1_",), r"fo1_[\w-]{43,}"),
    ("pulumi-token", ("pul-",), r"pul-[0-9a-f]{40,}"),
    ("supabase-key", ("sbp_", "sb_secret_"), r"(?:sbp_[0-9a-f]{40,}|sb_secret_[\w-]{20,})"),
    ("cloudflare-origin-key", ("v1.0-",), r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146,}"),
    ("tailscale-key", ("tskey-",), r"tskey-[a-z]{2,12}-\w{6,64}-\w{16,}"),
    ("notion-token", ("ntn_",), r"ntn_[0-9]{11}[A-Za-z0-9]{35,}"),
    ("linear-key", ("lin_api_",), r"lin_api_[A-Za-z0-9]{40,}"),
    ("postman-key", ("PMAK-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34,}"),
    ("sentry-token", ("sntryu_", "sntrys_"), r"sntry(?:u_[0-9a-f]{64,}|s_ey[\w+/=-]{40,})"),
    ("grafana-token", ("glsa_", "glc_"), r"gl(?:sa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8,}|c_[A-Za-z0-9+/]{32,}={0,2})"),
    ("doppler-token", ("dp.pt.",), r"dp\.pt\.[A-Za-z0-9]{40,}"),
    ("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,}"),
    ("planetscale-token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,}"),
    ("telegram-bot-token", (":A",), r"(?:bot)?[0-9]{5,16}:A[\w-]{34}(?![\w-])"),
    ("onepassword-key", ("ops_eyJ",), r"ops_eyJ[A-Za-z0-9+/_-]{200,}={0,2}"),
    ("onepassword-key", ("A3-",), r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("age-secret-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"),
    ("password-hash", ("$2a$", "$2b$", "$2y$"), r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
    ("password-hash", ("$1$", "$5$", "$6$", "$y$"), r"\$[156y]\$[./=$\w,]{1,40}\$[./A-Za-z0-9]{22,}"),
    ("password-hash", ("$argon2",), r"\$argon2(?:id|i|d)\$[\w$=,]{8,60}\$[\w+/]{11,}\$[\w+/]{20,}"),
)

# A JSON web token, from its second part on. The first part is looked for backwards from here: forwards, every `ey` would
# have to be followed as far as a header may be long.
JWT_TAIL = r"\.ey[\w/-]{15,}\.[\w/-]{10,}"
JWT_HEAD = r"ey(?=[\w-]{15})"
JWT_HEAD_CHARS = 4000

# These need a word beside them; without it `key-` and a digest would be a common cache key.
MAILGUN = r"key-[0-9a-f]{32}(?![0-9A-Za-z])"
AWS_VALUE = r"[A-Za-z0-9/+]{40,}"  # the last forty are the key
AWS_MARKS = ("aws", "access", "akia")
AWS_WORDS = r"aws.{0,20}secret|secret.?access.?key|a[ks]ia[a-z2-7]{16}"  # without their case

# Values that stand in for a secret: vendor documentation, masks, templates. Looked for in every lower-cased candidate, as
# plain words: a pattern with as many branches costs three times as much.
STAND_INS = (
    *(
        "example",
        "placeholder",
        "redacted",
        "changeme",
        "change-me",
        "change_me",
        "replaceme",
        "replace-me",
        "replace_me",
    ),
    *("replacewith", "replace-with", "replace_with", "insert-", "insert_", "your-", "your_", "yourapi", "yourkey"),
    *("yourtoken", "yoursecret", "yourpass", "dummy", "my-secret", "my-token", "my-pass", "my-key", "my_secret"),
    *("my_token", "my_pass", "my_key", "foobar", "sample", "insecure", "generated", "hidden", "masked", "1234567890"),
    *("abcdefgh", "xxxxxx", "******", "00000000", "••••", "______", "------", "??????", "...", "…", "a" * 10, "1" * 10),
    *("4ec39hqlyjwdarjtt1zdp7dc", "bqokikjovbii2hlwgh4olfq2", "sflkxwrjsmekkf2qt4fwpmejf36pok6yjv"),
)

PRIVATE_KEY_MARK = r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
PUTTY_KEY = r"Private-Lines: \d{1,4}\s{1,4}([A-Za-z0-9+/=\s]{40,8000})"

URL_CREDENTIALS = r"://([^/\s:\"'<>]{0,200}):([^/\s@\"'<>]{4,300})@(?!sha256:)"
BEARER = (
    r"(?i:(authorization)[\"'\]\\]{0,3}\s{0,4}[:=,]?\s{0,4}[\"'(\\]{0,3})?"
    r"\b(?i:bearer|basic|token)\s{1,4}([\w+/=.~-]{16,})"
)
USER_OPTION = r"\s(?:-u|--user)[ =]?[\"']?([^\s:\"'$<{]{1,64}):([^\s\"'<]{4,128})"
COOKIE_LINE = r"(?i:cookie)[\"'\]]{0,2}\s{0,4}[:=,][^\n]*"
COOKIE_PAIR = r"(?<![\w.-])(?=[\w.-]{0,40}(?i:sess|sid|auth|token|jwt))[\w.-]{1,64}=([^\s;\"',|]{16,})"
NETRC = r"\b(?:machine\s+\S{1,100}|default)\s+login\s+\S{1,64}(?<!,)\s+password\s+(\S{4,128})"

# Words people put before a secret, in any case. Each starts with a letter of its own, and what must stand before it is
# looked at afterwards, so that the search can leap from one such letter to the next.
KEYWORDS = (
    r"pass(?:words?|wort|wörter|wd|phrase|code)",
    r"passe(?<=mot de passe)",
    r"pass(?<=[_-]pass)(?![a-z])",
    r"pass(?<![a-z_-]pass)(?=[\"'=:>])",
    r"pwd",
    r"pw(?<![a-z]pw)(?![a-z])",
    r"kennwort",
    r"contrase[ñn]a",
    r"senha(?<!\wsenha)",
    r"secret(?:[ _-]?access)?(?:[ _-]?key)?",
    r"token",
    r"key",
    r"auth(?<![a-z]auth)(?=[\"']?\s?[=:])",
)
WIDE_WORDS = ("wachtwoord", "lösenord", "hasło", "пароль", "密码", "密碼", "口令", "パスワード", "비밀번호", "şifre")
# A letter of each, in either case, but for the Dutch one: without any of them nobody need look for the words.
WIDE_MARKS = "öÖłŁьЬ码碼令ワ밀şŞ"
ISSUED = ("secret", "token", "key", "auth")  # machines draw what follows these; people choose what follows the others
# How they begin, but for the wide ones: where one of these stands, the words above are looked for.
KEYWORD_MARKS = ("pass", "pw", "kennwort", "contrase", "senha", "secret", "token", "key", "auth")
# Most keys are not secret: primary, sort, cache and public ones. These are.
KEY_OWNERS = (
    *("api", "access", "auth", "private", "encryption", "signing", "master", "account", "storage", "shared"),
    *("service", "licence", "license", "deploy", "app"),
)

# White space, written out: a class that names a category is searched far more slowly.
_SPACE = r" \t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# What may stand between the keyword and its value. `suffix` is judged by the caller. A suffix and the words after "for" are
# taken whole or not at all (`(?>…)`): nothing in them may be the link, so there is nothing to gain from taking less.
LINK = (
    r"(?P<suffix>(?>[_-][^\W是为為は는은]{1,30}|[A-Z0-9][^\W是为為は는은]{0,30})?)"
    r"[\"'`\])*}\\]{0,4}"
    r"(?:\s{0,3}\([^()\n\"'`]{1,40}\)|\s(?:for|of|on|to|in|at|für|von|zum|zur|pour|du|de|d'|para|del|per|voor)"
    rf"(?:\s(?>[^{_SPACE}:=|\"'`>→是为為は는은\\]{{1,24}})){{1,5}}?)?"
    # How the rest begins; most text that is no link is told apart here.
    rf"\s{{0,8}}(?=[{_SPACE}:=>|,(\\\"'`iwhgaletéèä：＝→是为為は는은-])"
    r"(?:"
    r":\s{0,3}[A-Za-z](?>[\w\[\].|]{0,30})\s{1,3}=\s{1,4}"
    r"|(?:=>|:=|={1,3}|::?|：|＝|->|→|>|\||(?<=\S)[ ][-–—][ ])\s{0,8}"
    r"|(?P<word>\b(?:is|was|has\ been|got|are|ist|war|lautet|wurde|est|es|era|é|è|ist\ jetzt|är|to)\b"
    r"(?:\s(?:now|set|changed|reset|updated|rotated|jetzt|nun|maintenant|ahora|geändert|to|auf|à|a)\b){0,3}\s{0,2}[:=]?\s{1,8})"
    r"|\s(?:value|val)=|(?:是|为|為|は|は、|는|은)[:：]?\s{0,4}"
    r"|(?P<quoted>[,(]?\s{0,12}(?=\\?[\"'`]))"
    r")"
)
# White space alone may stand there too: `--password value`, `user maya, password value`. Then the value must convince.
BESIDE = r"\s(?=\S{8})(?![a-z_]+[=:])"
# A keyword with its own separator is the next assignment: what stands before it is judged without it. (The engine leaps from
# one letter of the first class to the next, and sees by the second letter that most of them begin no keyword.)
NEXT = (
    r"[ackpstACKPST](?:[aA](?i:(?<=pa)ss(?:w(?:or[dt]|d)|phrase|code)?)|[eE](?i:(?<=se)(?:cret|nha)|(?<=ke)(?:y|nnwort))|"
    r"[oO](?i:(?<=to)ken|(?<=co)ntrase[ñn]a)|[uU](?i:(?<=au)th(?<![a-z]auth))|[wW](?i:(?<=pw)(?:d|(?<![a-z]pw))))"
    r"(?:_[a-z]{1,12})?[=:](?=[^\s=])"
)
# Other ends of a plain value: the next query parameter, the next pair of a list, an escape.
CUT = r"[&,;\\](?:(?<=\\)[nrt\"]|(?<!\\)[\"']?\w{1,40}[\"']?[=:])"
_END = _SPACE + r"\"'`<>|。，、；」）"  # of a plain value
_SYMBOLS = r"0-9!#%^*~&$?=+@"
JUDGED = 64  # so much of a value, at most
VALUE = (
    r"[frbu]?(?P<quote>\\?[\"'`“„«])(?P<inside>"
    r"(?<=\")[^\"\n”»]{8,64}|(?<=')[^'\n”»]{8,64}|(?<=`)[^`\n”»]{8,64}|(?<=[“„«])[^“„«\n”»]{8,64})"
    rf"|(?!(?=(?>[^{_END}=:]{{0,31}})[=:])[^{_END}]{{0,7}}?{NEXT})"
    # What is not only words has a digit, a symbol or a capital after a small letter.
    rf"(?=(?>[^{_END}{_SYMBOLS}]{{0,63}})[{_SYMBOLS}]|(?=(?>[^{_END}A-Z]{{0,63}})[A-Z])[^{_END}]{{0,63}}?(?<=[a-z])[A-Z])"
    rf"(?P<plain>[^{_END}]{{8,{JUDGED}}})"
)
# The rest of a value that is longer than what is judged.
REST_PLAIN = rf"[^{_END}&,;]*(?<![.:)\]}}])"

# A suffix that turns the keyword into the name of something else: `secretName`, `token_url`, `password_policy`. Plain words
# again, looked for in the lower-cased suffix; and how such a suffix may end.
NOT_THE_VALUE = (
    *("name", "ref", "file", "path", "polic", "len", "min", "max", "url", "uri", "endpoint", "hash", "digest", "type"),
    *("count", "limit", "budget", "expir", "ttl", "age", "field", "label", "hint", "reset", "prompt", "placeholder"),
    *(
        "regex",
        "pattern",
        "version",
        "manager",
        "arn",
        "provider",
        "store",
        "scope",
        "header",
        "param",
        "usage",
        "title",
    ),
    *("valid", "rotat", "bucket", "scann", "chang", "per", "column", "kind", "size", "format", "charset", "strength"),
    "rule",
)
NOT_THE_VALUE_ENDS = ("_at", "auth")
NOT_THE_VALUE_ID = ("_id", "Id", "ID")  # in this case alone
# Tokens that are cursors, not keys, and the names in an ARN; looked for just before the keyword.
SOMETHING_ELSE_BEFORE = (
    *("page", "continuation", "idempotency", "pagination", "next", "sync", "cancelation", "cancellation"),
    *("csrf", "xsrf", "public", "resume", "delta"),
)
IN_AN_ARN = r":[0-9]{12}:$"

KEY_MATERIAL = r"[A-Za-z0-9+/=]{32,}"
TEMPLATE = r"\$(?:[A-Z][A-Z0-9_]*|[a-z_]+)$|\$[{(]|%[sd(]|%[A-Z_]+%|[{<\[]"
EXAMPLE_PASSWORDS = frozenset(
    (
        *(
            "pass",
            "passwd",
            "password",
            "passwort",
            "pwd",
            "secret",
            "token",
            "user",
            "username",
            "admin",
            "root",
            "test",
        ),
        *("guest", "postgres", "mysql", "hunter2", "qwerty", "contraseña", "motdepasse", "api-key", "apikey", "key"),
        *("credentials", "x-oauth-basic"),
    )
)
