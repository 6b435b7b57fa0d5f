"""Properties of the nouns: one JSON form, fingerprints that obey their laws, ids that sort."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.engine.exchange import Line, content_of, decoder, line_of
from commonplace.errors import InvalidError
from commonplace.model.base import from_micros, to_micros
from commonplace.model.finding import Examination, Finding, ImportReport
from commonplace.model.fingerprint import fingerprint, normalised
from commonplace.model.ids import new_id
from commonplace.model.link import Conflict, Link
from commonplace.model.operation import Change, Entry, Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.result import RetrievalResult
from commonplace.model.source import IngestionEvent, Source
from commonplace.model.words import Relation, Scope, SourceKind, Trust, Verb
from commonplace.testing.strategies import any_moment, records, statements, texts

optional = st.none() | texts


class TestOneJsonForm:
    def same(self, noun):
        assert type(noun).from_json(noun.to_json()) == noun
        assert json.loads(noun.to_json()) == json.loads(json.dumps(noun.to_dict()))

    @given(records())
    def test_of_a_memory(self, record):
        self.same(record)
        assert MemoryRecord.from_dict(record.to_dict()) == record

    @given(st.sampled_from(Relation), optional, any_moment)
    def test_of_a_link(self, relation, evidence, moment):
        self.same(Link(from_id="a", relation=relation, to_id="b", evidence_ref=evidence, created_at=moment))

    @given(texts, optional, optional, any_moment)
    def test_of_a_conflict(self, reason, left, right, moment):
        self.same(Conflict(id="c", left_id="a", right_id="b", reason=reason, left_evidence=left, right_evidence=right,
                           created_at=moment))  # fmt: skip

    @given(st.sampled_from(SourceKind), optional, optional, optional, any_moment)
    def test_of_a_source(self, kind, title, uri, body, moment):
        self.same(Source(id="s", kind=kind, title=title, uri=uri, body=body, captured_at=moment))

    @given(st.sampled_from(Scope), optional, any_moment, st.integers(0, 100))
    def test_of_an_event(self, scope, error, moment, tries):
        self.same(IngestionEvent(id="e", trigger="manual_write", source_ref="s", requested_scope=scope, error=error,
                                 created_at=moment, updated_at=moment, retry_count=tries))  # fmt: skip

    @given(st.sampled_from(Verb), st.sampled_from(Trust), optional, any_moment, texts)
    def test_of_an_operation(self, verb, trust, reason, moment, text):
        change = Change(entity="memory", id="m", before={"title": text}, after={"title": None})
        self.same(Operation(seq=1, id="o", run=None, verb=verb, actor="a", trust=trust, surface="library", at=moment,
                            reason=reason, changes=(change,)))  # fmt: skip

    @given(records(), texts)
    def test_of_results_and_reports(self, record, text):
        self.same(RetrievalResult(record=record, score=0.5, scores={"lexical": 0.5}, matched_scope=record.scope))
        finding = Finding(code="c", message=text, where=text)
        self.same(Examination(ok=False, checked={"n": 1}, findings=(finding,)))
        self.same(ImportReport(run=None, added={"memory": 1}, kept_aside=(finding,)))

    @given(records())
    def test_of_a_line_of_an_export(self, record):
        line: Line = decoder.decode(line_of("memory", record))
        assert content_of(line) == ("memory", record)

    def test_of_an_entry_of_the_chain(self, book):
        book.save("One.", type="episode")
        with book._scribe.canon.reading() as view:
            entry = next(view.chain())
        assert Entry.from_json(entry.to_json()) == entry
        assert Entry.from_json(entry.to_json()).is_sound()

    @given(st.binary(max_size=60) | texts.map(str.encode))
    def test_other_bytes_are_refused_in_our_words(self, raw):
        with pytest.raises(InvalidError):
            MemoryRecord.from_json(raw)


class TestFingerprints:
    """A70: line ends, white space, blank lines and case do not count; everything else does."""

    @given(texts)
    def test_normalising_twice_is_normalising_once(self, text):
        assert normalised(normalised(text)) == normalised(text)

    @given(statements)
    def test_form_does_not_count(self, text):
        unix = text.replace("\r\n", "\n")
        for same in (
            unix.replace("\n", "\r\n"),
            f"\n\n  {text}\t\n",
            unix.replace("\n", "\n \n"),
            text.replace(" ", "  \t"),
            text.casefold(),
        ):
            assert fingerprint(same) == fingerprint(text)

    @given(statements, st.sampled_from(".,;:!?-[]()/#x0ü"))
    def test_signs_and_letters_do(self, text, sign):
        assert fingerprint(text + sign) != fingerprint(text)
        assert fingerprint(sign + text) != fingerprint(text)

    @given(st.lists(statements, min_size=2, max_size=2))
    def test_equal_fingerprints_are_equal_normal_forms(self, pair):
        assert (fingerprint(pair[0]) == fingerprint(pair[1])) == (normalised(pair[0]) == normalised(pair[1]))

    def test_the_algorithm_is_part_of_the_value(self):
        assert fingerprint("x").startswith("sha256:")


@given(any_moment)
def test_a_moment_survives_the_way_to_microseconds_and_back(moment):
    assert from_micros(to_micros(moment)) == moment
    assert to_micros(moment + timedelta(microseconds=1)) == to_micros(moment) + 1


def test_ids_are_unique_and_sorted_by_the_time_they_were_made():
    ids = [new_id() for _ in range(20_000)]
    assert len({*ids}) == len(ids)
    assert ids == sorted(ids)
    assert {len(id) for id in ids} == {26}
