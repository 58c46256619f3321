#!/usr/bin/env python3
"""Makes web pages of the manual, the theory, the decisions and the READMEs of the models: `make manual`.

The folder can be opened from disk or put on any server. Formulas are set by KaTeX when the pages are made, so that pages need
no script but the search box.
"""

import argparse
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import markdown

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = pathlib.Path(__file__).resolve().parent / "manual"
KATEX = pathlib.Path("/usr/share/javascript/katex")

CODE = re.compile(r"(^```.*?^```[^\n]*$|^(?: {4}[^\n]*\n)+|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\w$\\])\$(?=\S)([^$\n]*(?:\n[^$\n]+)?[^$\s\\])\$(?!\d)", re.DOTALL)
LINK = re.compile(r'(<(?:a|img)\b[^>]*?\s(?:href|src)=")([^"]*)(")')
ELSEWHERE = re.compile(r"^(https?|mailto|data):|^#")
# Characters of no script, which Markdown leaves alone.
PLACE = "\ue000{}\ue001"


def slugOf(text, separator="-"):
    """The anchor of a heading, as the usual viewers of Markdown make it."""
    text = re.sub(r"<[^>]*>", "", html.unescape(text)).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", separator)


def listPages():
    """[(chapter, [files])] in the order of the navigation."""
    docs = ROOT / "docs"
    manual = ["tutorial", "model_file", "units", "expressions", "conventions", "choosing", "starts", "check", "results",
              "modes", "linear", "sweeps", "plot", "spectrum", "view", "export", "identify", "scheme", "trust",
              "troubleshooting", "black_boxes", "fmi", "library", "glossary"]
    files = sorted((docs / "manual").glob("*.md"),
                   key=lambda file: manual.index(file.stem) if file.stem in manual else len(manual))
    files = [docs / "manual" / "index.md"] + [file for file in files if file.stem != "index"]
    reference = sorted((docs / "manual" / "reference").glob("*.md"), key=lambda file: (file.stem != "index", file.stem))
    models = [ROOT / "models" / "README.md"] + sorted((ROOT / "models").glob("*/README.md"))
    others = [ROOT / "CONTRIBUTING.md", docs / "add_an_element.md", docs / "performance.md", docs / "STATUS.md",
              ROOT / "CHANGELOG.md"]
    return [("Start", [ROOT / "README.md"]), ("Manual", files), ("Reference", reference),
            ("Theory", sorted((docs / "theory").glob("*.md"))), ("Models", models),
            ("Development", others + sorted((docs / "decisions").glob("*.md")))]


def targetOf(file):
    """Where the page of a file goes, relative to the folder of the pages."""
    path = file.relative_to(ROOT)
    if path.name == "README.md":
        return path.parent / "index.html"
    return path.with_suffix(".html")


class Formulas:
    """Takes formulas out of Markdown, which would read their signs as its own, and puts HTML in their places."""

    def __init__(self):
        self.formulas = []

    def takeOut(self, text):
        pieces = CODE.split(text)
        for place in range(0, len(pieces), 2):
            pieces[place] = FORMULA.sub(self.keep, pieces[place])
        return "".join(pieces)

    def keep(self, match):
        display = match.group(1) is not None
        self.formulas.append({"tex": (match.group(1) or match.group(2)).strip(), "display": display})
        return PLACE.format(len(self.formulas) - 1)

    def render(self):
        done = subprocess.run(["node", PARTS / "formulas.js"], input=json.dumps(self.formulas), capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"make_manual.py: formulas: {done.stderr.strip()}")
        self.formulas = json.loads(done.stdout)

    def putBack(self, text):
        return re.sub("\ue000(\\d+)\ue001", lambda match: self.formulas[int(match.group(1))], text)


def titleOf(text, file):
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return re.sub(r"[`$]", "", found.group(1)) if found else file.stem


def relink(body, file, targets, copied):
    """Links from file to file become links from page to page; what is no page is copied beside them."""
    here = targetOf(file).parent

    def replace(match):
        link = html.unescape(match.group(2))
        if ELSEWHERE.match(link):
            return match.group(0)
        path, _, anchor = urllib.parse.unquote(link).partition("#")
        linked = (file.parent / path).resolve()
        if linked.is_dir():
            readme = linked / ("index.md" if (linked / "index.md").exists() else "README.md")
            linked = readme if readme in targets else linked
        target = targets.get(linked)
        if target is None and linked.is_file():
            target = linked.relative_to(ROOT)
            copied.add(target)
        if target is None and linked.is_dir():
            target = linked.relative_to(ROOT) / "index.html"
            copied.add(linked.relative_to(ROOT))
        if target is None:
            sys.exit(f"make_manual.py: {file.relative_to(ROOT)}: '{link}' leads nowhere")
        address = pathlib.PurePosixPath(relativePath(target, here)).as_posix() + (f"#{anchor}" if anchor else "")
        return match.group(1) + html.escape(address) + match.group(3)

    return LINK.sub(replace, body)


