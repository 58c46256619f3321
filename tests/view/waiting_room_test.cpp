// Who waits for how long in the waiting room of the viewer's server.
#include "view/server/waiting_room.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace flexloop::view {
namespace {

using std::chrono::milliseconds;

class WaitingRoomTest : public ::testing::Test {
 protected:
  ~WaitingRoomTest() override {
    for (const int end : ends_) close(end);
  }

  // The end of the one who visits.
  int enter(WaitingRoom& room, bool hasToken = false) {
    std::array<int, 2> pair{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
    auto visitor = std::make_shared<Visitor>(pair[0]);
    visitor->hasToken = hasToken;
    room.enter(visitor);
    ends_.push_back(pair[1]);
    return pair[1];
  }
  static void say(int end, const std::string& text) {
    EXPECT_EQ(send(end, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // Waits until the other side has ended the connection.
  static bool isSentAway(int end, int patience = 5000) {
    const timeval limit{patience / 1000, (patience % 1000) * 1000};
    setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    char byte = 0;
    return recv(end, &byte, 1, 0) == 0;
  }
  WaitingRoom::Ready collect() {
    return [this](const VisitorPointer& visitor) {
      const std::scoped_lock lock(mutex_);
      served_.push_back(visitor->bytes);
      changed_.notify_all();
    };
  }
  bool waitForServed(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, milliseconds(5000), [&] { return served_.size() >= count; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> served_;
  std::vector<int> ends_;
};

TEST_F(WaitingRoomTest, WholeHeadsAreServed) {
  WaitingRoom room(collect());
  const int slow = enter(room), quick = enter(room);
  say(slow, "GET / HTT");
  say(quick, "POST /a HTTP/1.1\r\nHost: b\r\n\r\nbody");
  ASSERT_TRUE(waitForServed(1));
  EXPECT_EQ(served_[0], "POST /a HTTP/1.1\r\nHost: b\r\n\r\nbody");
  say(slow, "P/1.1\r\n\r\n");
  ASSERT_TRUE(waitForServed(2));
  EXPECT_EQ(served_[1], "GET / HTTP/1.1\r\n\r\n");
}

// What has been said is worth an answer, if only that it is no request.
TEST_F(WaitingRoomTest, HalfAHeadIsServedWhenNoMoreComes) {
  WaitingRoom room(collect());
  const int silent = enter(room), half = enter(room);
  say(half, "GET");
  shutdown(half, SHUT_WR);
  shutdown(silent, SHUT_WR);
  ASSERT_TRUE(waitForServed(1));
  EXPECT_EQ(served_[0], "GET");
  EXPECT_TRUE(isSentAway(silent));
  EXPECT_EQ(served_.size(), 1u);
}

// A byte now and then does not buy time.
TEST_F(WaitingRoomTest, PatienceEnds) {
  WaitingRoom room(collect(), {.patience = milliseconds(200)});
  const int dripping = enter(room);
  const auto start = std::chrono::steady_clock::now();
  while (send(dripping, "x", 1, MSG_NOSIGNAL) == 1 &&
         std::chrono::steady_clock::now() - start < milliseconds(4000)) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(190));
  EXPECT_TRUE(isSentAway(dripping));
  EXPECT_TRUE(served_.empty());
}

TEST_F(WaitingRoomTest, HeadsWithoutEndAreNotKept) {
  WaitingRoom room(collect(), {.longestHead = 1000});
  const int talker = enter(room);
  say(talker, std::string(5000, 'x'));
  EXPECT_TRUE(isSentAway(talker));
  EXPECT_TRUE(served_.empty());
}

// The seats of strangers are taken first, the oldest of them before the others.
TEST_F(WaitingRoomTest, StrangersLeaveFirst) {
  WaitingRoom room(collect(), {.seats = 3});
  const int known = enter(room, true);
  const int first = enter(room), second = enter(room), third = enter(room);
  EXPECT_TRUE(isSentAway(first));
  EXPECT_FALSE(isSentAway(second, 50));
  const int other = enter(room, true);
  EXPECT_TRUE(isSentAway(second));
  EXPECT_FALSE(isSentAway(third, 50));
  for (const int end : {known, other}) say(end, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(waitForServed(2));
}

TEST_F(WaitingRoomTest, AClosedRoomSendsEveryoneAway) {
  WaitingRoom room(collect());
  const int before = enter(room);
  room.close();
  const int after = enter(room);
  EXPECT_TRUE(isSentAway(before));
  EXPECT_TRUE(isSentAway(after));
}

}  // namespace
}  // namespace flexloop::view
