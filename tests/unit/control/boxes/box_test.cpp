// What black boxes compute, remember and get wrong.
#include "control/boxes/box.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "unit/control/boxes/box_fixture.hpp"

namespace flexloop::control {
namespace {

using Kind = BoxFault::Kind;

class BoxTest : public BoxFixture {};
INSTANTIATE_TEST_SUITE_P(Homes, BoxTest, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "OwnProcess" : "Direct"; });

TEST_P(BoxTest, PiControllerWithMemory) {
  const auto box = open(settings("pi", "100 20"));
  EXPECT_EQ(box->name(), "ctl");
  EXPECT_TRUE(box->canRestore());
  EXPECT_FALSE(box->hasJacobian());
  // y = kp u + ki ∫u dt with u = 0.5: the rectangle rule of the box is exact for it.
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.01 * k;
    const Answer answer = outputOf(*box, t, 0.5);
    ASSERT_FALSE(answer.fault) << answer.fault.message;
    EXPECT_NEAR(answer.y, 50.0 + 10.0 * t, 1e-12);
  }
  EXPECT_FALSE(box->close());
}

// The idea of identification by perturbation: save, change the input, restore, as if nothing had
// been.
TEST_P(BoxTest, SavePerturbRestore) {
  const auto box = open(settings("pi", "100 20"));
  const auto undisturbed = open(settings("pi", "100 20"));
  std::vector<unsigned char> memory;
  for (int k = 0; k < 20; ++k) {
    const double t = 0.1 * k, u = std::sin(t);
    ASSERT_FALSE(box->save(memory));
    const double y0 = outputOf(*box, t, u).y;
    ASSERT_FALSE(box->restore(memory));
    const double y1 = outputOf(*box, t, u + 1e-3).y;
    ASSERT_FALSE(box->restore(memory));
    EXPECT_NEAR((y1 - y0) / 1e-3, 100.0 + (k == 0 ? 0.0 : 20.0 * 0.1), 1e-9);
    EXPECT_EQ(outputOf(*box, t, u).y, outputOf(*undisturbed, t, u).y);
  }
}

// More calls and more numbers than fit into the shared memory at once.
TEST_P(BoxTest, ABatchIsTheSameCallsOneByOne) {
  for (const auto& [calls, inputs] : {std::pair(1000, 1), std::pair(60, 5000)}) {
    BoxSettings wide = settings("pi", "100 20");
    wide.inputs = inputs;
    const auto box = open(wide), single = open(wide);
    box->begin();
    std::vector<double> u(inputs, 0.0);
    for (int k = 0; k < calls; ++k) {
      u[0] = std::sin(0.1 * k);
      box->add(BoxFunction::kOutput, 0.1 * k, nullptr, u.data());
    }
    box->addSave();
    ASSERT_FALSE(box->run());
    for (int k = 0; k < calls; ++k) {
      u[0] = std::sin(0.1 * k);
      double together = 0.0, alone = 1.0;
      ASSERT_FALSE(box->readNext({&together}));
      ASSERT_FALSE(single->output(0.1 * k, u.data(), &alone));
      ASSERT_EQ(together, alone) << k;
    }
    std::vector<unsigned char> saved, savedAlone;
    ASSERT_FALSE(box->readSaved(saved));
    ASSERT_FALSE(single->save(savedAlone));
    EXPECT_EQ(saved, savedAlone);
  }
}

TEST_P(BoxTest, LargeMemory) {
  const auto box = open(settings("memory", "large"));
  outputOf(*box, 1.0, 7.0);
  std::vector<unsigned char> memory;
  ASSERT_FALSE(box->save(memory));
  ASSERT_EQ(memory.size(), 100000u);
  EXPECT_EQ(memory[1000], 7);
  EXPECT_EQ(outputOf(*box, 2.0, 8.0).y, 15.0);
  ASSERT_FALSE(box->restore(memory));
  EXPECT_EQ(outputOf(*box, 1.0, 3.0).y, 3.0);
}

