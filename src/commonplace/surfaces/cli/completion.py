"""Completion scripts for bash, zsh and fish: commands, options and closed lists, written out so that a Tab starts nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from commonplace.surfaces.cli.arguments import EVERYWHERE, Option, Parsed, UsageError
from commonplace.surfaces.operations import BY_NAME, OPERATIONS

Arguments = dict[str, tuple[str, ...]]


def run(parsed: Parsed) -> int:
    shell = parsed.arguments[0] if len(parsed.arguments) == 1 else ""
    if shell not in _SHELLS:
        raise UsageError("completion takes bash, zsh or fish", "For example: commonplace completion bash >> ~/.bashrc")
    sys.stdout.write("\n".join(_SHELLS[shell]()) + "\n")
    return 0


def commands() -> dict[str, tuple[str, tuple[Option, ...]]]:
    """Every command with its summary and its own options."""
    from commonplace.surfaces.cli.program import EXTRAS, options_of

    found = {one.name: (one.summary, options_of(one.name)) for one in OPERATIONS}
    return found | {name: (said, options_of(name)) for name, (_, said) in EXTRAS.items()}


def words_for(command: str) -> tuple[str, ...]:
    """What may stand as an argument, where that is a closed list."""
    from commonplace.surfaces.cli.helps import TOPICS
    from commonplace.surfaces.cli.options import fields_of

    if command == "help":
        return (*commands(), *TOPICS)
    if command == "completion":
        return tuple(_SHELLS)
    if command in _WORDS:
        return _WORDS[command]
    fields = fields_of(BY_NAME[command]) if command in BY_NAME else {}
    return tuple(
        word for name, field in fields.items() if name in BY_NAME[command].positional for word in field.choices
    )


def _bash() -> Iterator[str]:
    yield "# Completion of commonplace for bash: source it, or put it into ~/.local/share/bash-completion/completions/commonplace"
    yield "_commonplace() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" found="" i'
    yield "  for ((i = 1; i < COMP_CWORD; i++)); do"
    yield '    case "${COMP_WORDS[i]}" in'
    yield f"      {'|'.join(_valued(EVERYWHERE))}) ((i++)) ;;"
    yield "      -*) ;;"
    yield '      *) command="${COMP_WORDS[i]}"; break ;;'
    yield "    esac"
    yield "  done"
    yield '  case "$command:$before" in'
    for pattern, option in _choosing():
        yield f'    {pattern}) found="{" ".join(option.choices)}" ;;'
    yield "    *:-b|*:--book) COMPREPLY=($(compgen -W 'sqlite:' -- \"$word\")); return ;;"
    yield "  esac"
    yield '  if [[ -z $found ]]; then case "$command" in'
    yield f'    "") found="{" ".join(commands())} {_everywhere()}" ;;'
    for name, (_, options) in commands().items():
        offered = " ".join([*words_for(name), *(option.names[0] for option in options)])
        yield f'    {name}) found="{offered} {_everywhere()}" ;;'
    yield "  esac; fi"
    yield '  COMPREPLY=($(compgen -W "$found" -- "$word"))'
    yield '  if [[ ${#COMPREPLY[@]} -eq 0 ]]; then COMPREPLY=($(compgen -f -- "$word")); fi'
    yield "}"
    yield "complete -F _commonplace commonplace"


def _valued(options: tuple[Option, ...]) -> list[str]:
    return [name for option in options if option.takes for name in option.names]


def _everywhere() -> str:
    return " ".join(option.names[0] for option in EVERYWHERE)


def _choosing() -> Iterator[tuple[str, Option]]:
    """Each option with a closed list, and the pattern `command:option` that asks for it."""
    for command, (_, options) in commands().items():
        for option in options:
            if option.choices:
                yield "|".join(f"{command}:{name}" for name in option.names), option
    for option in EVERYWHERE:
        if option.choices:
            yield "|".join(f"*:{name}" for name in option.names), option


def _zsh() -> Iterator[str]:
    yield "#compdef commonplace"
    yield "# Completion of commonplace for zsh: save it as _commonplace in a folder of $fpath, or source it after compinit."
    yield "_commonplace() {"
    yield "  local -a commands; commands=("
    yield from (f"    '{name}:{_quoted(said)}'" for name, (said, _) in commands().items())
    yield "  )"
    yield "  local -a everywhere; everywhere=("
    yield from (f"    {spec}" for option in EVERYWHERE for spec in _zsh_specs(option))
    yield "  )"
    yield "  local line state"
    yield "  _arguments -C $everywhere '1: :->command' '*:: :->arguments'"
    yield "  case $state in"
    yield "    command) _describe command commands ;;"
    yield "    arguments) case $words[1] in"
    for name, (_, options) in commands().items():
        specs = " ".join(spec for option in options for spec in _zsh_specs(option))
        words = " ".join(words_for(name))
        rest = f"'*: :({words})'" if words else "'*: :_files'"
        yield f"      {name}) _arguments $everywhere {specs} {rest} ;;"
    yield "    esac ;;"
    yield "  esac"
    yield "}"
    yield 'if [ "$funcstack[1]" = "_commonplace" ]; then _commonplace "$@"; else compdef _commonplace commonplace; fi'


def _zsh_specs(option: Option) -> Iterator[str]:
    for name in option.names:
        value = f":{option.takes.lower()}:({' '.join(option.choices)})" if option.takes else ""
        yield f"'*{name}[{_quoted(option.help)}]{value}'"


def _fish() -> Iterator[str]:
    yield "# Completion of commonplace for fish: save it as ~/.config/fish/completions/commonplace.fish"
    yield "complete -c commonplace -f"
    yield f"set -l commands {' '.join(commands())}"
    for name, (said, _) in commands().items():
        unnamed = '-n "not __fish_seen_subcommand_from $commands"'
        yield f"complete -c commonplace {unnamed} -a {name} -d '{_quoted(said)}'"
    for option in EVERYWHERE:
        yield f"complete -c commonplace {_fish_option(option)}"
    for name, (_, options) in commands().items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for option in options:
            yield f"complete -c commonplace {seen} {_fish_option(option)}"
        if words_for(name):
            yield f"complete -c commonplace {seen} -a '{' '.join(words_for(name))}'"
    for name in ("vvm", "import", "export", "backup", "copy"):
        yield f"complete -c commonplace -n '__fish_seen_subcommand_from {name}' -F"


def _fish_option(option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = f" -x -a '{' '.join(option.choices)}'" if option.takes and option.choices else " -r" if option.takes else ""
    return f"{names}{value} -d '{_quoted(option.help)}'"


def _quoted(text: str) -> str:
    """Safe between single quotes, and free of what a shell's completion would take for its own."""
    return text.replace("'", "’").replace("[", "(").replace("]", ")").replace(":", ",").replace("`", "")


_AGENTS = ("claude-code", "codex", "gemini", "cursor", "openclaw", "mcp")
_WORDS: Arguments = {
    "vvm": ("run", "check"),
    "hook": ("session-start", "prompt", "pre-compact", "session-end"),
    "install": _AGENTS,
    "uninstall": _AGENTS,
}
_SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
