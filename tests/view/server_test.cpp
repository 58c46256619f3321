#include "view/server/server.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/message_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "view/server/browser.hpp"

namespace flexloop::view {
namespace {

class OneThing final : public ContentSource {
 public:
  std::optional<Content> find(const std::string& name) override {
    if (name == "broken") throw std::runtime_error("it cannot be read");
    if (name != "a/b") return std::nullopt;
    return Content{std::string("\0x", 2)};
  }
};

class Echo final : public Questions {
 public:
  std::optional<Answer> answer(const std::string& what, const std::string& question) override {
    if (what == "fail") return Answer{false, "it \xff is \"wrong\""};
    if (what != "echo") return std::nullopt;
    return Answer{true, question};
  }
  void stop() override { ++stops; }
  int stops = 0;
};

int connectTo(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return socket;
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : server_("<html></html>", source_, questions_), thread_([this] { server_.run(); }) {
    const std::string address = server_.address();
    token_ = address.substr(address.size() - 34);  // with both slashes
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_.port());
  }
  ~ServerTest() override {
    client_.reset();
    server_.stop();
    thread_.join();
  }

  int statusOf(const std::string& path, const httplib::Headers& headers = {}) {
    const httplib::Result result = client_->Get(path, headers);
    return result ? result->status : -1;
  }
  httplib::Result post(const std::string& what, const std::string& body,
                       const char* type = "application/json") {
    return client_->Post(token_ + "ask/" + what, body, type);
  }
  std::string ownHost() const { return "127.0.0.1:" + std::to_string(server_.port()); }

