#include <chrono>
#include <ostream>
#include <thread>

#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "commands/mode_options.hpp"
#include "commands/view_questions.hpp"
#include "commands/viewed_files.hpp"
#include "view/server/browser.hpp"
#include "view/server/page.hpp"
#include "view/server/server_module.hpp"

namespace flexloop::commands {
namespace {

constexpr std::chrono::milliseconds kPause{100};

std::vector<ViewedFile> openAll(const ViewRequest& request) {
  std::vector<ViewedFile> files;
  for (const std::string& path : request.files) {
    files.push_back(openViewed(path, request.overrides, request.watches));
  }
  return files;
}

void tellAddress(const ViewRequest& request, const std::string& address,
                 view::BrowserOpener& browser, const Console& console) {
  const bool isOpened = request.opensBrowser && browser.open(address);
  if (request.opensBrowser && !isOpened) {
    *console.errors << "warning: no browser was found; open the address below manually\n";
  }
  *console.text << "The viewer is at " << address << "\nPress Ctrl-C to stop it.\n" << std::flush;
}

Outcome execute(const ViewRequest& request, const Console& console) {
  if (view::pageText().empty()) {
    refuse("this program was built without the viewer page",
           "run 'make packages' with access to the network, then 'make'");
  }
  const std::vector<ViewedFile> files = openAll(request);
  const ViewedFile& first = files.front();
  for (const ViewedFile& file : files) {
    if (!file.whyNoModel.empty()) *console.errors << "warning: " << file.whyNoModel << '\n';
    if (!file.note.empty() && !console.quiet) *console.errors << "note: " << file.note << '\n';
  }
  std::vector<std::shared_ptr<view::ResultSource>> shown;
  for (const ViewedFile& file : files) shown.push_back(file.result);
  view::SceneNotes notes;
  notes.version = request.version;
  notes.isLive = first.model != nullptr;
  const std::unique_ptr<view::Session> session = makeSession(files, shown, std::move(notes));
  if (first.model != nullptr) {
    session->setFirstModes([&first](const std::string& id) { return makeFirstModes(id, first); });
  }
  ViewQuestions questions(first, *session);
  const std::unique_ptr<view::Server> server =
      view::loadServer(view::pageText(), *session, questions, {request.port});
  std::thread thread([&server] { server->run(); });
  view::BrowserOpener browser;
  tellAddress(request, server->address(), browser, console);
  while (console.stopRequest == nullptr || *console.stopRequest == 0) {
    std::this_thread::sleep_for(kPause);
  }
  questions.stop();
  server->stop();
  thread.join();
  return Outcome::kDone;
}

}  // namespace

Outcome view(const ViewRequest& request, const Console& console) {
  return guard(console, [&] { return execute(request, console); });
}

}  // namespace flexloop::commands
