#include "study/lpv/drawn_beams.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "mechanics/beams/beam_layout.hpp"
#include "system/assembler.hpp"

namespace flexloop::study {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Vec3 = math::Vec3<double>;
using Chain = BeamMatter::Chain;
using mechanics::BeamLayout;

// Of lengths, directions and densities that count as equal.
constexpr double kSame = 1e-9;

// Beams one after the other: those that meet two by two, or, where more of them meet, those that go straight on.
class ChainFinder {
 public:
  ChainFinder(const std::vector<BeamLayout>& beams, const std::vector<math::Frame<double>>& frames)
      : beams_(beams), frames_(frames), isUsed_(beams.size(), false) {
    for (std::size_t i = 0; i < beams.size(); ++i) {
      ends_[beams[i].nodes.front().value].push_back(i);
      ends_[beams[i].nodes.back().value].push_back(i);
    }
  }

  // A beam, and whether it is passed from its last node to its first.
  struct Link {
    std::size_t beam;
    bool isReversed;
  };

  std::vector<std::vector<Link>> find() {
    std::vector<std::vector<Link>> chains;
    // From open ends first; what is left are rings.
    for (const bool isRing : {false, true}) {
      for (std::size_t i = 0; i < beams_.size(); ++i) {
        for (const bool isReversed : {false, true}) {
          if (isUsed_[i] || (!isRing && findNext({i, !isReversed}))) continue;
          chains.push_back(walk({i, isReversed}));
        }
      }
    }
    return chains;
  }

 private:
  std::vector<Link> walk(Link link) {
    std::vector<Link> chain;
    while (!isUsed_[link.beam]) {
      isUsed_[link.beam] = true;
      chain.push_back(link);
      const std::optional<Link> next = findNext(link);
      if (!next) break;
      link = *next;
    }
    return chain;
  }

  int endOf(const Link& link) const {
    return (link.isReversed ? beams_[link.beam].nodes.front() : beams_[link.beam].nodes.back())
        .value;
  }

  // At the end of a link; at the start of a reversed one.
  Vec3 directionAtEnd(const Link& link) const {
    const auto& nodes = beams_[link.beam].nodes;
    const std::size_t n = nodes.size();
    const Vec3 along = link.isReversed
                           ? frames_[nodes[0].value].x - frames_[nodes[1].value].x
                           : frames_[nodes[n - 1].value].x - frames_[nodes[n - 2].value].x;
    return along.normalized();
  }

  std::optional<Link> findNext(const Link& link) const {
    const int end = endOf(link);
    const std::vector<std::size_t>& meeting = ends_.at(end);
    std::vector<Link> others, straight;
    for (const std::size_t beam : meeting) {
      if (beam == link.beam) continue;
      const Link other{beam, beams_[beam].nodes.front().value != end};
      others.push_back(other);
      // The other one, passed towards this end, comes from the opposite direction.
      const Vec3 back = directionAtEnd({beam, !other.isReversed});
      if ((directionAtEnd(link) + back).norm() <= kSame) straight.push_back(other);
    }
    if (others.size() == 1) return others[0];
    if (straight.size() == 1) return straight[0];
    return std::nullopt;
  }

  const std::vector<BeamLayout>& beams_;
  const std::vector<math::Frame<double>>& frames_;
  std::vector<bool> isUsed_;
  std::map<int, std::vector<std::size_t>> ends_;
};

void addElements(const BeamLayout& beam, system::Assembler& assembler, const system::Motion& motion,
                 Chain& chain) {
  const system::ElementSet& set = *beam.set;
  const int count = beam.segments() / beam.order;
  for (int e = beam.firstElement; e < beam.firstElement + count; ++e) {
    system::Tangents tangents;
    set.calcTangents(motion, assembler.environment(), e, tangents);
    BeamMatter::Element element;
    for (int k = 0; k < set.nodes(e); ++k) element.nodes.push_back(set.node(e, k).value);
    const Index n = 6 * set.nodes(e);
    element.M =
        set.usesAcceleration() ? tangents.M.topLeftCorner(n, n).eval() : MatrixXd::Zero(n, n);
    chain.elements.push_back(std::move(element));
  }
}

// A segment of a chain with the motions of its ends in ground axes.
struct Segment {
  Vec3 axis;
  double length;
};

Segment segmentOf(const BeamMatter& matter, const Chain& chain, std::size_t k) {
  const Vec3 along = matter.frames[chain.nodes[k + 1]].x - matter.frames[chain.nodes[k]].x;
  return {along.normalized(), along.norm()};
}

// kg/m in all directions.
double densityOf(const BeamMatter& matter, const BeamMatter::Element& element) {
  const std::size_t count = element.nodes.size();
  double mass = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      const Eigen::Matrix3d block = element.M.block<3, 3>(6 * i, 6 * k);
      const auto& R = matter.frames;
      mass += (R[element.nodes[i]].R * block * R[element.nodes[k]].R.transpose()).trace() / 3.0;
    }
  }
  const Vec3 along = matter.frames[element.nodes.back()].x - matter.frames[element.nodes.front()].x;
  return mass / along.norm();
}

