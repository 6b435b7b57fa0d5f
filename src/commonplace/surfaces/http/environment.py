"""What a daemon keeps of an environment. One that is started anew lives on for others than whoever brought it back: it is to be
as it was, and the caller's own variables, among them perhaps the keys of an agent, are none of its business.

So of the caller's environment only what describes the machine and the user is passed on, and the keys that the config file asks
for by name. How Commonplace is set is what it was at the first start.
"""

from __future__ import annotations

import os

_OF_THE_MACHINE = frozenset(
    {"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"}
    | {"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "LD_LIBRARY_PATH"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"}
)
_FAMILIES = ("XDG_", "LC_", "PIP_")  # pip fetches the models
_OURS = ("COMMONPLACE_", "HARNESS_RECALL_BUDGET_", "RECALL_TOKEN_BUDGET", "MEMORY_VAULT_PATH")
_SECRETS = ("_KEY", "_TOKEN")


def settings_here() -> dict[str, str]:
    """How Commonplace is set in this process, but for its keys: those are not written down."""
    return {name: value for name, value in os.environ.items() if name.startswith(_OURS) and not name.endswith(_SECRETS)}


def environment_of(settings: dict[str, str]) -> dict[str, str]:
    """For a daemon that was set like this."""
    keys = _keys_asked_for()
    passed = {name: value for name, value in os.environ.items() if _is_of_the_machine(name) or name in keys}
    return passed | settings


def _is_of_the_machine(name: str) -> bool:
    return name.upper() in _OF_THE_MACHINE or name.startswith(_FAMILIES)


def _keys_asked_for() -> set[str]:
    """The variables that hold the keys of model servers: ours, and those that the config file names."""
    from commonplace.places import configured

    tables = [table for table in configured().values() if isinstance(table, dict)]
    named = {str(table["api_key_env"]) for table in tables if "api_key_env" in table}
    return named | {name for name in os.environ if name.startswith("COMMONPLACE_") and name.endswith("_KEY")}