TEST_P(BoxTest, BadMemory) {
  const std::pair<const char*, const char*> cases[] = {
      {"growing", "keeps asking for more bytes in block_save"},
      {"absurd", "requests 18446744073709551615 bytes in block_save, more than the 67108864"},
      {"beyond", "wrote more than the 256 bytes that it was given in block_save"}};
  for (const auto& [config, message] : cases) {
    const auto box = open(settings("memory", config));
    std::vector<unsigned char> memory{1, 2, 3};
    const BoxFault fault = box->save(memory);
    EXPECT_EQ(fault.kind, Kind::kBadMemory);
    EXPECT_TRUE(says(fault.message, message));
    EXPECT_EQ(memory.size(), 3u);
    EXPECT_EQ(outputOf(*box, 0.0, 1.0).y, 1.0) << "the box is not dead";
  }
}

TEST_P(BoxTest, WithoutCreateAndSave) {
  BoxSettings two = settings("values");
  two.outputs = 2;
  const auto box = open(two);
  EXPECT_FALSE(box->canRestore());
  std::array<double, 1> u{0.0};
  std::array<double, 2> y{};
  EXPECT_FALSE(box->output(0.0, u.data(), y.data()));
  EXPECT_EQ(y[0], 5.0) << "the handle is null";
  EXPECT_EQ(y[1], 6.0);
  std::vector<unsigned char> memory;
  EXPECT_EQ(box->save(memory).message, "black box 'ctl' has no function block_save");
  EXPECT_EQ(box->restore(memory).kind, Kind::kMissing);
}

TEST_P(BoxTest, BadValues) {
  BoxSettings two = settings("values");
  two.outputs = 2;
  const auto box = open(two);
  const std::tuple<double, Kind, const char*> cases[] = {
      {1, Kind::kNotFinite,
       "black box 'ctl' returned nan as output 2 in block_output at t = 0.25 s"},
      {2, Kind::kNotFinite,
       "black box 'ctl' returned -inf as output 1 in block_output at t = 0.25 s"},
      {3, Kind::kBadValue, "black box 'ctl' did not set output 2 in block_output at t = 0.25 s"},
      {4, Kind::kBadValue,
       "black box 'ctl' wrote more than 2 numbers of output in block_output at t = 0.25 s"}};
  for (const auto& [u, kind, message] : cases) {
    std::array<double, 2> y{1.0, 2.0};
    const BoxFault fault = box->output(0.25, &u, y.data());
    EXPECT_EQ(fault.kind, kind);
    EXPECT_TRUE(says(fault.message, message));
    EXPECT_EQ(y[0], 1.0) << "nothing is handed over";
    EXPECT_EQ(y[1], 2.0);
  }
  const double u = 0.0;
  std::array<double, 2> y{};
  EXPECT_FALSE(box->output(0.25, &u, y.data())) << "the box is not dead";
}

TEST_P(BoxTest, NonlinearWithJacobian) {
  BoxSettings pendulum = settings("pendulum");
  pendulum.kind = BoxSettings::Kind::kNonlinear;
  pendulum.states = 2;
  pendulum.inputs = 2;
  pendulum.outputs = 3;
  const auto box = open(pendulum);
  ASSERT_TRUE(box->hasJacobian());
  const std::array<double, 2> x{0.5, -2.0}, u{3.0, 0.25};
  std::array<double, 2> dx{};
  std::array<double, 3> y{};
  ASSERT_FALSE(box->derivative(0.7, x.data(), u.data(), dx.data()));
  ASSERT_FALSE(box->nonlinearOutput(0.7, x.data(), u.data(), y.data()));
  EXPECT_EQ(dx[0], -2.0);
  EXPECT_NEAR(dx[1], 3.0 - std::sin(0.5), 1e-15);
  EXPECT_EQ(y, (std::array{1.0, -1.0, 0.7}));
  std::array<double, 4> fx{}, fu{};
  std::array<double, 6> hx{}, hu{};
  ASSERT_FALSE(
      box->jacobian(0.7, x.data(), u.data(), {fx.data(), fu.data(), hx.data(), hu.data()}));
  EXPECT_NEAR(fx[2], -std::cos(0.5), 1e-15);
  fx[2] = 0.0;
  EXPECT_EQ(fx, (std::array{0.0, 1.0, 0.0, 0.0}));
  EXPECT_EQ(fu, (std::array{0.0, 0.0, 1.0, 0.0}));
  EXPECT_EQ(hx, (std::array{1.0, 0.0, -2.0, 0.5, 0.0, 0.0}));
  EXPECT_EQ(hu, (std::array{0.0, 2.0, 0.0, 0.0, 0.0, 0.0}));
}

