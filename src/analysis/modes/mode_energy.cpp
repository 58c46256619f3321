#include "analysis/modes/mode_energy.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/linear/node_centres.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using system::ElementSet;
using system::Kind;
using system::Node;

constexpr double kRoundOff = 1e-11;  // of the sum of the sizes of all terms

// The tangents of one element in its unknowns, moving nodes included: (18.1) for one element.
struct ElementMatrices {
  std::vector<int> unknowns;
  Eigen::MatrixXd K, C, M;
};

class ElementReader {
 public:
  ElementReader(const model::Model& model, const system::State& state)
      : system_(model.system()),
        state_(state),
        machine_(model.borrowMachine()),
        axes_(findTurning(*machine_, state).axes),
        centres_(findCentres(system_, state, makePencil(machine_->assembler(), state, axes_).M)),
        motion_(machine_->assembler().calcMotion(state)) {}

  // False for an element without motions.
  bool read(const ElementSet& set, int element) {
    matrices_.unknowns.clear();
    bool moves = false;
    for (int k = 0; k < set.nodes(element); ++k) {
      const Node& node = system_.node(set.node(element, k));
      for (int i = 0; i < node.count; ++i) matrices_.unknowns.push_back(node.firstUnknown + i);
      moves = moves || node.count > 0;
    }
    for (int k = 0; k < set.scalars(element); ++k) {
      const int u = set.scalar(element, k).value;
      matrices_.unknowns.push_back(u);
      moves = moves || (u >= 0 && system_.kinds()[u] == Kind::kMotion);
    }
    if (!moves) return false;
    set.calcTangents(motion_, machine_->assembler().environment(), element, tangents_);
    set.calcResidual(motion_, machine_->assembler().environment(), element, residual_);
    removeTurnOfAxes(set.nodes(element));
    reduce(set, element);
    return true;
  }

  const ElementMatrices& matrices() const { return matrices_; }

  // Of the last element, a beam: what is left of its K for turns about and moves along its axis.
  Eigen::MatrixXd axisStiffness(const ElementSet& set, int element, bool turns) const {
    const int nodes = set.nodes(element), n = static_cast<int>(tangents_.K.rows());
    const auto x = [&](int k) { return state_.frames[set.node(element, k).value].x; };
    const Eigen::Vector3d axis = (x(nodes - 1) - x(0)).normalized();
    Eigen::MatrixXd along = Eigen::MatrixXd::Zero(n, matrices_.unknowns.size());
    int column = 0;
    for (int k = 0; k < nodes; ++k) {
      const int i = set.node(element, k).value;
      const Node& node = system_.nodes()[i];
      const Eigen::Vector3d a = state_.frames[i].R.transpose() * axis;
      const int row = 6 * k + (turns ? 3 : 0);
      const Eigen::Matrix<double, 6, 6> A = system::calcMap(node, state_.frames[i]);
      along.block(row, column, 3, node.count) =
          a * (a.transpose() * A.block(turns ? 3 : 0, 0, 3, node.count));
      column += node.count;
    }
    return along.transpose() * tangents_.K * along;
  }

