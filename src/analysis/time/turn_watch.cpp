#include "analysis/time/turn_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace flexloop::analysis {

namespace {

using math::Vec3;
using system::Node;
using system::State;

// rad. The error of a smaller turn is not worth its cost.
constexpr double kSmallTurn = 0.02;
// rad, in the mean over a run: a dozen steps per turn, with which a change of direction is known to 2 %.
constexpr double kLargeTurn = 0.5;
// rad: what a remedy aims at.
constexpr double kGoodTurn = 0.1;
// Accelerations are known to this share of ω².
constexpr double kRoundOff = 1e3 * std::numeric_limits<double>::epsilon();

struct Pair {
  Vec3<double> translation = Vec3<double>::Zero(), rotation = Vec3<double>::Zero();
};

// Of rates or accelerations, in axes of the body.
Pair readPair(const Node& node, const math::Frame<double>& frame, const Eigen::VectorXd& x) {
  const double* entries = x.data() + node.firstUnknown;
  Pair pair;
  if (node.map == system::NodeMap::kBody) {
    for (int i = 0; i < 3; ++i) {
      pair.translation[i] = entries[i];
      pair.rotation[i] = entries[3 + i];
    }
    return pair;
  }
  for (int c = 0; c < node.count; ++c) {
    const system::Column& column = node.columns[c];
    Vec3<double>& sum = column.rotation ? pair.rotation : pair.translation;
    if (column.inGround) {
      if (column.rotation) sum += entries[c] * (frame.R.transpose() * column.axis);
    } else {
      sum += entries[c] * column.axis;
    }
  }
  return pair;
}

}  // namespace

TurnWatch::TurnWatch(const system::System& system) : system_(system) {
  for (int i = 0; i < static_cast<int>(system.nodes().size()); ++i) {
    const Node& node = system.nodes()[i];
    const int translations = node.count == 0 ? 0 : node.translations();
    const int rotations = node.count - translations;
    const bool isScrew = node.map != system::NodeMap::kMixed && !node.isStraight;
    if (rotations > 1) vectors_.push_back({.node = i, .isRotation = true});
    if (isScrew && rotations > 0 && translations > 1) vectors_.push_back({.node = i});
  }
}

void TurnWatch::add(const State& end, double h, const solve::TimeStepper& stepper) {
  for (Vector& vector : vectors_) {
    const Node& node = system_.nodes()[vector.node];
    const math::Frame<double>& frame = end.frames[vector.node];
    const Vec3<double> omega = readPair(node, frame, end.rate).rotation;
    if (h * h * omega.squaredNorm() < kSmallTurn * kSmallTurn) continue;
    const Pair alpha = readPair(node, frame, end.acceleration);
    const solve::OpenAccelerations open = stepper.openAccelerations(node.firstUnknown);
    addTo(vector, omega, vector.isRotation ? alpha.rotation : alpha.translation, h, end.time,
          vector.isRotation ? open.rotation : open.translation);
  }
}

void TurnWatch::addTo(Vector& vector, const Vec3<double>& omega, const Vec3<double>& alpha,
                      double h, double time, double open) const {
  const double rate = omega.norm();
  const double across = math::cross<double>(omega, alpha).norm() / rate;
  const double smallest = vector.isRotation ? std::max(open, kRoundOff * rate * rate) : open;
  if (across <= smallest) return;
  const double turn = h * rate;
  vector.error += h * across * turn * turn / 12.0;
  vector.change += h * across;
  vector.size = std::max(vector.size, across / rate);
  if (turn <= vector.turn) return;
  vector.turn = turn;
  vector.step = h;
  vector.time = time;
}

bool TurnWatch::isWrong(const Vector& vector) {
  if (vector.error < vector.size || vector.size == 0.0) return false;
  return !vector.isRotation || vector.error >= kLargeTurn * kLargeTurn / 12.0 * vector.change;
}

// (9.31)
std::string TurnWatch::describe(const Vector& vector) const {
  const char* format =
      vector.isRotation
          ? "node '%s' rotates by %.2g rad in the step before t = %.6g s while its axis of "
            "rotation moves: such steps have an error of %.0f %% of every change of its angular "
            "velocity, and the errors add up; use steps of %.2g s or less, or 'adaptive: true'"
          : "node '%s' rotates by %.2g rad in the step before t = %.6g s while its velocity "
            "changes: such steps along screws have an error of %.2g %% of every change of it, and "
            "the errors add up; use 'formulation: local', or steps of %.2g s or less";
  const double share = std::min(vector.turn * vector.turn / 12.0, 1.0);
  char text[512];
  std::snprintf(text, sizeof text, format, system_.nodes()[vector.node].name.c_str(), vector.turn,
                vector.time, 100.0 * share, vector.step * kGoodTurn / vector.turn);
  return text;
}

// One node represents all: those of a shaft turn alike.
std::vector<std::string> TurnWatch::notes() const {
  const Vector* worst = nullptr;
  for (const Vector& vector : vectors_) {
    if (isWrong(vector) && (worst == nullptr || vector.turn > worst->turn)) worst = &vector;
  }
  if (worst == nullptr) return {};
  return {describe(*worst)};
}

}  // namespace flexloop::analysis