TEST_P(BoxTest, NonlinearWithoutJacobian) {
  BoxSettings lag = settings("lag");
  lag.kind = BoxSettings::Kind::kNonlinear;
  lag.states = 1;
  const auto box = open(lag);
  EXPECT_FALSE(box->hasJacobian());
  const double x = 2.0, u = 1.0;
  double result = 0.0;
  ASSERT_FALSE(box->derivative(0.0, &x, &u, &result));
  EXPECT_EQ(result, -7.0);
  EXPECT_EQ(box->jacobian(0.0, &x, &u, {&result, &result, &result, &result}).kind, Kind::kMissing);
  // A second block, whose model has numbers that the box does not have.
  lag.states = 2;
  const std::array<double, 2> two{1.0, 1.0};
  std::array<double, 2> dx{};
  EXPECT_TRUE(says(open(lag)->derivative(0.0, two.data(), &u, dx.data()).message,
                   "did not set derivative 2"));
}

TEST_P(BoxTest, FilesThatAreNoBoxes) {
  BoxSettings wrong = settings("no_such_box");
  EXPECT_TRUE(says(messageOf(wrong), "black box 'ctl': there is no file '"));
  wrong.path = std::filesystem::temp_directory_path().string();
  EXPECT_TRUE(says(messageOf(wrong), "is not a file"));
  const testing::TemporaryFolder folder;
  wrong.path =
      folder.write("text.so", "not a library at all, just some text that is long enough\n");
  EXPECT_TRUE(says(messageOf(wrong), "cannot be loaded as a shared library: "));
  EXPECT_TRUE(says(messageOf(wrong), "gcc -shared -fPIC"));
  EXPECT_TRUE(says(messageOf(settings("empty")),
                   "has no function block_output | a block of type 'library' needs 'void "
                   "block_output(void*, double t, const double* u, double* y)'"));
  BoxSettings nonlinear = settings("pi");
  nonlinear.kind = BoxSettings::Kind::kNonlinear;
  EXPECT_TRUE(says(messageOf(nonlinear), "has no function block_nonlinear_output"));
  BoxSettings impatient = settings("pi");
  impatient.timeLimit = 0.0;
  EXPECT_TRUE(says(messageOf(impatient), "must be positive"));
  BoxSettings huge = settings("pi");
  huge.outputs = 1000000;
  EXPECT_TRUE(says(messageOf(huge), "has 1000000 inputs, outputs or states | at most 10000"));
}

// A second block would share the static memory of the first.
TEST_P(BoxTest, LibraryWithStaticMemory) {
  const auto first = open(settings("counter"));
  EXPECT_EQ(outputOf(*first, 0.0, 0.0).y, 1.0);
  EXPECT_EQ(outputOf(*first, 0.0, 0.0).y, 2.0);
  if (GetParam()) {
    EXPECT_EQ(outputOf(*open(settings("counter")), 0.0, 0.0).y, 1.0);
  } else {
    EXPECT_TRUE(says(messageOf(settings("counter")),
                     "and the library has no block_create to make another"));
  }
  EXPECT_EQ(outputOf(*first, 0.0, 0.0).y, 3.0);
}

// Threads of the program, such as those of a library for matrices, do not keep a box in memory: the next block of this library
// begins anew.
TEST_P(BoxTest, ThreadsOfOthersKeepNoLibrary) {
  std::promise<void> end;
  std::thread other([&end] { end.get_future().wait(); });
  for (int k = 0; k < 2; ++k) {
    const auto opened = Box::open(settings("counter"));
    EXPECT_TRUE(opened) << messageOf(settings("counter"));
    EXPECT_EQ(opened ? outputOf(*opened.value(), 0.0, 0.0).y : 0.0, 1.0);
  }
  end.set_value();
  other.join();
}

}  // namespace
}  // namespace flexloop::control
