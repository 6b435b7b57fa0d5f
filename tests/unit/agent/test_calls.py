"""A call: the prompt that the model sees, the text that comes back, and exactly what each mode leaves on disk."""

from __future__ import annotations

import json

import pytest

import commonplace
from commonplace.agent import NOTHING, ErrorValue
from commonplace.errors import InvalidError

from .conftest import Scripted, patch

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"  # gitleaks:allow - an example that opens nothing


class TestContinue:
    def test_it_remembers_what_the_agent_asks_to_be_remembered(self, desk):
        """V4, V12, V30, V57: one ledger entry captures the patch, the digest is replaced."""
        helper = desk.agent(patch(digest="Alice likes tea.", retain=["W @Alice: likes tea."]))
        assert helper("Help with {}.", "tea") == "Done."
        assert desk.digest == "Alice likes tea."
        (line,) = desk.lines()
        assert (line["digest"], line["retain"]) == ("Alice likes tea.", ["W @Alice: likes tea."])

    def test_the_next_call_is_told(self, desk):
        """V20-V23: the context stands before the rendered task, behind who the agent is."""
        helper = desk.agent(patch(digest="Alice likes tea.", retain=["W @Bob: likes coffee."]), prompt="Helpful.")
        helper("One.")
        helper("Help with {}.", "cake")
        prompt = desk.model.prompts[-1]
        order = ["Helpful.", "Alice likes tea.", "- W @Bob: likes coffee.", "Memory Update Protocol", "Help with cake."]
        assert [prompt.index(part) for part in order] == sorted(prompt.index(part) for part in order)

    def test_a_new_digest_replaces_the_old_one_whole(self, desk):
        """V28, V42: compaction is an agent that writes a smaller one."""
        helper = desk.agent(patch(digest="Long. " * 100), patch(digest="Short."))
        helper("One.")
        helper("Two.")
        assert desk.digest == "Short."
        assert [line["digest"] for line in desk.lines()] == ["Long. " * 100, "Short."]

    def test_facts_without_a_digest_leave_the_digest_alone(self, desk):
        """V-n: no `digest` in the entry."""
        helper = desk.agent(patch(digest="D"), patch(retain=["W one."]), patch(digest="D", retain=["W two."]))
        for _ in range(3):
            helper("Go.")
        assert desk.digest == "D"
        assert ["digest" in line for line in desk.lines()] == [True, False, False]

    def test_an_empty_patch_writes_nothing_but_the_time(self, desk):
        """V-m."""
        helper = desk.agent(patch(digest="D"), patch())
        helper("One.")
        lines = desk.lines()
        helper("Two.")
        assert desk.lines() == lines
        assert desk.digest == "D"
        assert json.loads(desk.text("meta.json"))["last_mode"] == "continue"

    def test_an_empty_digest_empties_the_page(self, desk):
        helper = desk.agent(patch(digest="D"), patch(digest=""))
        helper("One.")
        helper("Two.")
        assert desk.digest == ""
        assert desk.lines()[-1]["digest"] == ""
        helper("Three.")
        assert "(empty)" in desk.model.prompts[-1]

    def test_what_is_said_again_is_retained_again_and_remembered_once(self, desk):
        """V30."""
        helper = desk.agent(patch(retain=["W one."]))
        helper("One.")
        helper("Two.")
        assert [line["retain"] for line in desk.lines()] == [["W one."], ["W one."]]
        with commonplace.open(f"ledger:{desk.folder}") as book:
            (record,) = book.list()
            assert record.occurrences == 2

    def test_meta_says_the_schema_and_the_times(self, desk):
        """V16, V32."""
        desk.agent(patch(digest="D"))("One.")
        meta = json.loads(desk.text("meta.json"))
        assert meta["schema_version"] == 1
        assert {"created_at", "last_used_at", "last_mode"} <= meta.keys()

    def test_meta_of_others_keeps_its_keys_and_what_is_no_meta_stays(self, desk):
        desk.folder.mkdir(parents=True)
        (desk.folder / "meta.json").write_text('{"theirs": 1, "created_at": "then"}')
        desk.agent(patch(digest="D"))("One.")
        assert json.loads(desk.text("meta.json")).items() >= {"theirs": 1, "created_at": "then"}.items()
        (desk.folder / "meta.json").write_text("torn {")
        desk.agent(patch(digest="E"))("Two.")
        assert desk.text("meta.json") == "torn {"
        assert desk.digest == "E"

    def test_what_was_retained_can_be_asked_of_the_book(self, desk):
        """V43, X-11: kind, confidence, entities and the scope, in the words of a record."""
        desk.agent(patch(retain=["O(c=0.9) @Alice: prefers tea."]))("One.")
        with commonplace.open(f"ledger:{desk.folder}") as book:
            (record,) = book.list()
            assert (record.kind, record.confidence, record.tags) == ("opinion", 0.9, ("alice",))
            assert (record.scope, record.project_id, record.trust) == ("project", "project", "agent")
            assert record.content == "O(c=0.9) @Alice: prefers tea."

    def test_one_call_can_be_undone_as_a_whole(self, desk):
        desk.agent(patch(digest="D", retain=["W one.", "W two."]))("One.")
        with commonplace.open(f"ledger:{desk.folder}") as book:
            (run,) = {operation.run for operation in book.journal() if operation.run}
            book.revert(run)
            assert book.list() == []


