#!/usr/bin/env python3
"""Follows docs/add_an_element.md to the letter: puts its files and lines into a copy of the sources, builds the program with them
and checks that the new types are in the manual, in the schema and in the viewer, that the models of the page run, that their
outputs are those of the page, and that the new command prints what the page says.

Only the files of the page and the lists with their lines are compiled; all else comes from the archives of the build."""

import argparse
import base64
import csv
import gzip
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# The page gives seven digits.
TOLERANCE = 1e-6

FENCE = r"```{}\n(?P<{}>.*?)```\n"
FILE = re.compile(r"^File `(?P<path>src/[^`]+)`:\n\n" + FENCE.format("cpp", "code"), re.M | re.S)
LINE = re.compile(r"^Line in the list of `(?P<path>src/[^`]+)`:\n\n" + FENCE.format("cpp", "code"), re.M | re.S)
MODEL = re.compile(r"^Model `(?P<name>[^`]+)`[^\n]*:\n\n" + FENCE.format("yaml", "text") +
                   r"\n\| output \| at the end \|\n\|---\|---\|\n(?P<rows>(?:\|[^\n]*\n)+)", re.M | re.S)
ROW = re.compile(r"\| `([^`]+)` \| ([-0-9.e]+) \|")
CALLS = re.compile(FENCE.format("console", "calls"), re.M | re.S)
TYPE = re.compile(r'\.section = "(\w+)",\s*\.type = "(\w+)"')


