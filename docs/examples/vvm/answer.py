"""A model for trying things out: no server, no weights. It reads the prompt on stdin and answers on stdout.

It remembers each task it was given, and says how many it remembers. Any program that does the same can be a model:
`commonplace vvm run FILE --model "exec:python3 answer.py"`.
"""

# ruff: noqa: T201 - printing is what it is for
import json
import re
import sys

prompt = sys.stdin.read()
digest = re.search(r"^### Digest\n(.*?)(?:\n\n### |\n</memory )", prompt, re.DOTALL | re.MULTILINE)
known = [line for line in (digest[1] if digest else "").splitlines() if line.startswith("- ")]
behind = prompt.rpartition("Patches are ignored in dry_run.")[2]
task = behind.partition("\n\nInput:\n---\n")[0].strip().splitlines()[-1]

print(f"{task} (I remember {len(known)} tasks.)")
print("```vvm-memory")
print(json.dumps({"digest": "\n".join([*known, f"- {task}"]), "retain": [f"B @Model: was asked to do this: {task}"]}))
print("```")
