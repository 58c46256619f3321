#include "reports/part_text.hpp"

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

using base::formatText;

// xx yy zz xy xz yz
std::vector<double> entriesOf(const Eigen::Matrix3d& I) {
  return {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
}

std::string listOf(const std::vector<double>& numbers, const char* pattern, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i) {
    char number[40];
    std::snprintf(number, sizeof number, pattern, numbers[i]);
    text += (i > 0 ? ", " : "") + std::string(number);
  }
  return text + (numbers.size() > most ? ", ..." : "");
}

std::string describeElements(const fem::PartStudy& study) {
  std::string text;
  for (const auto& [shape, count] : study.elements) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + shape;
  }
  return text;
}

std::string describeSets(const std::vector<std::string>& sets) {
  constexpr std::size_t kMost = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, sets.size()); ++i) {
    text += (i > 0 ? ", " : "") + sets[i];
  }
  return text + (sets.size() > kMost ? ", ..." : "");
}

nlohmann::ordered_json vectorJson(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

}  // namespace

std::vector<std::string> describePart(const fem::PartStudy& study) {
  const Eigen::Vector3d& c = study.centre;
  const Eigen::Vector3d& size = study.extent;
  std::vector<std::string> lines{
      formatText("%s: %d nodes, %d freedoms, %s", study.mesh.file.c_str(), study.nodes,
                 study.freedoms, describeElements(study).c_str()),
      formatText("  extent          %.6g x %.6g x %.6g m", size.x(), size.y(), size.z()),
      formatText("  volume          %.9g m³", study.volume),
      formatText("  mass            %.9g kg", study.mass),
      formatText("  centre of mass  %.6g, %.6g, %.6g m", c.x(), c.y(), c.z()),
      "  inertia         " + listOf(entriesOf(study.inertia), "%.6g", 6) +
          " kg m² (xx yy zz xy xz yz about the centre of mass)"};
  if (!study.sets.empty()) lines.push_back("  sets            " + describeSets(study.sets));
  if (!study.frequenciesHz.empty()) {
    lines.push_back("  frequencies     " + listOf(study.frequenciesHz, "%.6g", 24) + " Hz");
  }
  return lines;
}

void writePartJson(const std::string& path, const fem::PartStudy& study) {
  nlohmann::ordered_json json;
  json["mass"] = study.mass;
  json["com"] = vectorJson(study.centre);
  json["inertia"] = entriesOf(study.inertia);
  json["volume"] = study.volume;
  json["extent"] = vectorJson(study.extent);
  json["nodes"] = study.nodes;
  json["freedoms"] = study.freedoms;
  json["elements"] = nlohmann::ordered_json::object();
  for (const auto& [shape, count] : study.elements) json["elements"][shape] = count;
  json["sets"] = study.sets;
  json["frequencies_hz"] = study.frequenciesHz;
  json["warnings"] = nlohmann::ordered_json::array();
  for (const base::Diagnostic& note : study.notes.warnings()) {
    json["warnings"].push_back(note.message);
  }
  files::writeTextFile(path, json.dump(2) + "\n");
}

namespace {

std::vector<double> listOf(const Eigen::VectorXd& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

}  // namespace

std::vector<std::string> describeReduction(const std::string& part,
                                           const fem::ReductionReport& report) {
  std::vector<std::string> lines{
      formatText("%s: %d freedoms reduced to %d of interfaces and %d modes (%s)", part.c_str(),
                 report.freedoms, report.interfaceFreedoms, report.modes,
                 fem::nameOf(report.method).c_str()),
      formatText("  mass                    %.9g kg, error %.1e", report.mass, report.massError),
      formatText("  error of static loads   %.1e", report.staticError)};
  if (report.reachedAccuracy) {
    lines.push_back(
        formatText("  accuracy reached        %.2g %%", 100.0 * *report.reachedAccuracy));
  }
  if (report.frequencies.size() > 0) {
    lines.emplace_back("  free part       reduced Hz          full Hz     error");
  }
  for (Eigen::Index i = 0; i < report.frequencies.size(); ++i) {
    if (i < report.fullFrequencies.size()) {
      lines.push_back(formatText("  %9d  %15.6f  %15.6f  %8.1e", static_cast<int>(i + 1),
                                 report.frequencies[i], report.fullFrequencies[i],
                                 report.frequencyErrors[i]));
    }
  }
  return lines;
}

void writeReductionJson(const std::string& path, const std::string& part,
                        const fem::ReductionReport& report) {
  nlohmann::ordered_json json;
  json["part"] = part;
  json["method"] = fem::nameOf(report.method);
  json["freedoms"] = report.freedoms;
  json["interface_freedoms"] = report.interfaceFreedoms;
  json["modes"] = report.modes;
  json["frequencies_hz"] = listOf(report.frequencies);
  json["full_frequencies_hz"] = listOf(report.fullFrequencies);
  json["static_error"] = report.staticError;
  json["mass_error"] = report.massError;
  json["mass"] = report.mass;
  if (report.reachedAccuracy) json["accuracy"] = *report.reachedAccuracy;
  files::writeTextFile(path, json.dump(2) + "\n");
}

}  // namespace flexloop::reports
