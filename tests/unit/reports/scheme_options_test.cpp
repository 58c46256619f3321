// What the command `scheme` takes, and what it says about what it does not take.
#include "reports/scheme_options.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/diagnostics.hpp"

namespace flexloop::reports {
namespace {

using Options = std::vector<language::OptionText>;

std::string complaintAbout(const Options& options) {
  try {
    readSchemeRequest(options);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SchemeOptions, DefaultsAreThoseOfASimulation) {
  const SchemeRequest request = readSchemeRequest({});
  EXPECT_EQ(request.rho, 0.8);
  EXPECT_EQ(request.motionName, "ch");
  EXPECT_EQ(request.stateName, "jwh");
  EXPECT_NEAR(request.scheme.motion.alphaM, 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(request.scheme.state.deltaM, 7.0 / 18.0, 1e-15);
  EXPECT_EQ(request.range.from, 1e-2);
  EXPECT_EQ(request.range.to, 1e4);
  EXPECT_EQ(request.system.zeta, 0.0);
  const analysis::TestSystem system;
  EXPECT_EQ(request.system.bandwidth, system.bandwidth);
  EXPECT_EQ(request.system.velocityGain, system.velocityGain);
  EXPECT_EQ(request.range.count, analysis::FrequencyRange().count);
}

TEST(SchemeOptions, NamesFollowFromRho) {
  const SchemeRequest hht = readSchemeRequest({{"motion", "hht"}, {"rho", "0.6"}, {"state", "ch"}});
  EXPECT_NEAR(hht.scheme.motion.alphaF, 0.25, 1e-15);
  EXPECT_EQ(hht.scheme.motion.alphaM, 0.0);
  EXPECT_NEAR(hht.scheme.state.theta, 0.5 + 0.6 / 1.6 - 0.2 / 1.6, 1e-15);
  const SchemeRequest newmark = readSchemeRequest({{"motion", "newmark"}, {"rho", "1"}});
  EXPECT_EQ(newmark.scheme.motion.beta, 0.25);
  EXPECT_EQ(newmark.scheme.motion.gamma, 0.5);
}

TEST(SchemeOptions, NumbersReplaceWhatFollowsFromTheName) {
  const SchemeRequest request =
      readSchemeRequest({{"alpha-m", "-0.2"}, {"gamma", "= 2/3"}, {"delta-f", "0.1"}});
  EXPECT_EQ(request.motionName, kGivenScheme);
  EXPECT_EQ(request.stateName, kGivenScheme);
  EXPECT_EQ(request.scheme.motion.alphaM, -0.2);
  EXPECT_NEAR(request.scheme.motion.alphaF, 4.0 / 9.0, 1e-15);
  EXPECT_NEAR(request.scheme.motion.gamma, 2.0 / 3.0, 1e-15);
  EXPECT_EQ(request.scheme.state.deltaF, 0.1);
}

TEST(SchemeOptions, TheSchemeOfAModel) {
  const SchemeRequest names = readSchemeRequest({{"scheme", "{motion: hht, state: ch}"}});
  EXPECT_EQ(names.motionName, "hht");
  EXPECT_EQ(names.stateName, "ch");
  const SchemeRequest numbers = readSchemeRequest(
      {{"scheme", "{motion: {alpha_m: 0, alpha_f: 0.1, beta: 0.3025, gamma: 0.6}}"}});
  EXPECT_EQ(numbers.motionName, kGivenScheme);
  EXPECT_EQ(numbers.stateName, "jwh");
  EXPECT_EQ(numbers.scheme.motion.gamma, 0.6);
  const SchemeRequest states =
      readSchemeRequest({{"state", "{delta_m: 0, delta_f: 0.1, theta: 0.6}"}});
  EXPECT_EQ(states.scheme.state.theta, 0.6);
}

TEST(SchemeOptions, MistakesAreNamedWithARemedy) {
  struct Mistake {
    Options options;
    std::vector<const char*> expected;
  };
  const std::vector<Mistake> mistakes{
      {{{"rho", "1.5"}}, {"--rho 1.5: error:", "at most 1", "1 for no numerical damping"}},
      {{{"rho", "-0.1"}}, {"--rho -0.1: error:", "not be negative"}},
      {{{"rho", "much"}}, {"--rho much: error:", "not a number"}},
      {{{"rho", ""}}, {"--rho", "rho"}},
      {{{"motion", "hth"}}, {"--motion hth: error:", "'hth'", "did you mean 'hht'?"}},
      {{{"state", "hht"}}, {"--state hht: error:", "jwh", "ch"}},
      {{{"motion", "hht"}, {"rho", "0.4"}}, {"--motion hht: error:", "between 0.5 and 1", "ch"}},
      {{{"alpha-m", "1"}}, {"--alpha-m 1: error: alpha_m", "below 1"}},
      {{{"alpha-f", "1.2"}}, {"--alpha-f 1.2: error: alpha_f", "below 1"}},
      {{{"delta-m", "2"}}, {"--delta-m 2: error: delta_m", "below 1"}},
      {{{"delta-f", "1"}}, {"--delta-f 1: error: delta_f", "below 1"}},
      {{{"beta", "0"}}, {"--beta 0: error: beta", "positive"}},
      {{{"gamma", "-1"}}, {"--gamma -1: error: gamma", "positive"}},
      {{{"theta", "0"}}, {"--theta 0: error: theta", "positive"}},
      {{{"from", "10"}, {"to", "10"}}, {"--from 10: error: from", "less than 'to'"}},
      {{{"to", "1e-3"}}, {"--to 1e-3: error:", "less than 'to'", "1e-2"}},
      {{{"from", "0"}}, {"--from 0: error:", "at least 1e-12"}},
      {{{"count", "1"}}, {"--count 1: error:", "at least 2"}},
      {{{"count", "2.5"}}, {"whole number"}},
      {{{"zeta", "-0.1"}}, {"--zeta -0.1: error:", "not be negative"}},
      {{{"position-gain", "-1"}}, {"--position-gain -1: error:", "greater than -1"}},
      {{{"bandwidth", "0"}}, {"--bandwidth 0: error:", "positive"}},
      {{{"scheme", "hht"}}, {"--scheme hht: error:", "{motion: hht, state: jwh}"}},
      {{{"scheme", "{moton: hht}"}}, {"'moton'", "did you mean 'motion'?"}},
      {{{"scheme", "{motion:hht}"}}, {"a space after the colon"}},
      {{{"scheme", "{motion: {alpha_m: 0, alpha_f: 0, beta: 1}}"}}, {"'gamma' is missing"}},
      {{{"scheme", "{motion: {alpha_m: 1, alpha_f: 0, beta: 1, gamma: 1}}"}}, {"below 1"}},
      {{{"scheme", "{motion: hht}"}, {"motion", "ch"}}, {"given twice"}},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string complaint = complaintAbout(mistake.options);
    EXPECT_FALSE(complaint.empty()) << mistake.options.front().text;
    for (const char* part : mistake.expected) {
      EXPECT_NE(complaint.find(part), std::string::npos) << part << "\n" << complaint;
    }
  }
}

TEST(SchemeOptions, AllMistakesAreToldAtOnce) {
  const std::string complaint =
      complaintAbout({{"alpha-m", "1"}, {"delta-f", "3"}, {"from", "5"}, {"to", "1"}});
  for (const char* part : {"alpha_m", "delta_f", "less than 'to'"}) {
    EXPECT_NE(complaint.find(part), std::string::npos) << complaint;
  }
}

}  // namespace
}  // namespace flexloop::reports
