"""Writes mutants into C++ sources: statements in which one sign is turned round or one term is dropped.

Works on statements that end in a semicolon, without knowing C++: what it gets wrong does not compile, and is taken out again.
"""

import re
from dataclasses import dataclass

IS = "flexloop::mutants::is"
NUMERIC = re.compile(r"^(const )?([\w:]*(?:double|\bS\b|\bP\b|Vec\w*|Mat\w*|Frame|Vector\w*|Matrix\w*|Pack|Twist|Dual)\b(?:<[^=]*>)?) (\w+) = (.+)$")
COMPOUND = re.compile(r"^([\w.\[\]()>:<,\- +]+?) (\+=|-=) (.+)$")
ASSIGNMENT = re.compile(r"^([\w.\[\]()>:<,\-]+(?: [+\-*] [\w.\[\]()>:<,\-]+)*) = (.+)$")
CALL = re.compile(r"^[\w.:<>\->]+\(.*\)$")
SKIPPED = re.compile(r'^(using|static|template|friend|case|default|public|private|namespace|struct|class|enum|typedef|break|continue|throw|delete|goto|extern|inline|virtual|explicit|operator|#)\b')
NEVER = re.compile(r'"|\'|constexpr|#|\boperator\b|= default|= delete|\bauto\b|\[&|\[=|\[this|\bstd::ptrdiff_t\b|size_t')


@dataclass
class Mutant:
    number: int
    file: str
    line: int
    before: str
    after: str
    left_out: bool = False


def blank(text):
    """The text without comments, each character in its place."""
    def cover(match):
        return re.sub(r"[^\n]", " ", match.group(0)) if match.group(0).startswith("/") else match.group(0)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', cover, text, flags=re.S)


def statements(text):
    """Begin and end of what stands between braces and semicolons, at depth 0 of parentheses."""
    begin, depth = 0, 0
    for i, c in enumerate(text):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c in "{}":
            begin = i + 1
        elif c == ";" and depth == 0:
            yield begin, i
            begin = i + 1


def strip_headers(statement):
    """Length of `for (…)`, `if (…)`, `else` and the like in front of a statement."""
    at = 0
    while True:
        rest = statement[at:]
        space = len(rest) - len(rest.lstrip())
        match = re.match(r"(for|if constexpr|if|while|switch) ?\(", rest.lstrip())
        if re.match(r"else\b", rest.lstrip()):
            at += space + 4
        elif match:
            depth, i = 0, at + space + match.end() - 1
            while i < len(statement):
                depth += {"(": 1, ")": -1}.get(statement[i], 0)
                i += 1
                if depth == 0:
                    break
            at = i
        else:
            return at + space


def sites(expression):
    """Places of binary signs outside of brackets, where what follows is no whole number."""
    depth = 0
    for i, c in enumerate(expression):
        depth += {"[": 1, "]": -1}.get(c, 0)
        if depth == 0 and c in "+-" and expression[i - 1:i] == " " and expression[i + 1:i + 2] == " ":
            pointer = expression[:i].endswith((".data() ", ".begin() ", ".end() "))
            if not pointer and not re.match(r"\d+(?![\d.])", expression[i + 2:]):
                yield i


def variants(expression):
    for i in sites(expression):
        yield expression[:i] + ("-" if expression[i] == "+" else "+") + expression[i + 1:]
        yield expression[:i + 2] + "0.0 * " + expression[i + 2:]
    if expression.startswith("-") and not list(sites(expression)):
        yield expression[1:]


def split(text):
    """At commas outside of all brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def mutate_declaration(const, kind, name, expression):
    """Of one variable or several, `double a = x, b = y`."""
    declared = []
    for part in split(f"{name} = {expression}"):
        left, equals, right = part.strip().partition(" = ")
        if not equals or not left.isidentifier():
            return None
        declared.append((left, right, list(variants(right))))
    descriptions = [f"{kind} {left} = {v}" for left, _, found in declared for v in found]

    def make(numbers):
        text, numbers = "", iter(numbers)
        for left, right, found in declared:
            value = f"{kind}({right})"
            for number, other in [(next(numbers), v) for v in found]:
                if number:
                    value = f"{IS}({number}) ? {kind}({other}) : {value}"
            text += f"{const or ''}{kind} {left} = {value}; "
        return text
    return descriptions, make


def mutate_statement(s):
    """Pairs of what is reported and a function that makes the statement from conditions, or None."""
    declaration = NUMERIC.match(s)
    if declaration:
        return mutate_declaration(*declaration.groups())
    compound = COMPOUND.match(s)
    found = []
    if compound:
        left, sign, expression = compound.groups()
        found = [f"{left} {'-=' if sign == '+=' else '+='} {expression}", "(void)0"]
        found += [f"{left} {sign} {v}" for v in variants(expression)]
    elif s.startswith("return "):
        found = ["return " + v for v in variants(s[7:])]
    elif ASSIGNMENT.match(s):
        left, expression = ASSIGNMENT.match(s).groups()
        found = [f"{left} = {v}" for v in variants(expression)]
    elif CALL.match(s):
        found = list(variants(s))
    if not found:
        return None

    def make(numbers):
        chosen = [f"if ({IS}({number})) {{ {v}; }} else " for number, v in zip(numbers, found) if number]
        return "{ " + "".join(chosen) + f"{{ {s}; }}" + " }"
    return found, make


def mutate(file, text, first, dropped):
    """The text with mutants numbered from `first`, and their list. Lines in `dropped` are left as they are."""
    plain, out, last, mutants = blank(text), [], 0, []
    for begin, end in statements(plain):
        whole = plain[begin:end]
        begin += strip_headers(whole)
        raw = plain[begin:end]
        s = re.sub(r"\s+", " ", raw.strip())
        line = plain.count("\n", 0, begin) + 1
        if not s or SKIPPED.match(s) or NEVER.search(s) or text[begin:end].count("//"):
            continue
        found = mutate_statement(s)
        if not found:
            continue
        descriptions, make = found
        numbers = []
        for description in descriptions:
            # What is left out keeps its number, so that no other file changes.
            number = first + len(mutants)
            left_out = (file, line, description) in dropped
            numbers.append(0 if left_out else number)
            mutants.append(Mutant(number, file, line, s, description, left_out))
        if not any(numbers):
            continue
        # The same lines as before, so that messages of the compiler lead back.
        out.append(text[last:begin] + make(numbers) + "\n" * raw.count("\n"))
        last = end + 1
    out.append(text[last:])
    return "".join(out), mutants
