#include "commands/controller_files.hpp"

#include <cmath>

#include "api/failed.hpp"
#include "base/file_text.hpp"
#include "base/json.hpp"
#include "commands/console.hpp"

namespace flexloop::commands {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Json = nlohmann::ordered_json;

constexpr const char* kForm =
    "as `flexloop design --json FILE` writes it, or {\"A\": [[…]], \"B\": …, \"C\": …, \"D\": …}";

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  GivenController read() {
    const base::Result<std::string> text = base::readFileText(path_);
    if (!text) throw api::Failed(text.failure());
    const Json json = Json::parse(text.value(), nullptr, false);
    if (json.is_discarded() || !json.is_object()) fail("is no JSON object");
    const bool isDesign = json.contains("controller");
    const Json& matrices = isDesign ? json["controller"] : json;
    for (const char* key : {"A", "B", "C", "D"}) {
      if (!matrices.contains(key)) fail(std::string("has no matrix '") + key + "'");
    }
    GivenController given;
    linalg::StateMatrices& s = given.system;
    s.D = readMatrix(matrices["D"], "D", -1, -1);
    const Index m = s.D.cols(), p = s.D.rows();
    if (m == 0 || p == 0) fail("has no inputs or outputs");
    s.A = readMatrix(matrices["A"], "A", -1, -1);
    const Index n = s.A.rows();
    if (s.A.cols() != n) fail("has a matrix 'A' that is not square");
    s.B = readMatrix(matrices["B"], "B", n, m);
    s.C = readMatrix(matrices["C"], "C", p, n);
    given.sample = readSample(json);
    // What the plant measures is what the controller reads.
    given.inputs = readNames(json, isDesign ? "outputs" : "inputs", "u", m);
    given.outputs = readNames(json, isDesign ? "inputs" : "outputs", "y", p);
    if (isDesign) {
      for (std::string& name : given.outputs) name = "to_" + name;
    }
    return given;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { reject("'" + path_ + "' " + why, kForm); }

  // Other programs call it dt.
  double readSample(const Json& json) const {
    for (const char* key : {"sample", "dt"}) {
      if (!json.contains(key) || json[key].is_null()) continue;
      const Json& value = json[key];
      if (!value.is_number() || !(value.get<double>() >= 0.0) ||
          !std::isfinite(value.get<double>())) {
        fail(std::string("has a '") + key + "' that is no time in seconds");
      }
      return value.get<double>();
    }
    return 0.0;
  }

  // −1: any number.
  MatrixXd readMatrix(const Json& rows, const std::string& name, Index height, Index width) const {
    if (!rows.is_array()) fail("has a '" + name + "' that is no matrix");
    const Index n = std::ssize(rows);
    const Index m =
        n == 0 ? std::max<Index>(width, 0) : (rows[0].is_array() ? std::ssize(rows[0]) : Index{-1});
    MatrixXd matrix(n, std::max<Index>(m, 0));
    for (Index i = 0; i < n; ++i) {
      const Json& row = rows[static_cast<std::size_t>(i)];
      if (!row.is_array() || std::ssize(row) != m) fail("has a '" + name + "' that is no matrix");
      for (Index k = 0; k < m; ++k) {
        const Json& entry = row[static_cast<std::size_t>(k)];
        if (!entry.is_number() || !std::isfinite(entry.get<double>())) {
          fail("has an entry of '" + name + "' that is no number");
        }
        matrix(i, k) = entry.get<double>();
      }
    }
    if ((height >= 0 && n != height) || (width >= 0 && m != width)) {
      fail("has a matrix '" + name + "' of " + std::to_string(n) + " x " + std::to_string(m) +
           " instead of " + std::to_string(height) + " x " + std::to_string(width));
    }
    return matrix;
  }

  std::vector<std::string> readNames(const Json& json, const char* key, const std::string& start,
                                     Index count) const {
    std::vector<std::string> names;
    if (json.contains(key) && json[key].is_array()) {
      for (const Json& name : json[key]) {
        if (!name.is_string()) fail(std::string("has '") + key + "' that are no names");
        names.push_back(name.get<std::string>());
      }
      if (std::ssize(names) != count) {
        fail("has " + std::to_string(names.size()) + " '" + key + "', but matrices for " +
             std::to_string(count));
      }
      return names;
    }
    for (Index i = 1; i <= count; ++i) names.push_back(start + std::to_string(i));
    return names;
  }

  const std::string& path_;
};

}  // namespace

GivenController readController(const std::string& path) {
  return Reader(path).read();
}

}  // namespace flexloop::commands
