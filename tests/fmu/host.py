"""A host for FMUs of both versions and kinds, by the standard alone: what other tools do."""
import ctypes as c
import math
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml
import zipfile
import os

PROGRAM = os.environ["FLEXLOOP_PROGRAM"]
OK, WARNING, DISCARD, ERROR = range(4)
Reference = c.c_uint32
Log2 = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p, c.c_char_p)
Log3 = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p)


def flexloop(*words, ok=True):
    """Runs the program; gives its text and its messages."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    if ok and done.returncode != 0:
        raise AssertionError(done.stderr)
    return done


class Callbacks(c.Structure):
    _fields_ = [("logger", Log2), ("allocate", c.c_void_p), ("free", c.c_void_p),
                ("finished", c.c_void_p), ("environment", c.c_void_p)]


class EventInfo(c.Structure):
    _fields_ = [("again", c.c_int), ("terminate", c.c_int), ("nominals", c.c_int),
                ("values", c.c_int), ("has_time", c.c_int), ("time", c.c_double)]


class Fmu:
    """An unpacked FMU: its description, and instances of it."""

    def __init__(self, file):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        with zipfile.ZipFile(file) as archive:
            archive.extractall(self.path)
        self.root = xml.parse(self.path / "modelDescription.xml").getroot()
        self.version = int(self.root.get("fmiVersion")[0])
        kinds = [self.root.find("CoSimulation"), self.root.find("ModelExchange")]
        self.interface = next(kind for kind in kinds if kind is not None)
        self.is_exchange = self.interface.tag == "ModelExchange"
        self.token = self.root.get("guid" if self.version == 2 else "instantiationToken")
        platform = "linux64" if self.version == 2 else "x86_64-linux"
        name = self.interface.get("modelIdentifier")
        self.binary = self.path / "binaries" / platform / (name + ".so")
        self.library = c.CDLL(str(self.binary), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        variables = self.root.find("ModelVariables")
        self.variables = {v.get("name"): v for v in variables}
        self.references = {n: int(v.get("valueReference")) for n, v in self.variables.items()}
        derivatives = [v for v in variables if (v if self.version == 3 else v[0]).get("derivative")]
        self.derivatives = [int(v.get("valueReference")) for v in derivatives]
        self.states = [self.state_of(v) for v in derivatives]
        if self.version == 2:
            self.indicators = int(self.root.get("numberOfEventIndicators"))
        else:
            self.indicators = len(self.root.findall("ModelStructure/EventIndicator"))

    def state_of(self, derivative):
        if self.version == 3:
            return int(derivative.get("derivative"))
        variables = list(self.root.find("ModelVariables"))
        return int(variables[int(derivative[0].get("derivative")) - 1].get("valueReference"))

    def names(self, causality):
        return [n for n, v in self.variables.items() if v.get("causality") == causality]

    def dependencies(self, output):
        """The names on which an output depends, by the ModelStructure."""
        names = list(self.variables)
        if self.version == 2:
            index = str(names.index(output) + 1)
            unknown = next(u for u in self.root.iterfind("ModelStructure/Outputs/Unknown")
                           if u.get("index") == index)
            return {names[int(k) - 1] for k in unknown.get("dependencies").split()}
        unknown = next(u for u in self.root.iterfind("ModelStructure/Output")
                       if int(u.get("valueReference")) == self.references[output])
        return {names[int(k)] for k in unknown.get("dependencies").split()}

    def motion_dependencies(self):
        """Of the derivatives with dependencies: their names, and those of what they depend on."""
        names, found = list(self.variables), {}
        shift, key = (1, "index") if self.version == 2 else (0, "valueReference")
        place = "ModelStructure/Derivatives/Unknown" if self.version == 2 else "ModelStructure/ContinuousStateDerivative"
        for unknown in self.root.iterfind(place):
            if unknown.get("dependencies") is not None:
                found[names[int(unknown.get(key)) - shift]] = {names[int(k) - shift] for k in
                                                               unknown.get("dependencies").split()}
        return found

    def instance(self, **options):
        return (Instance2 if self.version == 2 else Instance3)(self, **options)


class Instance:
    """What both versions have in common. Calls that fail raise Refused, unless their status is asked for."""
    def __init__(self, fmu):
        self.fmu, self.log, self.time = fmu, [], 0.0

    def call(self, name, *arguments):
        function = getattr(self.fmu.library, f"fmi{self.fmu.version}{name}")
        function.restype = c.c_int
        status = function(self.handle, *arguments)
        if status > WARNING:
            raise Refused(name, status, self.log)
        return status

    def free(self):
        function = getattr(self.fmu.library, f"fmi{self.fmu.version}FreeInstance")
        function.restype = None
        function(self.handle)
        self.handle = None

    def references(self, names):
        return (Reference * len(names))(*[self.fmu.references[n] for n in names])

    def get(self, *names):
        values = (c.c_double * len(names))()
        self.get_numbers(self.references(names), values)
        return values[0] if len(names) == 1 else list(values)

    def set(self, **values):
        self.assign(values)

    def assign(self, values):
        self.set_numbers(self.references(list(values)), (c.c_double * len(values))(*values.values()))

    def slopes(self, unknowns, knowns, seed):
        """By references."""
        result = (c.c_double * len(unknowns))()
        self.derive((Reference * len(unknowns))(*unknowns), (Reference * len(knowns))(*knowns),
                    (c.c_double * len(knowns))(*seed), result)
        return list(result)

    def numbers(self, name, count):
        values = (c.c_double * count)()
        self.call(name, values, c.c_size_t(count))
        return list(values)

    def set_states(self, states):
        self.call("SetContinuousStates", (c.c_double * len(states))(*states), c.c_size_t(len(states)))

    def set_time(self, time):
        self.time = time
        self.call("SetTime", c.c_double(time))

    def states(self):
        return self.numbers("GetContinuousStates", len(self.fmu.states))

    def save(self):
        state = c.c_void_p()
        self.call(self.SAVE[0], c.byref(state))
        return state

    def restore(self, state):
        self.call(self.SAVE[1], state)

    def forget(self, state):
        self.call(self.SAVE[2], c.byref(state))
        assert state.value is None

    def serialize(self, state):
        size = c.c_size_t()
        self.call(self.SAVE[3], state, c.byref(size))
        buffer = c.create_string_buffer(size.value)
        self.call(self.SAVE[4], state, buffer, size)
        return buffer.raw

    def deserialize(self, data):
        state = c.c_void_p()
        self.call(self.SAVE[5], c.create_string_buffer(data, len(data)), c.c_size_t(len(data)),
                  c.byref(state))
        return state

    def start(self, values=None):
        """All of the start, with these inputs and parameters."""
        self.initialize()
        if values:
            self.assign(values)
        self.call("ExitInitializationMode")
        return self

    def run(self, end, step, outputs, inputs=None):
        """Steps of co-simulation; rows of time and outputs. `inputs` gives them at a time."""
        rows = [[0.0, *self.listed(outputs)]]
        count = round(end / step)
        for k in range(count):
            if inputs:
                self.assign(inputs(k * step))
            self.step(k * step, step)
            rows.append([(k + 1) * step, *self.listed(outputs)])
        return rows

    def listed(self, names):
        values = self.get(*names)
        return [values] if len(names) == 1 else values


class Refused(Exception):
    def __init__(self, name, status, log):
        super().__init__(f"{name}: status {status}: {log[-1] if log else ''}")
        self.status = status
        self.message = log[-1] if log else ""


class Instance2(Instance):
    SAVE = ("GetFMUstate", "SetFMUstate", "FreeFMUstate", "SerializedFMUstateSize",
            "SerializeFMUstate", "DeSerializeFMUstate")

    def __init__(self, fmu, token=None, resources=None):
        super().__init__(fmu)
        self.callbacks = Callbacks(Log2(lambda e, i, s, k, f, m: self.log.append(m.decode())))
        make = fmu.library.fmi2Instantiate
        make.restype = c.c_void_p
        place = (resources or fmu.path / "resources").as_uri()
        self.handle = c.c_void_p(make(b"one", c.c_int(0 if fmu.is_exchange else 1),
                                      (token or fmu.token).encode(), place.encode(),
                                      c.byref(self.callbacks), c.c_int(0), c.c_int(1)))

    def initialize(self, start=0.0):
        self.call("SetupExperiment", c.c_int(0), c.c_double(0), c.c_double(start), c.c_int(0),
                  c.c_double(0))
        self.call("EnterInitializationMode")

    def get_numbers(self, references, values):
        self.call("GetReal", references, c.c_size_t(len(values)), values)

    def set_numbers(self, references, values):
        self.call("SetReal", references, c.c_size_t(len(values)), values)

    def derive(self, unknowns, knowns, seed, result):
        self.call("GetDirectionalDerivative", unknowns, c.c_size_t(len(unknowns)), knowns,
                  c.c_size_t(len(knowns)), seed, result)

    def step(self, time, length):
        self.call("DoStep", c.c_double(time), c.c_double(length), c.c_int(0))
        self.time = time + length

    def last_time(self):
        time = c.c_double()
        self.call("GetRealStatus", c.c_int(2), c.byref(time))
        return time.value

    def event(self):
        """Whether states have changed, and the time of the next event or infinity."""
        info = EventInfo()
        self.call("EnterEventMode")
        self.call("NewDiscreteStates", c.byref(info))
        self.call("EnterContinuousTimeMode")
        return bool(info.values), info.time if info.has_time else math.inf

    def complete(self):
        due, stop = c.c_int(), c.c_int()
        self.call("CompletedIntegratorStep", c.c_int(1), c.byref(due), c.byref(stop))
        return bool(due.value)

    def rates(self):
        return self.numbers("GetDerivatives", len(self.fmu.states))


class Instance3(Instance):
    SAVE = ("GetFMUState", "SetFMUState", "FreeFMUState", "SerializedFMUStateSize",
            "SerializeFMUState", "DeserializeFMUState")

    def __init__(self, fmu, token=None, resources=None):
        super().__init__(fmu)
        self.logger = Log3(lambda e, s, k, m: self.log.append(m.decode()))
        place = str(resources or fmu.path / "resources") + "/"
        head = (b"one", (token or fmu.token).encode(), place.encode(), c.c_bool(False), c.c_bool(True))
        if fmu.is_exchange:
            make, tail = fmu.library.fmi3InstantiateModelExchange, (None, self.logger)
        else:
            make = fmu.library.fmi3InstantiateCoSimulation
            tail = (c.c_bool(False), c.c_bool(False), None, c.c_size_t(0), None, self.logger, None)
        make.restype = c.c_void_p
        self.handle = c.c_void_p(make(*head, *tail))

    def initialize(self, start=0.0):
        self.call("EnterInitializationMode", c.c_bool(False), c.c_double(0), c.c_double(start),
                  c.c_bool(False), c.c_double(0))

    def get_numbers(self, references, values):
        count = c.c_size_t(len(values))
        self.call("GetFloat64", references, count, values, count)

    def set_numbers(self, references, values):
        count = c.c_size_t(len(values))
        self.call("SetFloat64", references, count, values, count)

    def derive(self, unknowns, knowns, seed, result):
        self.call("GetDirectionalDerivative", unknowns, c.c_size_t(len(unknowns)), knowns,
                  c.c_size_t(len(knowns)), seed, c.c_size_t(len(knowns)), result,
                  c.c_size_t(len(unknowns)))

    def step(self, time, length):
        event, stop, early, self.last = c.c_bool(), c.c_bool(), c.c_bool(), c.c_double()
        self.call("DoStep", c.c_double(time), c.c_double(length), c.c_bool(False), c.byref(event),
                  c.byref(stop), c.byref(early), c.byref(self.last))
        self.time = time + length

    def last_time(self):
        return self.last.value

    def event(self):
        flags = [c.c_bool() for _ in range(5)]
        time = c.c_double()
        self.call("EnterEventMode")
        self.call("UpdateDiscreteStates", *map(c.byref, flags), c.byref(time))
        self.call("EnterContinuousTimeMode")
        return flags[3].value, time.value if flags[4].value else math.inf

    def complete(self):
        due, stop = c.c_bool(), c.c_bool()
        self.call("CompletedIntegratorStep", c.c_bool(True), c.byref(due), c.byref(stop))
        return due.value

    def rates(self):
        return self.numbers("GetContinuousStateDerivatives", len(self.fmu.states))


def export(folder, model, inputs, outputs, version=2, kind="cs", more=()):
    """The FMU of a model, which is a path or a text."""
    file = pathlib.Path(folder) / f"made{version}{kind}{len(os.listdir(folder))}.fmu"
    if not isinstance(model, pathlib.Path):
        path = pathlib.Path(folder) / "plant.yaml"
        path.write_text(model)
        model = path
    words = ["fmu", model, "--version", version, "--kind", kind, "-o", file, "--to", *outputs, *more]
    if inputs:
        words += ["--from", *inputs]
    flexloop(*words)
    return Fmu(file)


def records(folder, model, *words):
    """Columns of a run by name."""
    if not isinstance(model, pathlib.Path):
        path = pathlib.Path(folder) / "run.yaml"
        path.write_text(model)
        model = path
    table = pathlib.Path(folder) / "run.csv"
    flexloop("run", model, "--quiet", "--out", pathlib.Path(folder) / "out", "--csv", table, *words)
    lines = table.read_text().splitlines()
    names = [re.sub(r" *\[.*\]$", "", name.strip().strip('"')) for name in lines[0].split(",")]
    rows = [[float(x) for x in line.split(",")] for line in lines[1:]]
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}
