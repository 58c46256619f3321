#include "view/data/report.hpp"

#include <ostream>

#include "base/text_format.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "commands/mode_options.hpp"
#include "commands/viewed_files.hpp"
#include "files/output_file.hpp"
#include "view/server/page.hpp"

namespace flexloop::commands {
namespace {

constexpr double kMegabyte = 1e6;

// Of a long run, as many records as fit; what is left out is told.
std::string thin(ViewedFile& file, std::shared_ptr<view::ResultSource>& shown) {
  shown = file.result;
  const std::size_t most = view::countReportRecords(*file.result);
  if (most == file.result->records()) return {};
  shown = std::make_shared<view::ThinnedResult>(file.result, most);
  return base::formatText(
      "Of the %zu recorded times of %s the report contains %zu; 'flexloop view' shows all.",
      file.result->records(), file.name.c_str(), most);
}

Outcome execute(const ReportRequest& request, const Console& console) {
  if (view::pageText().empty()) {
    refuse("this program was built without the viewer page",
           "run 'make packages' with access to the network, then 'make'");
  }
  std::vector<ViewedFile> files;
  for (const std::string& path : request.files) {
    files.push_back(openViewed(path, request.overrides, false, Boxes::kStart));
  }
  view::SceneNotes notes;
  notes.version = request.version;
  std::vector<std::shared_ptr<view::ResultSource>> shown(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].result == nullptr) continue;
    const std::string told = thin(files[i], shown[i]);
    notes.notice += (notes.notice.empty() || told.empty() ? "" : " ") + told;
  }
  const std::string notice = notes.notice;
  const std::unique_ptr<view::Session> session = makeSession(files, shown, std::move(notes));
  const ViewedFile& first = files.front();
  if (first.model != nullptr) {
    session->setFirstModes([&first](const std::string& id) { return makeFirstModes(id, first); });
  }
  const std::string text = view::makeReport(view::pageText(), *session);
  files::writeTextFile(request.target, text);
  for (const ViewedFile& file : files) {
    if (!file.whyNoModel.empty()) *console.errors << "warning: " << file.whyNoModel << '\n';
    if (!file.note.empty() && !console.quiet) *console.errors << "note: " << file.note << '\n';
  }
  if (!console.quiet) {
    if (!notice.empty()) *console.text << notice << '\n';
    *console.text << base::formatText("The report is in %s (%.1f MB).\n", request.target.c_str(),
                                      static_cast<double>(text.size()) / kMegabyte);
  }
  return Outcome::kDone;
}

}  // namespace

Outcome report(const ReportRequest& request, const Console& console) {
  return guard(console, [&] { return execute(request, console); });
}

}  // namespace flexloop::commands
