"""pip install --no-build-isolation . : CMake builds the compiled part, in build/ as `make` does."""
import pathlib
import re
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class Build(build):
    def initialize_options(self):
        super().initialize_options()
        self.build_base = "build/pip"  # build/ itself belongs to CMake


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        if not (ROOT / "build/build.ninja").exists():
            subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
        targets = ["flexloop_python", "flexloop_fmu_runtime"]
        subprocess.run(["cmake", "--build", "build", "--target", *targets], cwd=ROOT, check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(next((ROOT / "build/python/flexloop").glob("_flexloop.*.so")), target)
        shutil.copy2(ROOT / "build/flexloop_fmu.so", target.parent)  # what every FMU of ours has as its binary


(ROOT / "build/pip").mkdir(parents=True, exist_ok=True)
version = re.search(r"project\(flexloop VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
setup(version=version, ext_modules=[Extension("flexloop._flexloop", [])],
      options={"egg_info": {"egg_base": "build/pip"}},
      cmdclass={"build": Build, "build_ext": BuildWithCMake})
