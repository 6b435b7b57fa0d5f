"""The name of a document cannot lead outside of its store (A53, R8; rows 45, 82, 83)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.errors import CommonplaceError
from commonplace.seam.locator import InvalidLocatorError, Locator


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        ((), ""),
        (("",), ""),
        (("/",), ""),
        (("a", "b"), "a/b"),
        (("a//b/", "./c/."), "a/b/c"),
        (("/etc/passwd",), "etc/passwd"),
        (("a", "/b"), "a/b"),
        (("notes", "für Ännä 🙂.md"), "notes/für Ännä 🙂.md"),
        (("50% done.md",), "50% done.md"),
        (("-rf", "CON.md", "x: y.md"), "-rf/CON.md/x: y.md"),
    ],
)
def test_a_name_is_brought_into_its_plain_form(parts: tuple[str, ...], key: str) -> None:
    locator = Locator.of(*parts)
    assert locator.key == key
    assert "/".join(locator.parts) == key
    assert Locator(key=key) == locator


OUTSIDE = [
    "..", "../x", "a/../../b", "a/..", "..\\x", "a\\b", "a\0b", "....//x", "...", "%2e%2e%2fx", "%2E%2E", "%252e%252e%252fx",
    "a/%2e%2e/b", "~", "~/x", "~root/x", "C:", "C:/x", "c:x", "file:///etc/passwd", "https://evil", "\\\\host\\share",
    "/".join("a" * 10_000), "x" * 256, "🙂" * 64,
]  # fmt: skip


@pytest.mark.parametrize("text", OUTSIDE, ids=lambda text: text[:20])
def test_what_could_lead_outside_is_refused(text: str) -> None:
    """Row 82. A `ValueError`, and one of the family."""
    with pytest.raises(InvalidLocatorError) as refused:
        Locator.of(text)
    assert isinstance(refused.value, ValueError)
    assert isinstance(refused.value, CommonplaceError)
    assert refused.value.code == "unsafe_path"
    with pytest.raises(InvalidLocatorError):
        Locator.of("notes").child(
            text if text.strip("/") and not text.startswith(("~", "C:", "c:", "file", "http")) else ".."
        )


@pytest.mark.parametrize("key", ["a//b", "/a", "a/", "./a", "a/../b", ".."])
def test_a_locator_cannot_be_made_behind_the_guards_back(key: str) -> None:
    with pytest.raises(InvalidLocatorError):
        Locator(key=key)


@given(st.lists(st.text(max_size=30), max_size=6))
def test_any_text_is_refused_or_stays_inside(parts: list[str]) -> None:
    try:
        locator = Locator.of(*parts)
    except InvalidLocatorError:
        return
    assert not {"", ".", ".."} & set(locator.parts)
    assert not locator.key.startswith("/")
    assert Locator.of(*locator.parts) == locator == Locator.of(locator.key)


def test_a_locator_is_frozen_and_can_be_a_key() -> None:
    one = Locator.of("a", "b")
    assert {one: 1}[Locator.of("a/b")] == 1
    assert one.name == "b"
    assert one.child("c").parts == ("a", "b", "c")
    with pytest.raises(AttributeError):
        one.key = "x"  # type: ignore[misc]
