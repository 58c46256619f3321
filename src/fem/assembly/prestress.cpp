#include "fem/assembly/prestress.hpp"

#include <vector>

#include "fem/assembly/part_fields.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr unsigned kTranslations = 0x07;

class SpiderStress {
 public:
  SpiderStress(const Mesh& mesh, const StressState& state)
      : mesh_(mesh), forces_(calcElementForces(mesh, state.displacement)), force_(state.force) {
    if (state.loads.size() > 0) forces_ -= state.loads;
    for (std::size_t s = 0; s < mesh.spiders.size(); ++s) {
      if (mesh.spiders[s].kind == Spider::Kind::kRigid)
        leads_.emplace_back(mesh.spiders[s].reference, s);
    }
  }

  std::vector<Eigen::Triplet<double>> triplets() const {
    std::vector<Eigen::Triplet<double>> entries;
    for (const Spider& spider : mesh_.spiders) {
      const Matrix3d B =
          spider.kind == Spider::Kind::kRigid ? sumOverNodes(spider) : momentOfForce(spider);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i && !B.isZero(0.0); ++j)
          entries.emplace_back(6 * spider.reference + 3 + i, 6 * spider.reference + 3 + j, B(i, j));
      }
    }
    return entries;
  }

 private:
  static Matrix3d stiffness(const Vector3d& F, const Vector3d& r) {
    return 0.5 * (F * r.transpose() + r * F.transpose()) - F.dot(r) * Matrix3d::Identity();
  }

  // What its elements take from a node beyond its loads, and from those that follow it.
  Vector3d forceOn(int node) const {
    Vector3d sum = forces_.segment<3>(6 * node);
    for (const auto& [reference, s] : leads_) {
      if (reference != node) continue;
      for (const int other : mesh_.spiders[s].nodes) {
        if (other != node) sum += taken(mesh_.spiders[s], other);
      }
    }
    return sum;
  }

  Vector3d taken(const Spider& spider, int node) const {
    Vector3d F = forceOn(node);
    for (int c = 0; c < 3; ++c) {
      if ((spider.components >> c & 1U) == 0) F[c] = 0.0;
    }
    return F;
  }

  Matrix3d sumOverNodes(const Spider& spider) const {
    Matrix3d B = Matrix3d::Zero();
    for (const int node : spider.nodes) {
      if (node == spider.reference) continue;
      B += stiffness(taken(spider, node), mesh_.points[node] - mesh_.points[spider.reference]);
    }
    return B;
  }

  // The force passes from the reference to the weighted centre of the nodes.
  Matrix3d momentOfForce(const Spider& spider) const {
    const bool isLoaded = force_ && force_->node == spider.reference &&
                          (spider.referenceComponents & kTranslations) == kTranslations;
    if (!isLoaded) return Matrix3d::Zero();
    Vector3d centre = Vector3d::Zero();
    double total = 0.0;
    for (std::size_t i = 0; i < spider.nodes.size(); ++i) {
      const double weight = spider.weights.empty() ? 1.0 : spider.weights[i];
      centre += weight * mesh_.points[spider.nodes[i]];
      total += weight;
    }
    return stiffness(force_->force, centre / total - mesh_.points[spider.reference]);
  }

  const Mesh& mesh_;
  VectorXd forces_;
  const std::optional<NodeForce>& force_;
  std::vector<std::pair<int, std::size_t>> leads_;
};

}  // namespace

linalg::SparseMatrix assemblePrestress(const Mesh& mesh, const StressState& state) {
  linalg::SparseMatrix Kg = assembleGeometricStiffness(mesh, state.displacement);
  if (mesh.spiders.empty()) return Kg;
  linalg::SparseMatrix spiders(Kg.rows(), Kg.cols());
  const auto entries = SpiderStress(mesh, state).triplets();
  spiders.setFromTriplets(entries.begin(), entries.end());
  return Kg + spiders;
}

}  // namespace flexloop::fem
