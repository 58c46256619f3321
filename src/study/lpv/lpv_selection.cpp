#include "study/lpv/lpv_selection.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/text_format.hpp"
#include "study/mode_tracking.hpp"

namespace flexloop::study {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

// Parts below this share of the response are neither reached nor seen.
constexpr double kNotSeen = 1e-9;
// Motions with more damping are no oscillations; less is tried where these come and go.
constexpr double kMostDamping[] = {0.7, 0.3, 0.1, 0.03};
// How much a change of frequency by a factor of e counts beside a change of shape.
constexpr double kFrequencyWeight = 0.5;

std::string describe(const LocalPart& part) {
  if (part.isReal) return base::formatText("the root at %.4g 1/s", part.root.real());
  return base::formatText("the motion at %.4g Hz",
                          std::abs(part.root.imag()) / (2.0 * std::numbers::pi));
}

class Selector {
 public:
  Selector(const std::vector<LocalModel>& points, const LpvGrid& grid, int order,
           double mostDamping)
      : points_(points), grid_(grid), order_(order), mostDamping_(mostDamping) {
    selection_.reference = grid.reference();
  }

  base::Result<LpvSelection> select() {
    follow();
    if (auto failure = choose()) return *failure;
    return std::move(selection_);
  }

 private:
  const LocalModel& reference() const { return points_[selection_.reference]; }

  bool isOscillation(const LocalModel& local, int i) const {
    const LocalPart& part = local.parts[i];
    return i >= local.free && !part.isReal && part.moves && part.damping < mostDamping_;
  }

  std::vector<int> findOscillations(const LocalModel& local) const {
    std::vector<int> found;
    for (int i = local.free; i < static_cast<int>(local.parts.size()); ++i) {
      if (isOscillation(local, i)) found.push_back(i);
    }
    return found;
  }

  std::vector<int> findOthers(const LocalModel& local) const {
    std::vector<int> found;
    for (int i = local.free; i < static_cast<int>(local.parts.size()); ++i) {
      if (!isOscillation(local, i)) found.push_back(i);
    }
    return found;
  }

  // All parts of the reference from point to point, oscillations by shape (38.5) and frequency, others by what they have of both;
  // -1 where one is lost.
  void follow() {
    tracks_.assign(points_.size(), {});
    otherTracks_ = tracks_;
    tracks_[selection_.reference] = findOscillations(reference());
    otherTracks_[selection_.reference] = findOthers(reference());
    for (const auto& [from, to] : grid_.walk()) {
      tracks_[to] = step(from, to, tracks_[from], findOscillations(points_[to]));
      otherTracks_[to] = step(from, to, otherTracks_[from], findOthers(points_[to]));
    }
  }

  std::vector<int> step(int from, int to, const std::vector<int>& tracks,
                        const std::vector<int>& after) const {
    constexpr double kNever = 1e6;
    const LocalModel &a = points_[from], &b = points_[to];
    std::vector<int> before, places;
    for (std::size_t k = 0; k < tracks.size(); ++k) {
      if (tracks[k] < 0) continue;
      before.push_back(tracks[k]);
      places.push_back(static_cast<int>(k));
    }
    std::vector<int> next(tracks.size(), -1);
    if (before.empty() || after.empty()) return next;
    MatrixXd cost(std::ssize(before), std::ssize(after));
    for (Index i = 0; i < cost.rows(); ++i) {
      for (Index k = 0; k < cost.cols(); ++k) {
        const LocalPart &p = a.parts[before[i]], &q = b.parts[after[k]];
        const double shift = std::abs(std::log(std::abs(q.root) / std::abs(p.root)));
        const double likeness = p.moves && q.moves ? calcLikeness(a, p, b, q) : 0.0;
        const bool canBe = p.states() == q.states() && p.isReal == q.isReal;
        cost(i, k) = canBe ? 1.0 - likeness + kFrequencyWeight * shift : kNever;
      }
    }
    const std::vector<int> found = assignLeastCost(cost);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto row = static_cast<Index>(i);
      if (found[i] >= 0 && cost(row, found[i]) < kNever) next[places[i]] = after[found[i]];
    }
    return next;
  }