class TestDryRun:
    def test_it_reads_and_writes_nothing(self, desk):
        """V12, V14, V-c."""
        desk.agent(patch(digest="D", retain=["W one."]))("One.")
        before = desk.files()
        answer = desk.agent(patch(digest="E", retain=["W two."]))("Two.", memory_mode="dry_run")
        assert answer == "Done."
        assert desk.files() == before
        assert "this call is one" in desk.model.prompts[0]
        assert "- W one." in desk.model.prompts[0]

    def test_a_memory_that_is_not_there_yet_is_empty_and_stays_so(self, desk):
        """V14, V20."""
        assert desk.agent(patch(digest="E"))("Two.", memory_mode="dry_run") == "Done."
        assert desk.files() == {}

    def test_a_refused_patch_leaves_no_warning_on_disk(self, desk):
        """V27 speaks of writing; this mode does not write."""
        desk.agent("Text.\n```vvm-memory\nnonsense\n```")("Two.", memory_mode="dry_run")
        assert desk.files() == {}
        assert [notice.kind for notice in desk.notices] == ["invalid_json"]


class TestFresh:
    def test_it_neither_reads_nor_writes(self, desk):
        """V12, V14, V-c: touches nothing at all."""
        desk.agent(patch(digest="Secretly likes tea."))("One.")
        before = desk.files()
        assert desk.agent(patch(digest="E"))("Two.", memory_mode="fresh") == "Done."
        assert desk.model.prompts == ["Two."]
        assert desk.files() == before

    def test_it_needs_no_lock_and_no_binding(self, desk):
        helper = desk.agent("Text.", memory={"scope": "nonsense"})
        assert helper("Two.", memory_mode="fresh") == "Text."


class TestWithoutMemory:
    @pytest.mark.parametrize("mode", ["continue", "dry_run", "fresh", "nonsense"])
    def test_the_mode_is_ignored_and_the_block_is_still_taken_out(self, desk, mode):
        """V13, V57: the channel is reserved."""
        helper = desk.agent(patch(digest="D"), memory=None)
        assert helper("Hello.", memory_mode=mode) == "Done."
        assert desk.model.prompts == ["Hello."]
        assert desk.files() == {}


class TestRefusedPatches:
    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            ("Seen.\n```vvm-memory\nnot json\n```", "invalid_json"),
            ("Seen.\n```vvm-memory\n[]\n```", "invalid_patch"),
            ('Seen.\n```vvm-memory\n{"digest": "E"}', "unterminated"),
            ('Seen.\n```vvm-memory\n{"digest": "E"}\n```\n```vvm-memory\n{}\n```', "multiple_patches"),
            (f'Seen.\n```vvm-memory\n{{"digest": "{"x" * 8_001}"}}\n```', "too_large"),
            (f'Seen.\n```vvm-memory\n{{"digest": "E", "retain": ["{TOKEN}"]}}\n```', "secret"),
        ],
    )
    def test_nothing_is_applied_the_text_comes_back_and_the_ledger_has_a_warning(self, desk, answer, kind):
        """V26, V27, V31, V34, V35, V-b, V-d, V-f."""
        desk.agent(patch(digest="D", retain=["W one."]))("One.")
        assert desk.agent(answer)("Two.") == "Seen."
        assert desk.digest == "D"
        assert len([line for line in desk.lines() if "retain" in line]) == 1
        (warning,) = desk.warnings()
        assert warning["kind"] == kind
        assert TOKEN not in desk.text("ledger.jsonl")
        assert desk.notices[0].kind == kind

    def test_a_warning_is_no_memory_and_does_not_get_in_the_way(self, desk):
        """V-b."""
        desk.agent("Seen.\n```vvm-memory\nnot json\n```")("One.")
        desk.agent(patch(retain=["W one."]))("Two.")
        with commonplace.open(f"ledger:{desk.folder}") as book:
            assert [record.content for record in book.list()] == ["W one."]
            assert book.verify()

    def test_unknown_keys_are_warned_of_and_the_rest_is_applied(self, desk):
        """V-e."""
        desk.agent(patch(digest="D", mood="good"))("One.")
        assert desk.digest == "D"
        assert [warning["kind"] for warning in desk.warnings()] == ["unknown_keys"]


