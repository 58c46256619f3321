"""The binary of an FMU needs the libraries of C alone, shows the functions of FMI alone, and runs where there is nothing else."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from host import export

MODEL = """flexloop: 1
nodes: {tip: {position: [1, 0, 0], free: [x]}}
bodies: {tip: {node: tip, mass: 1}}
sensors: {v: {measure: velocity, node: tip, direction: [1, 0, 0]}}
loads: {push: {node: tip, force: [1, 0, 0]}}
analysis: {time: {end: 1, step: 10 ms}}
"""
# The loader is a part of libc.
LIBC = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
HOST = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { void* logger; void* allocate; void* release; void* finished; void* environment; } Callbacks;
#define FIND(type, name, ...) type (*name)(__VA_ARGS__) = (type (*)(__VA_ARGS__))dlsym(library, #name); if (!name) return 3
int main(int count, char** words) {
  void* library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) { puts(dlerror()); return 2; }
  FIND(void*, fmi2Instantiate, const char*, int, const char*, const char*, const Callbacks*, int, int);
  FIND(int, fmi2SetupExperiment, void*, int, double, double, int, double);
  FIND(int, fmi2EnterInitializationMode, void*);
  FIND(int, fmi2ExitInitializationMode, void*);
  FIND(int, fmi2SetReal, void*, const unsigned*, size_t, const double*);
  FIND(int, fmi2GetReal, void*, const unsigned*, size_t, double*);
  FIND(int, fmi2DoStep, void*, double, double, int);
  FIND(void, fmi2FreeInstance, void*);
  Callbacks callbacks = {0};
  void* one = fmi2Instantiate("one", 1, words[2], words[3], &callbacks, 0, 0);
  if (one == NULL) return 4;
  unsigned input = 1, output = 2;
  double value = 3.0;
  int status = fmi2SetupExperiment(one, 0, 0, 0, 0, 0) | fmi2EnterInitializationMode(one) |
               fmi2SetReal(one, &input, 1, &value) | fmi2ExitInitializationMode(one);
  for (int k = 0; k < 10; ++k) status |= fmi2DoStep(one, 0.1 * k, 0.1, 0);
  status |= fmi2GetReal(one, &output, 1, &value);
  printf("%d %.12g\n", status, value);
  fmi2FreeInstance(one);
  /* Everything that the loader has brought here. */
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  while (fgets(line, sizeof line, maps)) if (strstr(line, ".so")) fputs(strchr(line, '/'), stdout);
  fclose(maps);
  dlclose(library);
  return 0;
}
"""


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.fmu = export(cls.place.name, MODEL, ["push"], ["v"])

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def read(self, *words):
        return subprocess.run(["readelf", "-W", *words, self.fmu.binary], capture_output=True, text=True,
                              check=True).stdout

    def test_it_needs_libc_and_libm(self):
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", self.read("-d")))
        self.assertLessEqual(needed, LIBC)
        self.assertNotIn("TEXTREL", self.read("-d"))

    def test_it_shows_the_functions_of_the_standards(self):
        names = set()
        for line in self.read("--dyn-syms").splitlines():
            words = line.split()
            if len(words) == 8 and words[4] in ("GLOBAL", "WEAK") and words[6] != "UND":
                names.add(words[7].split("@")[0])
        self.assertTrue(all(re.match("fmi[23][A-Z]", name) for name in names), names)
        listed = {"fmi2": 44, "fmi3": 75}
        for version, count in listed.items():
            self.assertEqual(sum(name.startswith(version) for name in names), count, version)

    def test_a_host_in_c_brings_nothing_else_along(self):
        folder = pathlib.Path(self.place.name)
        (folder / "host.c").write_text(HOST)
        subprocess.run(["cc", "-o", folder / "host", folder / "host.c", "-ldl"], check=True)
        done = subprocess.run([folder / "host", self.fmu.binary, self.fmu.token,
                               (self.fmu.path / "resources").as_uri()],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        status, velocity = lines[0].split()
        self.assertEqual(status, "0")
        # 1 N of the load itself and 3 N of the input, on 1 kg for a second
        self.assertAlmostEqual(float(velocity), 4.0, places=9)
        loaded = {pathlib.Path(line.strip()).name for line in lines[1:]}
        self.assertLessEqual(loaded, LIBC | {"libdl.so.2", self.fmu.binary.name})


if __name__ == "__main__":
    unittest.main()
