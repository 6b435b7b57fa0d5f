"""The page of settings: each limit and default with the reason that stands beside it in `settings.py`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from commonplace import settings

from .generate import code, table

_SETTING = re.compile(r"^([A-Z_]+) = (.+?)(?:  # (.+))?$")
_VARIABLE = re.compile(r"\b(COMMONPLACE_[A-Z_]+)\b")
_BY_TABLE = "COMMONPLACE_{table.upper()}"  # the settings of models: a variable for each table of the config file
VARIABLES = {
    "COMMONPLACE_BOOK": "the URL of the book that is used when none is named",
    "COMMONPLACE_CONFIG": "the config file, instead of `commonplace/config.toml` in the user's config folder",
    "COMMONPLACE_ACTOR": "on the command line: who is speaking, when `--actor` does not say so",
    "COMMONPLACE_DEBUG": "on the command line: set to anything, an error shows its trace as well",
    "COMMONPLACE_EMBEDDER": "which embedder: `auto`, `none`, a model's name, or `ADDRESS#MODEL`",
    "COMMONPLACE_RERANKER": "which reranker: `auto`, `none`, or a model's name",
    "COMMONPLACE_EMBEDDER_KEY": "the key for an embedder behind an address, unless `api_key_env` names another variable",
    "COMMONPLACE_EXTRACTOR": "which extractor: `rules`, `none`, or `ADDRESS#MODEL`",
    "COMMONPLACE_EXTRACTOR_KEY": "the key for an extractor behind an address, unless `api_key_env` names another variable",
    "COMMONPLACE_MODELS": "where the models' files lie, instead of `commonplace/models` in the user's cache folder",
    "COMMONPLACE_FETCH": "`never`: `index` does not fetch a model that is not there",
    "COMMONPLACE_RECEIPT_QUERIES": "`hash`: receipts keep the hash of a question instead of its words",
    "RECALL_TOKEN_BUDGET": "how many tokens a context may cost when the caller does not say; 0 means 20,000",
    "HARNESS_RECALL_BUDGET_<PHASE>": "the same for a phase, such as `HARNESS_RECALL_BUDGET_PLAN`",
    "MEMORY_VAULT_PATH": "the vault that documents and an agent's hooks use when no storage is configured",
    "COMMONPLACE_AGENT_KEY": "the key for the address of an agent's model",
    "COMMONPLACE_TOKEN": "the token that this process shows the daemon, instead of the user's own",
    "MEMORY_REVIEW_MODE": "whether `write-personal` asks (`interactive`, the default), may (`silent`) or may not (`auto`)",
    "XDG_CACHE_HOME": "where the user's cache folder lies, when not in the usual place",
    "XDG_CONFIG_HOME": "where the user's config folder lies, when not in the usual place",
    "XDG_DATA_HOME": "where the user's data folder lies, when not in the usual place",
    "NO_COLOR": "set to anything, the command line uses no colour unless `--color always` says so",
}


def lines() -> Iterator[str]:
    yield "# Settings"
    yield ""
    yield "Limits and defaults live in one file, `commonplace/settings.py`, each with its reason. They are constants: what a"
    yield "caller may choose is a parameter of `commonplace.open` or a field of a [verb](verbs.md). A config file says"
    yield "[which book and which models are meant](../format/config.md). The weights of a search stand in"
    yield "`commonplace/retrieve/profiles.py`, budgets of a context in `commonplace/retrieve/budgets.py`."
    yield ""
    yield from table(
        ("setting", "value", "reason"), ((code(name), code(value), why) for name, value, why in constants())
    )
    yield "## Environment"
    yield ""
    yield from table(("variable", "meaning"), ((code(name), said) for name, said in VARIABLES.items()))


def constants() -> Iterator[tuple[str, str, str]]:
    """Name, value and reason; a comment block above counts for the settings right below it."""
    above: list[str] = []
    ended = False
    for line in inspect.getsource(settings).splitlines():
        found = _SETTING.match(line)
        if line.startswith("# "):
            above = [line[2:]] if ended else [*above, line[2:]]
            ended = False
        elif found:
            yield found[1], found[2], found[3] or " ".join(above)
            ended = True
        else:
            above, ended = [], False


def variables_in_the_code() -> set[str]:
    """Every environment variable of ours that the package reads."""
    texts = [path.read_text() for path in Path(settings.__file__).parent.rglob("*.py")]
    built = {"COMMONPLACE_EMBEDDER", "COMMONPLACE_RERANKER"} if any(_BY_TABLE in text for text in texts) else set()
    return built | {name for text in texts for name in _VARIABLE.findall(text)}
