#include "random/text_writer.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "random/dice.hpp"

namespace flexloop::random {
namespace {

std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// Properties that may be a little off without making the model another one: a machine with redundant joints would
// contradict itself if its geometry were.
bool isProperty(const std::string& key) {
  static const std::set<std::string> kProperties{"mass",
                                                 "stiffness",
                                                 "damping",
                                                 "EA",
                                                 "GAy",
                                                 "GAz",
                                                 "GJ",
                                                 "EIy",
                                                 "EIz",
                                                 "rhoA",
                                                 "kp",
                                                 "ki",
                                                 "kd",
                                                 "gain",
                                                 "amplitude",
                                                 "force",
                                                 "torque",
                                                 "velocity",
                                                 "angular_velocity"};
  return kProperties.contains(key);
}

class Writer {
 public:
  Writer(const Machine& machine, const Writing& writing)
      : machine_(machine), writing_(writing), noise_(machine.seed + 77), order_(writing.order) {}

  std::string write() {
    std::vector<std::pair<std::string, std::string>> sections;
    if (machine_.gravity.norm() > 0.0) {
      sections.emplace_back(
          "gravity", "gravity: " + text("force", ground(machine_.gravity, kAcceleration)) + "\n");
    }
    const std::string& formulation =
        writing_.formulation.empty() ? machine_.formulation : writing_.formulation;
    if (!formulation.empty())
      sections.emplace_back("formulation", "formulation: " + formulation + "\n");
    addItems(sections);
    sections.emplace_back("outputs", outputsText());
    sections.emplace_back("analysis", analysisText());
    if (writing_.order != 0) order_.shuffle(sections);
    std::string all;
    for (const auto& [name, body] : sections) all += body;
    return all + writing_.more;
  }

 private:
  std::vector<Item> allItems() const {
    std::vector<Item> items = machine_.items;
    if (writing_.hasIdleParts) addIdleParts(items);
    if (!writing_.cuts.empty()) items.push_back(makeCuts());
    if (writing_.hasBalance) addBalance(items);
    return items;
  }

  void addItems(std::vector<std::pair<std::string, std::string>>& sections) {
    std::vector<Item> items = allItems();
    if (writing_.order != 0) order_.shuffle(items);
    std::vector<std::string> names;
    std::map<std::string, std::string> bodies;
    for (Item& item : items) {
      if (bodies[item.section].empty()) names.push_back(item.section);
      if (writing_.order != 0) order_.shuffle(item.entries);
      bodies[item.section] += "  " + item.name + ": " + text(item) + "\n";
    }
    for (const std::string& name : names) sections.emplace_back(name, name + ":\n" + bodies[name]);
  }

  std::string text(const Item& item) {
    if (writing_.isQuiet && item.atStart) {
      return "{type: constant, value: " + text("value", *item.atStart) + "}";
    }
    std::string all;
    for (const Entry& entry : item.entries) {
      if (writing_.hasBalance && entry.when == When::kNotInEnergyBalance) continue;
      all += (all.empty() ? "" : ", ") + entry.key + ": " + text(entry.key, entry.value);
    }
    return "{" + all + "}";
  }

  std::string text(const std::string& key, const Value& value) {
    return std::visit([&](const auto& data) { return text(key, data); }, value.data);
  }

  std::string text(const std::string& key, const Number& number) {
    double value = number.value * writing_.units.factor(number.dimension);
    if (writing_.noise > 0.0 && isProperty(key)) value *= 1.0 + writing_.noise * noise_.sign();
    return numberText(value);
  }
  std::string text(const std::string& key, const Vector& vector) {
    Vector3d v = vector.turns ? Vector3d(writing_.turn * vector.value) : vector.value;
    v *= writing_.units.factor(vector.dimension);
    if (writing_.noise > 0.0 && isProperty(key)) v *= 1.0 + writing_.noise * noise_.sign();
    return "[" + numberText(v.x()) + ", " + numberText(v.y()) + ", " + numberText(v.z()) + "]";
  }
  std::string text(const std::string&, const Text& data) { return data.text; }
  std::string text(const std::string&, const Rotation& rotation) {
    const Eigen::AngleAxisd turn(writing_.turn * rotation.R);
    return "{axis: " + text("", body(turn.axis())) + ", angle: " + numberText(turn.angle()) + "}";
  }
  // A held freedom belongs to a ground axis; a quarter turn takes it to another one.
  std::string text(const std::string&, const Freedoms& freedoms) {
    static const char* const kNames[] = {"x", "y", "z", "rx", "ry", "rz"};
    std::string all;
    for (int half = 0; half < 2; ++half) {
      for (int axis = 0; axis < 3; ++axis) {
        if (!freedoms.free[3 * half + axis]) continue;
        Eigen::Index turned = 0;
        writing_.turn.col(axis).cwiseAbs().maxCoeff(&turned);
        all += (all.empty() ? "" : ", ") + std::string(kNames[3 * half + turned]);
      }
    }
    return "[" + all + "]";
  }
  std::string text(const std::string& key, const List& list) {
    std::string all;
    for (const Value& value : list) all += (all.empty() ? "" : ", ") + text(key, value);
    return "[" + all + "]";
  }
  std::string text(const std::string&, const Map& map) {
    std::string all;
    for (const auto& [key, value] : map) {
      all += (all.empty() ? "" : ", ") + key + ": " + text(key, value);
    }
    return "{" + all + "}";
  }

