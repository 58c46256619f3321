#include "solve/time/round_bodies.hpp"

#include <array>
#include <cmath>
#include <optional>

#include <Eigen/Geometry>

namespace flexloop::solve {
namespace {

using math::Mat3;
using math::Vec3;
using system::ElementSet;
using system::Kind;
using system::Node;

// Of tangents, what is round-off where they are the same. Inertias that a model gives with six digits are not.
constexpr double kSame = 1e-9;
// Turns by which a body is tried [rad], that no regular polygon has.
constexpr std::array<double, 2> kAngles{1.0, 2.6};

// A hinge holds a point in three rows and an axis in two.
bool isHinge(const system::System& system, const ElementSet& set, int e) {
  if (set.nodes(e) != 2 || set.scalars(e) != 5) return false;
  for (int i = 0; i < 5; ++i) {
    if (system.kind(set.scalar(e, i)) != Kind::kMultiplier) return false;
    const bool isOfPoint = i < 3;
    if (set.fills(e, 12 + i, 0, false) != isOfPoint) return false;
    if (set.fills(e, 12 + i, 6, false) != isOfPoint) return false;
  }
  return true;
}

bool isTurning(const Node& node) {
  return node.isStraight && node.map == system::NodeMap::kBody;
}

struct Attached {
  const ElementSet* set;
  int element;
};

class RoundBodySearch {
 public:
  RoundBodySearch(system::Assembler& assembler, const system::State& state)
      : system_(assembler.system()), environment_(assembler.environment()) {
    motion_ = assembler.calcMotion(state);
    attach();
  }

  std::vector<RoundBody> find() {
    std::vector<RoundBody> found;
    for (std::size_t n = 0; n < attached_.size(); ++n) {
      const auto body = isTurning(system_.nodes()[n]) ? findHinge(static_cast<int>(n)) : std::nullopt;
      if (!body || !isRound(static_cast<int>(n), *body)) continue;
      const int other = body->hinge->node(body->element, 1 - body->end).value;
      if (isTaken_[other]) continue;
      isTaken_[n] = true;
      found.push_back(*body);
    }
    return found;
  }

 private:
  void attach() {
    attached_.resize(system_.nodes().size());
    isTaken_.assign(attached_.size(), false);
    for (const auto& set : system_.sets()) {
      for (int e = 0; e < set->size(); ++e) {
        const int nodes = set->nodes(e);
        for (int k = 0; k < nodes; ++k) attached_[set->node(e, k).value].push_back({set.get(), e});
      }
    }
  }

  // The one hinge of a node.
  std::optional<RoundBody> findHinge(int node) const {
    std::optional<RoundBody> found;
    for (const auto& [set, e] : attached_[node]) {
      if (!isHinge(system_, *set, e)) continue;
      if (found) return std::nullopt;
      found = RoundBody{set, e, set->node(e, 0).value == node ? 0 : 1};
    }
    return found;
  }

  // Its axis, in the axes of the body, from the two rows that hold it.
  Vec3<double> findAxis(const RoundBody& body) {
    body.hinge->calcTangents(motion_, environment_, body.element, before_);
    const int column = 6 * body.end + 3;
    const Vec3<double> a = before_.K.block<1, 3>(15, column).transpose();
    const Vec3<double> b = before_.K.block<1, 3>(16, column).transpose();
    const Vec3<double> axis = a.cross(b);
    const double size = axis.norm();
    return size > kSame * a.norm() * b.norm() ? Vec3<double>(axis / size) : Vec3<double>::Zero();
  }

  bool isRound(int node, const RoundBody& body) {
    const Vec3<double> axis = findAxis(body);
    if (axis.isZero(0.0)) return false;
    const system::NodeMotion start = motion_.nodes[node];
    for (const double angle : kAngles) {
      const Mat3<double> R = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
      for (const auto& [set, e] : attached_[node]) {
        motion_.nodes[node] = start;
        set->calcTangents(motion_, environment_, e, before_);
        spin(start, R, motion_.nodes[node]);
        set->calcTangents(motion_, environment_, e, after_);
        if (!areSame(*set, e, node, R)) {
          motion_.nodes[node] = start;
          return false;
        }
      }
    }
    motion_.nodes[node] = start;
    return true;
  }

  // Turned about the axis, with the same motion in space.
  static void spin(const system::NodeMotion& start, const Mat3<double>& R, system::NodeMotion& turned) {
    turned.frame.R = start.frame.R * R;
    for (const int half : {0, 3}) {
      turned.twist.segment<3>(half) = R.transpose() * start.twist.segment<3>(half);
      turned.twistRate.segment<3>(half) = R.transpose() * start.twistRate.segment<3>(half);
    }
  }

  // Whether the tangents after the turn are those before it, in the axes that have turned along. What measures does not count.
  bool areSame(const ElementSet& set, int e, int node, const Mat3<double>& R) const {
    const int nodes = set.nodes(e), n = set.freedoms(e);
    const auto isSignal = [&](int i) {
      return i >= 6 * nodes && system_.kind(set.scalar(e, i - 6 * nodes)) == Kind::kSignal;
    };
    Eigen::MatrixXd turned;
    for (const auto& [was, is] : {std::pair{&before_.K, &after_.K}, std::pair{&before_.C, &after_.C},
                                  std::pair{&before_.M, &after_.M}}) {
      turned = *was;
      for (int k = 0; k < nodes; ++k) {
        if (set.node(e, k).value != node) continue;
        for (const int half : {6 * k, 6 * k + 3}) {
          turned.middleRows<3>(half) = (R.transpose() * turned.middleRows<3>(half)).eval();
          turned.middleCols<3>(half) = (turned.middleCols<3>(half) * R).eval();
        }
      }
      for (int c = 0; c < n; ++c) {
        if (isSignal(c)) continue;
        for (int r = 0; r < n; ++r) {
          if (isSignal(r)) continue;
          // By row and column, since these have units of their own.
          const double size = std::sqrt(turned.row(r).cwiseAbs().maxCoeff() * turned.col(c).cwiseAbs().maxCoeff());
          if (!(std::abs(turned(r, c) - (*is)(r, c)) <= kSame * size)) return false;
        }
      }
    }
    return true;
  }

  const system::System& system_;
  const system::Environment& environment_;
  system::Motion motion_;
  std::vector<std::vector<Attached>> attached_;  // by node
  std::vector<bool> isTaken_;
  system::Tangents before_, after_;
};

}  // namespace

std::vector<RoundBody> findRoundBodies(system::Assembler& assembler, const system::State& state) {
  return RoundBodySearch(assembler, state).find();
}

}  // namespace flexloop::solve
