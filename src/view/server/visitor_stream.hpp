// A connection as the HTTP library reads and writes it.
#pragma once

#include <cerrno>
#include <chrono>
#include <httplib.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>

#include "view/server/waiting_room.hpp"

namespace flexloop::view {

// First what has arrived with the head of the request. Whoever does not have the token is not waited for any longer.
class VisitorStream final : public httplib::Stream {
 public:
  VisitorStream(Visitor& visitor, std::chrono::milliseconds patience)
      : visitor_(visitor), patience_(patience) {}
  ~VisitorStream() override { visitor_.bytes.erase(0, next_); }

  bool is_readable() const override { return next_ < visitor_.bytes.size() || isWorthReading(); }
  bool is_writable() const override { return isReady(POLLOUT); }
  socket_t socket() const override { return visitor_.socket; }

  ssize_t read(char* to, std::size_t size) override {
    if (next_ == visitor_.bytes.size()) {
      return isWorthReading() ? recv(visitor_.socket, to, size, MSG_DONTWAIT) : 0;
    }
    const std::size_t count = visitor_.bytes.copy(to, size, next_);
    next_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, std::size_t size) override {
    return isReady(POLLOUT) ? send(visitor_.socket, from, size, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
  }

  // This computer, whichever the program.
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1";
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    get_remote_ip_and_port(ip, port);
  }

 private:
  bool isWorthReading() const { return visitor_.hasToken && !visitor_.hasEnded && isReady(POLLIN); }
  bool isReady(short event) const {
    pollfd file{visitor_.socket, event, 0};
    int count = 0;
    do {
      count = poll(&file, 1, static_cast<int>(patience_.count()));
    } while (count < 0 && errno == EINTR);
    return count > 0 && (file.revents & event) != 0;
  }

  Visitor& visitor_;
  std::chrono::milliseconds patience_;
  std::size_t next_ = 0;  // of the bytes
};

}  // namespace flexloop::view