  std::string outputsText() const {
    std::string all = "outputs:\n";
    for (const Output& output : machine_.outputs) {
      all += "  - " +
             (output.measure.empty() ? output.name
                                     : "{name: " + output.name + ", " + output.measure + "}") +
             "\n";
    }
    if (writing_.hasBalance) {
      all += "  - {name: energy, measure: energy, component: total}\n  - work\n";
    }
    return all;
  }

  double step() const { return machine_.end / machine_.steps / (1 << writing_.refinement); }

  std::string analysisText() {
    const std::string& constraints =
        writing_.constraints.empty() ? machine_.constraints : writing_.constraints;
    return "analysis:\n  time: {end: " + text("", Number{machine_.end, kTime}) +
           ", step: " + text("", Number{step(), kTime}) +
           ", rho: " + numberText(writing_.rho.value_or(machine_.rho)) +
           (constraints.empty() ? "" : ", constraints: " + constraints) +
           ", newton: {tolerance: 1e-10}, record: {every: " +
           std::to_string(1 << writing_.refinement) + "}}\n";
  }

  // Every interval of the grid is cut as the interval of the coarsest grid that it lies in: meshes of different fineness are
  // similar everywhere, so that errors fall as the order says.
  Item makeCuts() const {
    List times, values;
    const int fine = 1 << writing_.refinement;
    for (int i = 0; i < machine_.steps * fine; ++i) {
      const double cut = writing_.cuts[i / fine];
      if (cut <= 0.0 || cut >= 1.0) continue;
      times.emplace_back(Number{(i + cut) * step(), kTime});
      values.emplace_back(Number{static_cast<double>(i % 3)});
    }
    Item item{"blocks", "cuts", {}, {}};
    item.with("type", "table").with("time", times).with("value", values);
    return item;
  }

  void addIdleParts(std::vector<Item>& items) const {
    Dice dice(machine_.seed + 991);
    const double end = machine_.end;
    const auto time = [&](double from, double to) {
      return Number{dice.uniform(from, to) * end, kTime};
    };
    items.push_back(Item{"blocks", "idle_wave", {}, {}}
                        .with("type", "sine")
                        .with("omega", Number{dice.uniform(30, 60) / end, kRate}));
    items.push_back(Item{"blocks", "idle_clock", {}, {}}
                        .with("type", "hold")
                        .with("input", "idle_wave")
                        .with("sample", time(0.03, 0.06))
                        .with("offset", time(0.001, 0.02)));
    items.push_back(Item{"blocks", "idle_pulse", {}, {}}
                        .with("type", "pulse")
                        .with("period", time(0.06, 0.09))
                        .with("duty", 0.02)
                        .with("start", time(0.001, 0.05)));
    items.push_back(Item{"blocks", "idle_relay", {}, {}}
                        .with("type", "relay")
                        .with("input", "idle_wave")
                        .with("on_above", dice.uniform(0.3, 0.6))
                        .with("off_below", -0.2));
    items.push_back(Item{"blocks", "idle_noise", {}, {}}
                        .with("type", "noise")
                        .with("period", time(0.07, 0.2))
                        .with("shape", "hold"));
  }

  // The integral of all power that goes in.
  void addBalance(std::vector<Item>& items) const {
    items.insert(items.end(), machine_.balanceItems.begin(), machine_.balanceItems.end());
    Map inputs;
    std::string sum = "0";
    for (const Power& power : machine_.powers) {
      std::string formula = power.formula;
      const auto replace = [&formula](const std::string& mark, const std::string& by) {
        for (std::size_t at = formula.find(mark); at != std::string::npos;
             at = formula.find(mark)) {
          formula.replace(at, mark.size(), by);
        }
      };
      for (std::size_t i = 0; i < power.signals.size(); ++i) {
        const std::string name = "u" + std::to_string(inputs.size());
        inputs.emplace_back(name, power.signals[i]);
        replace("#" + std::to_string(i + 1), name);
      }
      for (std::size_t i = 0; i < power.factors.size(); ++i) {
        replace(
            "@" + std::to_string(i + 1),
            "(" + numberText(power.factors[i] * writing_.units.factor(power.dimensions[i])) + ")");
      }
      sum += " + " + formula;
    }
    Item power{"blocks", "power", {}, {}};
    power.with("type", "expression").with("value", "\"= " + sum + "\"");
    if (!inputs.empty()) power.with("inputs", inputs);
    items.push_back(power);
    items.push_back(
        Item{"blocks", "work", {}, {}}.with("type", "integrator").with("input", "power"));
  }

  const Machine& machine_;
  const Writing& writing_;
  Dice noise_, order_;
};

}  // namespace

std::string writeModel(const Machine& machine, const Writing& writing) {
  return Writer(machine, writing).write();
}

std::vector<std::string> columnsOf(const Machine& machine) {
  std::vector<std::string> names;
  for (const Output& output : machine.outputs) {
    if (!output.isVector) {
      names.push_back(output.name);
      continue;
    }
    for (const char* component : {".x", ".y", ".z"}) names.push_back(output.name + component);
  }
  return names;
}

}  // namespace flexloop::random
