#include "reports/lpv_text.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/text_format.hpp"
#include "files/csv_writer.hpp"
#include "files/mat_file.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

using control::LpvModel;
using Eigen::Index;
using Eigen::MatrixXd;
using Json = nlohmann::ordered_json;

Json toJson(const MatrixXd& matrix) {
  Json rows = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (Index k = 0; k < matrix.cols(); ++k) row.push_back(matrix(i, k) + 0.0);
    rows.push_back(std::move(row));
  }
  return rows;
}

// Of one parameter the number itself.
template <class T>
Json oneOrAll(const std::vector<T>& values) {
  return values.size() == 1 ? Json(values[0]) : Json(values);
}

Json namesOf(const LpvModel& model) {
  std::vector<std::string> names;
  for (const control::LpvAxis& axis : model.axes) names.push_back(axis.name);
  return oneOrAll(names);
}

Json pointsOf(const LpvModel& model) {
  std::vector<std::vector<double>> points;
  for (const control::LpvAxis& axis : model.axes) points.push_back(axis.points);
  return oneOrAll(points);
}

Json toJson(const study::LpvError& error, bool isPoint) {
  Json json;
  json["value"] = oneOrAll(error.at);
  json["point"] = isPoint;
  json["mean_error"] = toJson(error.mean);
  json["largest_error"] = toJson(error.largest);
  json["stable"] = error.isStable;
  json["machine_stable"] = error.machineIsStable;
  return json;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void appendRows(const std::vector<study::LpvError>& errors, bool isPoint, std::string& text) {
  for (const study::LpvError& error : errors) {
    for (std::size_t d = 0; d < error.at.size(); ++d) {
      if (d > 0) text += ',';
      files::appendNumber(error.at[d], text);
    }
    text += isPoint ? ",1" : ",0";
    for (Index k = 0; k < error.mean.cols(); ++k) {
      for (Index i = 0; i < error.mean.rows(); ++i) {
        text += ',';
        files::appendNumber(error.mean(i, k), text);
      }
    }
    text += '\n';
  }
}

}  // namespace

double largestOf(const std::vector<study::LpvError>& errors) {
  double largest = 0.0;
  for (const study::LpvError& error : errors) {
    if (error.mean.size() > 0) largest = std::max(largest, error.mean.maxCoeff());
  }
  return largest;
}

std::vector<std::string> describeLpv(const LpvModel& model) {
  const control::LpvLayout& at = model.layout;
  std::string ranges, counts;
  for (const control::LpvAxis& axis : model.axes) {
    ranges += base::formatText("%s%s from %g to %g", ranges.empty() ? "" : ", ", axis.name.c_str(),
                               axis.points.front(), axis.points.back());
    counts += (counts.empty() ? "" : " x ") + std::to_string(axis.points.size());
  }
  std::vector<std::string> lines{
      (model.sample > 0.0 ? base::formatText("every %g s, x -> A(p) x + B(p) u", model.sample)
                          : std::string("x' = A(p) x + B(p) u")) +
          ", y = C(p) x + D(p) u, with p = " + ranges,
      base::formatText("  %d states: %d motions with their rates, %d others; %s through %s "
                       "points",
                       at.states(), at.pairs, at.others,
                       model.isCubic ? "cubics" : "straight lines", counts.c_str()),
      "  inputs:  " + joined(model.inputs), "  outputs: " + joined(model.outputs)};
  if (at.rates > 0) {
    lines.push_back("  with the terms of its rates, for 'while_moving: rate_terms'");
  } else if (!model.noRates.empty()) {
    lines.push_back("  without the terms of its rates: " + model.noRates);
  }
  if (model.error >= 0.0) {
    lines.push_back(base::formatText("  largest error of a response between the points: %.2g %%",
                                     100.0 * model.error));
  }
  return lines;
}

