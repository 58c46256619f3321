// Black boxes that crash, loop, throw, exit and worse, and the program that continues.
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <locale>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "control/boxes/box.hpp"
#include "control/boxes/host/box_process.hpp"
#include "support/temporary_folder.hpp"
#include "unit/control/boxes/box_fixture.hpp"

namespace flexloop::control {
namespace {

using Kind = BoxFault::Kind;

class BoxSafetyTest : public BoxFixture {};
INSTANTIATE_TEST_SUITE_P(Homes, BoxSafetyTest, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "OwnProcess" : "Direct"; });

// Of a process of its own only: what is called directly is trusted.
class BoxIsolationTest : public BoxFixture {};
INSTANTIATE_TEST_SUITE_P(Homes, BoxIsolationTest, ::testing::Values(true),
                         [](const auto&) { return "OwnProcess"; });

using DirectBoxTest = BoxFixture;
INSTANTIATE_TEST_SUITE_P(Homes, DirectBoxTest, ::testing::Values(false),
                         [](const auto&) { return "Direct"; });

TEST_P(BoxIsolationTest, Crashes) {
  const std::pair<const char*, const char*> cases[] = {
      {"segv", "it read or wrote memory that is not its own, or used up its stack (SIGSEGV)"},
      {"stack", "it read or wrote memory that is not its own, or used up its stack (SIGSEGV)"},
      {"abort", "it called abort(), or its heap is damaged (SIGABRT)"},
      {"divide", "it divided an integer by zero or trapped another arithmetic error (SIGFPE)"},
      {"trap", "it executed an instruction that this processor does not have (SIGILL)"}};
  for (const auto& [config, words] : cases) {
    const BoxFault fault = faultOf(config);
    EXPECT_EQ(fault.kind, Kind::kCrashed);
    EXPECT_EQ(fault.message,
              std::string("black box 'ctl' crashed in block_output at t = 2 s: ") + words);
    EXPECT_TRUE(says(fault.hint, "crash.so"));
  }
}

TEST_P(BoxIsolationTest, EndlessLoop) {
  const auto start = std::chrono::steady_clock::now();
  const BoxFault fault = faultOf("loop", 0.1);
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(fault.kind, Kind::kTooSlow);
  EXPECT_EQ(fault.message,
            "black box 'ctl' did not answer within 0.1 s in block_output at t = 2 s");
  EXPECT_GE(passed, 0.1);
  EXPECT_LT(passed, 4.0);
}

// An alarm that was set for one call must neither cut off a later one nor miss it.
TEST_P(BoxIsolationTest, TimeLimitIsThatOfEachCall) {
  BoxSettings looping = settings("crash", "loop"), patient = settings("pi");
  looping.timeLimit = 0.1;
  patient.timeLimit = 10.0;
  const auto later = open(patient);
  const auto box = open(looping);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(250);
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_FALSE(outputOf(*box, 0.0, 1.0).fault);
    ASSERT_FALSE(outputOf(*later, 0.0, 1.0).fault);
  }
  EXPECT_EQ(outputOf(*box, 2.0, 1.0).fault.kind, Kind::kTooSlow);
  EXPECT_FALSE(outputOf(*later, 0.0, 1.0).fault);
}

TEST_P(BoxSafetyTest, Exceptions) {
  const auto box = open(settings("throws"));
  EXPECT_EQ(outputOf(*box, 0.0, 2.0).y, 2.0);
  const BoxFault fault = outputOf(*box, 0.0, -1.0).fault;
  EXPECT_EQ(fault.kind, Kind::kThrew);
  EXPECT_TRUE(
      says(fault.message, "black box 'ctl' threw a C++ exception in block_output at t = 0 s"));
  EXPECT_EQ(outputOf(*box, 0.0, 2.0).fault.message, fault.message);
}

TEST_P(BoxIsolationTest, TroubleInOtherFunctions) {
  EXPECT_TRUE(says(messageOf(settings("crash", "create segv")),
                   "black box 'ctl' crashed in block_create: it read or wrote memory"));
  BoxSettings slow = settings("crash", "create loop");
  slow.timeLimit = 0.1;
  EXPECT_TRUE(says(messageOf(slow), "did not answer within 0.1 s in block_create | raise"));

  const auto restoring = open(settings("crash", "restore abort"));
  EXPECT_TRUE(says(restoring->restore({}).message, "crashed in block_restore: it called abort()"));
  const auto closing = open(settings("crash", "destroy segv"));
  EXPECT_TRUE(says(closing->close().message, "crashed in block_destroy"));
  { const auto destroyed = open(settings("crash", "destroy abort")); }
}

