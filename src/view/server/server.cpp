#include "view/server/server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <httplib.h>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <sys/random.h>
#include <sys/socket.h>
#include <thread>

#include <nlohmann/json.hpp>

#include "view/server/visitor_stream.hpp"
#include "view/server/waiting_room.hpp"

namespace flexloop::view {
namespace {

using httplib::Request;
using httplib::Response;

constexpr const char* kHost = "127.0.0.1";
constexpr std::size_t kLargestQuestion = std::size_t{1} << 20;
// Requests with the token that are answered at once; questions wait for each other here, and one thread must be left
// for `stop`.
constexpr std::size_t kThreads = 64;
// Between two parts of a question or of its answer: a browser of this computer takes no time for them.
constexpr std::chrono::seconds kPatience{5};
constexpr int kMostRequests = 100;  // of one connection

void answerText(Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
}

void answerError(Response& response, const std::string& text) {
  const nlohmann::json json{{"error", text}};
  response.status = 422;
  response.set_content(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                       kJsonType);
}

// As it is: the library would pack the page for three seconds, for a way that takes none.
void answerUnpacked(Response& response, std::string bytes, const std::string& type) {
  if (bytes.empty()) return response.set_content(bytes, type);
  const auto content = std::make_shared<const std::string>(std::move(bytes));
  response.set_content_provider(
      content->size(), type,
      [content](std::size_t from, std::size_t count, httplib::DataSink& sink) {
        const std::size_t begin = std::min(from, content->size());
        return sink.write(content->data() + begin, std::min(count, content->size() - begin));
      });
}

// Two servers must not share a port, which the library's own options allow.
void setSocketOptions(int socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

// Accepts connections without a thread for each: a thread is for a request that is there.
class VisitorQueue final : public httplib::TaskQueue {
 public:
  // Answers a request; whether the connection stays open for another.
  using Serve = std::function<bool(Visitor&)>;

  explicit VisitorQueue(const Serve& serve)
      : pool_(kThreads), room_([this, serve](const VisitorPointer& visitor) {
          pool_.enqueue([this, serve, visitor] {
            if (serve(*visitor)) room_.enter(visitor);
          });
        }) {}

  void enter(int socket) { room_.enter(std::make_shared<Visitor>(socket)); }
  void enqueue(std::function<void()> accept) override { accept(); }
  void shutdown() override {
    room_.close();
    pool_.shutdown();
  }

 private:
  httplib::ThreadPool pool_;
  WaitingRoom room_;
};

// The library's server, in which a connection first takes a seat in the waiting room.
class VisitedServer final : public httplib::Server {
 public:
  explicit VisitedServer(const std::string& token) : token_(token) {
    new_task_queue = [this] {
      return queue_ = new VisitorQueue([this](Visitor& visitor) { return serve(visitor); });
    };
  }

  // The library lets five wait to be accepted; the sixth would come again after a second.
  void lengthenQueue() { ::listen(svr_sock_, SOMAXCONN); }

 private:
  bool process_and_close_socket(socket_t socket) override {
    queue_->enter(socket);
    return true;
  }

  bool serve(Visitor& visitor) {
    visitor.hasToken = hasToken(visitor.bytes);
    const bool isLast = !visitor.hasToken || ++visitor.requests >= kMostRequests;
    bool isClosed = false;
    VisitorStream stream(visitor, kPatience);
    return process_request(stream, isLast, isClosed, nullptr) && !isLast && !isClosed;
  }

  // GET /TOKEN/…
  bool hasToken(const std::string& head) const {
    const std::size_t blank = head.find(' ');
    if (blank == std::string::npos || head.compare(blank, 2, " /") != 0) return false;
    return equalInConstantTime(head.substr(blank + 2, token_.size()), token_);
  }

  std::string token_;
  VisitorQueue* queue_ = nullptr;  // the library's
};

}  // namespace

class Server::Http {
 public:
  Http(std::string page, ContentSource& source, Questions& questions, const std::string& token)
      : page_(std::move(page)),
        source_(source),
        questions_(questions),
        token_(token),
        server_(token) {
    server_.set_socket_options(setSocketOptions);
    server_.set_tcp_nodelay(true);
    server_.set_payload_max_length(kLargestQuestion);
    server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"},
                                 {"Cross-Origin-Opener-Policy", "same-origin"},
                                 {"Content-Security-Policy", "frame-ancestors 'none'"},
                                 {"Cache-Control", "no-store"}});
    server_.set_pre_routing_handler([this](const Request& request, Response& response) {
      return isAllowed(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                          : httplib::Server::HandlerResponse::Handled;
    });
    server_.Get(".*", [this](const Request& request, Response& response) {
      guard(response, [&] { get(pathBelowToken(request), response); });
    });
    server_.Post(".*", [this](const Request& request, Response& response) {
      guard(response, [&] { post(pathBelowToken(request), request.body, response); });
    });
  }

  int bind(int port) {
    if (port == 0) port_ = server_.bind_to_any_port(kHost);
    if (port != 0 && server_.bind_to_port(kHost, port)) port_ = port;
    if (port_ > 0) server_.lengthenQueue();
    return port_;
  }

