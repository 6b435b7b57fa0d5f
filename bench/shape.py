"""`make shape`: how long are the functions and the files? Nine in ten functions under 35 lines, files one subject each."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "commonplace"


def main() -> None:
    files = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    functions = sorted(
        (node.end_lineno - node.lineno + 1, f"{path.relative_to(SOURCE)}:{node.name}")  # type: ignore[operator]
        for path, text in files.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    )
    lengths = sorted((text.count("\n"), str(path.relative_to(SOURCE))) for path, text in files.items())
    print(
        f"{len(functions)} functions: median {_at(functions, 0.5)} lines, nine in ten under {_at(functions, 0.9) + 1}"
    )
    print(f"{len(lengths)} files: median {_at(lengths, 0.5)} lines, nine in ten under {_at(lengths, 0.9) + 1}")
    print("longest functions:", *(f"\n  {size:4} {name}" for size, name in functions[:-9:-1]))
    print("longest files:", *(f"\n  {size:4} {name}" for size, name in lengths[:-9:-1]))


def _at(sizes: list[tuple[int, str]], share: float) -> int:
    return sizes[int(len(sizes) * share)][0]


if __name__ == "__main__":
    main()
