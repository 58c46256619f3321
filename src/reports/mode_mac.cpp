#include "reports/mode_mac.hpp"

#include "base/diagnostics.hpp"
#include "base/file_text.hpp"
#include "base/json.hpp"
#include "base/text_format.hpp"

namespace flexloop::reports {
namespace {

using Complex = std::complex<double>;
using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw base::InputError({}, "--mac: '" + file + "' " + what,
                         "give a file written by `flexloop modes --json FILE`");
}

// Displacements of the nodes that this system has too, one column by mode.
Eigen::MatrixXcd readShapes(const Json& modes, const std::vector<std::string>& nodes) {
  Eigen::MatrixXcd shapes(3 * nodes.size(), modes.size());
  for (std::size_t j = 0; j < modes.size(); ++j) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Json& moved = modes[j].at("shape").at("nodes").at(nodes[i]).at("displacement");
      for (int k = 0; k < 3; ++k) {
        shapes(3 * i + k, j) =
            Complex(moved.at(k).at(0).get<double>(), moved.at(k).at(1).get<double>());
      }
    }
  }
  return shapes;
}

Eigen::MatrixXcd makeShapes(const system::System& system, const system::State& state,
                            const std::vector<int>& nodes,
                            const std::vector<analysis::Mode>& modes) {
  Eigen::MatrixXcd shapes(3 * nodes.size(), modes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const system::Node& node = system.nodes()[nodes[i]];
    const math::Frame<double>& frame = state.frames[nodes[i]];
    const Eigen::MatrixXd map = frame.R * system::calcMap(node, frame).topLeftCorner(3, node.count);
    for (std::size_t j = 0; j < modes.size(); ++j) {
      shapes.block(3 * i, j, 3, 1) =
          map.cast<Complex>() * modes[j].shape.segment(node.firstUnknown, node.count);
    }
  }
  return shapes;
}

Eigen::MatrixXd calcPlainMac(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b) {
  Eigen::MatrixXd mac = (a.adjoint() * b).cwiseAbs2();
  for (int i = 0; i < mac.rows(); ++i) {
    for (int j = 0; j < mac.cols(); ++j) {
      const double both = a.col(i).squaredNorm() * b.col(j).squaredNorm();
      mac(i, j) = both > 0.0 ? mac(i, j) / both : 0.0;
    }
  }
  return mac;
}

}  // namespace

ShapeComparison compareWithFile(const std::string& file, const system::System& system,
                                const system::State& state,
                                const std::vector<analysis::Mode>& modes) {
  ShapeComparison comparison;
  comparison.file = file;
  const base::Result<std::string> text = base::readFileText(file);
  if (!text) throw base::InputError({}, "--mac: " + text.failure().message, text.failure().hint);
  const Json json = Json::parse(text.value(), nullptr, false);
  if (!json.is_object() || !json.contains("modes") || json.at("modes").empty()) {
    refuse(file, "has no modes");
  }
  const Json& others = json.at("modes");
  try {
    std::vector<int> nodes;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < system.nodes().size(); ++i) {
      const system::Node& node = system.nodes()[i];
      if (node.count == 0 || !others[0].at("shape").at("nodes").contains(node.name)) continue;
      nodes.push_back(static_cast<int>(i));
      names.push_back(node.name);
    }
    if (nodes.empty()) refuse(file, "has no node in common with this model");
    comparison.mac =
        calcPlainMac(makeShapes(system, state, nodes, modes), readShapes(others, names));
    for (const Json& mode : others) {
      comparison.frequenciesHz.push_back(mode.at("frequency_hz").get<double>());
    }
  } catch (const Json::exception&) {
    refuse(file, "has modes without shapes");
  }
  return comparison;
}

std::vector<std::string> describeShapeComparison(const ShapeComparison& comparison) {
  std::vector<std::string> lines{"  best match in " + comparison.file + ":"};
  lines.emplace_back("          match  frequency [Hz]     MAC");
  for (int i = 0; i < comparison.mac.rows(); ++i) {
    Eigen::Index best = 0;
    const double mac = comparison.mac.row(i).maxCoeff(&best);
    if (mac == 0.0) {
      lines.push_back(base::formatText("  %3d         -  no motion", i + 1));
      continue;
    }
    lines.push_back(base::formatText("  %3d  %8d  %14.7g  %6.4f", i + 1, static_cast<int>(best) + 1,
                                     comparison.frequenciesHz[best], mac));
  }
  return lines;
}

}  // namespace flexloop::reports