class TestPeopleEditToo:
    def test_a_digest_written_by_hand_is_honoured_on_the_next_call(self, desk):
        """V19."""
        desk.agent(patch(digest="D"))("One.")
        (desk.folder / "digest.md").write_text("A person wrote this.\n")
        helper = desk.agent("Text.")
        helper("Two.")
        assert "A person wrote this." in desk.model.prompts[0]
        assert desk.digest == "A person wrote this.\n"

    def test_a_digest_that_another_runtime_began_is_taken_up(self, desk):
        """V3, V16: only the portable minimum is needed."""
        desk.folder.mkdir(parents=True)
        (desk.folder / "digest.md").write_text("Begun elsewhere.\n")
        (desk.folder / "ledger.jsonl").write_text('{"ts": "2026-11-15T12:00:00Z", "retain": ["W from elsewhere."]}\n')
        desk.agent(patch(digest="Gone on here."))("One.")
        assert "Begun elsewhere." in desk.model.prompts[0]
        assert "- W from elsewhere." in desk.model.prompts[0]
        assert desk.digest == "Gone on here."
        assert desk.text("ledger.jsonl").startswith('{"ts": "2026-11-15T12:00:00Z", "retain": ["W from elsewhere."]}\n')

    def test_an_edit_made_while_the_agent_thinks_stays_and_the_agents_waits(self, desk):
        """Row 47: both are kept."""
        desk.agent(patch(digest="D"))("One.")

        def meanwhile():
            (desk.folder / "digest.md").write_text("A person's.\n")
            return patch(digest="The agent's.", retain=["W one."])

        assert desk.agent(meanwhile)("Two.") == "Done."
        assert desk.digest == "A person's.\n"
        assert [notice.kind for notice in desk.notices] == ["digest_changed"]
        with commonplace.open(f"ledger:{desk.folder}") as book:
            (waiting,) = book.inbox()
            assert waiting.record.content == "The agent's."
            assert "W one." in [record.content for record in book.list()]

    def test_who_removes_the_folder_begins_anew(self, desk):
        """V11: a memory is a folder; without it there is none."""
        import shutil

        desk.agent(patch(digest="Forget me."))("One.")
        shutil.rmtree(desk.folder)
        helper = desk.agent(patch(digest="Anew."))
        assert helper("Two.") == "Done."
        assert "Forget me." not in desk.model.prompts[0]
        assert [line["digest"] for line in desk.lines()] == ["Anew."]

    def test_a_digest_too_long_by_hand_is_cut_in_the_prompt_and_never_rewritten(self, desk):
        """V-i."""
        desk.folder.mkdir(parents=True)
        (desk.folder / "digest.md").write_text("d" * 20_000 + "\n")
        desk.agent(patch(retain=["W one."]))("One.")
        assert "digest truncated" in desk.model.prompts[0]
        assert desk.digest == "d" * 20_000 + "\n"

    def test_a_secret_by_hand_is_not_sent_and_the_ledger_says_so_once(self, desk):
        """V-l."""
        desk.folder.mkdir(parents=True)
        (desk.folder / "digest.md").write_text(f"Use {TOKEN}.\n")
        helper = desk.agent("Text.")
        helper("One.")
        helper("Two.")
        assert all(TOKEN not in prompt for prompt in desk.model.prompts)
        assert [warning["kind"] for warning in desk.warnings()] == ["secret_in_digest"]
        assert TOKEN not in desk.text("ledger.jsonl")
        assert desk.digest == f"Use {TOKEN}.\n", "a person's file is a person's"


