// Black boxes that crash, loop, throw or exit, and the program that goes on.
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "box_fixture.hpp"
#include "control/box.hpp"

namespace flexloop::control {
namespace {

using Kind = BoxFault::Kind;

class BoxSafetyTest : public BoxFixture {};
INSTANTIATE_TEST_SUITE_P(Homes, BoxSafetyTest, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "OwnProcess" : "InProcess"; });

TEST_P(BoxSafetyTest, Crashes) {
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

TEST_P(BoxSafetyTest, EndlessLoop) {
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
TEST_P(BoxSafetyTest, TimeLimitIsThatOfEachCall) {
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
  EXPECT_EQ(fault.message, "black box 'ctl' threw a C++ exception in block_output at t = 0 s");
  EXPECT_EQ(outputOf(*box, 0.0, 2.0).fault.message, fault.message);
}

TEST_P(BoxSafetyTest, TroubleInOtherFunctions) {
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
  const auto box = open(settings("modes"));
  EXPECT_EQ(outputOf(*box, 0.0, 4.0).y, 4.0);
  volatile double one = 1.0, three = 3.0, zero = 0.0;
  EXPECT_EQ(one / three, 1.0 / 3.0) << "rounding to nearest";
  EXPECT_TRUE(std::isinf(one / zero)) << "no trap";
}

TEST_P(BoxSafetyTest, OtherThreads) {
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

TEST_P(BoxSafetyTest, HandlersOfTheProgramComeBack) {
  struct sigaction before {
  }, during{}, after{};
  sigaction(SIGSEGV, nullptr, &before);
  {
    const auto box = open(settings("pi"));
    sigaction(SIGSEGV, nullptr, &during);
  }
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(during.sa_sigaction == before.sa_sigaction, GetParam());
  EXPECT_EQ(after.sa_sigaction, before.sa_sigaction);
}

volatile std::sig_atomic_t seenSignal = 0;

// A fault outside of a box is not the box's.
TEST_P(BoxSafetyTest, SignalsFromElsewhereGoOn) {
  const auto before = std::signal(SIGFPE, [](int signal) { seenSignal = signal; });
  {
    const auto box = open(settings("pi"));
    raise(SIGFPE);
    EXPECT_EQ(seenSignal, SIGFPE);
  }
  std::signal(SIGFPE, before);
}

TEST_P(BoxSafetyTest, SignalsFromElsewhereEndTheProgram) {
  EXPECT_EXIT(
      {
        const auto box = open(settings("pi"));
        raise(SIGABRT);
      },
      ::testing::KilledBySignal(SIGABRT), "");
}

TEST_P(BoxSafetyTest, Exit) {
  if (GetParam()) {
    const BoxFault fault = faultOf("exit");
    EXPECT_EQ(fault.kind, Kind::kEnded);
    EXPECT_EQ(fault.message,
              "black box 'ctl' ended its process by exit(3) in block_output at t = 2 s");
  } else {
    EXPECT_EXIT(
        faultOf("exit"), ::testing::ExitedWithCode(4),
        "error: black box 'ctl' called exit\\(3\\) in block_output and so ended the program");
  }
}

// Sending to a process that is gone must not end this one (SIGPIPE).
TEST(BoxProcessTest, DiesBetweenCalls) {
  const auto opened = Box::open({.name = "ctl",
                                 .path = testing::boxFile("crash"),
                                 .config = "later",
                                 .inputs = 1,
                                 .outputs = 1,
                                 .isolate = true});
  ASSERT_TRUE(opened);
  Box& box = *opened.value();
  EXPECT_FALSE(outputOf(box, 2.0, 1.0).fault);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const BoxFault fault = outputOf(box, 2.0, 1.0).fault;
  EXPECT_EQ(fault.kind, Kind::kCrashed);
  EXPECT_TRUE(says(fault.message, "signal 14 (Alarm clock)"));
}

// The process of the box holds a copy of the pipe, which closes when all that hold it are gone.
TEST(BoxProcessTest, DiesWithTheProgram) {
  std::array<int, 2> pipeEnds{};
  ASSERT_EQ(pipe(pipeEnds.data()), 0);
  const pid_t program = fork();
  if (program == 0) {
    dup2(pipeEnds[1], STDOUT_FILENO);
    const auto box = Box::open({.name = "ctl",
                                .path = testing::boxFile("crash"),
                                .config = "loop",
                                .inputs = 1,
                                .outputs = 1,
                                .isolate = true,
                                .timeLimit = 60.0});
    if (write(STDOUT_FILENO, "x", 1) == 1) static_cast<void>(outputOf(*box.value(), 2.0, 1.0));
    _exit(1);
  }
  close(pipeEnds[1]);
  char byte = 0;
  ASSERT_EQ(read(pipeEnds[0], &byte, 1), 1) << "the box is open";
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  pollfd end{pipeEnds[0], POLLIN, 0};
  EXPECT_EQ(poll(&end, 1, 5000), 1);
  EXPECT_EQ(read(pipeEnds[0], &byte, 1), 0) << "the end of the pipe";
  close(pipeEnds[0]);
}

// Forked processes have no timers of their parents, and must not trust theirs.
TEST_P(BoxSafetyTest, TimeLimitInAForkedProcess) {
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
