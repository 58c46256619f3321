// Every type of the registry, on its own samples: what it must satisfy whatever it is.
#include <algorithm>

#include <gtest/gtest.h>

#include "conformance/check_tools.hpp"
#include "conformance/element_checks.hpp"
#include "language/model_reader.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"
#include "system/gathering.hpp"

namespace flexloop::test {
namespace {

constexpr int kStates = 3;

struct Case {
  std::string name, text;
};

std::vector<Case> allSamples() {
  std::vector<Case> cases;
  for (const system::TypeEntry& entry : fullRegistry().entries()) {
    for (std::size_t i = 0; i < entry.samples.size(); ++i) {
      std::string name = entry.section + (entry.type.empty() ? "" : "_" + entry.type);
      if (entry.samples.size() > 1) name += "_" + std::to_string(i + 1);
      cases.push_back({name, entry.samples[i]});
    }
  }
  return cases;
}

// Damping by mass resists velocities in ground, those of rigid motions too.
bool actsFromGround(const system::ElementSet& set) {
  return set.type().starts_with("mass damping");
}

// Loads have a resultant by their nature, and in ground axes they do not turn with the machine. What a
// sensor measures may be a position, a velocity or a component in ground axes.
bool isObjective(const system::ElementSet& set) {
  return set.type() != "load" && set.type() != "sensor" && !actsFromGround(set);
}
bool isBalanced(const system::ElementSet& set) {
  return set.type() != "load" && set.type() != "follower load" && !actsFromGround(set);
}

system::Environment makeEnvironment(const system::System& system) {
  system::Environment environment;
  environment.gravity = 0.6 * system.gravity();
  environment.loadFactor = 0.6;
  environment.constraintScale = 1.7;
  environment.constraintPenalty = 20.0;
  return environment;
}

class Sample : public testing::TestWithParam<Case> {
 protected:
  // Runs a check on all sets of the sample in several random states.
  template <class Check>
  void checkSets(Check check) {
    const BuiltSample built = buildSample(GetParam().text);
    const system::Environment environment = makeEnvironment(built.system);
    for (std::uint32_t seed = 1; seed <= kStates; ++seed) {
      const MotionSample sample = makeRandomMotion(built.system, seed);
      for (const auto& set : built.system.sets()) {
        const CheckReport report = check(built.system, *set, sample, environment);
        EXPECT_TRUE(report.ok()) << report.text();
      }
      for (const system::Gathering* gathering : system::findGatherings(built.system)) {
        for (const auto& set : gathering->gather(sample.records)) {
          const CheckReport report = check(built.system, *set, sample, environment);
          EXPECT_TRUE(report.ok()) << report.text();
        }
      }
    }
  }
};

TEST_P(Sample, IsBuiltAsAModel) {
  const auto description = language::readModelText(GetParam().text, sampleFile(), fullRegistry());
  const model::Model model = model::buildModel(description, fullRegistry());
  EXPECT_GT(model.system().unknowns(), 0);
}

TEST_P(Sample, HasExactTangents) {
  checkSets([](const auto&, const auto& set, const auto& sample, const auto& environment) {
    system::Environment plain = environment;
    plain.constraintPenalty = 0.0;
    CheckReport report = checkTangents(set, sample, environment);
    report.add(checkTangents(set, sample, plain));
    return report;
  });
}

TEST_P(Sample, GivesTheSameFourAtOnce) {
  checkSets(checkSum);
}

TEST_P(Sample, IsObjective) {
  checkSets([](const auto&, const auto& set, const auto& sample, const auto& environment) {
    return isObjective(set) ? checkObjectivity(set, sample, environment) : CheckReport{};
  });
}

TEST_P(Sample, IsBalanced) {
  checkSets([](const auto&, const auto& set, const auto& sample, const auto& environment) {
    return isBalanced(set) ? checkBalance(set, sample, environment) : CheckReport{};
  });
}

TEST_P(Sample, KeepsItsEnergy) {
  checkSets([](const auto&, const auto& set, const auto& sample, const auto& environment) {
    return checkEnergy(set, sample, environment);
  });
}

TEST_P(Sample, HasConstraintForcesAlongTheGradient) {
  checkSets([](const auto& system, const auto& set, const auto& sample, const auto&) {
    return checkVirtualWork(system, set, sample);
  });
}

TEST_P(Sample, HasExactTimeDerivatives) {
  checkSets(checkTimeDerivatives);
}

TEST_P(Sample, NeitherAllocatesNorChangesAnything) {
  checkSets(checkPurity);
}

// Where a measure has a rate, it is the derivative of its value along the motion.
TEST_P(Sample, HasExactRatesOfMeasures) {
  const BuiltSample built = buildSample(GetParam().text);
  for (std::uint32_t seed = 1; seed <= kStates; ++seed) {
    const MotionSample sample = makeRandomMotion(built.system, seed);
    for (const auto& [name, measure] : built.measures) {
      const int n = static_cast<int>(measure->components().size());
      const auto value = [&, &content = *measure](double h) {
        Eigen::VectorXd result(n);
        content.calcValue(advanced(sample, h).motion(), result.data());
        return result;
      };
      EXPECT_TRUE(value(0.0).allFinite()) << name;
      if (!measure->hasRate()) continue;
      const auto slope = [&](double h) -> Eigen::VectorXd {
        return (value(h) - value(-h)) / (2.0 * h);
      };
      const Eigen::VectorXd expected = extrapolated(slope(kStep), slope(0.5 * kStep));
      Eigen::VectorXd rate(n);
      measure->calcRate(sample.motion(), rate.data());
      for (int i = 0; i < n; ++i) {
        const double scale = std::max(1.0, sizeOf(expected));
        EXPECT_NEAR(rate[i], expected[i], 10.0 * kDifferences * scale) << name << " " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Sample, testing::ValuesIn(allSamples()),
                         [](const auto& sample) { return sample.param.name; });

TEST(Registry, HasSamplesAndDocumentationForEveryType) {
  for (const system::TypeEntry& entry : fullRegistry().entries()) {
    const std::string name = entry.section + " " + entry.type;
    EXPECT_FALSE(entry.samples.empty()) << name;
    EXPECT_FALSE(entry.doc.empty()) << name;
    for (const system::Parameter& parameter : entry.parameters) {
      EXPECT_FALSE(parameter.doc.empty()) << name << ": " << parameter.name;
    }
  }
}

// Every type appears in one of its own samples.
TEST(Registry, UsesEachTypeInItsSamples) {
  for (const system::TypeEntry& entry : fullRegistry().entries()) {
    for (const std::string& text : entry.samples) {
      const auto description = language::readModelText(text, "sample", fullRegistry());
      const bool used = std::any_of(
          description.items.begin(), description.items.end(), [&](const system::Item& item) {
            return item.section() == entry.section && item.type() == entry.type;
          });
      EXPECT_TRUE(used) << entry.section << " " << entry.type;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
