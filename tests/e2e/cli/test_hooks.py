"""Hooks as agents run them: real processes, real payloads, one book. An agent remembers, is never held up and never stopped."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import commonplace
from e2e.cli.shell import PROGRAM, Said, Shell
from unit.fence_attacks import ATTACKS, assert_closed

PLENTY = ("--within", "60")
"""A machine that is busy with other tests must not decide whether a promise is kept; the budgets have tests of their own."""
EVENTS = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "PreCompact", None),
    "gemini": ("SessionStart", "BeforeAgent", "PreCompress", "SessionEnd"),
    "cursor": ("sessionStart", "beforeSubmitPrompt", "preCompact", "sessionEnd"),
    "openclaw": ("agent:bootstrap", None, "session:compact:before", "command:new"),
}
MOMENTS = ("session-start", "prompt", "pre-compact", "session-end")


class Agent:
    """A coding agent: it runs hooks in a folder, with a session, and tells them what its kind tells."""

    def __init__(self, shell: Shell, kind: str = "claude-code", session: str = "s-1") -> None:
        self.shell, self.kind, self.session = shell, kind, session
        self.cwd = shell.folder / "atlas"
        (self.cwd / ".git").mkdir(parents=True, exist_ok=True)
        if not (self.cwd / ".git" / "config").exists():
            (self.cwd / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.com:team/atlas.git\n')
        home = shell.folder / f".{kind.removesuffix('-code')}" / "sessions"
        home.mkdir(parents=True, exist_ok=True)
        self.transcript = home / f"{session}.jsonl"

    def payload(self, moment: str, **more: Any) -> dict[str, Any]:
        event = EVENTS[self.kind][MOMENTS.index(moment)]
        if self.kind == "openclaw":
            told = {
                "sessionKey": f"agent:main:{self.session}",
                "sessionId": self.session,
                "workspaceDir": str(self.cwd),
            }
            return {**told, "sessionFile": str(self.transcript), **more}
        if self.kind == "cursor":
            told = {"conversation_id": self.session, "generation_id": "g", "workspace_roots": [str(self.cwd)]}
            return {**told, "hook_event_name": event, "transcript_path": str(self.transcript), **more}
        told = {"session_id": self.session, "transcript_path": str(self.transcript), "cwd": str(self.cwd)}
        return {**told, "hook_event_name": event, **more}

    def __call__(self, moment: str, *words: str, prompt: str | None = None, **more: Any) -> Said:
        payload = self.payload(moment, **({"prompt": prompt} if prompt is not None else {}), **more)
        said = self.shell("hook", moment, "--host", self.kind, *(words or PLENTY), stdin=json.dumps(payload))
        _is_polite(said)
        return said

    def context(self, said: Said) -> str:
        """What the agent would put into its context."""
        if self.kind == "gemini":
            return str(said.json.get("hookSpecificOutput", {}).get("additionalContext", ""))
        return str(said.json.get("additional_context", "")) if self.kind == "cursor" else said.out


def _is_polite(said: Said) -> None:
    """Exit code 0, one line on stderr, no trace of a trace."""
    assert said.code == 0, said.err
    assert said.err.count("\n") == 1, said.err
    assert said.err.startswith("commonplace ")
    assert "Traceback" not in said.err + said.out


def _eventually(is_so: Callable[[], bool]) -> bool:
    """For what a process of its own does that nobody waits for."""
    deadline = time.monotonic() + 50
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.2)
    return is_so()


def _session(text: str, role: str = "user") -> str:
    return json.dumps({"type": role, "sessionId": "s", "uuid": "u", "message": {"role": role, "content": text}}) + "\n"


@pytest.mark.parametrize("kind", EVENTS)
def test_an_agent_remembers_across_two_sessions(shell: Shell, kind: str) -> None:
    """Session one saves something; session two is handed it, at its start and when it is asked for."""
    first = Agent(shell, kind, "one")
    shell("save", "Alice prefers tabs over spaces.", "--type", "profile")
    first("session-start")
    by = ("--actor", f"agent:{kind}", "--project", "atlas")
    shell("save", "Atlas ships on Tuesdays because the vendor freezes on Fridays.", "--type", "project", *by)
    second = Agent(shell, kind, "two")
    begun = second.context(second("session-start"))
    assert "Alice prefers tabs over spaces." in begun
    if EVENTS[kind][1] is not None:
        asked = second.context(second("prompt", prompt="Why does atlas ship on Tuesdays?"))
        assert "freezes on Fridays" in begun + asked


def test_the_first_prompt_is_about_the_goal_and_later_ones_bring_only_what_is_new(shell: Shell) -> None:
    agent = Agent(shell)
    shell(
        "save",
        "The staging database is called heron.",
        "--type",
        "project",
        "--project",
        "other-project-x",
        "--scope",
        "global",
    )
    shell("save", "Releases are signed with the key in the safe.", "--type", "artifact", "--scope", "global")
    first = agent("prompt", prompt="What is the staging database called?")
    assert "heron" in first.out
    assert "(goal)" in first.err
    again = agent("prompt", prompt="What is the staging database called?")
    assert again.out == ""
    assert "nothing new" in again.err
    other = agent("prompt", prompt="With which key are releases signed?")
    assert "the key in the safe" in other.out
    assert "heron" not in other.out
    moments = [receipt["moment"] for receipt in shell("receipts", "--json").json]
    assert moments == ["prompt", "prompt", "goal"]
    assert "heron" in Agent(shell, session="s-2")("prompt", prompt="What is the staging database called?").out


def test_after_a_compaction_what_was_handed_over_may_come_again(shell: Shell) -> None:
    agent = Agent(shell)
    shell("save", "The staging database is called heron.", "--type", "artifact", "--scope", "global")
    assert "heron" in agent("prompt", prompt="What is the staging database called?").out
    agent("pre-compact", trigger="auto")
    assert "heron" in agent("prompt", prompt="What is the staging database called?").out


def test_the_start_of_a_session_is_the_same_to_the_byte_every_time(shell: Shell, tmp_path: Path) -> None:
    """A74: it is the cached prefix of a prompt. Sessions, hosts and days make no difference."""
    for number in range(8):
        shell("save", f"Rule {number}: run the tests before part {number}.", "--type", "profile", "--always-load")
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    said = [
        Agent(shell, session=name)("session-start", source=why).out for name in "abc" for why in ("startup", "resume")
    ]
    assert "Atlas ships on Tuesdays." in said[0]
    assert len(set(said)) == 1
    faked = subprocess.run(
        [sys.executable, "-c", _IN_A_MONTH, "hook", "session-start", *PLENTY],
        input=json.dumps(Agent(shell).payload("session-start")).encode(),
        env=shell.environment, cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert faked.stdout.decode() == said[0], faked.stderr


_IN_A_MONTH = """
import datetime, sys
from commonplace.seam import clock
now = clock.SystemClock.now
clock.SystemClock.now = lambda self: now(self) + datetime.timedelta(days=30)
from commonplace.surfaces.cli import main
main()
"""


@pytest.mark.parametrize("kind", ["claude-code", "gemini", "cursor"])
def test_what_is_stored_cannot_leave_the_fence(shell: Shell, kind: str) -> None:
    """Rows 109, 110, 115: whatever the form an agent wants, inside it is one block of data."""
    texts = [f"Rule {number}: {attack} x" for number, attack in enumerate(ATTACKS) if "\0" not in attack][:40]
    with commonplace.open(f"sqlite:{shell.path}", actor="alice") as book:
        for text in texts:
            book.save(text, type="profile", always_load=True)
    agent = Agent(shell, kind)
    block = agent.context(agent("session-start", source="startup"))
    assert_closed(block.rstrip("\n"), block.count("\n- "))
    assert block.count("\n- ") > 5


def test_a_project_sees_its_own_and_not_anothers(shell: Shell) -> None:
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    shell("save", "Borealis ships on Mondays.", "--type", "project", "--project", "borealis")
    said = Agent(shell)("session-start")
    assert "Atlas ships" in said.out
    assert "Borealis" not in said.out + said.err
    assert "project atlas" in said.err


def test_starting_and_prompting_write_receipts_and_nothing_else(shell: Shell) -> None:
    agent = Agent(shell)
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    before = shell("journal", "--json").json, shell("stats", "--json").json["memories"]
    agent("session-start")
    agent("prompt", prompt="When does atlas ship?")
    agent.transcript.write_text(_session("We decided to ship on Wednesdays because of the vendor."))
    agent("pre-compact")
    agent("session-end")
    assert (shell("journal", "--json").json, shell("stats", "--json").json["memories"]) == before
    assert [receipt["session"] for receipt in shell("receipts", "--json").json] == ["s-1", "s-1"]


@pytest.mark.parametrize("kind", EVENTS)
def test_without_a_book_every_hook_is_skipped_and_begins_none(shell: Shell, kind: str) -> None:
    """A47: a graceful skip, never an error."""
    agent = Agent(shell, kind)
    for moment in MOMENTS:
        if EVENTS[kind][MOMENTS.index(moment)]:
            said = agent(moment, prompt="Hello there, what is new?")
            assert agent.context(said) == ""
            assert "no book yet" in said.err or "not captured" in said.err
    assert not shell.path.exists()


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n", b"nonsense", b"[]", b"null", b"{}", b'{"prompt": 7, "cwd": [], "session_id": {}}', b"\xff\xfe", b"[" * 3000,
     b'{"prompt": "' + b"x" * 2_000_000 + b'"}', b'{"session_id": "../../x", "cwd": "/nowhere", "prompt": "\\u0000"}'],
)  # fmt: skip
def test_odd_payloads_are_skipped(shell: Shell, raw: bytes) -> None:
    shell("save", "Atlas ships on Tuesdays.", "--type", "artifact")
    for moment in MOMENTS:
        _is_polite(shell("hook", moment, *PLENTY, stdin=raw))
    assert not [*shell.folder.rglob("session-id-x.*")]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    moment=st.sampled_from([*MOMENTS, "sweep", "bogus", ""]),
    raw=st.binary(max_size=200)
    | st.dictionaries(
        st.sampled_from(["session_id", "cwd", "prompt", "transcript_path", "conversation_id", "sessionKey", "context"]),
        st.none() | st.integers() | st.text(max_size=30) | st.lists(st.text(max_size=5), max_size=2),
    ).map(lambda payload: json.dumps(payload).encode()),
    words=st.lists(
        st.sampled_from(["--host", "cursor", "--capture", "--within", "-x", "--project", "é", "--json"]), max_size=3
    ),
)
def test_nothing_that_is_sent_or_said_makes_a_hook_fail(
    shell: Shell, moment: str, raw: bytes, words: list[str]
) -> None:
    if not shell.path.exists():
        shell("save", "Atlas ships on Tuesdays.", "--type", "artifact")
    _is_polite(shell("hook", moment, *words, stdin=raw))


@pytest.mark.parametrize(
    "break_it",
    [
        lambda path: path.write_bytes(b"not a database" * 1000),
        lambda path: path.write_bytes(b""),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: path.chmod(0),
    ],
)
def test_a_broken_book_is_one_line_and_no_content(shell: Shell, break_it: Any) -> None:
    shell("save", "Atlas ships on Tuesdays.", "--type", "artifact")
    for beside in shell.folder.glob("book.sqlite-*"):
        beside.unlink()
    break_it(shell.path)
    agent = Agent(shell)
    for said in (agent("session-start"), agent("prompt", prompt="When does atlas ship on Tuesdays?")):
        assert str(shell.folder) not in said.err
        assert "Tuesdays" not in said.err


def test_an_answer_that_would_be_late_is_no_answer(shell: Shell) -> None:
    """A41, A42, A-j: whole or not at all, and said so."""
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    agent = Agent(shell)
    for moment in ("session-start", "prompt"):
        said = agent(moment, "--within", "0", prompt="When does atlas ship?")
        assert said.out == ""
        assert "not done within" in said.err or "skipped" in said.err


def test_a_hook_whose_stdin_never_ends_gives_up_in_time(shell: Shell) -> None:
    shell("save", "Atlas ships on Tuesdays.", "--type", "artifact")
    reading, writing = os.pipe()
    begun = time.monotonic()
    done = subprocess.run(
        [*PROGRAM, "hook", "prompt"], stdin=reading, capture_output=True, env=shell.environment, timeout=30, check=False
    )
    took = time.monotonic() - begun
    os.close(reading)
    os.close(writing)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"not done within 0.3 s" in done.stderr
    assert took < 10, "it was the budget that ended it, not the caller's patience"


def test_a_ctrl_c_for_the_agent_does_not_make_its_hook_fail(shell: Shell) -> None:
    shell("save", "Atlas ships on Tuesdays.", "--type", "artifact")
    child = subprocess.Popen(
        [*PROGRAM, "hook", "prompt", "--within", "3"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment,
    )  # fmt: skip
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(json.dumps(Agent(shell).payload("prompt", prompt="When does it ship?")).encode(), 30)
    _is_polite(Said(child.returncode, out.decode(), err.decode()))


def test_a_hook_behind_a_writer_answers_all_the_same(shell: Shell) -> None:
    """The agent's answer does not wait for the receipt, and the receipt is written when the writer has gone."""
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    holding = "import sys, commonplace, time\nbook = commonplace.open(sys.argv[1])\n"
    holding += "with book._scribe.writing():\n print('held', flush=True); time.sleep(60)\n"
    writer = subprocess.Popen(
        [sys.executable, "-c", holding, f"sqlite:{shell.path}"], stdout=subprocess.PIPE, env=shell.environment
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"held\n"
        assert "Atlas ships on Tuesdays." in Agent(shell)("session-start").out
        assert shell("receipts", "--json").json == []
    finally:
        writer.kill()
        writer.communicate()
    assert _eventually(lambda: len(shell("receipts", "--json").json) == 1)


def test_a_closed_stdout_or_stderr_is_no_reason_to_fail(shell: Shell) -> None:
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    payload = json.dumps(Agent(shell).payload("session-start")).encode()
    for closed in (">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&-", "<&- >&- 2>&-"):
        command = f'exec "{sys.executable}" -m commonplace.surfaces.cli hook session-start --within 60 {closed}'
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            input=payload,
            env=shell.environment,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0
    assert shell("verify").code == 0
    assert "<memory" not in "".join(path.read_text(errors="replace") for path in shell.folder.glob("*.lock"))


def test_sixty_four_hooks_at_once_all_answer(shell: Shell) -> None:
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    Agent(shell)

    def run(number: int) -> Said:
        agent = Agent(shell, session=f"many-{number}")
        return agent("session-start") if number % 2 else agent("prompt", prompt="When does atlas ship?")

    with ThreadPoolExecutor(64) as pool:
        said = [*pool.map(run, range(64))]
    assert [one.err for one in said if "Atlas ships on Tuesdays." not in one.out] == []
    kept = _eventually(lambda: len(shell("receipts", "--limit", "100", "--json").json) == 64)
    assert kept, "a receipt that had to wait is written when the agent has long had its answer"
    assert shell("verify").code == 0


# Capture -----------------------------------------------------------------------------------------------------------------


DECIDED = "We decided to ship atlas on Wednesdays because the vendor freezes on Fridays."


def _sources(shell: Shell) -> list[str]:
    """The texts that were captured."""
    found = [one for one in shell("journal", "--json", "--limit", "100").json if one["verb"] == "capture"]
    return [json.dumps(one) for one in found]


@pytest.mark.parametrize("chosen", ["flag", "config"])
def test_a_session_is_captured_at_its_end_if_that_is_chosen(shell: Shell, chosen: str) -> None:
    shell("save", "Alice prefers tabs.", "--type", "profile")
    agent = Agent(shell)
    words: tuple[str, ...] = ("--capture", *PLENTY)
    if chosen == "config":
        (shell.folder / ".config" / "commonplace").mkdir(parents=True)
        (shell.folder / ".config" / "commonplace" / "config.toml").write_text("[hooks]\ncapture = true\n")
        words = PLENTY
    agent("session-start")
    agent.transcript.write_text(_session(DECIDED))
    assert "captured" in agent("session-end", *words, reason="exit").err
    assert shell("work", "--once").code == 0
    assert "Wednesdays" in shell("inbox").out
    assert "nothing new" in agent("session-end", *words).err
    assert len(_sources(shell)) == 1


def test_what_was_captured_before_a_compaction_is_not_captured_again_at_the_end(shell: Shell) -> None:
    shell("save", "Alice prefers tabs.", "--type", "profile")
    agent = Agent(shell)
    agent.transcript.write_text(_session(DECIDED))
    assert "captured" in agent("pre-compact", "--capture", *PLENTY).err
    with agent.transcript.open("a") as more:
        more.write(_session("We also decided to keep the logs for a year because of the audit."))
    said = agent("session-end", "--capture", *PLENTY).err
    shell("work", "--once")
    assert "captured" in said
    assert len(_sources(shell)) == 2
    waiting = shell("inbox", "--json").out
    assert waiting.count("Wednesdays because") >= 1
    assert "audit" in waiting


@pytest.mark.parametrize("trick", ["outside", "link", "missing", "none"])
def test_no_other_file_is_captured_whatever_a_payload_says(shell: Shell, trick: str) -> None:
    shell("save", "Alice prefers tabs.", "--type", "profile")
    agent = Agent(shell)
    secret = shell.folder / "private.jsonl"
    secret.write_text(_session(DECIDED))
    if trick == "link":
        agent.transcript.symlink_to(secret)
    path = {"outside": str(secret), "none": None}.get(trick, str(agent.transcript))
    said = agent("session-end", "--capture", *PLENTY, transcript_path=path)
    assert "captured 1" not in said.err
    assert str(shell.folder) not in said.err
    assert _sources(shell) == []


def test_a_book_that_the_project_names_is_read_and_nothing_is_captured_into_it(shell: Shell) -> None:
    shell("save", "Alice prefers tabs.", "--type", "profile")
    agent = Agent(shell)
    vault = shell.folder / "vault"
    shell("-b", f"vault:{vault}", "save", "The vault says hello.", "--type", "profile")
    (agent.cwd / ".agentm-config.json").write_text(json.dumps({"vault_path": str(vault)}))
    assert "The vault says hello." in agent("session-start").out
    agent.transcript.write_text(_session(DECIDED))
    assert "named by the project" in agent("session-end", "--capture", *PLENTY).err


def test_a_session_that_nobody_ended_is_captured_by_the_next_start_after_an_hour(shell: Shell) -> None:
    """A75. The sweep is a process of its own: the start of a session neither waits for it nor writes."""
    shell("save", "Alice prefers tabs.", "--type", "profile")
    lost = Agent(shell, session="lost")
    lost("session-start")
    lost.transcript.write_text(_session(DECIDED))
    marker = next(shell.folder.rglob("session-id-lost.start"))
    then = time.time() - 3_700
    os.utime(marker, (then, then))
    Agent(shell, session="next")("session-start", "--capture", *PLENTY)
    assert _eventually(lambda: len(_sources(shell)) == 1)
    assert marker.with_suffix(".reflected").exists()


def test_without_that_choice_an_idle_session_is_only_marked_as_over(shell: Shell) -> None:
    shell("save", "Alice prefers tabs.", "--type", "profile")
    Agent(shell, session="lost")("session-start")
    marker = next(shell.folder.rglob("session-id-lost.start"))
    os.utime(marker, (1, 1))
    os.utime(marker, (time.time() - 3_700,) * 2)
    Agent(shell, session="next")("session-start")
    assert marker.with_suffix(".reflected").exists()
    assert _sources(shell) == []


def test_the_markers_of_a_project_with_a_harness_lie_there(shell: Shell) -> None:
    shell("save", "Alice prefers tabs.", "--type", "profile")
    agent = Agent(shell)
    (agent.cwd / ".harness").mkdir()
    agent("session-start")
    assert (agent.cwd / ".harness" / "session-id-s-1.start").exists()
    agent("session-end")
    assert [path.name for path in (agent.cwd / ".harness").iterdir()] == ["session-id-s-1.reflected"]


# What it costs -----------------------------------------------------------------------------------------------------------


def _cpu(command: list[str], given_: bytes, environment: dict[str, str]) -> float:
    best = float("inf")
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, input=given_, check=True, env=environment, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def test_a_hook_costs_little_more_than_python_and_the_book(shell: Shell) -> None:
    """Beside `python -c pass`, and beside the same question asked by the library, in the same run."""
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    payload = json.dumps(Agent(shell).payload("session-start")).encode()
    nothing = _cpu([sys.executable, "-c", "pass"], b"", shell.environment)
    idle = _cpu([*PROGRAM, "hook", "prompt", *PLENTY], b"", shell.environment)
    library = _cpu([sys.executable, "-c", _ASKED, str(shell.path)], b"", shell.environment)
    hook = _cpu([*PROGRAM, "hook", "session-start", *PLENTY], payload, shell.environment)
    print(f"python -c pass {nothing * 1e3:.0f} ms, idle hook x{idle / nothing:.1f}")
    print(f"library {library * 1e3:.0f} ms, hook {hook * 1e3:.0f} ms")
    assert idle <= 6 * nothing
    assert hook <= 1.5 * library + 2 * nothing


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["sqlite", "vault", "ledger", "jsonl"])
def test_on_ten_thousand_memories_a_cold_hook_fits_into_its_budget(
    shell: Shell, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A41, A42: measured as CPU, beside `python -c pass` in the same run; a busy machine makes the clock say anything."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shell.folder / ".cache"))
    url = f"{scheme}:{shell.folder / 'large'}"
    with commonplace.open(url, actor="alice") as book:
        for number in range(10_000):
            words = " ".join(f"word{(number * 7_919 + step * 104_729) % 3_000}" for step in range(12))
            book.save(f"Fact {number}: {words}.", type="project", project_id="atlas")
        for number in range(12):
            book.save(f"Rule {number}: run the tests before part {number}.", type="profile", always_load=True)
    nothing = _cpu([sys.executable, "-c", "pass"], b"", shell.environment)
    for moment, budget in (("session-start", 0.5), ("prompt", 0.3)):
        payload = Agent(shell, session=moment).payload(moment, prompt="Which word17 stands with word200 in atlas?")
        given_ = json.dumps(payload).encode()
        assert (
            b"Fact"
            in subprocess.run(
                [*PROGRAM, "hook", moment, f"--book={url}", *PLENTY],
                input=given_,
                env=shell.environment,
                capture_output=True,
                check=True,
            ).stdout
        )
        spent = _cpu([*PROGRAM, "hook", moment, f"--book={url}", *PLENTY], given_, shell.environment)
        print(
            f"{scheme}, {moment}: {spent * 1e3:.0f} ms, {spent / nothing:.1f} x python -c pass ({nothing * 1e3:.0f} ms)"
        )
        assert spent < budget


_ASKED = """
import sys
from commonplace.surfaces.lightly import import_lightly
import_lightly()
from commonplace.wiring import open_book
book = open_book(f"sqlite:{sys.argv[1]}", embedder="none", reranker="none")
book.context_for("atlas", session="s")
book.close()
"""


def test_a_hook_loads_neither_the_other_commands_nor_anything_heavy(shell: Shell) -> None:
    shell("save", "Atlas ships on Tuesdays.", "--type", "project", "--project", "atlas")
    code = "import os, sys; real = os._exit\n"
    code += "os._exit = lambda code: (sys.stderr.write(' '.join(sys.modules)), sys.stderr.flush(), real(code))\n"
    code += "from commonplace.surfaces.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "hook", "prompt", *PLENTY],
        input=json.dumps(Agent(shell).payload("prompt", prompt="When does atlas ship?")).encode(),
        env=shell.environment, capture_output=True, check=True,
    )  # fmt: skip
    loaded = {*done.stderr.decode().splitlines()[-1].split()}
    assert "commonplace.surfaces.hooks.reach" in loaded
    heavy = {
        "argparse",
        "subprocess",
        "asyncio",
        "numpy",
        "onnxruntime",
        "difflib",
        "dataclasses",
        "tomllib",
        "inspect",
    }
    assert loaded & heavy == set()
    ours = {"commonplace.surfaces.cli.program", "commonplace.surfaces.cli.arguments", "commonplace.surfaces.operations"}
    assert not loaded & ours
    assert not [name for name in loaded if name.startswith("commonplace.providers.t")]


