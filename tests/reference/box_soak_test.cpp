// A million calls of black boxes without growth of memory (`make test-long`).
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "control/boxes/box.hpp"
#include "support/box_file.hpp"

namespace flexloop::control {
namespace {

double residentMegabytes(const std::string& process) {
  std::ifstream file("/proc/" + process + "/statm");
  double all = 0.0, resident = 0.0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// Of the only box: a child of the keeper, which is a child of this process.
std::string processOfTheBox() {
  std::string process = std::to_string(getpid());
  for (int generation = 0; generation < 2; ++generation) {
    const std::string parent = process;
    std::ifstream("/proc/" + parent + "/task/" + parent + "/children") >> process;
  }
  return process;
}

class BoxSoakSlow : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Homes, BoxSoakSlow, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "OwnProcess" : "Direct"; });

TEST_P(BoxSoakSlow, AMillionCallsDoNotGrow) {
  const auto opened = Box::open({.name = "ctl",
                                 .path = testing::boxFile("pi"),
                                 .config = "100 20",
                                 .inputs = 1,
                                 .outputs = 1,
                                 .isolate = GetParam()});
  ASSERT_TRUE(opened);
  Box& box = *opened.value();
  const std::string here = "self", there = GetParam() ? processOfTheBox() : here;
  std::vector<unsigned char> memory;
  double hereBefore = 0.0, thereBefore = 0.0;
  constexpr int kCalls = 1'000'000, kWarm = 10'000;
  for (int k = 0; k < kCalls; ++k) {
    const double u = 1.0;
    double y = 0.0;
    box.begin();
    if (k > 0) {
      box.give(memory);
      box.addRestore();
    }
    box.add(BoxFunction::kOutput, 1e-3 * k, nullptr, &u);
    box.addSave();
    ASSERT_FALSE(box.run());
    ASSERT_FALSE(box.readNext({&y}));
    ASSERT_FALSE(box.readSaved(memory));
    ASSERT_NEAR(y, 100.0 + 20e-3 * k, 1e-6);
    if (k != kWarm) continue;
    hereBefore = residentMegabytes(here);
    thereBefore = residentMegabytes(there);
  }
  EXPECT_GT(thereBefore, 0.0);
  // A page now and then is the kernel's; a byte per call would be a megabyte.
  EXPECT_LT(residentMegabytes(here) - hereBefore, 0.5);
  EXPECT_LT(residentMegabytes(there) - thereBefore, 0.5);
}

// Each has two processes, a socket and shared memory.
TEST(BoxComeAndGoSlow, AThousandBoxesComeAndGo) {
  double before = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const auto box = Box::open({.name = "ctl",
                                .path = testing::boxFile("pi"),
                                .config = "100 20",
                                .inputs = 1,
                                .outputs = 1});
    ASSERT_TRUE(box) << k;
    const double u = 1.0;
    double y = 0.0;
    ASSERT_FALSE(box.value()->output(0.0, &u, &y));
    if (k == 20) before = residentMegabytes("self");
  }
  EXPECT_LT(residentMegabytes("self") - before, 0.5);
}

}  // namespace
}  // namespace flexloop::control
