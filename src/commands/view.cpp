#include <chrono>
#include <memory>
#include <ostream>
#include <thread>

#include "commands/command.hpp"
#include "commands/view_questions.hpp"
#include "commands/viewed_files.hpp"
#include "view/server/browser.hpp"
#include "view/server/server_module.hpp"

namespace flexloop::commands {
namespace {

struct Request {
  std::vector<std::string> files;
  int port = 0;  // 0: any that is free
  bool opensBrowser = true;
  bool watches = false;  // follows runs that are not finished
};

constexpr std::chrono::milliseconds kPause{100};

std::vector<ViewedFile> openAll(const Request& request, const language::Overrides& overrides) {
  std::vector<ViewedFile> files;
  for (const std::string& path : request.files) {
    files.push_back(openViewed(path, overrides, request.watches));
  }
  return files;
}

void printAddress(const Request& request, const std::string& address, view::BrowserOpener& browser,
                  const Console& console) {
  const bool isOpened = request.opensBrowser && browser.open(address);
  if (request.opensBrowser && !isOpened) {
    *console.errors << "warning: no browser was found; open the address below manually\n";
  }
  *console.text << "The viewer is at " << address << "\nPress Ctrl-C to stop it.\n" << std::flush;
}

// Serves the viewer to the browser of this computer until Console::stopRequest.
void view(const Request& request, const language::Overrides& overrides, const Console& console) {
  const std::string_view page = requirePage();
  const std::vector<ViewedFile> files = openAll(request, overrides);
  const ViewedFile& first = files.front();
  printNotes(files, console);
  std::vector<std::shared_ptr<view::ResultSource>> shown;
  for (const ViewedFile& file : files) shown.push_back(file.result);
  view::SceneNotes notes;
  notes.version = console.version;
  notes.isLive = first.model != nullptr;
  const std::unique_ptr<view::Session> session = makeSession(files, shown, std::move(notes));
  if (first.model != nullptr) {
    session->setFirstModes([&first](const std::string& id) { return makeFirstModes(id, first); });
  }
  ViewQuestions questions(first, *session);
  const std::unique_ptr<view::Server> server =
      view::loadServer(page, *session, questions, {request.port});
  std::thread thread([&server] { server->run(); });
  view::BrowserOpener browser;
  printAddress(request, server->address(), browser, console);
  while (!console.isStopRequested()) {
    std::this_thread::sleep_for(kPause);
  }
  questions.stop();
  server->stop();
  thread.join();
}

}  // namespace

void declareView(Call& call) {
  const auto request = std::make_shared<Request>();
  call.stopsGently = true;
  addViewedFiles(call, request->files);
  call.add(
      {{"--port",
        "N",
        "port to listen on (default: any free port)",
        &request->port,
        {.least = 1, .most = 65535}},
       {"!--no-open", "", "print the address instead of opening a browser", &request->opensBrowser},
       {"--watch", "", "follow a run in progress", &request->watches}});
  call.action = [&call, request](const Console& console) {
    view(*request, call.model.overrides, console);
  };
}

}  // namespace flexloop::commands
