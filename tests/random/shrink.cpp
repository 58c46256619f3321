#include "random/shrink.hpp"

#include <algorithm>

namespace flexloop::random {
namespace {

bool mentions(const Item& item, const std::string& name) {
  const auto isName = [&](const Value& value) {
    const Text* text = std::get_if<Text>(&value.data);
    if (text != nullptr) return text->text == name;
    const List* list = std::get_if<List>(&value.data);
    return list != nullptr && std::any_of(list->begin(), list->end(), [&](const Value& entry) {
             const Text* word = std::get_if<Text>(&entry.data);
             return word != nullptr && (word->text == name || word->text == "-" + name);
           });
  };
  return std::any_of(item.entries.begin(), item.entries.end(),
                     [&](const Entry& entry) { return isName(entry.value); });
}

// With everything that measures it; what else needs it makes the model invalid, and then it stays.
Machine without(Machine machine, const std::string& name) {
  std::erase_if(machine.items, [&](const Item& item) { return item.name == name; });
  std::erase_if(machine.outputs, [&](const Output& output) {
    return output.name == name || output.measure.ends_with(" " + name) ||
           output.measure.find(" " + name + ",") != std::string::npos;
  });
  std::erase_if(machine.joints, [&](const JointFacts& joint) { return joint.name == name; });
  std::vector<std::string> gone{name};
  std::erase_if(machine.balanceItems, [&](const Item& item) {
    const bool isGone = mentions(item, name);
    if (isGone) gone.push_back(item.name);
    return isGone;
  });
  std::erase_if(machine.powers, [&](const Power& power) {
    return std::any_of(gone.begin(), gone.end(), [&](const std::string& signal) {
      return std::find(power.signals.begin(), power.signals.end(), signal) != power.signals.end();
    });
  });
  return machine;
}

bool fails(const Machine& machine, const Check& check) {
  try {
    Study study(machine);
    (void)study.build({});
    try {
      check.run(study);
    } catch (const Failure&) {
      return true;
    }
  } catch (const std::exception&) {  // no valid model
  }
  return false;
}

}  // namespace

Machine shrink(const Machine& machine, const Check& check) {
  Machine smallest = machine;
  for (bool isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (std::size_t i = smallest.items.size(); i > 0; --i) {
      if (i > smallest.items.size() || smallest.items[i - 1].section == "nodes") continue;
      Machine smaller = without(smallest, smallest.items[i - 1].name);
      if (!fails(smaller, check)) continue;
      smallest = std::move(smaller);
      isSmaller = true;
    }
  }
  return smallest;
}

}  // namespace flexloop::random
