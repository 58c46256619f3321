#include "view/data/report.hpp"

#include <memory>
#include <ostream>

#include "base/text_format.hpp"
#include "commands/command.hpp"
#include "commands/viewed_files.hpp"
#include "files/output_file.hpp"

namespace flexloop::commands {
namespace {

struct Request {
  std::vector<std::string> files;
  std::string target = "report.html";
};

constexpr double kMegabyte = 1e6;

// Of a long run, as many records as fit; what is left out is said.
std::string thin(ViewedFile& file, std::shared_ptr<view::ResultSource>& shown) {
  shown = file.result;
  const std::size_t most = view::countReportRecords(*file.result);
  if (most == file.result->records()) return {};
  shown = std::make_shared<view::ThinnedResult>(file.result, most);
  return base::formatText(
      "Of the %zu recorded times of %s the report contains %zu; 'flexloop view' shows all.",
      file.result->records(), file.name.c_str(), most);
}

// The viewer with all its data in one file.
void report(const Request& request, const language::Overrides& overrides, const Console& console) {
  const std::string_view page = requirePage();
  std::vector<ViewedFile> files;
  for (const std::string& path : request.files) {
    files.push_back(openViewed(path, overrides, false, Boxes::kStart));
  }
  view::SceneNotes notes;
  notes.version = console.version;
  std::vector<std::shared_ptr<view::ResultSource>> shown(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].result == nullptr) continue;
    const std::string leftOut = thin(files[i], shown[i]);
    notes.notice += (notes.notice.empty() || leftOut.empty() ? "" : " ") + leftOut;
  }
  const std::string notice = notes.notice;
  const std::unique_ptr<view::Session> session = makeSession(files, shown, std::move(notes));
  const ViewedFile& first = files.front();
  if (first.model != nullptr) {
    session->setFirstModes([&first](const std::string& id) { return makeFirstModes(id, first); });
  }
  const std::string text = view::makeReport(page, *session);
  files::writeTextFile(request.target, text);
  printNotes(files, console);
  if (!console.quiet) {
    if (!notice.empty()) *console.text << notice << '\n';
    *console.text << base::formatText("The report is in %s (%.1f MB).\n", request.target.c_str(),
                                      static_cast<double>(text.size()) / kMegabyte);
  }
}

}  // namespace

void declareReport(Call& call) {
  const auto request = std::make_shared<Request>();
  addViewedFiles(call, request->files);
  call.add({{"-o,--output",
             "FILE",
             "output file (default: report.html)",
             &request->target,
             {.isWritten = true}}});
  call.addQuietOption();
  call.action = [&call, request](const Console& console) {
    report(*request, call.model.overrides, console);
  };
}

}  // namespace flexloop::commands
