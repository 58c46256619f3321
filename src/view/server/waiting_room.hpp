// Connections of which no whole request has arrived yet. They have no thread each: whoever begins a request and does not
// end it, or sends a byte now and then, keeps nobody else waiting.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace flexloop::view {

// A connection and what it has sent; closes it at its end.
struct Visitor {
  explicit Visitor(int connection) : socket(connection) {}
  ~Visitor();
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  int socket;
  std::string bytes;      // that have arrived and are not read
  bool hasEnded = false;  // no more will come
  bool hasToken = false;  // its last request had the token
  int requests = 0;       // that were answered
};

using VisitorPointer = std::shared_ptr<Visitor>;

class WaitingRoom {
 public:
  struct Limits {
    std::chrono::milliseconds patience{5000};  // from entering to a whole head of a request
    std::size_t seats =
        256;  // with more, those leave that have waited longest without ever showing the token
    std::size_t longestHead = std::size_t{64} << 10;  // bytes
  };
  // Called from a thread of the room, with a visitor whose bytes hold a whole head, or all that it will ever send.
  using Ready = std::function<void(VisitorPointer)>;

  WaitingRoom(Ready ready, const Limits& limits);
  explicit WaitingRoom(Ready ready) : WaitingRoom(std::move(ready), Limits()) {}
  ~WaitingRoom() { close(); }
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;

  // From any thread. A closed room sends everyone away.
  void enter(VisitorPointer visitor);
  // Ends all connections that wait. Not from within `ready`.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  struct Seat {
    VisitorPointer visitor;
    Clock::time_point until;
    bool hasNews = true;  // bytes, or an end
  };
  enum class Next { kWait, kServe, kLeave };

  void run();
  void waitForBytes();
  void seatArrivals();
  void lookAtAll();
  void makeRoom();
  Next lookAt(const Seat& seat) const;
  void wake() const;

  Ready ready_;
  Limits limits_;
  int bell_;                 // rings at arrivals and at the end
  std::vector<Seat> seats_;  // of the thread; in the order of entering
  std::mutex mutex_;
  std::vector<Seat> arrivals_;
  bool isClosed_ = false;
  std::thread thread_;
};

}  // namespace flexloop::view
