"""A patch is believed only after it was checked, all of it or nothing; a warning never holds a word of it."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.engine.retain import Limits
from commonplace.surfaces.agent.fences import Block
from commonplace.surfaces.agent.patch import Patch, check

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"  # gitleaks:allow - an example that opens nothing


def checked(body, limits=Limits()):  # noqa: B008
    return check([Block(body if isinstance(body, str) else json.dumps(body), is_closed=True)], limits)


class TestWhatIsValid:
    def test_digest_and_retain_are_read(self):
        """V28."""
        assert checked({"digest": "D", "retain": ["W one."]}).patch == Patch("D", ("W one.",))

    @pytest.mark.parametrize("body", [{}, {"digest": None}, {"retain": None}, {"retain": []}, {"retain": ["", "  "]}])
    def test_nothing_to_do_is_valid(self, body):
        """V-m; `null` is absent (V-e)."""
        result = checked(body)
        assert result.patch.is_empty
        assert result.warning is None

    def test_an_empty_digest_is_a_digest(self):
        assert checked({"digest": ""}).patch == Patch("")
        assert not checked({"digest": ""}).patch.is_empty

    def test_unknown_keys_are_passed_over_with_a_warning(self):
        """V-e."""
        result = checked({"digest": "D", "mood": "good"})
        assert result.patch == Patch("D")
        assert result.warning.kind == "unknown_keys"
        assert "mood" not in str(result.warning)

    def test_no_block_is_no_patch_and_no_warning(self):
        assert check([], Limits()) == (None, None)


class TestWhatIsNot:
    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            ("not json", "invalid_json"),
            ("", "invalid_json"),
            ('{"digest": "D"', "invalid_json"),
            ('{"digest": "D", "digest": "E"}', "invalid_json"),
            ('{"digest": NaN}', "invalid_json"),
            ("[" * 5_000, "invalid_json"),
            ("[]", "invalid_patch"),
            ("null", "invalid_patch"),
            ('"text"', "invalid_patch"),
            ('{"digest": 7}', "invalid_patch"),
            ('{"digest": ["D"]}', "invalid_patch"),
            ('{"retain": "W one."}', "invalid_patch"),
            ('{"digest": "D", "retain": ["ok", 7]}', "invalid_patch"),
            ('{"digest": "a\\u0000b"}', "invalid_patch"),
            ('{"digest": "half \\ud83d"}', "invalid_patch"),
        ],
    )
    def test_all_of_it_is_refused(self, body, kind):
        """V27, V29, V-e: duplicate keys, wrong types, no object. Row 33, row 34."""
        result = checked(body)
        assert result.patch is None
        assert result.warning.kind == kind

    def test_two_blocks_are_none(self):
        """V-d."""
        block = Block('{"digest": "D"}', is_closed=True)
        assert check([block, block], Limits()).patch is None
        assert check([block, block], Limits()).warning.kind == "multiple_patches"

    def test_a_block_without_its_end_is_none(self):
        """V-f."""
        result = check([Block('{"digest": "D"}', is_closed=False)], Limits())
        assert (result.patch, result.warning.kind) == (None, "unterminated")


class TestLimits:
    """V31, V41, V-i: enforced on writing, all configurable."""

    def test_the_largest_patch_is_allowed(self):
        assert checked({"digest": "d" * 8_000}).patch
        assert checked({"retain": ["r" * 500] * 20}).patch

    @pytest.mark.parametrize(
        "body", [{"digest": "d" * 8_001}, {"retain": ["r" * 501]}, {"retain": ["r"] * 21}, {"x": "y" * 24_000}]
    )
    def test_one_more_is_not(self, body):
        result = checked(body)
        assert (result.patch, result.warning.kind) == (None, "too_large")

    def test_a_host_may_set_others(self):
        assert checked({"digest": "d" * 9_000}, Limits(digest_chars=10_000)).patch
        assert checked({"digest": "dd"}, Limits(digest_chars=1)).patch is None


class TestSecrets:
    @pytest.mark.parametrize(
        "body",
        [
            {"digest": f"The token is {TOKEN}."},
            {"retain": ["W fine.", f"W use {TOKEN}."]},
            {"digest": "fine", "note": TOKEN},
            {"digest": "fine", "deep": [{"x": [TOKEN]}]},
            {TOKEN: "as a key"},
        ],
    )
    def test_a_secret_anywhere_refuses_the_whole_patch(self, body):
        """V29, V32, V34."""
        result = checked(body)
        assert (result.patch, result.warning.kind) == (None, "secret")

    def test_one_that_json_escapes_is_found_too(self):
        escaped = "".join(f"\\u{ord(char):04x}" for char in TOKEN)
        assert checked(f'{{"digest": "use {escaped}"}}').warning.kind == "secret"

    def test_the_warning_does_not_leak_it_not_even_as_a_hash(self):
        """V35, X-16."""
        warning = checked({"digest": f"The token is {TOKEN}."}).warning
        assert TOKEN not in json.dumps(warning.to_dict())
        assert "sha256_of_block" not in warning.to_dict()


class TestWarnings:
    def test_a_warning_has_a_kind_a_reason_a_hash_and_a_size(self):
        """V-b."""
        body = '{"digest": 7}'
        assert checked(body).warning.to_dict() == {
            "kind": "invalid_patch",
            "reason": "digest: must be a text",
            "sha256_of_block": sha256(body.encode()).hexdigest(),
            "bytes": len(body),
        }

    @given(st.text(min_size=9, max_size=60).filter(lambda text: len(set(text)) > 5))
    def test_no_warning_ever_quotes(self, text):
        """V-b, V35."""
        for body in (text, json.dumps([text]), json.dumps({"digest": [text]}), json.dumps({text: 1})):
            warning = checked(body).warning
            if warning is not None:
                assert text not in str(warning)