  void run() {
    isInside_ = true;
    if (!stopRequest_) server_.listen_after_bind();
    isInside_ = false;
  }
  // The library forgets a stop that comes before it listens.
  void stop() {
    stopRequest_ = true;
    while (isInside_ && !server_.is_running()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    server_.stop();
  }

 private:
  // Checks what a request says about itself, before anything of it is read.
  bool isAllowed(const Request& request, Response& response) const {
    const std::string port = ":" + std::to_string(port_);
    const std::string host = request.get_header_value("Host");
    if (host != kHost + port && host != "localhost" + port) {
      answerText(response, 403, "Unknown host name.");
      return false;
    }
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) {
      answerText(response, 403, "Cross-origin request rejected.");
      return false;
    }
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    const bool isNavigation = request.get_header_value("Sec-Fetch-Mode") == "navigate";
    if (site == "cross-site" && !isNavigation) {
      answerText(response, 403, "Cross-origin request rejected.");
      return false;
    }
    if (!equalInConstantTime(tokenOf(request), token_)) {
      answerText(response, 404, "Not found.");
      return false;
    }
    // The library takes the ends of a range as they come.
    if (request.has_header("Range")) {
      answerText(response, 416, "Range requests are not supported.");
      return false;
    }
    return request.method != "POST" || isPlainJson(request, response);
  }

  // A form of another page cannot have this type; packed bodies might unpack to any size.
  static bool isPlainJson(const Request& request, Response& response) {
    if (request.has_header("Transfer-Encoding") || !request.has_header("Content-Length")) {
      answerText(response, 411, "A Content-Length header is required.");
      return false;
    }
    const bool isJson = request.get_header_value("Content-Type").starts_with("application/json");
    if (!isJson || request.has_header("Content-Encoding")) {
      answerText(response, 415, "Requests must be JSON.");
      return false;
    }
    return true;
  }

  // /TOKEN/REST; httplib has undone %-signs.
  static std::string tokenOf(const Request& request) {
    const std::size_t end = request.path.find('/', 1);
    return end == std::string::npos ? std::string() : request.path.substr(1, end - 1);
  }
  static std::string pathBelowToken(const Request& request) {
    return request.path.substr(request.path.find('/', 1) + 1);
  }

  template <class Action>
  static void guard(Response& response, const Action& action) {
    try {
      action();
    } catch (const std::exception& error) {
      answerText(response, 500, error.what());
    }
  }

  void get(const std::string& path, Response& response) {
    if (path.empty()) {
      return answerUnpacked(response, page_, "text/html; charset=utf-8");
    }
    constexpr std::string_view kData = "data/";
    std::optional<Content> content;
    if (path.starts_with(kData)) content = source_.find(path.substr(kData.size()));
    if (!content) return answerText(response, 404, "Not found.");
    answerUnpacked(response, std::move(content->bytes), content->type);
  }

  void post(const std::string& path, const std::string& question, Response& response) {
    constexpr std::string_view kAsk = "ask/";
    if (!path.starts_with(kAsk)) return answerText(response, 404, "Not found.");
    const std::string what = path.substr(kAsk.size());
    if (what == "stop") {
      questions_.stop();
      response.set_content("{}", kJsonType);
      return;
    }
    const std::scoped_lock lock(questionMutex_);
    const std::optional<Questions::Answer> answer = questions_.answer(what, question);
    if (!answer) return answerText(response, 404, "Unknown request.");
    if (!answer->ok) return answerError(response, answer->text);
    answerUnpacked(response, answer->text, kJsonType);
  }

  std::string page_;
  ContentSource& source_;
  Questions& questions_;
  std::string token_;
  std::mutex questionMutex_;
  VisitedServer server_;
  std::atomic<bool> isInside_ = false, stopRequest_ = false;
  int port_ = -1;
};

Server::Server(std::string page, ContentSource& source, Questions& questions,
               const ServerOptions& options)
    : token_(makeToken()) {
  http_ = std::make_unique<Http>(std::move(page), source, questions, token_);
  port_ = http_->bind(options.port);
  if (port_ > 0) return;
  if (options.port == 0) throw std::runtime_error("no free port is available");
  throw std::runtime_error("the port " + std::to_string(options.port) +
                           " is not available: another program uses it, or it is reserved. Omit "
                           "--port to use a free one");
}

Server::~Server() = default;

std::string Server::address() const {
  return std::string("http://") + kHost + ":" + std::to_string(port_) + "/" + token_ + "/";
}

void Server::run() {
  http_->run();
}

void Server::stop() {
  http_->stop();
}

// See server_module.cpp.
extern "C" Server* flexloopMakeServer(const char* page, std::size_t size, ContentSource& source,
                                      Questions& questions, const ServerOptions& options) {
  return new Server(std::string(page, size), source, questions, options);
}

bool equalInConstantTime(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const char other = i < a.size() ? a[i] : '\0';
    difference |= static_cast<unsigned char>(other) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

std::string makeToken() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error(std::string("random numbers are not available: ") +
                             std::strerror(errno));
  }
  constexpr const char* kDigits = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte / 16];
    token += kDigits[byte % 16];
  }
  return token;
}

}  // namespace flexloop::view
