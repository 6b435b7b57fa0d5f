"""The tables: every system a row, every cost beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from bench.measure import verdict
from bench.peers.measures import Plan
from bench.peers.result import MISSING, Result, mean, middle, part, ratio, table, told

MB = 1024 * 1024


def tables(results: Sequence[Result], plan: Plan) -> Iterator[str]:
    ran = [each for each in results if each.known]
    ours = next((each for each in ran if each.entry.worker == "ours"), None) or Result(results[0].entry)
    yield f"Searching {plan.records:,} memories, ten results; x is their median beside ours:\n"
    yield from table(
        (
            "system",
            "version",
            "records",
            "vector known: p50 ms",
            "p95",
            "CPU ms",
            "x",
            "from text: p50 ms",
            "p95",
            "x",
            "made-up questions found",
        ),
        [_searching(each, ours) for each in ran],
    )
    yield "Writing and keeping:\n"
    yield from table(
        (
            "system",
            "one write: p50 ms",
            "p95",
            "x",
            "flushes per write",
            "bulk: records per CPU s",
            "x",
            "records per s",
            "bytes on disk per record",
        ),
        [_writing(each, ours) for each in ran],
    )
    yield "The process:\n"
    yield from table(
        (
            "system",
            "resident MB, opened",
            "after searches",
            "with the model",
            "cold, by words: CPU s",
            "cold, by meaning: CPU s",
        ),
        [_process(each) for each in ran],
    )
    yield from _said(results)
    yield from _goals(ran, ours)


def _searching(each: Result, ours: Result) -> tuple[str, ...]:
    known, typed = middle(each.known), middle(each.typed)
    found = f"{100 * sum(each.hits) / len(each.hits):.1f} %" if each.hits else MISSING
    return (
        each.entry.name,
        each.version or MISSING,
        f"{each.loaded:,}",
        told(1e3 * known),
        told(1e3 * part(each.known, 0.95)),
        told(1e3 * mean(each.known_cpu)),  # the mean: another process's time comes in ticks
        ratio(known, middle(ours.known)),
        told(1e3 * typed),
        told(1e3 * part(each.typed, 0.95)),
        ratio(typed, middle(ours.typed)),
        found,
    )


def _writing(each: Result, ours: Result) -> tuple[str, ...]:
    return (
        each.entry.name,
        told(1e3 * middle(each.puts)),
        told(1e3 * part(each.puts, 0.95)),
        ratio(middle(each.puts), middle(ours.puts)),
        told(each.flushes, "{:.1f}"),
        f"{each.loaded / each.load_cpu:,.0f}" if each.load_cpu else MISSING,
        ratio(_per_record(each), _per_record(ours)),
        f"{each.loaded / each.load_seconds:,.0f}" if each.load_seconds else MISSING,
        told(each.disk, "{:,.0f}"),
    )


def _per_record(each: Result) -> float:
    return each.load_cpu / each.loaded if each.loaded else math.nan


def _process(each: Result) -> tuple[str, ...]:
    held = [f"{size / MB:.0f}" for size in each.resident] + [MISSING] * 3
    after = f"{held[1]} (n = {each.searches:,})" if len(each.resident) > 1 else MISSING
    model = held[2] if each.entry.takes_vectors else MISSING
    return each.entry.name, held[0], after, model, told(each.cold_words), told(each.cold_meaning)


def _said(results: Sequence[Result]) -> Iterator[str]:
    for each in results:
        if each.trouble:
            yield f"  {each.entry.name}: {'stopped' if each.known else 'not run'}: {each.trouble}"
        said = "; ".join([each.entry.note, *each.remarks])
        if said:
            yield f"  {each.entry.name}: {said}"


def _goals(ran: Sequence[Result], ours: Result) -> Iterator[str]:
    """Issue goals that this run can speak about; by CPU as well, which a busy machine distorts less."""
    wall = {each.entry.name: middle(each.known) for each in ran}
    cpu = {each.entry.name: mean(each.known_cpu) for each in ran}
    mine, mine_cpu = middle(ours.known), mean(ours.known_cpu)
    for name in ("mem0", "langgraph"):
        if name in wall:
            yield verdict(f"one search, vector known: {name} / ours", wall[name] / mine, 10, at_least=True)
            yield f"        the same, mean CPU: {cpu[name] / mine_cpu:.2f}"
    if {"FTS5", "int8 scan"} <= wall.keys():
        yield verdict("ours / (plain FTS5 + exact int8 scan)", mine / (wall["FTS5"] + wall["int8 scan"]), 1)
        yield f"        the same, mean CPU: {mine_cpu / (cpu['FTS5'] + cpu['int8 scan']):.2f}"
    yield verdict("cold process to first lexical answer, CPU s", ours.cold_words, 0.15)
    yield verdict("cold process to first semantic answer, CPU s", ours.cold_meaning, 0.7)
