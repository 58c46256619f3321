// The pick-and-place machine with its controllers: what a scheduled vibration controller leaves of a step, and a move in which
// the length changes, beside the same machine whose beam slides.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include "control/lpv/lpv_file.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;
using Record = std::map<std::string, std::vector<double>>;

class PickAndPlace : public ::testing::Test {
 protected:
  static std::string path(const std::string& file) {
    return test::inProject("models/pick_and_place/" + file);
  }

  ProgramResult run(const std::vector<std::string>& words) {
    return testing::runProgram(words, folder_.file(""));
  }

  Record simulate(std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--csv", "-", "--quiet"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    std::istringstream lines(result.out);
    std::string line, field;
    std::getline(lines, line);
    std::vector<std::string> names;
    for (std::istringstream head(line); std::getline(head, field, ',');) names.push_back(field);
    Record record;
    while (std::getline(lines, line)) {
      std::istringstream row(line);
      for (const std::string& name : names) {
        std::getline(row, field, ',');
        record[name].push_back(std::stod(field));
      }
    }
    return record;
  }

  // Of CPU, of the programs that have ended.
  static double readSeconds() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }

  static double calcRms(const Record& record, const std::string& name, double from, double to) {
    double sum = 0.0;
    int count = 0;
    for (std::size_t i = 0; i < record.at("time").size(); ++i) {
      const double t = record.at("time")[i];
      if (t < from || t > to) continue;
      sum += std::pow(record.at(name)[i], 2);
      ++count;
    }
    return std::sqrt(sum / count);
  }

  testing::TemporaryFolder folder_;
};

// After a step of 1 mm at 10 ms, from 0.1 s to 0.5 s after it: the deflection falls by 20 at least, and the acceleration of the
// tip by 5.
TEST_F(PickAndPlace, ScheduledControllerStopsTheSwing) {
  for (const char* length : {"length=0.33", "length=0.43", "length=0.53"}) {
    const std::vector<std::string> settings{"-p", length, "--end", "0.51", "--step", "0.2 ms"};
    const auto simulateWith = [&](const std::string& file) {
      std::vector<std::string> words{path(file)};
      words.insert(words.end(), settings.begin(), settings.end());
      return simulate(words);
    };
    const Record alone = simulateWith("hac.yaml"), both = simulateWith("lac.yaml");
    EXPECT_GT(calcRms(alone, "deflection", 0.11, 0.51) / calcRms(both, "deflection", 0.11, 0.51),
              20.0)
        << length;
    EXPECT_GT(calcRms(alone, "a_tip", 0.11, 0.51) / calcRms(both, "a_tip", 0.11, 0.51), 5.0)
        << length;
    EXPECT_NEAR(both.at("x_motor").back(), 1e-3, 2e-5) << length;
  }
}

// With a load that is a quarter lighter or heavier, and 1 ms late; the controller for the longest beam alone does not bear that.
TEST_F(PickAndPlace, ScheduledControllerIsRobust) {
  folder_.write("late.yaml", "flexloop: 1\ninclude: [" + path("lac.yaml") +
                                 "]\nblocks: {late: {type: transport_delay, input: lac, delay: 1 "
                                 "ms}}\n");
  const auto isStable = [&](const std::string& length, const std::string& setting) {
    const ProgramResult modes = run({"modes", "late.yaml", "-p", "length=" + length, "--set",
                                     "blocks.total.inputs=[pid, late]", "--set", setting, "--count",
                                     "10", "--quiet", "--json", "-"});
    EXPECT_EQ(modes.exitCode, 0) << modes.errors;
    return modes.out.find("\"stable\": false") == std::string::npos;
  };
  for (const char* length : {"0.33", "0.4", "0.53"}) {
    EXPECT_TRUE(isStable(length, "bodies.load.mass=0.6")) << length;
    EXPECT_TRUE(isStable(length, "bodies.load.mass=1.0")) << length;
  }
  EXPECT_FALSE(isStable("0.33", "blocks.lac.parameter=0.53"));
}

// The command of the README makes the file that is shipped, and the loop is stable at and between the points.
TEST_F(PickAndPlace, SlowScheduleIsStableBetweenThePoints) {
  const ProgramResult made = run({"design",
                                  path("hac.yaml"),
                                  "-p",
                                  "length=0.33:0.53:9",
                                  "--method",
                                  "hinf",
                                  "--four-block",
                                  "--from",
                                  "total",
                                  "--to",
                                  "a_tip",
                                  "--error",
                                  "swing",
                                  "--W",
                                  "1e4",
                                  "--W2",
                                  "0.8,=0.16*w1,=0.8*w1^2/1,=2*w1,=w1^2",
                                  "--factor",
                                  "1.2",
                                  "--plant-order",
                                  "9",
                                  "-o",
                                  "lac.lpv",
                                  "--json",
                                  "-",
                                  "--quiet"});
  ASSERT_EQ(made.exitCode, 0) << made.errors;
  EXPECT_NE(made.out.find("\"stable\":true"), std::string::npos);
  EXPECT_EQ(made.out.find("\"stable\":false"), std::string::npos);
  const auto shipped = control::readLpv(path("lac.lpv")),
             now = control::readLpv(folder_.file("lac.lpv"));
  ASSERT_TRUE(shipped && now);
  EXPECT_LT(now.value().error, 0.05);
  for (const double length : {0.33, 0.4, 0.5}) {
    for (const double hz : {5.0, 50.0, 500.0}) {
      const std::complex<double> s(0.0, 6.283185307179586 * hz);
      const auto a = linalg::calcResponse(control::evaluate(shipped.value(), length), s)(0, 0);
      const auto b = linalg::calcResponse(control::evaluate(now.value(), length), s)(0, 0);
      EXPECT_LT(std::abs(a - b), 1e-4 * std::abs(a)) << length << " " << hz;
    }
  }
}

// From 0.33 m to 0.53 m in 0.2 s under a force that moves the carriage by 0.2 m: a model with ten states beside the machine
// whose beam is drawn through its clamp.
TEST_F(PickAndPlace, SlowMoveWithAChangingLength) {
  const double start = readSeconds();
  const Record model = simulate({path("moving.yaml")});
  const double middle = readSeconds();
  const Record machine = simulate({path("sliding.yaml")});
  EXPECT_GT(readSeconds() - middle, 50.0 * (middle - start));
  const std::vector<double>& time = machine.at("time");
  ASSERT_EQ(time.size(), model.at("time").size());
  double difference = 0.0, size = 0.0, bent = 0.0, bends = 0.0;
  for (std::size_t i = 0; i < time.size(); ++i) {
    ASSERT_NEAR(model.at("time")[i], time[i], 1e-9);
    const double a = model.at("gripper.a_tip")[i], b = machine.at("a_tip")[i];
    difference += std::pow(a - b, 2);
    size += b * b;
    const double d = model.at("gripper.x_tip")[i] - model.at("gripper.x_motor")[i];
    const double e = machine.at("x_tip")[i] - machine.at("x_motor")[i];
    bent += std::pow(d - e, 2);
    bends += e * e;
  }
  EXPECT_LT(std::sqrt(difference / size), 0.05);
  EXPECT_LT(std::sqrt(bent / bends), 0.05);
  EXPECT_NEAR(model.at("length").back(), 0.53, 1e-12);
  EXPECT_NEAR(machine.at("length").back(), 0.53, 1e-9);
  EXPECT_NEAR(model.at("gripper.x_motor").back(), machine.at("x_motor").back(), 1e-5);
}

}  // namespace
}  // namespace flexloop
