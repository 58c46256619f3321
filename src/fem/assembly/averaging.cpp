#include "fem/assembly/averaging.hpp"

#include <cmath>
#include <optional>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "base/text_format.hpp"

namespace flexloop::fem {
namespace {

using base::Failure;
using Eigen::Vector3d;
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

// Below this share of the largest eigenvalue a motion of the fitted body moves no node.
constexpr double kUndetermined = 1e-12;

struct Observation {
  int freedom;
  double weight;
  Vector6d
      direction;  // of the fitted motion (translation, rotation · size) as this freedom sees it
};

// The fitted motion q with Σ weight (direction · q − U)² least, as Σ columns · U; and the motions that nothing determines.
struct Fit {
  std::vector<Vector6d> columns;  // by observation
  Matrix6d open;                  // projection on what is undetermined
};

Fit fit(const std::vector<Observation>& observations, const Matrix6d& within) {
  Matrix6d A = Matrix6d::Zero();
  for (const Observation& o : observations) {
    const Vector6d b = within * o.direction;
    A += o.weight * b * b.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Matrix6d> solver(A);
  Matrix6d inverse = Matrix6d::Zero();
  Fit result{{}, within};
  for (int k = 0; k < 6; ++k) {
    const Vector6d v = solver.eigenvectors().col(k);
    if (!(solver.eigenvalues()[k] > kUndetermined * solver.eigenvalues()[5])) continue;
    inverse += v * v.transpose() / solver.eigenvalues()[k];
    result.open -= v * v.transpose();
  }
  for (const Observation& o : observations) {
    result.columns.push_back(o.weight * (inverse * (within * o.direction)));
  }
  return result;
}

class Averaging {
 public:
  Averaging(const Mesh& mesh, const Spider& spider) : mesh_(mesh), spider_(spider) {
    double total = 0.0;
    for (std::size_t i = 0; i < spider.nodes.size(); ++i) {
      total += weight(i);
      centre_ += weight(i) * mesh.points[spider.nodes[i]];
    }
    centre_ /= total;
    double squares = 0.0;
    for (std::size_t i = 0; i < spider.nodes.size(); ++i) {
      squares += weight(i) * (mesh.points[spider.nodes[i]] - centre_).squaredNorm();
    }
    size_ = squares > 0.0 ? std::sqrt(squares / total) : 1.0;
  }

  double weight(std::size_t i) const { return spider_.weights.empty() ? 1.0 : spider_.weights[i]; }

  std::vector<Observation> translations() const {
    std::vector<Observation> result;
    for (std::size_t i = 0; i < spider_.nodes.size(); ++i) {
      const Vector3d arm = (mesh_.points[spider_.nodes[i]] - centre_) / size_;
      for (int k = 0; k < 3; ++k) {
        if ((spider_.components >> k & 1U) == 0 || weight(i) == 0.0) continue;
        result.push_back({6 * spider_.nodes[i] + k, weight(i), atPoint(arm, k)});
      }
    }
    return result;
  }

  std::vector<Observation> rotations(const std::vector<char>& isStiff) const {
    std::vector<Observation> result;
    for (std::size_t i = 0; i < spider_.nodes.size(); ++i) {
      for (int k = 3; k < 6; ++k) {
        const int freedom = 6 * spider_.nodes[i] + k;
        if ((spider_.components >> k & 1U) == 0 || isStiff[freedom] == 0) continue;
        result.push_back({freedom, weight(i), Vector6d::Unit(k) / size_});
      }
    }
    return result;
  }

  // The reference's freedom k as a function of the fitted motion.
  Vector6d atReference(int k) const {
    if (k >= 3) return Vector6d::Unit(k) / size_;
    return atPoint((mesh_.points[spider_.reference] - centre_) / size_, k);
  }

 private:
  // u_k = t_k + (θ × arm)_k
  static Vector6d atPoint(const Vector3d& arm, int k) {
    Vector6d direction = Vector6d::Unit(k);
    direction.tail<3>() = arm.cross(Vector3d::Unit(k));
    return direction;
  }

  const Mesh& mesh_;
  const Spider& spider_;
  Vector3d centre_ = Vector3d::Zero();
  double size_ = 1.0;
};

std::optional<Failure> checkSpider(const Mesh& mesh, const Spider& spider,
                                   const std::vector<char>& isStiff) {
  const std::string name = nameSpider(mesh, spider);
  if (spider.nodes.empty()) return Failure{name + " has no nodes to follow", "list at least one"};
  double total = 0.0;
  for (const double weight : spider.weights) {
    if (!(weight >= 0.0) || !std::isfinite(weight)) {
      return Failure{name + " has a negative weight", "weights are zero or positive"};
    }
    total += weight;
  }
  if (!spider.weights.empty() && (spider.weights.size() != spider.nodes.size() || !(total > 0.0))) {
    return Failure{name + " has no usable weights", "give one per node, not all zero"};
  }
  for (const int node : spider.nodes) {
    for (int k = 0; k < 3; ++k) {
      if ((spider.components >> k & 1U) != 0 && isStiff[6 * node + k] == 0) {
        return Failure{
            name + ": node " + std::to_string(mesh.nodeIds[node]) + " belongs to no element",
            "leave it out, or connect it"};
      }
    }
  }
  return {};
}

}  // namespace

base::Result<std::vector<FreedomRow>> makeAveragingRows(const Mesh& mesh, const Spider& spider,
                                                        const std::vector<char>& isStiff) {
  if (auto failure = checkSpider(mesh, spider, isStiff)) return *failure;
  const Averaging averaging(mesh, spider);
  std::vector<Observation> observations = averaging.translations();
  Fit whole = fit(observations, Matrix6d::Identity());
  if (whole.open.trace() > 0.5) {
    const std::vector<Observation> others = averaging.rotations(isStiff);
    const Fit rest = fit(others, whole.open);
    observations.insert(observations.end(), others.begin(), others.end());
    whole.columns.insert(whole.columns.end(), rest.columns.begin(), rest.columns.end());
    whole.open = rest.open;
  }
  std::vector<FreedomRow> rows;
  for (int k = 0; k < 6; ++k) {
    if ((spider.referenceComponents >> k & 1U) == 0) continue;
    const int freedom = 6 * spider.reference + k;
    const Vector6d direction = averaging.atReference(k);
    if ((whole.open * direction).norm() > 1e-6 * direction.norm()) {
      return Failure{
          nameSpider(mesh, spider) + ": its nodes do not determine " + nameFreedom(mesh, freedom),
          "take nodes that are not on one line, or free this component of the reference"};
    }
    FreedomRow row{{freedom, 1.0}};
    for (std::size_t i = 0; i < observations.size(); ++i) {
      const double factor = direction.dot(whole.columns[i]);
      if (factor != 0.0) row.push_back({observations[i].freedom, -factor});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace flexloop::fem