# Installing --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVENTS)
def test_what_install_writes_is_what_the_agent_runs(shell: Shell, kind: str) -> None:
    """The command in the file, run as the agent would run it, hands over what the book remembers; and it goes again."""
    shell("save", "Alice prefers tabs over spaces.", "--type", "profile")
    dry = shell("install", kind, "--dry-run")
    before = {path for path in shell.folder.rglob("*") if path.is_file()}
    assert "hook session-start" in dry.out or '"session-start"' in dry.out
    done = shell("install", kind, "--program", f"{sys.executable} -m commonplace")
    assert (done.code, done.err) == (0, "")
    written = {path for path in shell.folder.rglob("*") if path.is_file()} - before
    assert written, "a dry run has written nothing before"
    if kind != "openclaw":
        agent = Agent(shell, kind)
        command = _command(next(iter(written)), EVENTS[kind][0])
        ran = subprocess.run(
            ["/bin/sh", "-c", f"{command} --within 60"], input=json.dumps(agent.payload("session-start")).encode(),
            env=shell.environment, capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        assert "Alice prefers tabs over spaces." in agent.context(Said(0, ran.stdout.decode(), ""))
    assert "nothing to change" in shell("install", kind, "--program", f"{sys.executable} -m commonplace").out
    assert shell("uninstall", kind).code == 0
    assert not [path for path in written if path.exists()]


def _command(file: Path, event: str | None) -> str:
    listed = json.loads(file.read_text())["hooks"][event][0]
    found: str = listed["command"] if "command" in listed else listed["hooks"][0]["command"]
    return found


def test_install_answers_as_json_too_and_says_what_is_uncertain(shell: Shell) -> None:
    said = shell("install", "cursor", "--dry-run", "--json").json
    assert said["agent"] == "cursor"
    assert said["changes"][0]["changed"]
    assert not said["changes"][0]["written"]
    assert said["note"].startswith("Not certain")


def test_print_is_only_the_snippet(shell: Shell) -> None:
    snippet = shell("install", "gemini", "--print", "--level", "project", "--capture", "-b", "sqlite:/x").json
    command = snippet["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    assert command == "commonplace hook session-end --host gemini --capture --book=sqlite:/x"
    assert not (shell.folder / ".gemini").exists()


@pytest.mark.parametrize(
    "words", [[], ["emacs"], ["codex", "gemini"], ["codex", "--level", "moon"], ["openclaw", "--level", "project"]]
)
def test_install_refuses_what_it_does_not_know(shell: Shell, words: list[str]) -> None:
    assert shell("install", *words).code == 2