class TestNothingElseIsKept:
    def test_no_file_anywhere_holds_a_word_of_input_prompt_or_answer(self, desk, tmp_path):
        """V33, X-5: not in the memory, not in the journal, not in a cache, not in a source."""
        raw = ["question-7c1f", "template-9ab2", "answer-e44d", "persona-31fe", "binding-55aa"]
        answer = "answer-e44d\n" + patch(digest="D", retain=["W one."]) + "and answer-e44d again"
        helper = desk.agent(answer, "answer-e44d\n```vvm-memory\nanswer-e44d\n```", prompt="persona-31fe")
        for mode in ("continue", "continue", "dry_run", "fresh"):
            helper("template-9ab2 {who} {}", "question-7c1f", who="binding-55aa", memory_mode=mode)
        assert helper.memory_context() is not None
        left = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert len(left) >= 5, "digest, ledger, meta, journal, catalog"
        for path in left:
            held = path.read_bytes()
            assert not [word for word in raw if word.encode() in held], path

    def test_no_source_and_no_receipt_is_made(self, desk):
        """X-5."""
        desk.agent(patch(digest="D", retain=["W one."]))("One.")
        with commonplace.open(f"ledger:{desk.folder}") as book:
            assert {change.entity for operation in book.journal() for change in operation.changes} == {"memory"}
            assert all(record.source_ref is None for record in book.list())
            assert book.receipts() == []


class TestWhenTheModelFails:
    @pytest.mark.parametrize("failure", [RuntimeError("boom"), 7, ErrorValue("rejected", "no"), TimeoutError()])
    def test_an_error_value_comes_back_and_nothing_is_written(self, desk, failure):
        """V57: release the lock, return the error, no writes."""
        answer = desk.agent(failure if not isinstance(failure, int) else (lambda: 7))("One.")
        assert isinstance(answer, ErrorValue)
        assert answer.kind in ("spawn_failed", "rejected", "timeout")
        assert desk.files() == {}
        assert desk.agent("Text.")("Two.") == "Text.", "the lease was let go"

    def test_it_is_tried_again_with_the_same_prompt(self, desk):
        """V49, V50: memory is loaded once for all tries."""
        helper = desk.agent(RuntimeError("boom"), RuntimeError("boom"), "Text.")
        assert helper("Go.", retry=2, backoff="exponential") == "Text."
        assert len(set(desk.model.prompts)) == 1
        assert len(desk.model.prompts) == 3
        assert desk.slept == [1.0, 2.0]

    def test_fixed_backoff_waits_a_second_each_time_and_none_waits_not_at_all(self, desk):
        """V49."""
        desk.agent(RuntimeError("boom"))("Go.", retry=3, backoff="fixed")
        assert desk.slept == [1.0, 1.0, 1.0]
        desk.agent(RuntimeError("boom"))("Go.", retry=3)
        assert desk.slept == [1.0, 1.0, 1.0]

    @pytest.mark.parametrize("kind", ["locked", "cancelled", "thrown", "constraint_violation"])
    def test_other_errors_are_not_tried_again(self, desk, kind):
        """V49: only `spawn_failed`, `timeout`, `rejected`."""
        desk.agent(ErrorValue(kind, "m"))("Go.", retry=3)
        assert len(desk.model.prompts) == 1

    def test_a_model_that_takes_too_long_is_not_waited_for(self, desk):
        """V49: and what it says later is heard by nobody."""
        import threading

        late = threading.Event()

        def slow():
            late.wait(5)
            return patch(digest="too late")

        answer = desk.agent(slow)("Go.", timeout="50ms")
        late.set()
        assert answer.kind == "timeout"
        assert desk.files() == {}

    @pytest.mark.parametrize("timeout", ["soon", "-1s", 0, True, "1e99h"])
    def test_a_timeout_that_is_none_is_rejected(self, desk, timeout):
        assert desk.agent("Text.")("Go.", timeout=timeout).kind == "rejected"
        assert desk.model.prompts == []

    @pytest.mark.parametrize("option", [{"retry": "2"}, {"retry": -1}, {"retry": None}, {"backoff": "often"}])
    def test_an_option_that_cannot_be_meant_is_rejected(self, desk, option):
        """V49."""
        assert desk.agent("Text.")("Go.", **option).kind == "rejected"
        assert desk.model.prompts == []

    def test_no_wait_grows_without_end(self, desk):
        desk.agent(RuntimeError("boom"))("Go.", retry=1_100, backoff="exponential")
        assert max(desk.slept) == 64.0

    def test_an_agent_without_a_model_is_rejected(self, desk):
        assert desk.agent().with_(model=None)("Go.").kind == "rejected"
        assert desk.agent().with_(model="sonnet")("Go.").kind == "rejected"