class Failure(Exception):
    pass


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise Failure(f"{shlex.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def addLine(text, line):
    """The list with one more line, before its last."""
    entries = list(re.finditer(r"^  (FAMILY|ADD)\(", text, re.M))
    if not entries:
        raise Failure("the list is not there")
    last = entries[-1].start()
    return text[:last] + line + text[last:]


def compileWith(build, source, like, target, scratch):
    """Compiles as the source `like` of the project is compiled, with headers of the scratch tree first."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    entry = next((c for c in commands if pathlib.Path(c["file"]) == like), None)
    if entry is None:
        raise Failure(f"{like} is not compiled by this build")
    words = shlex.split(entry["command"])
    output = words.index("-o")
    words[output + 1] = str(target)
    words[words.index(str(like))] = str(source)
    words.insert(1, f"-I{scratch / 'src'}")
    run(words, entry["directory"])


def link(build, objects, program):
    """Links as the build links the program, with the objects before all archives."""
    listed = run(["ninja", "-t", "commands", "flexloop"], build).splitlines()
    words = shlex.split(listed[-1])
    # cmake surrounds the command: `: && c++ … && :`
    words = words[words.index("&&") + 1:] if words[0] == ":" else words
    words = words[:words.index("&&")] if "&&" in words else words
    output = words.index("-o")
    words[output + 1] = str(program)
    words[output:output] = map(str, objects)
    run(words, build)


def build(page, source, buildFolder, scratch):
    """The scratch program with the types of the page."""
    files = list(FILE.finditer(page))
    lines = list(LINE.finditer(page))
    sources = [m for m in files if m["path"].endswith(".cpp")]
    if len(sources) < 5 or len(lines) != len(sources):
        raise Failure(f"the page has {len(sources)} sources and {len(lines)} lines; at least five are expected, and one for each")
    lists = {}
    for match in lines:
        path = match["path"]
        text = lists.get(path) or (source / path).read_text(encoding="utf-8")
        lists[path] = addLine(text, match["code"])
    # Each is compiled as the list of its folder is.
    likes = {pathlib.Path(path).parts[1]: source / path for path in lists}
    objects = []
    for path, text in [(m["path"], m["code"]) for m in files] + list(lists.items()):
        if path not in lists and (source / path).exists():
            raise Failure(f"{path} is there already")
        written = scratch / path
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(text, encoding="utf-8")
        if written.suffix != ".cpp":
            continue
        objects.append(written.with_suffix(".o"))
        compileWith(buildFolder, written, likes[pathlib.Path(path).parts[1]], objects[-1], scratch)
    program = scratch / "flexloop"
    link(buildFolder, objects, program)
    return program, [match.groups() for match in (TYPE.search(m["code"]) for m in sources) if match]


def checkDocuments(program, types, scratch):
    run([program, "manual", scratch / "manual"], scratch)
    schema = json.loads(run([program, "schema"], scratch))
    for section, name in types:
        page = (scratch / "manual" / f"{section}.md").read_text(encoding="utf-8")
        if f"\n## {name}\n" not in page:
            raise Failure(f"{section}.{name} is not in the manual")
        if f"{section}.{name}" not in schema["$defs"]:
            raise Failure(f"{section}.{name} is not in the schema")


def readScene(program, model, scratch):
    """What the viewer draws of a model; nothing where the program was built without the page of the viewer."""
    try:
        run([program, "report", model, "--quiet", "-o", "report.html"], scratch)
    except Failure as failure:
        if "built without the viewer page" in str(failure):
            return None
        raise
    report = (scratch / "report.html").read_text(encoding="utf-8")
    packed = re.search(r'data-name="scene.json">([^<]*)<', report)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def checkScene(scene, section, name):
    """Items of the type are drawn, each with the name that users know."""
    drawn = scene["diagram"]["blocks"] if section == "blocks" else scene[section]
    if not any(name in (item.get("type"), item.get("measure")) for item in drawn):
        raise Failure(f"{section}.{name} is not in the viewer")


def checkModels(page, program, types, scratch):
    models = list(MODEL.finditer(page))
    text = "".join(m["text"] for m in models)
    for section, name in types:
        key = "measure" if section == "sensors" else "type"
        if f"{key}: {name}" not in text:
            raise Failure(f"no model of the page uses {section}.{name}")
    for model in models:
        (scratch / model["name"]).write_text(model["text"], encoding="utf-8")
        table = run([program, "run", model["name"], "--quiet", "--csv", "-"], scratch)
        rows = list(csv.DictReader(table.splitlines()))
        expected = ROW.findall(model["rows"])
        if len(expected) != model["rows"].count("\n"):
            raise Failure(f"{model['name']}: a row of its table cannot be read")
        for name, value in expected:
            found = rows[-1].get(name)
            if found is None or abs(float(found) - float(value)) > TOLERANCE * abs(float(value)):
                raise Failure(f"{model['name']}: {name} is {found} and not {value}")
        scene = readScene(program, model["name"], scratch)
        for section, name in types:
            if scene is not None and re.search(rf"(type|measure): {name}\b", model["text"]):
                checkScene(scene, section, name)


def checkCalls(page, program, scratch):
    """The program prints what follows each call."""
    calls = CALLS.search(page)
    if calls is None:
        raise Failure("the page has no calls")
    for call in re.split(r"^\$ flexloop ", calls["calls"], flags=re.M)[1:]:
        words, expected = call.split("\n", 1)
        done = subprocess.run([program, *shlex.split(words)], cwd=scratch, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.stdout != expected:
            raise Failure(f"flexloop {words} prints\n{done.stdout}and not\n{expected}")
        name = words.split()[0]
        if f"\n  {name} " not in run([program, "--help"], scratch):
            raise Failure(f"{name} is not in the list of commands")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the project")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="its build folder, with the program")
    arguments = parser.parse_args()
    page = (arguments.source / "docs" / "add_an_element.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        try:
            program, types = build(page, arguments.source, arguments.build, scratch)
            checkDocuments(program, types, scratch)
            checkModels(page, program, types, scratch)
            checkCalls(page, program, scratch)
        except Failure as failure:
            print(failure)
            return 1
    print("the page holds: " + ", ".join(".".join(t) for t in types))
    return 0


if __name__ == "__main__":
    sys.exit(main())
