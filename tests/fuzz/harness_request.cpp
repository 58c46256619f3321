// The viewer as its port sees it: whatever comes over a connection, and at once the end of it.
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

#include "commands/view_questions.hpp"
#include "harness.hpp"
#include "view/server/server.hpp"

namespace flexloop::fuzz {
namespace {

constexpr const char* kServo = R"(flexloop: 1
parameters: {k: 100, kd: 4.8}
nodes: {mass: {position: [0, 0, 0], free: [x]}}
bodies: {mass: {node: mass, mass: 2}}
springs: {wall: {type: linear, between: [ground, mass], direction: [1, 0, 0], stiffness: = k, damping: 3}}
sensors: {x: {measure: displacement, node: mass, direction: [1, 0, 0]}}
blocks: {pd: {type: pid, input: x, reference: 0, kp: 44, kd: = kd}}
actuators: {motor: {type: force, node: mass, direction: [1, 0, 0], input: pd}}
analysis: {time: {end: 10 ms, step: 2 ms, rho: 0.9}}
)";

class Viewer {
 public:
  Viewer()
      : file_(commands::openViewed(named(), {}, false)),
        session_(commands::makeSession({file_}, {nullptr}, {})),
        questions_(file_, *session_),
        server_("<html></html>", *session_, questions_),
        thread_([this] { server_.run(); }),
        watch_([this] { stopLongAnswers(); }) {}
  ~Viewer() {
    isEnding_ = true;
    questions_.stop();
    server_.stop();
    thread_.join();
    watch_.join();
  }

  void send(const std::string& bytes) {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
      const std::string text = replaced(bytes);
      static_cast<void>(!::send(connection, text.data(), text.size(), MSG_NOSIGNAL));
      shutdown(connection, SHUT_WR);
      char buffer[4096];
      while (recv(connection, buffer, sizeof(buffer), 0) > 0) {
      }
    }
    close(connection);
  }

 private:
  static std::string named() {
    const std::string path = putInFile(kServo);
    const std::string model = path + ".yaml";
    if (std::rename(path.c_str(), model.c_str()) != 0) throw std::runtime_error("no model");
    return model;
  }

  // A request may ask for a run of a year.
  void stopLongAnswers() {
    while (!isEnding_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      questions_.stop();
    }
  }

  std::string replaced(std::string text) const {
    const std::string address = server_.address();  // http://127.0.0.1:PORT/TOKEN/
    const std::string token = address.substr(address.find('/', 8) + 1, 32);
    const std::pair<std::string, std::string> words[] = {{"TOKEN", token},
                                                         {"PORT", std::to_string(server_.port())}};
    for (const auto& [word, value] : words) {
      for (std::size_t at = text.find(word); at != std::string::npos;
           at = text.find(word, at + 1)) {
        text.replace(at, word.size(), value);
      }
    }
    return text;
  }

  commands::ViewedFile file_;
  std::unique_ptr<view::Session> session_;
  commands::ViewQuestions questions_;
  view::Server server_;
  std::atomic<bool> isEnding_ = false;
  std::thread thread_, watch_;
};

}  // namespace

void runRequest(const std::string& bytes) {
  static Viewer viewer;
  viewer.send(bytes);
}

}  // namespace flexloop::fuzz
