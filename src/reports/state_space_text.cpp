#include "reports/state_space_text.hpp"

#include <algorithm>
#include <filesystem>

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/csv_writer.hpp"
#include "files/make_folder.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

using analysis::StateSpace;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kMostNames = 24;

Json toJson(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index k = 0; k < matrix.cols(); ++k) row.push_back(matrix(i, k) + 0.0);
    rows.push_back(std::move(row));
  }
  return rows;
}

// The first of them where they are many.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  if (names.size() > kMostNames) text += ", …";
  return text.empty() ? "none" : text;
}

std::string makeHeader(const std::vector<std::string>& names) {
  std::string text = "row";
  for (const std::string& name : names) text += "," + name;
  return text + "\n";
}

void appendRow(const std::string& name, const Eigen::RowVectorXd& row, std::string& text) {
  text += name;
  for (const double value : row) {
    text += ',';
    files::appendNumber(value + 0.0, text);
  }
  text += '\n';
}

std::string toCsv(const Eigen::MatrixXd& matrix, const std::vector<std::string>& rows,
                  const std::vector<std::string>& columns) {
  std::string text = makeHeader(columns);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) appendRow(rows[i], matrix.row(i), text);
  return text;
}

}  // namespace

std::vector<std::string> describeStateSpace(const std::string& title, const std::string& point,
                                            const analysis::StateSpaceResult& result) {
  const StateSpace& system = result.system;
  std::vector<std::string> lines{
      title + ": x' = A x + B w, y = C x + D w " + point,
      base::formatText("  %d states:  ", static_cast<int>(system.A.rows())) + joined(system.states),
      base::formatText("  %d inputs:  ", static_cast<int>(system.B.cols())) + joined(system.inputs),
      base::formatText("  %d outputs: ", static_cast<int>(system.C.rows())) +
          joined(system.outputs),
      base::formatText(
          "  compared with the machine itself at %d frequencies, the response differs by %.1e "
          "at most",
          result.difference.points, result.difference.share)};
  if (result.isModal) {
    lines.push_back(base::formatText(
        "  the states are modal: with coordinates of the machine the response would differ by %.1e",
        result.namingError));
  }
  return lines;
}

std::vector<std::string> describeMinimal(const analysis::StateSpaceResult& result) {
  if (result.leftOut.empty())
    return {"  no state was omitted: all are controllable and observable"};
  int states = 0;
  for (const analysis::LeftOutRoot& root : result.leftOut) states += root.states;
  std::vector<std::string> lines{
      base::formatText("  %d states were omitted as uncontrollable or unobservable; their "
                       "contribution to the response is %.1e",
                       states, result.responseError),
      "    relative coupling:            inputs  outputs"};
  for (std::size_t i = 0; i < std::min(result.leftOut.size(), kMostNames); ++i) {
    const analysis::LeftOutRoot& root = result.leftOut[i];
    lines.push_back(
        base::formatText("    %-28s %8.0e %8.0e", root.name.c_str(), root.reach, root.sight));
  }
  if (result.leftOut.size() > kMostNames) {
    lines.push_back(base::formatText("    … and %d more (all are in the JSON file)",
                                     static_cast<int>(result.leftOut.size() - kMostNames)));
  }
  return lines;
}

std::string makeStateSpaceJson(const analysis::StateSpaceResult& result) {
  const StateSpace& system = result.system;
  Json json;
  json["A"] = toJson(system.A);
  json["B"] = toJson(system.B);
  json["C"] = toJson(system.C);
  json["D"] = toJson(system.D);
  json["states"] = system.states;
  json["inputs"] = system.inputs;
  json["outputs"] = system.outputs;
  json["response_difference"] = result.difference.share;
  for (const analysis::LeftOutRoot& root : result.leftOut) {
    json["left_out"].push_back({{"name", root.name},
                                {"root", {root.root.real(), root.root.imag()}},
                                {"states", root.states},
                                {"reach", root.reach},
                                {"sight", root.sight}});
  }
  if (!result.leftOut.empty()) json["response_error"] = result.responseError;
  return json.dump() + "\n";
}

void writeStateSpaceJson(const std::string& path, const analysis::StateSpaceResult& result) {
  files::writeTextFile(path, makeStateSpaceJson(result));
}

void writeStateSpaceCsv(const std::string& path, const StateSpace& system) {
  if (path != "-" && (path.ends_with('/') || fs::is_directory(path))) {
    files::makeFolder(path);
    const fs::path folder(path);
    files::writeTextFile((folder / "A.csv").string(),
                         toCsv(system.A, system.states, system.states));
    files::writeTextFile((folder / "B.csv").string(),
                         toCsv(system.B, system.states, system.inputs));
    files::writeTextFile((folder / "C.csv").string(),
                         toCsv(system.C, system.outputs, system.states));
    files::writeTextFile((folder / "D.csv").string(),
                         toCsv(system.D, system.outputs, system.inputs));
    return;
  }
  std::vector<std::string> columns = system.states;
  columns.insert(columns.end(), system.inputs.begin(), system.inputs.end());
  std::string text = makeHeader(columns);
  Eigen::RowVectorXd row(system.A.cols() + system.B.cols());
  for (Eigen::Index i = 0; i < system.A.rows(); ++i) {
    row << system.A.row(i), system.B.row(i);
    appendRow("d/dt " + system.states[i], row, text);
  }
  for (Eigen::Index i = 0; i < system.C.rows(); ++i) {
    row << system.C.row(i), system.D.row(i);
    appendRow(system.outputs[i], row, text);
  }
  files::writeTextFile(path, text);
}

}  // namespace flexloop::reports
