"""What the tests of the Python module share."""
import json
import os
import pathlib
import subprocess
import unittest
import warnings

import flexloop as fl

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
PROGRAM = os.environ.get("FLEXLOOP_PROGRAM", str(ROOT / "build/flexloop"))


def model(name):
    return str(MODELS / name / "model.yaml")


def call(*words):
    """What the program prints, its messages and its exit code."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    return done.stdout, done.stderr, done.returncode


def ask(*words):
    text, messages, code = call(*words, "--json", "-")
    if code != 0:
        raise AssertionError(messages)
    return json.loads(text)


class Case(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", fl.ModelWarning)