def relativePath(target, here):
    ups = 0
    base = here
    while base != pathlib.Path(".") and base not in target.parents:
        base = base.parent
        ups += 1
    return pathlib.Path(*[".."] * ups) / target.relative_to(base)


def navigation(chapters, titles, current, here):
    lines = []
    for chapter, files in chapters:
        isOpen = " open" if current in files else ""
        lines.append(f"<details{isOpen}><summary>{chapter}</summary><ul>")
        for file in files:
            mark = ' class="here"' if file == current else ""
            address = relativePath(targetOf(file), here).as_posix()
            lines.append(f'<li{mark}><a href="{html.escape(address)}">{html.escape(titles[file])}</a></li>')
        lines.append("</ul></details>")
    return "\n".join(lines)


def searchEntries(file, body, title):
    """One entry for every heading: address, title, heading and the words below it."""
    pieces = re.split(r'(<h[1-4] id="[^"]*">.*?</h[1-4]>)', body)
    entries, anchor, heading = [], "", title
    for piece in pieces:
        found = re.match(r'<h[1-4] id="([^"]*)">(.*?)</h[1-4]>', piece)
        if found:
            anchor, heading = found.group(1), re.sub(r"<[^>]*>", "", found.group(2))
            continue
        words = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", piece))).strip()
        if words:
            address = targetOf(file).as_posix() + (f"#{anchor}" if anchor else "")
            entries.append([address, title, html.unescape(heading), words])
    return entries


def listFolder(path):
    """A page for a folder that is linked to and has none of its own."""
    names = sorted(p.name for p in (ROOT / path).iterdir() if p.is_file())
    return f"<h1>{path}</h1><ul>" + "".join(f"<li>{html.escape(name)}</li>" for name in names) + "</ul>"


def makePages(out):
    chapters = listPages()
    files = [file for _, chapter in chapters for file in chapter]
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    titles = {file: titleOf(text, file) for file, text in texts.items()}
    targets = {file.resolve(): targetOf(file) for file in files}
    formulas = Formulas()
    plain = {file: formulas.takeOut(text) for file, text in texts.items()}
    formulas.render()
    template = (PARTS / "page.html").read_text(encoding="utf-8")
    index, copied = [], set()
    if out.exists():
        shutil.rmtree(out)

    def write(target, title, body, current):
        here = target.parent
        page = template
        root = relativePath(pathlib.Path("x"), here).parent.as_posix()
        for name, value in (("title", html.escape(title)), ("root", root),
                            ("navigation", navigation(chapters, titles, current, here)), ("body", body)):
            page = page.replace("{{" + name + "}}", value)
        (out / target).parent.mkdir(parents=True, exist_ok=True)
        (out / target).write_text(page, encoding="utf-8")

    for file in files:
        converter = markdown.Markdown(extensions=["tables", "fenced_code", "sane_lists", "toc"],
                                      extension_configs={"toc": {"slugify": slugOf}})
        body = relink(converter.convert(plain[file]), file, targets, copied)
        body = formulas.putBack(body)
        index += searchEntries(file, body, titles[file])
        write(targetOf(file), titles[file], body, file)
    for path in sorted(copied):
        if (ROOT / path).is_dir():
            write(path / "index.html", str(path), listFolder(path), None)
        else:
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, out / path)
    for name in ("style.css", "search.js"):
        shutil.copyfile(PARTS / name, out / name)
    (out / "katex" / "fonts").mkdir(parents=True)
    shutil.copyfile(KATEX / "katex.min.css", out / "katex" / "katex.min.css")
    for font in (KATEX / "fonts").glob("*.woff2"):
        shutil.copyfile(font, out / "katex" / "fonts" / font.name)
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (out / "index.js").write_text(f"const manualIndex = {text};\n", encoding="utf-8")
    return len(files)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path, nargs="?", default=ROOT / "build" / "manual", help="folder of the pages")
    out = parser.parse_args().out
    print(f"{makePages(out)} pages: {out / 'index.html'}")


if __name__ == "__main__":
    main()