TEST_P(BoxSafetyTest, FloatingPointModesStay) {
  // The flag of this division stays in the processor, and the box begins to trap it.
  volatile long double infinite = 1.0L, nothing = 0.0L;
  infinite = infinite / nothing;
  const auto box = open(settings("modes"));
  EXPECT_EQ(outputOf(*box, 0.0, 4.0).y, 4.0);
  volatile double one = 1.0, three = 3.0, zero = 0.0;
  EXPECT_EQ(one / three, 1.0 / 3.0) << "rounding to nearest";
  EXPECT_TRUE(std::isinf(one / zero)) << "no trap";
}

TEST_P(BoxIsolationTest, OtherThreads) {
  const auto box = open(settings("pi", "2 0"));
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([] {
      for (const char* config : {"segv", "stack", "abort"}) {
        EXPECT_EQ(faultOf(config).kind, Kind::kCrashed);
      }
      EXPECT_EQ(faultOf("loop", 0.1).kind, Kind::kTooSlow);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(outputOf(*box, 0.0, 4.0).y, 8.0);
}

// In all, 1 to 1.125 time limits: each call of a batch has its own.
TEST_P(BoxIsolationTest, TheTimeLimitIsThatOfEachCallOfABatch) {
  BoxSettings slow = settings("wild", "hang");
  slow.timeLimit = 0.2;
  const auto box = open(slow);
  const double u = 3.0;
  box->begin();
  for (int k = 0; k < 300; ++k) box->add(BoxFunction::kOutput, 0.5, nullptr, &u);
  box->add(BoxFunction::kOutput, 2.0, nullptr, &u);
  const auto start = std::chrono::steady_clock::now();
  const BoxFault fault = box->run();
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(fault.kind, Kind::kTooSlow);
  EXPECT_EQ(fault.message,
            "black box 'ctl' did not answer within 0.2 s in block_output at t = 2 s");
  EXPECT_GE(passed, 0.2);
  EXPECT_LT(passed, 4.0);
}

TEST_P(BoxIsolationTest, WhatEndsAWildBoxIsNamed) {
  const std::tuple<const char*, Kind, const char*> cases[] = {
      {"double_free", Kind::kCrashed,
       "crashed in block_output at t = 2 s: it called abort(), or its heap"},
      {"throw", Kind::kThrew,
       "threw a C++ exception in block_output at t = 2 s: no  [31mred [0m lamp"},
      {"throw_number", Kind::kThrew, "threw a C++ exception in block_output at t = 2 s"},
      {"hang", Kind::kTooSlow, "did not answer within 0.3 s in block_output at t = 2 s"},
      {"handlers_hang", Kind::kTooSlow, "did not answer within 0.3 s in block_output at t = 2 s"},
      {"stop", Kind::kTooSlow, "did not answer within 0.3 s in block_output at t = 2 s"},
      {"quick_exit", Kind::kEnded, "ended its process with exit(0) in block_output at t = 2 s"},
      {"kill_group", Kind::kCrashed,
       "its process was killed, possibly for lack of memory (SIGKILL)"}};
  for (const auto& [how, kind, words] : cases) {
    BoxSettings wild = settings("wild", how);
    wild.timeLimit = 0.3;
    const auto box = open(wild);
    EXPECT_EQ(outputOf(*box, 0.5, 3.0).y, 6.0);
    const BoxFault fault = outputOf(*box, 2.0, 3.0).fault;
    EXPECT_EQ(fault.kind, kind) << how << ": " << fault.message;
    EXPECT_TRUE(says(fault.message, words)) << how;
  }
}

TEST_P(BoxIsolationTest, WhatDoesNotEndABoxDoesNotReachTheProgram) {
  const std::string locale = std::locale().name();
  for (const char* how : {"print", "close", "thread", "static_thread", "handlers", "modes"}) {
    const auto box = open(settings("wild", how));
    for (const double t : {0.5, 2.0, 3.0}) {
      const Answer answer = outputOf(*box, t, 3.0);
      EXPECT_FALSE(answer.fault) << how << ": " << answer.fault.message;
      EXPECT_EQ(answer.y, 6.0) << how;
    }
    EXPECT_FALSE(box->close()) << how;
  }
  EXPECT_EQ(std::locale().name(), locale);
}

// The limit is small here, so that the test does not need the memory of the whole computer.
TEST_P(BoxIsolationTest, ABoxDoesNotGetAllMemory) {
  BoxSettings greedy = settings("wild", "memory");
  greedy.memoryLimit = std::uint64_t{256} << 20;
  const BoxFault fault = outputOf(*open(greedy), 2.0, 3.0).fault;
  EXPECT_EQ(fault.kind, Kind::kCrashed);
  EXPECT_TRUE(says(fault.message, "GB of memory; the limit for a box is 0.268 GB"));
}

// Whatever group or session it has gone to.
TEST_P(BoxIsolationTest, ProcessesOfABoxEndWithIt) {
  const testing::TemporaryFolder folder;
  for (const char* how : {"fork ", "daemon "}) {
    const std::string file = folder.file(how);
    const auto box = open(settings("wild", how + file));
    EXPECT_EQ(outputOf(*box, 2.0, 3.0).y, 6.0);
    const int process = testing::waitForNumber(file);
    ASSERT_GT(process, 0);
    EXPECT_EQ(kill(process, 0), 0) << "it runs";
    EXPECT_FALSE(box->close());
    EXPECT_EQ(kill(process, 0), -1) << how;
    EXPECT_EQ(errno, ESRCH);
  }
}

TEST_P(DirectBoxTest, ACrashEndsTheProgramWithTheNameOfTheBox) {
  for (const char* how : {"segv", "abort"}) {
    EXPECT_DEATH(faultOf(how),
                 "error: black box 'ctl' crashed in block_output and ended the program");
  }
}

TEST_P(DirectBoxTest, ExitEndsTheProgramWithCode4) {
  EXPECT_EXIT(faultOf("exit"), ::testing::ExitedWithCode(4),
              "error: black box 'ctl' called exit\\(\\) in block_output and ended the program");
}

TEST_P(BoxIsolationTest, Exit) {
  const BoxFault fault = faultOf("exit");
  EXPECT_EQ(fault.kind, Kind::kEnded);
  EXPECT_EQ(fault.message,
            "black box 'ctl' ended its process with exit(3) in block_output at t = 2 s");
}

TEST_P(BoxSafetyTest, SignalsFromElsewhereEndTheProgram) {
  EXPECT_EXIT(
      {
        const auto box = open(settings("pi"));
        raise(SIGABRT);
      },
      ::testing::KilledBySignal(SIGABRT), "");
}

// Sending to a process that is gone must not end this one (SIGPIPE).
TEST(BoxProcessTest, DiesBetweenCalls) {
  const auto opened = Box::open({.name = "ctl",
                                 .path = testing::boxFile("crash"),
                                 .config = "later",
                                 .inputs = 1,
                                 .outputs = 1});
  ASSERT_TRUE(opened);
  Box& box = *opened.value();
  EXPECT_FALSE(outputOf(box, 2.0, 1.0).fault);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const BoxFault fault = outputOf(box, 2.0, 1.0).fault;
  EXPECT_EQ(fault.kind, Kind::kCrashed);
  EXPECT_TRUE(says(fault.message, "signal 14 (Alarm clock)"));
}

// Those of the box hold a copy of the pipe, which closes when all that hold it are gone.
TEST(BoxProcessTest, DiesWithTheProgram) {
  const testing::TemporaryFolder folder;
  for (const std::string& config : {std::string("hang"), "daemon " + folder.file("pid")}) {
    std::array<int, 2> pipeEnds{};
    ASSERT_EQ(pipe(pipeEnds.data()), 0);
    const pid_t program = fork();
    if (program == 0) {
      dup2(pipeEnds[1], STDOUT_FILENO);
      const auto box = Box::open({.name = "ctl",
                                  .path = testing::boxFile("wild"),
                                  .config = config,
                                  .inputs = 1,
                                  .outputs = 1,
                                  .timeLimit = 60.0});
      if (config != "hang") static_cast<void>(outputOf(*box.value(), 2.0, 1.0));
      if (write(STDOUT_FILENO, "x", 1) == 1) static_cast<void>(outputOf(*box.value(), 2.0, 1.0));
      pause();
      _exit(1);
    }
    close(pipeEnds[1]);
    char byte = 0;
    ASSERT_EQ(read(pipeEnds[0], &byte, 1), 1) << "the box is open";
    kill(program, SIGKILL);
    waitpid(program, nullptr, 0);
    pollfd end{pipeEnds[0], POLLIN, 0};
    EXPECT_EQ(poll(&end, 1, 5000), 1) << config;
    EXPECT_EQ(read(pipeEnds[0], &byte, 1), 0) << "the end of the pipe";
    close(pipeEnds[0]);
  }
}

TEST(BoxProcessTest, AStopRequestEndsABoxThatDoesNotAnswer) {
  volatile int stopRequest = 0;
  OwnProcessHost::heed(&stopRequest);
  const auto box = Box::open({.name = "ctl",
                              .path = testing::boxFile("wild"),
                              .config = "hang",
                              .inputs = 1,
                              .outputs = 1,
                              .timeLimit = 1000.0});
  ASSERT_TRUE(box);
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stopRequest = 1;
  });
  const BoxFault fault = outputOf(*box.value(), 2.0, 1.0).fault;
  user.join();
  OwnProcessHost::heed(nullptr);
  EXPECT_EQ(fault.message,
            "black box 'ctl' did not answer in block_output at t = 2 s when the program was asked "
            "to stop");
}

TEST_P(BoxIsolationTest, TimeLimitInAForkedProcess) {
  const auto box = open(settings("pi"));
  outputOf(*box, 0.0, 1.0);
  EXPECT_EXIT(
      {
        const bool slow = faultOf("loop", 0.1).kind == Kind::kTooSlow;
        _exit(slow ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace flexloop::control