 private:
  // (22.3): what body axes add to the tangent of each element, and nothing to that of all of them.
  void removeTurnOfAxes(int nodes) {
    for (int k = 0; k < nodes; ++k) {
      const math::Vec6<double> force = residual_.segment<6>(6 * k);
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
          const math::Vec6<double> commutator =
              math::bracket<double>(math::Vec6<double>::Unit(j), math::Vec6<double>::Unit(i));
          tangents_.K(6 * k + i, 6 * k + j) -= 0.5 * force.dot(commutator);
        }
      }
    }
  }

  // Local freedoms (six by node) by unknowns, with the derivatives of the twists.
  void reduce(const ElementSet& set, int element) {
    const int n = static_cast<int>(tangents_.K.rows());
    const auto columns = static_cast<int>(matrices_.unknowns.size());
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, columns), twistByValue = A, rateByRate = A,
                    rateByValue = A;
    Eigen::MatrixXd byRate = Eigen::MatrixXd::Zero(columns, columns), mixed = byRate,
                    byAcceleration = byRate;
    int column = 0;
    for (int k = 0; k < set.nodes(element); ++k) {
      const int i = set.node(element, k).value;
      const Node& node = system_.nodes()[i];
      if (node.count == 0) continue;
      const double* u = state_.rate.data() + node.firstUnknown;
      const double* du = state_.acceleration.data() + node.firstUnknown;
      const auto D = system::calcTwistDerivatives(node, state_.frames[i], u, du);
      A.block(6 * k, column, 6, node.count) = D.A.leftCols(node.count);
      twistByValue.block(6 * k, column, 6, node.count) = D.twistByValue.leftCols(node.count);
      rateByRate.block(6 * k, column, 6, node.count) = D.rateByRate.leftCols(node.count);
      rateByValue.block(6 * k, column, 6, node.count) = D.rateByValue.leftCols(node.count);
      const NodeBrackets brackets =
          calcBracketsAt(centres_[i], system_, i, state_, axesOf(axes_, i));
      const auto put = [&](const Eigen::Matrix<double, 6, 6>& from, Eigen::MatrixXd& to) {
        to.block(column, column, node.count, node.count) =
            from.topLeftCorner(node.count, node.count);
      };
      put(brackets.rate, byRate);
      put(brackets.accelerationByRate, mixed);
      put(brackets.acceleration, byAcceleration);
      column += node.count;
    }
    for (int k = 6 * set.nodes(element); k < n; ++k) A(k, column++) = 1.0;
    const Eigen::MatrixXd& K = tangents_.K;
    const Eigen::MatrixXd& C = tangents_.C;
    const Eigen::MatrixXd& M = tangents_.M;
    matrices_.M = A.transpose() * M * A;
    matrices_.C = A.transpose() * (C * A + M * rateByRate);
    matrices_.K = A.transpose() * (K * A + C * twistByValue + M * rateByValue);
    addMapStiffness(set, element);
    matrices_.K += matrices_.C * byRate + matrices_.M * byAcceleration;
    matrices_.C += matrices_.M * mixed;
  }

  void addMapStiffness(const ElementSet& set, int element) {
    int column = 0;
    for (int k = 0; k < set.nodes(element); ++k) {
      const int i = set.node(element, k).value;
      const Node& node = system_.nodes()[i];
      if (node.map == system::NodeMap::kMixed) {
        const math::Vec6<double> force = residual_.segment<6>(6 * k);
        const Eigen::Matrix<double, 6, 6> map =
            system::calcMapStiffness(node, state_.frames[i], force);
        matrices_.K.block(column, column, node.count, node.count) +=
            0.5 * (map + map.transpose()).topLeftCorner(node.count, node.count);
      }
      column += node.count;
    }
  }

  const system::System& system_;
  const system::State& state_;
  const solve::MachineLoan machine_;
  const NodeAxes axes_;
  const std::vector<Eigen::Vector3d> centres_;
  const system::Motion& motion_;
  system::Tangents tangents_;
  Eigen::VectorXd residual_;
  ElementMatrices matrices_;
};

// The parts of a shape that one element has.
struct ElementShape {
  Eigen::VectorXcd motion, others;
};

ElementShape cutShape(const system::System& system, const std::vector<int>& unknowns,
                      const Eigen::VectorXcd& shape) {
  ElementShape part;
  part.motion = part.others = Eigen::VectorXcd::Zero(unknowns.size());
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const int u = unknowns[i];
    if (u < 0) continue;
    (system.kinds()[u] == Kind::kMotion ? part.motion : part.others)[i] = shape[u];
  }
  return part;
}