  OneThing source_;
  Echo questions_;
  Server server_;
  std::thread thread_;
  std::string token_;
  std::unique_ptr<httplib::Client> client_;
};

// Bytes behind the end of the content are those of the program.
TEST_F(ServerTest, ServesNoRanges) {
  for (const char* range : {"bytes=0-0", "bytes=1-4000", "bytes=100-4000", "bytes=5-2", "bytes=-7",
                            "bytes=18446744073709551615-", "bytes=0-1,3-9"}) {
    const httplib::Result result = client_->Get(token_ + "data/a/b", {{"Range", range}});
    if (!result) continue;  // refused by the library
    EXPECT_EQ(result->status, 416) << range;
    EXPECT_LT(result->body.size(), 512u) << range;
  }
  EXPECT_EQ(statusOf(token_ + "data/a/b"), 200);
}

// Connections that begin a request and do not end it, hundreds of them, do not hold up others for a moment. Those that have
// waited longest are ended.
TEST_F(ServerTest, IsNotBlockedByThoseWhoSendNothing) {
  ASSERT_EQ(statusOf(token_), 200);
  std::vector<int> sockets;
  for (int i = 0; i < 350; ++i) {
    sockets.push_back(connectTo(server_.port()));
    EXPECT_EQ(send(sockets.back(), "GET /", 5, MSG_NOSIGNAL), 5);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(statusOf(token_), 200);
  client_ = std::make_unique<httplib::Client>("127.0.0.1", server_.port());  // a new connection
  EXPECT_EQ(statusOf(token_), 200);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(1500));
  char byte = 0;
  EXPECT_EQ(recv(sockets.front(), &byte, 1, 0), 0);
  for (const int socket : sockets) close(socket);
}

// Questions without the token that announce more than they send are refused at once, not waited for.
TEST_F(ServerTest, WaitsForNoContentOfStrangers) {
  std::vector<int> sockets;
  for (int i = 0; i < 200; ++i) {
    sockets.push_back(connectTo(server_.port()));
    const std::string head =
        "POST /0123456789abcdef0123456789abcdef/ask/echo HTTP/1.1\r\nHost: " + ownHost() +
        "\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    ASSERT_EQ(send(sockets.back(), head.data(), head.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(head.size()));
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(statusOf(token_), 200);
  for (const int socket : sockets) {
    char answer[13] = {};
    EXPECT_EQ(recv(socket, answer, 12, MSG_WAITALL), 12);
    EXPECT_STREQ(answer, "HTTP/1.1 404");
    close(socket);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(1500));
}

// Two requests in one piece, and one in many pieces: each gets its answer, on one connection.
TEST_F(ServerTest, RequestsComeInAnyPieces) {
  const int socket = connectTo(server_.port());
  const std::string request =
      "GET " + token_ + "data/a/b HTTP/1.1\r\nHost: " + ownHost() + "\r\n\r\n";
  const std::string both = request + request;
  ASSERT_EQ(send(socket, both.data(), both.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(both.size()));
  for (const char byte : request) {
    ASSERT_EQ(send(socket, &byte, 1, MSG_NOSIGNAL), 1);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  shutdown(socket, SHUT_WR);
  std::string answers;
  char piece[512];
  for (ssize_t count = 1; count > 0;) {
    count = recv(socket, piece, sizeof piece, 0);
    if (count > 0) answers.append(piece, static_cast<std::size_t>(count));
  }
  close(socket);
  int found = 0;
  for (std::size_t at = 0; (at = answers.find("HTTP/1.1 200", at)) != std::string::npos; ++at)
    ++found;
  EXPECT_EQ(found, 3) << answers;
}

TEST_F(ServerTest, ServesThePageAndData) {
  const httplib::Result page = client_->Get(token_);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "<html></html>");
  EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(page->get_header_value("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(page->get_header_value("Cross-Origin-Resource-Policy"), "same-origin");
  EXPECT_EQ(page->get_header_value("Cache-Control"), "no-store");
  EXPECT_FALSE(page->has_header("Access-Control-Allow-Origin"));
  const httplib::Result data = client_->Get(token_ + "data/a/b");
  ASSERT_TRUE(data);
  EXPECT_EQ(data->body, std::string("\0x", 2));
  EXPECT_EQ(statusOf(token_ + "data/none"), 404);
  EXPECT_EQ(statusOf(token_ + "data/broken"), 500);
}

// Packing 800 kB takes the library three seconds.
TEST_F(ServerTest, PacksNothing) {
  const httplib::Result page = client_->Get(token_, {{"Accept-Encoding", "gzip, deflate, br"}});
  ASSERT_TRUE(page);
  EXPECT_FALSE(page->has_header("Content-Encoding"));
  EXPECT_EQ(page->get_header_value("Content-Length"), "13");
  EXPECT_EQ(page->body, "<html></html>");
}

TEST_F(ServerTest, NeedsItsToken) {
  std::string wrong = token_;
  wrong[5] = wrong[5] == '0' ? '1' : '0';
  for (const std::string& path :
       {std::string("/"), std::string("/data/a/b"), wrong, wrong + "data/a/b",
        token_.substr(0, 10) + "/", token_.substr(0, token_.size() - 1), std::string("//")}) {
    EXPECT_EQ(statusOf(path), 404) << path;
  }
  const httplib::Result asked = client_->Post(wrong + "ask/echo", "{}", "application/json");
  EXPECT_EQ(asked->status, 404);
}

TEST_F(ServerTest, LeadsToNoFiles) {
  for (const char* path : {"../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd",
                           "data/../../etc/passwd", "data//etc/passwd", "data/%2fetc%2fpasswd",
                           "data/a/b/..", "data/a/b%00", "data/..%2f..%2fetc%2fpasswd"}) {
    EXPECT_EQ(statusOf(token_ + path), 404) << path;
  }
}

TEST_F(ServerTest, RefusesForeignNamesAndPages) {
  EXPECT_EQ(statusOf(token_, {{"Host", "evil.example:80"}}), 403);
  EXPECT_EQ(statusOf(token_, {{"Host", "evil.example:" + std::to_string(server_.port())}}), 403);
  EXPECT_EQ(statusOf(token_, {{"Host", "127.0.0.1"}}), 403);
  EXPECT_EQ(statusOf(token_, {{"Host", "localhost:" + std::to_string(server_.port())}}), 200);
  EXPECT_EQ(statusOf(token_, {{"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(statusOf(token_, {{"Origin", "null"}}), 403);
  EXPECT_EQ(statusOf(token_, {{"Origin", "http://127.0.0.1:1"}}), 403);
  EXPECT_EQ(statusOf(token_, {{"Origin", "http://" + ownHost()}}), 200);
  EXPECT_EQ(statusOf(token_ + "data/a/b", {{"Sec-Fetch-Site", "cross-site"}}), 403);
  const httplib::Headers foreign{{"Origin", "http://evil.example"}};
  EXPECT_EQ(client_->Post(token_ + "ask/echo", foreign, "{}", "application/json")->status, 403);
}

TEST_F(ServerTest, AnswersQuestions) {
  EXPECT_EQ(post("echo", "{\"a\": 1}")->body, "{\"a\": 1}");
  const httplib::Result failed = post("fail", "{}");
  EXPECT_EQ(failed->status, 422);
  EXPECT_TRUE(nlohmann::json::parse(failed->body).at("error").is_string());
  EXPECT_EQ(post("none", "{}")->status, 404);
  EXPECT_EQ(post("stop", "{}")->status, 200);
  EXPECT_EQ(questions_.stops, 1);
  EXPECT_EQ(client_->Get(token_ + "ask/echo")->status, 404);
}

TEST_F(ServerTest, RefusesOddBodies) {
  EXPECT_EQ(post("echo", "{}", "text/plain")->status, 415);
  EXPECT_EQ(post("echo", "a=b", "application/x-www-form-urlencoded")->status, 415);
  EXPECT_EQ(post("echo", std::string((std::size_t{1} << 20) + 1, ' '))->status, 413);
  const httplib::Headers packed{{"Content-Encoding", "gzip"}};
  EXPECT_EQ(client_->Post(token_ + "ask/echo", packed, "x", "application/json")->status, 415);
  EXPECT_EQ(post("echo", "{}")->status, 200);  // it still lives
}

TEST_F(ServerTest, DoesNotShareItsPort) {
  try {
    const Server second("", source_, questions_, {server_.port()});
    FAIL();
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(std::to_string(server_.port())), std::string::npos);
    EXPECT_NE(text.find("Omit --port"), std::string::npos);
  }
}

TEST(Server, StopsEvenBeforeItRuns) {
  OneThing source;
  Echo questions;
  Server server("", source, questions);
  server.stop();
  server.run();
}

// Other users see the words of a command, so the address is in a file instead.
TEST(Browser, IsLedToTheAddressByAFile) {
  const flexloop::testing::TemporaryFolder folder;
  const std::string script =
      folder.write("browser", "#!/bin/sh\ncp \"$1\" '" + folder.file("seen.part") + "' && mv '" +
                                  folder.file("seen.part") + "' '" + folder.file("seen") + "'\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  setenv("BROWSER", script.c_str(), 1);
  BrowserOpener opener;
  ASSERT_TRUE(opener.open("http://127.0.0.1:1/secret/"));
  for (int i = 0; i < 500 && !std::filesystem::exists(folder.file("seen")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(test::says(flexloop::testing::readWhole(folder.file("seen")),
                         "url=http://127.0.0.1:1/secret/"));
  unsetenv("BROWSER");
}

TEST(Token, Has128RandomBits) {
  const std::string a = makeToken(), b = makeToken();
  EXPECT_EQ(a.size(), 32u);
  EXPECT_NE(a, b);
  EXPECT_TRUE(equalInConstantTime(a, a));
  EXPECT_FALSE(equalInConstantTime(a, b));
  EXPECT_FALSE(equalInConstantTime(a.substr(0, 31), a));
  EXPECT_FALSE(equalInConstantTime("", a));
  EXPECT_FALSE(equalInConstantTime(a + "0", a));
}

}  // namespace
}  // namespace flexloop::view