bool slides(const Chain& a, const Chain& b) {
  const double size = std::max(a.places.back(), b.places.back());
  for (std::size_t i = 0; i < a.places.size(); ++i) {
    if (std::abs(a.places[i] - b.places[i]) > kSame * size) return true;
  }
  return false;
}

bool isStraight(const BeamMatter& matter, const Chain& chain, const Vec3& axis) {
  for (std::size_t k = 0; k + 1 < chain.nodes.size(); ++k) {
    if ((segmentOf(matter, chain, k).axis - axis).norm() > kSame) return false;
  }
  return true;
}

bool isUniform(const BeamMatter& matter, const Chain& chain) {
  const double first = densityOf(matter, chain.elements.front());
  return first > 0.0 &&
         std::all_of(chain.elements.begin(), chain.elements.end(), [&](const auto& e) {
           return std::abs(densityOf(matter, e) - first) <= 1e-6 * first;
         });
}

std::optional<std::string> findObstacle(const BeamMatter& a, const Chain& of, const BeamMatter& b,
                                        const Chain& to) {
  if (of.nodes != to.nodes) return "its beams are other ones";
  if (!slides(of, to)) return std::nullopt;
  const double length = of.places.back();
  if (std::abs(to.places.back() - length) > kSame * length) {
    return "the beams from '" + of.name +
           "' on become longer or shorter, and what is drawn in is not in the model";
  }
  const Vec3 axis = segmentOf(a, of, 0).axis;
  if (!isStraight(a, of, axis) || !isStraight(b, to, axis)) {
    return "the beams from '" + of.name + "' on are drawn through their nodes, but not straight";
  }
  if (!isUniform(a, of) || !isUniform(b, to)) {
    return "the beams from '" + of.name +
           "' on are drawn through their nodes, but have not the same mass everywhere";
  }
  return std::nullopt;
}

// Motions of the nodes of a chain at the places that its nodes have in another chain: cubics of Bernoulli's beam, whose slope is
// its rotation, φ = θ × e.
class Resampler {
 public:
  Resampler(const BeamMatter& matter, const Chain& chain, const MatrixXcd& motions)
      : matter_(matter), chain_(chain), motions_(motions) {}

  // Displacements, then rotations, in ground axes.
  MatrixXcd at(double place) const {
    const auto& places = chain_.places;
    const auto after = std::upper_bound(places.begin() + 1, places.end() - 1, place);
    const auto k = static_cast<std::size_t>(after - places.begin()) - 1;
    const Segment s = segmentOf(matter_, chain_, k);
    const double t = (place - places[k]) / s.length, L = s.length;
    const MatrixXcd u0 = part(k, 0), u1 = part(k + 1, 0), w0 = part(k, 3), w1 = part(k + 1, 3);
    const Eigen::Matrix3d along = s.axis * s.axis.transpose(),
                          across = Eigen::Matrix3d::Identity() - along;
    // φ = θ × e = −ê θ and e × φ = θ across.
    const Eigen::Matrix3d cross = math::skew<double>(s.axis);
    const MatrixXcd p0 = -cross * w0, p1 = -cross * w1;
    const double t2 = t * t, t3 = t2 * t;
    const MatrixXcd u = across * ((1.0 - 3.0 * t2 + 2.0 * t3) * u0 + (3.0 * t2 - 2.0 * t3) * u1) +
                        L * ((t - 2.0 * t2 + t3) * p0 + (t3 - t2) * p1) +
                        along * ((1.0 - t) * u0 + t * u1);
    const MatrixXcd slope = across * ((6.0 * t - 6.0 * t2) / L * (u1 - u0)) +
                            (1.0 - 4.0 * t + 3.0 * t2) * p0 + (3.0 * t2 - 2.0 * t) * p1;
    MatrixXcd motion(6, motions_.cols());
    motion << u, cross * slope + along * ((1.0 - t) * w0 + t * w1);
    return motion;
  }

 private:
  MatrixXcd part(std::size_t k, int first) const {
    const int node = chain_.nodes[k];
    return matter_.frames[node].R * motions_.middleRows(6 * node + first, 3);
  }

  const BeamMatter& matter_;
  const Chain& chain_;
  const MatrixXcd& motions_;
};

}  // namespace

