// What the tests of black boxes share: they run in this process and in one of the box, and leave
// neither open files nor processes behind.
#pragma once

#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <gtest/gtest.h>

#include "control/boxes/box.hpp"
#include "support/box_file.hpp"
#include "support/message_matchers.hpp"

namespace flexloop::control {

using test::says;

inline int openFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<int>(std::distance(begin(files), end(files)));
}

inline bool hasChildren() {
  return waitpid(-1, nullptr, WNOHANG) >= 0;
}

struct Answer {
  BoxFault fault;
  double y;
};

inline Answer outputOf(Box& box, double t, double u) {
  Answer answer{{}, -1.0};
  answer.fault = box.output(t, &u, &answer.y);
  return answer;
}

// The parameter: isolate.
class BoxFixture : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { filesBefore_ = openFiles(); }
  void TearDown() override {
    EXPECT_EQ(openFiles(), filesBefore_);
    EXPECT_FALSE(hasChildren());
  }

  static BoxSettings settings(const std::string& library, const std::string& config = "") {
    return {.name = "ctl",
            .path = testing::boxFile(library),
            .config = config,
            .inputs = 1,
            .outputs = 1,
            .isolate = GetParam()};
  }

  static std::shared_ptr<Box> open(const BoxSettings& settings) {
    const auto box = Box::open(settings);
    if (box) return box.value();
    throw std::runtime_error(box.failure().message);
  }

  static std::string messageOf(const BoxSettings& settings) {
    const auto box = Box::open(settings);
    return box ? "none" : box.failure().message + " | " + box.failure().hint;
  }

  // How a box ends that does at t = 2 what its config says.
  static BoxFault faultOf(const std::string& config, double timeLimit = 5.0) {
    BoxSettings crashing = settings("crash", config);
    crashing.timeLimit = timeLimit;
    const auto box = open(crashing);
    EXPECT_EQ(outputOf(*box, 0.5, 3.0).y, 6.0);
    BoxFault fault = outputOf(*box, 2.0, 3.0).fault;
    EXPECT_TRUE(fault);
    // Dead: the same words again, whatever is asked, and quickly.
    EXPECT_EQ(outputOf(*box, 0.5, 3.0).fault.message, fault.message);
    std::vector<unsigned char> memory;
    EXPECT_EQ(box->save(memory).message, fault.message);
    EXPECT_EQ(box->close().message, fault.message);
    return fault;
  }

 private:
  int filesBefore_ = 0;
};

}  // namespace flexloop::control