  // |u_iᴴ M u_k|²/(|u_i|² |u_k|²) (38.5); of parts with several roots the mean.
  static double calcLikeness(const LocalModel& a, const LocalPart& p, const LocalModel& b,
                             const LocalPart& q) {
    const MatrixXcd u = a.motions * p.X, v = b.motions * q.X;
    const double uu = (u.adjoint() * a.M * u).trace().real();
    const double vv = (v.adjoint() * a.M * v).trace().real();
    const double uv = (u.adjoint() * a.M * v).squaredNorm();
    return uv / (uu * vv) * static_cast<double>(std::min(u.cols(), v.cols()));
  }

  // The largest share that a motion has at any point: it may be invisible at some of them.
  double findWeight(const std::vector<std::vector<int>>& tracks, int track) const {
    double weight = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (tracks[i][track] >= 0) {
        weight = std::max(weight, points_[i].parts[tracks[i][track]].weight);
      }
    }
    return weight;
  }

  static int findTrack(const std::vector<int>& tracks, int part) {
    const auto found = std::find(tracks.begin(), tracks.end(), part);
    return found == tracks.end() ? -1 : static_cast<int>(found - tracks.begin());
  }

  struct Candidate {
    int part = -1, track = -1, otherTrack = -1;  // one of both
  };

  std::vector<Candidate> findCandidates() const {
    std::vector<Candidate> all;
    const LocalModel& local = reference();
    for (int i = local.free; i < static_cast<int>(local.parts.size()); ++i) {
      const int track = findTrack(tracks_[selection_.reference], i);
      const int other = findTrack(otherTracks_[selection_.reference], i);
      const double weight =
          track >= 0 ? findWeight(tracks_, track) : findWeight(otherTracks_, other);
      if (weight > kNotSeen) all.push_back({i, track, other});
    }
    // What grows cannot be left out; otherwise by speed.
    std::stable_partition(all.begin(), all.end(), [&](const Candidate& c) {
      return local.parts[c.part].root.real() > 0.0;
    });
    return all;
  }

  std::optional<base::Failure> choose() {
    const LocalModel& local = reference();
    int states = countStates(local, findFreeParts(local));
    const int least = states;
    if (states > order_) return tooLow(least, "move freely");
    selection_.oscillations.resize(points_.size());
    selection_.others.resize(points_.size());
    std::vector<int> tracks, otherTracks;
    int others = 0;
    int next = 0;  // states of the first motion that is left out
    for (const Candidate& candidate : findCandidates()) {
      const LocalPart& part = local.parts[candidate.part];
      if (states + part.states() > order_) {
        if (part.root.real() > 0.0) return tooLow(states + part.states(), "move freely or grow");
        next = part.states();
        break;
      }
      states += part.states();
      if (candidate.track >= 0) {
        tracks.push_back(candidate.track);
      } else {
        others += part.states();
        otherTracks.push_back(candidate.otherTrack);
      }
    }
    if (states < order_ && next == 0) return tooHigh(states);
    if (states == 0) return tooLow(next, "of the slowest motion belong together");
    if (states < order_) {
      selection_.notes.push_back("the model has " + std::to_string(states) + " states instead of " +
                                 std::to_string(order_) + ": the next motion has " +
                                 std::to_string(next) + ", which cannot be separated");
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (auto failure = takeOscillations(static_cast<int>(i), tracks)) return failure;
      if (auto failure = takeOthers(static_cast<int>(i), otherTracks, others)) return failure;
    }
    return std::nullopt;
  }

  base::Failure tooLow(int least, const char* why) const {
    return {"--order " + std::to_string(order_) + " is too low: " + std::to_string(least) +
                " states " + why + " and cannot be left out",
            "give '--order " + std::to_string(least) + "' or more"};
  }

  base::Failure tooHigh(int states) const {
    return {"--order " + std::to_string(order_) + " is too high: only " + std::to_string(states) +
                " states are reached by the inputs and seen by the outputs",
            "give '--order " + std::to_string(states) + "' or less"};
  }

  std::optional<base::Failure> takeOscillations(int point, const std::vector<int>& tracks) {
    for (const int track : tracks) {
      const int part = tracks_[point][track];
      if (part < 0) {
        const LocalPart& lost = reference().parts[tracks_[selection_.reference][track]];
        return base::Failure{describe(lost) + " at " + grid_.describe(reference().at) +
                                 " has no counterpart at " + grid_.describe(points_[point].at),
                             "use more points, another order, or a smaller range"};
      }
      selection_.oscillations[point].push_back(part);
    }
    return std::nullopt;
  }

  // Those that were followed. Where real roots meet and part they are lost: then the slowest, as many states as at the reference.
  std::optional<base::Failure> takeOthers(int point, const std::vector<int>& tracks, int wanted) {
    const LocalModel& local = points_[point];
    const std::vector<int>& all = otherTracks_[point];
    if (std::all_of(tracks.begin(), tracks.end(), [&](int track) { return all[track] >= 0; })) {
      for (const int track : tracks) selection_.others[point].push_back(all[track]);
      return std::nullopt;
    }
    int states = 0;
    for (int i = local.free; i < static_cast<int>(local.parts.size()) && states < wanted; ++i) {
      if (isOscillation(local, i)) continue;
      const int track = findTrack(all, i);
      const double elsewhere = track >= 0 ? findWeight(otherTracks_, track) : 0.0;
      if (!(std::max(local.parts[i].weight, elsewhere) > kNotSeen)) continue;
      states += local.parts[i].states();
      selection_.others[point].push_back(i);
    }
    if (states == wanted) return std::nullopt;
    return base::Failure{"the poles at " + grid_.describe(reference().at) + " and at " +
                             grid_.describe(local.at) +
                             " cannot be paired: oscillations come and go between them",
                         "use more points, another order, or a smaller range"};
  }

  const std::vector<LocalModel>& points_;
  const LpvGrid& grid_;
  int order_;
  double mostDamping_;
  LpvSelection selection_;
  std::vector<std::vector<int>> tracks_, otherTracks_;  // by point and track: part
};

}  // namespace

