#!/usr/bin/env python3
"""Checks the links of the documentation: every file and every heading that is linked to exists.

Pages are Markdown in the source tree, or the web pages that scripts/make_manual.py has made of them (`--html FOLDER`).
Links to other computers are not followed.
"""

import argparse
import html
import pathlib
import re
import sys
import urllib.parse

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`")
MARKDOWN_LINK = re.compile(r"\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)")
HTML_LINK = re.compile(r"<(?:a|link|img|script)\b[^>]*?\s(?:href|src)=\"([^\"]*)\"")
HTML_ANCHOR = re.compile(r"\sid=\"([^\"]+)\"")
HEADING = re.compile(r"^#+\s+(.+?)\s*#*$", re.MULTILINE)
ELSEWHERE = re.compile(r"^(https?|mailto|data):")


def slugOf(heading):
    """The anchor of a heading, as the usual viewers of Markdown make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def readMarkdown(file):
    """(links, anchors) of a page."""
    text = FENCE.sub("", file.read_text(encoding="utf-8"))
    anchors, count = set(), {}
    for heading in HEADING.findall(text):
        slug = slugOf(heading)
        anchors.add(slug if slug not in count else f"{slug}-{count[slug]}")
        count[slug] = count.get(slug, 0) + 1
    return MARKDOWN_LINK.findall(CODE.sub("", text)), anchors


def readHtml(file):
    text = file.read_text(encoding="utf-8")
    return [html.unescape(link) for link in HTML_LINK.findall(text)], set(HTML_ANCHOR.findall(text))


def findBrokenLinks(files, root):
    read = {".md": readMarkdown, ".html": readHtml}
    pages = {file.resolve(): read[file.suffix](file) for file in files}
    problems = []
    for file, (links, own) in pages.items():
        for link in links:
            if ELSEWHERE.match(link):
                continue
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            target = (file.parent / path).resolve() if path else file
            where = f"{file.relative_to(root)}: '{link}'"
            if not target.exists():
                problems.append(f"{where}: there is no such file")
            elif anchor and target in pages and anchor not in pages[target][1]:
                problems.append(f"{where}: there is no such heading")
            elif anchor and target not in pages:
                problems.append(f"{where}: the target is no page with headings")
    return problems


def listPages(root):
    pages = sorted(root.glob("*.md"))
    for folder in ("docs", "models", "examples", "viewer", "tests"):
        pages += sorted(p for p in (root / folder).rglob("*.md") if "node_modules" not in p.parts)
    return pages


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path, help="the source tree")
    parser.add_argument("--html", type=pathlib.Path, help="folder of web pages to check instead")
    arguments = parser.parse_args()
    root = (arguments.html or arguments.root).resolve()
    pages = sorted(root.rglob("*.html")) if arguments.html else listPages(root)
    problems = findBrokenLinks(pages, root)
    for problem in problems:
        print(problem)
    if not pages:
        print(f"{root}: there are no pages")
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