class TestOrder:
    def test_a_wrong_template_raises_before_anything_is_locked_or_asked(self, desk, tmp_path):
        """V51: `thrown`; the model is not spawned, no lock is taken."""
        helper = desk.agent("Text.")
        for template in ("{nobody}", "{"):
            with pytest.raises(InvalidError):
                helper(template)
        assert desk.model.prompts == []
        assert not (tmp_path / "cache").exists()

    def test_a_wrong_mode_or_a_wrong_binding_is_rejected_before_the_model_is_asked(self, desk):
        """V7, V12, V-h."""
        assert desk.agent("Text.")("Go.", memory_mode="sometimes").kind == "rejected"
        assert desk.agent("Text.", memory={"scope": "project", "key": ""})("Go.").kind == "rejected"
        assert desk.agent("Text.", memory={"scope": "project", "key": "x" * 201})("Go.").kind == "rejected"
        assert desk.model.prompts == []

    def test_unknown_options_are_ignored(self, desk):
        """V49."""
        assert desk.agent("Text.")("Go.", temperature=0.3) == "Text."

    def test_names_are_bound_by_keyword_or_by_table(self, desk):
        helper = desk.agent("Text.", memory=None)
        helper("{a} {b} {}", "c", a="1", bindings={"b": "2"})
        assert desk.model.prompts[0].startswith("1 2 c")

    def test_no_input_is_not_an_empty_input_is_not_none(self, desk):
        helper = desk.agent("Text.", memory=None)
        for given in (NOTHING, (), None):
            helper("Go.", given)
        assert desk.model.prompts == ["Go.", "Go.", "Go.\n\nInput:\n---\n\n---"]


class TestWhenTheMemoryFails:
    def test_a_memory_that_cannot_be_written_gives_the_text_back_in_the_error(self, desk):
        """A memory lost quietly is the one bug people remember."""

        def meanwhile():
            desk.folder.parent.mkdir(parents=True)
            desk.folder.write_text("a file stands where the folder should be")
            return patch(digest="D")

        answer = desk.agent(meanwhile)("Go.")
        assert answer.kind == "binding_failed"
        assert answer.data["output"] == "Done."

    @pytest.mark.parametrize("answer", [patch(digest="D"), "Done.\n```vvm-memory\nnonsense\n```"])
    def test_whatever_stands_in_the_way_is_an_error_value(self, desk, answer):
        """R7: never a traceback."""
        (desk.root / ".vvm").write_text("a file")
        failed = desk.agent(answer)("Go.")
        assert failed.kind == "binding_failed"

    def test_a_pipe_where_a_file_should_be_holds_nobody_up(self, desk):
        """R6: every call ends."""
        import os

        desk.agent(patch(digest="D"))("One.")
        (desk.folder / "meta.json").unlink()
        os.mkfifo(desk.folder / "meta.json")
        assert desk.agent(patch(digest="E"))("Two.") == "Done."
        assert desk.digest == "E"

    def test_a_memory_that_cannot_be_read_is_an_error_before_the_model_is_asked(self, desk):
        desk.folder.parent.mkdir(parents=True)
        desk.folder.write_text("a file stands where the folder should be")
        assert desk.agent("Text.")("Go.").kind == "binding_failed"
        assert desk.model.prompts == []


class TestLooking:
    def test_what_would_be_told_can_be_looked_at(self, desk):
        """V24: inspectable."""
        helper = desk.agent(patch(digest="D", retain=["W one."]))
        helper("One.")
        before = desk.files()
        context = helper.memory_context()
        assert "### Digest\nD\n" in context.text
        assert (context.facts, context.omitted) == (1, 0)
        assert 0 < context.used <= context.limit
        assert desk.files() == before

    def test_without_a_memory_there_is_nothing_to_look_at(self, desk):
        assert desk.agent(memory=None).memory_context().kind == "rejected"

    def test_the_model_is_only_ever_given_text(self, desk):
        seen = []
        Scripted.__call__  # noqa: B018 - any callable does
        desk.agent().with_(model=lambda prompt: seen.append(type(prompt)) or "Text.")("Go.")
        assert seen == [str]
