// The coordinate of a joint that is given at the start, by `start` and `start_rate` or by a drive, and the motion of what
// hangs on the joint (docs/theory/26_rest_of_controllers.md, section 26.5).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "math/se3.hpp"
#include "model/start/guide_track.hpp"
#include "system/item.hpp"
#include "system/system.hpp"

namespace flexloop::model {

struct StartCoordinate {
  const system::Item* joint = nullptr;
  std::string group;  // the map of the options; empty: the joint itself
  bool turns = false;
  double start = 0.0, rate = 0.0;
  bool hasStart = false, hasRate = false;  // what is given; the drawn one is kept where it can be
  bool isDriven = false;
  std::optional<system::UnknownIndex> signal;  // of a drive that is no number
  double perSignal = 1.0;                      // the coordinate is this times the signal
  base::Place place;
  system::NodeIndex first, second;
  math::Vec3<double> axis, at;  // in the axes of the first node
  double pitch = 0.0;           // displacement per radian
  std::shared_ptr<const GuideTrack>
      guide;                // of a node that slides along a beam, in place of an axis
  std::vector<bool> moved;  // nodes that hang on the second; empty: in a loop
  std::vector<bool> stuck;  // nodes without the freedoms to move along
  double sign = 1.0;        // -1: on the first, where the second is tied to what cannot move
};

// What the coordinates prescribe to the mechanism that moves them. In a loop, what is not given may contradict what is: the
// place of a joint with a rate alone then follows from the places of others, and a rate from their rates.
enum class Prescribed { kAll, kGivenPlaces, kGivenRates };
bool isPrescribed(const StartCoordinate& c, Prescribed which);

// As in messages.
std::string nameOf(const StartCoordinate& c);

// The velocity field of what hangs on the joint, for a rate of one, in ground axes.
math::Vec6<double> calcField(const StartCoordinate& c, const system::State& at);

// Moves what hangs on the joint.
void moveTree(const StartCoordinate& c, double by, system::State& at);

// The rate of the coordinate, and the size of velocities of both nodes by which differences of it are judged.
struct StartRate {
  double value = 0.0, size = 0.0;
};
StartRate calcRate(const StartCoordinate& c, const system::System& system, const system::State& at);

// Gives what hangs on the joint the velocities with which the coordinate has its rate.
void moveAtRate(const StartCoordinate& c, const system::System& system, system::State& at);

// How far the coordinate is from its start, and the size of angles or places by which that is judged. Whole turns make no
// difference.
struct StartGap {
  double value = 0.0, size = 0.0;
};
StartGap calcGap(const StartCoordinate& c, const system::System& system, const system::State& at);

// Whether a node has the freedoms to move with a velocity field.
bool isFree(const system::Node& node, const math::Frame<double>& frame,
            const math::Vec6<double>& field);

}  // namespace flexloop::model