BeamMatter readBeamMatter(const model::Model& model, const system::State& state,
                          const analysis::LinearModel& linear, const ObservedRows& rows) {
  const system::System& system = model.system();
  BeamMatter matter;
  matter.frames = state.frames;
  std::vector<int> place(linear.expansion.cols(), -1);
  for (Index i = 0; i < rows.motions; ++i) place[rows.all[i]] = static_cast<int>(i);
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> expansion = linear.expansion;
  std::vector<Eigen::Triplet<double, int>> entries;
  for (std::size_t n = 0; n < system.nodes().size(); ++n) {
    const system::Node& node = system.nodes()[n];
    matter.names.push_back(node.name);
    matter.moves.push_back(node.count > 0);
    const math::Mat6<double> A = system::calcMap(node, state.frames[n]);
    for (int c = 0; c < node.count; ++c) {
      using Row = Eigen::SparseMatrix<double, Eigen::RowMajor, int>::InnerIterator;
      for (Row it(expansion, node.firstUnknown + c); it; ++it) {
        if (place[it.col()] < 0) continue;
        for (int i = 0; i < 6; ++i) {
          entries.emplace_back(static_cast<int>(6 * n) + i, place[it.col()], A(i, c) * it.value());
        }
      }
    }
  }
  matter.spread.resize(6 * std::ssize(matter.names), rows.motions);
  matter.spread.setFromTriplets(entries.begin(), entries.end());
  const auto machine = model.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  const system::Motion& motion = assembler.calcMotion(state);
  const std::vector<BeamLayout> beams = mechanics::findBeams(system);
  for (const auto& found : ChainFinder(beams, state.frames).find()) {
    Chain chain{beams[found.front().beam].name, {}, {}, {}};
    for (const auto& [index, isReversed] : found) {
      const BeamLayout& beam = beams[index];
      std::vector<system::NodeIndex> nodes = beam.nodes;
      if (isReversed) std::reverse(nodes.begin(), nodes.end());
      for (const system::NodeIndex node : nodes) {
        if (!chain.nodes.empty() && chain.nodes.back() == node.value) continue;
        const Vec3& x = state.frames[node.value].x;
        chain.places.push_back(chain.nodes.empty()
                                   ? 0.0
                                   : chain.places.back() +
                                         (x - state.frames[chain.nodes.back()].x).norm());
        chain.nodes.push_back(node.value);
      }
      addElements(beam, assembler, motion, chain);
    }
    matter.chains.push_back(std::move(chain));
  }
  return matter;
}

std::optional<std::string> findObstacle(const BeamMatter& a, const BeamMatter& b,
                                        const std::string& parameter) {
  if (a.names != b.names || a.chains.size() != b.chains.size()) {
    return "the machine has other nodes at each value of '" + parameter + "'";
  }
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    if (!a.moves[i] || (a.frames[i].R - b.frames[i].R).norm() <= kSame) continue;
    return "node '" + a.names[i] + "' turns with '" + parameter + "'";
  }
  for (std::size_t i = 0; i < a.chains.size(); ++i) {
    if (auto obstacle = findObstacle(a, a.chains[i], b, b.chains[i])) return obstacle;
  }
  return std::nullopt;
}

MatrixXcd calcDrawnProduct(const BeamMatter& a, const MatrixXcd& shapesOfA, const BeamMatter& b,
                           const MatrixXcd& shapesOfB) {
  MatrixXcd product = MatrixXcd::Zero(shapesOfA.cols(), shapesOfB.cols());
  std::optional<MatrixXcd> left, right;
  for (std::size_t i = 0; i < a.chains.size(); ++i) {
    const Chain &at = a.chains[i], &from = b.chains[i];
    if (!slides(at, from)) continue;
    if (!left) {
      left = a.spread.cast<std::complex<double>>() * shapesOfA;
      right = b.spread.cast<std::complex<double>>() * shapesOfB;
    }
    const Resampler resampler(b, from, *right);
    std::map<int, MatrixXcd> change;  // by node, in its axes
    for (std::size_t k = 0; k < at.nodes.size(); ++k) {
      const int node = at.nodes[k];
      MatrixXcd there = resampler.at(at.places[k]);
      const Eigen::Matrix3d R = a.frames[node].R.transpose();
      there.topRows(3) = (R * there.topRows(3)).eval();
      there.bottomRows(3) = (R * there.bottomRows(3)).eval();
      change[node] = there - right->middleRows(6 * node, 6);
    }
    for (const BeamMatter::Element& element : at.elements) {
      const auto rows = static_cast<Index>(6 * element.nodes.size());
      MatrixXcd own(rows, shapesOfA.cols()), other(rows, shapesOfB.cols());
      for (std::size_t k = 0; k < element.nodes.size(); ++k) {
        const auto first = static_cast<Index>(6 * k);
        own.middleRows(first, 6) = left->middleRows(6 * element.nodes[k], 6);
        other.middleRows(first, 6) = change.at(element.nodes[k]);
      }
      product += own.adjoint() * (element.M * other);
    }
  }
  return product;
}

}  // namespace flexloop::study