int countStates(const LocalModel& local, const std::vector<int>& parts) {
  int states = 0;
  for (const int part : parts) states += local.parts[part].states();
  return states;
}

std::vector<int> findFreeParts(const LocalModel& local) {
  std::vector<int> parts(local.free);
  std::iota(parts.begin(), parts.end(), 0);
  return parts;
}

base::Result<LpvSelection> selectParts(const std::vector<LocalModel>& points, const LpvGrid& grid,
                                       int order) {
  const LocalModel& first = points.front();
  for (const LocalModel& local : points) {
    if (local.observed.rows() != first.observed.rows()) {
      return base::Failure{"the machine has other freedoms or states at " +
                               grid.describe(local.at) + " than at " + grid.describe(first.at),
                           "a parameter of a model may not change its number of elements"};
    }
    if (countStates(local, findFreeParts(local)) != countStates(first, findFreeParts(first))) {
      return base::Failure{"the number of free motions changes from " + grid.describe(first.at) +
                               " to " + grid.describe(local.at),
                           "choose a range in which the same motions are free"};
    }
  }
  std::optional<base::Failure> failure;
  for (const double damping : kMostDamping) {
    base::Result<LpvSelection> found = Selector(points, grid, order, damping).select();
    if (found) return found;
    if (!failure) failure = found.failure();
  }
  return *failure;
}

}  // namespace flexloop::study
