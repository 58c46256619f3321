// The little web server of `flexloop view`: for the browser of this computer and this user alone.
//
// It listens on the loopback address only. Every address starts with a random token that no other page or
// user knows; a name that was made to lead here (DNS rebinding) and questions of foreign pages are refused by their
// headers. No address leads to a file: there are only the page, the named data and the questions.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "view/data/content.hpp"

namespace flexloop::view {

// Answers JSON with JSON; `what` is a word of viewer/README.md.
class Questions {
 public:
  virtual ~Questions() = default;
  struct Answer {
    bool ok = false;
    std::string text;  // JSON, or in plain words what is wrong
  };
  // One at a time. Nothing if there is no such question.
  virtual std::optional<Answer> answer(const std::string& what, const std::string& question) = 0;
  // Ends the one that is being answered, from another thread.
  virtual void stop() = 0;
};

struct ServerOptions {
  int port = 0;  // 0: any that is free
};

// Virtual, so that the program can use one that comes from a module without being linked to it.
class Server {
 public:
  // Source and questions must outlive it. Throws std::runtime_error if the port is not free.
  Server(std::string page, ContentSource& source, Questions& questions,
         const ServerOptions& options = {});
  virtual ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  virtual std::string address() const;  // http://127.0.0.1:PORT/TOKEN/

  // Serves until stop() is called from another thread.
  virtual void run();
  virtual void stop();

 private:
  class Http;
  std::unique_ptr<Http> http_;
  int port_ = 0;
  std::string token_;
};

// Whether two texts are equal, in a time that does not depend on where they differ.
bool equalInConstantTime(const std::string& a, const std::string& b);
// 128 random bits as 32 digits.
std::string makeToken();

}  // namespace flexloop::view
