#!/usr/bin/env python3
"""Follows docs/add_an_element.md to the letter: puts its files and lines into a copy of the sources, builds the program with them
and checks that the new types are in the manual, in the schema and in the viewer, that the models of the page run, and that their
outputs are those of the page.

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
    entries = list(re.finditer(r"^  FAMILY\(\w+\)[ \\]*\n", text, re.M))
    if not entries:
        raise Failure("the list of families is not there")
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
    if len(sources) < 4 or len(lines) != len(sources):
        raise Failure(f"the page has {len(sources)} sources and {len(lines)} lines; at least four are expected, and one for each")
    lists = {}
    for match in lines:
        path = match["path"]
        text = lists.get(path) or (source / path).read_text(encoding="utf-8")
        lists[path] = addLine(text, match["code"])
    objects = []
    for path, text in [(m["path"], m["code"]) for m in files] + list(lists.items()):
        if path not in lists and (source / path).exists():
            raise Failure(f"{path} is there already")
        written = scratch / path
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(text, encoding="utf-8")
        if written.suffix != ".cpp":
            continue
        folder = pathlib.Path(path).parts[1]
        objects.append(written.with_suffix(".o"))
        compileWith(buildFolder, written, source / "src" / folder / "register.cpp", objects[-1], scratch)
    program = scratch / "flexloop"
    link(buildFolder, objects, program)
    return program, [TYPE.search(m["code"]).groups() for m in sources]


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
        except Failure as failure:
            print(failure)
            return 1
    print("the page holds: " + ", ".join(".".join(t) for t in types))
    return 0


if __name__ == "__main__":
    sys.exit(main())