void addForms(const ElementMatrices& e, const ElementShape& z, ModeForms& forms, ItemForms& item) {
  const Complex s = forms.s;
  const Eigen::VectorXcd inertia = e.M * z.motion;
  const Eigen::VectorXcd force = e.K * z.others + s * (e.C * z.others) + s * s * (e.M * z.others);
  const Eigen::VectorXd size = z.motion.cwiseAbs();
  item.stiffness += z.motion.dot(e.K * z.motion);
  item.stiffnessSize += size.dot(e.K.cwiseAbs() * size);
  item.damping += z.motion.dot(e.C * z.motion);
  item.mass += z.motion.dot(inertia);
  item.control += z.motion.dot(force);
  item.controlSize += size.dot(force.cwiseAbs());
  for (std::size_t i = 0; i < e.unknowns.size(); ++i) {
    if (e.unknowns[i] >= 0) {
      forms.freedoms[e.unknowns[i]] += (std::conj(z.motion[i]) * inertia[i]).real();
    }
  }
}

// Stiff beams and constraints do no net work; what round-off leaves of it is no damping.
void removeRoundOff(ItemForms& item) {
  if (std::abs(item.stiffness.imag()) < kRoundOff * item.stiffnessSize) item.stiffness.imag(0.0);
  if (std::abs(item.control) < kRoundOff * item.controlSize) item.control = 0.0;
}

}  // namespace

ItemForms ModeForms::total() const {
  ItemForms sum;
  for (const auto& [name, item] : items) {
    sum.stiffness += item.stiffness;
    sum.damping += item.damping;
    sum.mass += item.mass;
    sum.control += item.control;
  }
  return sum;
}

std::vector<ModeForms> calcModeForms(const model::Model& model, const system::State& state,
                                     const std::vector<Mode>& modes) {
  const system::System& system = model.system();
  std::set<std::string, std::less<>> beams;
  for (const system::Item& item : model.description().items) {
    if (item.section() == "beams") beams.insert(item.name());
  }
  std::vector<ModeForms> all;
  for (const Mode& mode : modes) {
    all.push_back({mode.eigenvalue, {}, Eigen::VectorXd::Zero(system.unknowns())});
  }
  ElementReader reader(model, state);
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      if (!reader.read(*set, e)) continue;
      const ElementMatrices& matrices = reader.matrices();
      const bool bends = set->nodes(e) > 1 && beams.contains(set->name(e));
      const Eigen::MatrixXd turning =
          bends ? reader.axisStiffness(*set, e, true) : Eigen::MatrixXd();
      const Eigen::MatrixXd stretching =
          bends ? reader.axisStiffness(*set, e, false) : Eigen::MatrixXd();
      for (std::size_t i = 0; i < modes.size(); ++i) {
        const ElementShape z = cutShape(system, matrices.unknowns, modes[i].shape);
        ItemForms& item = all[i].items[set->name(e)];
        addForms(matrices, z, all[i], item);
        if (!bends) continue;
        item.torsion += z.motion.dot(turning * z.motion).real();
        item.stretch += z.motion.dot(stretching * z.motion).real();
      }
    }
  }
  for (ModeForms& forms : all) {
    for (auto& [name, item] : forms.items) removeRoundOff(item);
  }
  return all;
}

double calcDampingShare(const ModeForms& forms, const ItemForms& total, const ItemForms& item) {
  const double sigma = forms.s.real(), omega = forms.s.imag(), size = std::abs(forms.s);
  if (size == 0.0) return 0.0;
  if (omega == 0.0) {
    const double stored = size * (size * size * total.mass.real() + total.stiffness.real());
    const double taken = sigma * sigma * item.damping.real() + sigma * item.control.real();
    return stored != 0.0 ? taken / stored : 0.0;
  }
  const double stored = size * (2.0 * total.mass.real() + total.damping.imag() / omega);
  const double circulating = item.stiffness.imag() + item.control.imag() +
                             item.mass.imag() * (sigma * sigma - omega * omega);
  return stored != 0.0 ? (item.damping.real() + circulating / omega) / stored : 0.0;
}

double calcControlStiffness(Complex s, Complex q) {
  return s.imag() == 0.0 ? q.real() : q.real() - s.real() * q.imag() / s.imag();
}

}  // namespace flexloop::analysis