std::vector<std::string> describeLpvErrors(const LpvReport& report, bool lists) {
  std::vector<std::string> lines{
      base::formatText("  responses beside those of the machine itself, %.4g to %.4g Hz, as a "
                       "share of the response:",
                       report.lowHz, report.highHz),
      base::formatText("    at the points (states left out):  %8.2g %%",
                       100.0 * largestOf(report.points)),
      base::formatText("    between them (interpolation too): %8.2g %%",
                       100.0 * largestOf(report.between))};
  if (!lists) return lines;
  std::string names;
  for (const control::LpvAxis& axis : report.model.axes) names += axis.name + "  ";
  lines.push_back("    " + names + "error of each response [%]");
  for (const study::LpvError& error : report.between) {
    std::string line = "   ";
    for (const double value : error.at) line += base::formatText(" %-10.6g", value);
    for (Index k = 0; k < error.mean.cols(); ++k) {
      for (Index i = 0; i < error.mean.rows(); ++i) {
        line += base::formatText("  %s/%s %.3g", report.model.outputs[i].c_str(),
                                 report.model.inputs[k].c_str(), 100.0 * error.mean(i, k));
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> describeAffine(const std::vector<study::AffineResponse>& responses) {
  std::vector<std::string> lines;
  const auto add = [&](const char* kind, const std::vector<study::AffineRoot>& roots) {
    for (const study::AffineRoot& root : roots) {
      lines.push_back(base::formatText("    %s  %.6g %+.6gi  +  (%.6g %+.6gi) f", kind,
                                       root.c0.real(), root.c0.imag(), root.c1.real(),
                                       root.c1.imag()));
    }
  };
  for (const study::AffineResponse& response : responses) {
    lines.push_back("  " + response.output + ": poles and zeros [1/s] that are affine in f");
    add("pole", response.poles);
    add("zero", response.zeros);
    lines.push_back(base::formatText("    gain  %.6g  +  %.6g f", response.k0, response.k1));
  }
  return lines;
}

void writeLpvJson(const std::string& path, const LpvReport& report,
                  const std::vector<study::AffineResponse>& affine) {
  Json json;
  json["parameter"] = namesOf(report.model);
  json["points"] = pointsOf(report.model);
  json["states"] = report.model.layout.states();
  json["inputs"] = report.model.inputs;
  json["outputs"] = report.model.outputs;
  json["range_hz"] = {report.lowHz, report.highHz};
  json["error"] = largestOf(report.between);
  json["errors"] = Json::array();
  for (const study::LpvError& error : report.points) json["errors"].push_back(toJson(error, true));
  for (const study::LpvError& error : report.between) {
    json["errors"].push_back(toJson(error, false));
  }
  const auto toJson = [](const std::vector<study::AffineRoot>& roots) {
    Json list = Json::array();
    for (const study::AffineRoot& root : roots) {
      list.push_back(
          {{"c0", {root.c0.real(), root.c0.imag()}}, {"c1", {root.c1.real(), root.c1.imag()}}});
    }
    return list;
  };
  for (const study::AffineResponse& response : affine) {
    json["affine"].push_back({{"output", response.output},
                              {"poles", toJson(response.poles)},
                              {"zeros", toJson(response.zeros)},
                              {"gain", {response.k0, response.k1}}});
  }
  files::writeTextFile(path, json.dump() + "\n");
}

void writeLpvCsv(const std::string& path, const LpvReport& report) {
  std::string text;
  for (const control::LpvAxis& axis : report.model.axes) text += axis.name + ",";
  text += "point";
  for (const std::string& input : report.model.inputs) {
    for (const std::string& output : report.model.outputs) text += "," + output + "/" + input;
  }
  text += '\n';
  appendRows(report.points, true, text);
  appendRows(report.between, false, text);
  files::writeTextFile(path, text);
}

std::string makeLpvFileJson(const LpvModel& model) {
  Json json;
  for (const control::LpvAxis& axis : model.axes) {
    json["parameters"].push_back({{"name", axis.name}, {"points", axis.points}});
  }
  json["inputs"] = model.inputs;
  json["outputs"] = model.outputs;
  json["states"] = model.layout.states();
  if (model.sample > 0.0) json["sample"] = model.sample;
  json["rate_terms"] = model.layout.rates > 0;
  if (model.error >= 0.0) json["error"] = model.error;
  return json.dump() + "\n";
}

std::string makeLpvAtJson(const LpvModel& model, const std::vector<double>& values) {
  const linalg::StateMatrices s = control::evaluate(model, values);
  Json json;
  json["A"] = toJson(s.A);
  json["B"] = toJson(s.B);
  json["C"] = toJson(s.C);
  json["D"] = toJson(s.D);
  json["inputs"] = model.inputs;
  json["outputs"] = model.outputs;
  json["parameter"] = namesOf(model);
  json["value"] = oneOrAll(values);
  if (model.sample > 0.0) json["sample"] = model.sample;
  // x' = A x + B u + Σ p_d' N_d x
  const std::vector<MatrixXd> terms = control::evaluateRateTerms(model, values);
  for (std::size_t d = 0; d < terms.size(); ++d) {
    json["rate_terms"][model.axes[d].name] = toJson(terms[d]);
  }
  return json.dump() + "\n";
}

void writeLpvMat(const std::string& path, const LpvModel& model) {
  std::vector<double> A, B, C, D, N;
  const auto append = [](const MatrixXd& matrix, std::vector<double>& to) {
    to.insert(to.end(), matrix.data(), matrix.data() + matrix.size());
  };
  std::vector<study::SweepAxis> axes;
  for (const control::LpvAxis& axis : model.axes) axes.push_back({axis.name, axis.points});
  const study::LpvGrid grid(axes);
  const auto k = static_cast<std::size_t>(grid.size()), count = axes.size();
  std::vector<double> points(k * count);  // a column for each parameter
  for (std::size_t i = 0; i < k; ++i) {
    const std::vector<double> at = grid.point(static_cast<int>(i));
    const linalg::StateMatrices s = control::evaluate(model, at);
    append(s.A, A);
    append(s.B, B);
    append(s.C, C);
    append(s.D, D);
    for (const MatrixXd& terms : control::evaluateRateTerms(model, at)) append(terms, N);
    for (std::size_t d = 0; d < count; ++d) points[d * k + i] = at[d];
  }
  const auto n = static_cast<std::size_t>(model.layout.states());
  const std::size_t m = model.inputs.size(), p = model.outputs.size();
  files::MatFile file(path);
  file.write("A", A, {n, n, k});
  file.write("B", B, {n, m, k});
  file.write("C", C, {p, n, k});
  file.write("D", D, {p, m, k});
  const bool isLine = count == 1;
  using Size = std::vector<std::size_t>;
  if (!N.empty()) file.write("N", N, isLine ? Size{n, n, k} : Size{n, n, count, k});
  file.write("points", points, {isLine ? 1 : k, isLine ? k : count});
  std::vector<std::string> names;
  for (const study::SweepAxis& axis : axes) names.push_back(axis.name);
  file.write("parameter", names);
  file.write("inputs", model.inputs);
  file.write("outputs", model.outputs);
  if (model.sample > 0.0) file.write("sample", MatrixXd::Constant(1, 1, model.sample));
  file.close();
}

}  // namespace flexloop::reports
