// What the registry says about types is what their items do, and nobody else compares names of types.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/units.hpp"
#include "language/model_reader.hpp"
#include "support/built_sample.hpp"
#include "support/places.hpp"
#include "system/switching.hpp"

namespace flexloop::test {
namespace {

using system::Item;
using system::TypeFacts;

// Calls `use` with every item of the samples of a section's types, its entry and what is made of the sample.
template <class Use>
void forEachItem(const std::string& section, Use use) {
  for (const system::TypeEntry& entry : fullRegistry().entries()) {
    if (entry.section != section) continue;
    for (const std::string& sample : entry.samples) {
      const BuiltSample built = buildSample(sample);
      for (const Item& item : language::readModelText(sample, sampleFile(), fullRegistry()).items) {
        if (item.section() == section && item.type() == entry.type) use(item, entry, built);
      }
    }
  }
}

TEST(Facts, SayWhichSensorsHaveExactRates) {
  forEachItem("sensors", [](const Item& item, const auto&, const BuiltSample& built) {
    const system::Measure& measure = *built.measures.at(item.name());
    EXPECT_EQ(item.fact(&TypeFacts::hasRate), measure.hasRate())
        << item.type() << ' ' << item.name();
  });
}

TEST(Facts, SayWhichBlocksAreFunctionsOfTime) {
  int count = 0;
  forEachItem("blocks", [&](const Item& item, const system::TypeEntry& entry, const auto&) {
    // The rate of a source is a signal that anybody may read; others have none.
    const auto hasInputs =
        std::any_of(entry.parameters.begin(), entry.parameters.end(), [&](const auto& parameter) {
          using system::Shape;
          const bool isSignal = parameter.shape == Shape::kSignal ||
                                parameter.shape == Shape::kSignals ||
                                parameter.shape == Shape::kNamedSignals ||
                                (parameter.shape == Shape::kByName &&
                                 parameter.fields.front().shape == Shape::kSignals);
          return isSignal && item.has(parameter.name);
        });
    EXPECT_EQ(item.fact(&TypeFacts::hasRate), !hasInputs) << item.type() << ' ' << item.name();
    count += hasInputs ? 0 : 1;
  });
  EXPECT_GT(count, 10);
}

TEST(Facts, HaveUnitsThatCanBeRead) {
  for (const char* section : {"sensors", "actuators"}) {
    forEachItem(section, [](const Item& item, const auto&, const auto&) {
      const std::string unit(item.fact(&TypeFacts::unit));
      EXPECT_TRUE(unit.empty() || base::parseUnit(unit).hasValue()) << item.type() << ' ' << unit;
    });
  }
}

// Of the six relative motions, each multiplier of a joint that is neither locked nor driven takes one; constraints that come and
// go, such as friction and latches, take none for good.
TEST(Facts, CountTheFreedomsOfJoints) {
  forEachItem("joints", [](const Item& item, const auto&, const BuiltSample& built) {
    const bool isHeld = item.boolean("locked", false) || item.has("drive");
    if (isHeld || item.has("rotation") || item.has("translation")) return;
    std::set<int> multipliers;
    bool isBetweenTwo = false;  // nodes; a gear connects joints, a guide a node with a beam
    for (const auto& set : built.system.sets()) {
      const bool comesAndGoes = dynamic_cast<const system::Switching*>(set.get()) != nullptr;
      for (int e = 0; e < set->size(); ++e) {
        if (set->name(e) != item.name() || set->nodes(e) != 2) continue;
        isBetweenTwo = true;
        if (comesAndGoes) continue;
        for (int k = 0; k < set->scalars(e); ++k) {
          const system::UnknownIndex u = set->scalar(e, k);
          if (built.system.kind(u) == system::Kind::kMultiplier) multipliers.insert(u.value);
        }
      }
    }
    if (!isBetweenTwo) return;
    EXPECT_EQ(item.facts().freedoms, 6 - static_cast<int>(multipliers.size())) << item.type();
    if (item.facts().hasRotation || item.facts().hasTranslation) {
      EXPECT_GT(item.facts().freedoms, 0) << item.type();
      EXPECT_TRUE(item.has("axis")) << item.type();
    }
  });
}

TEST(Facts, BelongToTheirSections) {
  for (const system::TypeEntry& entry : fullRegistry().entries()) {
    const TypeFacts& f = entry.facts;
    const std::string name = entry.section + "." + entry.type;
    const bool ofJoints = f.freedoms > 0 || f.hasRotation || f.hasTranslation;
    const bool ofBlocks =
        f.isBox || f.isController || f.passesJumps || f.passesIntegral || f.keepsAway;
    EXPECT_TRUE(!ofJoints || entry.section == "joints") << name;
    EXPECT_TRUE(!f.needsNoMaterial || entry.section == "sections") << name;
    EXPECT_TRUE(!ofBlocks || entry.section == "blocks") << name;
  }
}

std::string readText(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Comparisons of something called a type with the name of a registered one, and lists of names in which a type is looked up.
std::vector<std::string> findComparisons(const std::string& source,
                                         const std::set<std::string>& types) {
  std::vector<std::string> found;
  const auto search = [&](const char* pattern, int name) {
    const std::regex regex(pattern);
    for (std::sregex_iterator it(source.begin(), source.end(), regex), end; it != end; ++it) {
      if (name == 0 || types.contains((*it)[name])) found.push_back(it->str());
    }
  };
  search(R"((?:\b[Tt]ype|Type|measure)(?:\(\))?\s*[=!]==?\s*["']([a-z_0-9]+)["'])", 1);
  search(R"(["']([a-z_0-9]+)["']\s*[=!]==?\s*[\w.>\-]*(?:\btype|Type|measure)\b)", 1);
  search(
      R"((?:contains|count|has|includes)\((?:\w+,\s*)?[\w.>\-\[\]]*\b(?:type\(\)|\.type|\.measure)\))",
      0);
  return found;
}

TEST(Sources, CompareNoNamesOfTypes) {
  std::set<std::string> types;
  for (const system::TypeEntry& entry : fullRegistry().entries()) types.insert(entry.type);
  int files = 0;
  for (const char* folder : {"src", "app", "viewer/src"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(inProject(folder))) {
      const std::string ending = file.path().extension().string();
      if (ending != ".cpp" && ending != ".hpp" && ending != ".js") continue;
      ++files;
      for (const std::string& comparison : findComparisons(readText(file.path()), types)) {
        ADD_FAILURE() << file.path() << ": " << comparison
                      << "\nstate it where the type is registered (src/system/type_facts.hpp)";
      }
    }
  }
  EXPECT_GT(files, 500);
}

TEST(Sources, ThatCompareNamesOfTypesAreFound) {
  const std::set<std::string> types{"hinge", "sum"};
  for (const char* source :
       {R"(if (joint.type() == "hinge") f();)", R"(if ("hinge" != item->type()) f();)",
        R"(best.type == "hinge")",
        R"(bool f(std::string jointType) { return jointType == "hinge"; })",
        R"(box.type === 'sum')", R"(contains(kPassing, block->type()))",
        R"(types.contains(block.type()))", R"(kTurning.has(sensor.measure))"}) {
    EXPECT_EQ(findComparisons(source, types).size(), 1U) << source;
  }
  for (const char* source : {R"(shape.type == "mesh")", R"(item.name() == "hinge")",
                             R"(registry.find(item.section(), item.type()))"}) {
    EXPECT_TRUE(findComparisons(source, types).empty()) << source;
  }
}

}  // namespace
}  // namespace flexloop::test
