#include "reports/effective_text.hpp"

#include "base/json.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const linalg::SparseMatrix& matrix) {
  Json rows = Json::array(), columns = Json::array(), values = Json::array();
  for (int c = 0; c < matrix.cols(); ++c) {
    for (linalg::SparseMatrix::InnerIterator it(matrix, c); it; ++it) {
      if (it.value() == 0.0) continue;
      rows.push_back(it.row());
      columns.push_back(c);
      values.push_back(it.value());
    }
  }
  return {{"size", matrix.rows()}, {"rows", rows}, {"columns", columns}, {"values", values}};
}

}  // namespace

void writeEffectiveMatrices(const std::string& path, const model::Model& model,
                            const analysis::LinearModel& linear,
                            const analysis::EffectiveMatrices& matrices) {
  const system::System& system = model.system();
  Json json;
  json["freedoms"] = analysis::freedomNames(system, linear, matrices);
  json["kinds"] = Json::array();
  for (const int u : matrices.unknowns) {
    const int unknown = linear.unknowns[u];
    const bool moves = unknown >= 0 && system.kinds()[unknown] == system::Kind::kMotion;
    json["kinds"].push_back(moves ? "motion" : "multiplier");
  }
  json["M_eff"] = toJson(matrices.M);
  json["C_eff"] = toJson(matrices.C);
  json["K_eff"] = toJson(matrices.K);
  json["Q_eff"] = toJson(matrices.Q);
  json["G_acc"] = toJson(matrices.acceleration);
  json["G_vel"] = toJson(matrices.velocity);
  json["G_pos"] = toJson(matrices.position);
  json["G_ssee"] = toJson(matrices.integral);
  files::writeTextFile(path, json.dump() + "\n");
}

}  // namespace flexloop::reports
