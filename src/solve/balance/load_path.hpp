// The path of equilibria that a machine takes as its loads grow, H(x, λ) = 0 from λ = 0 on, followed by arc length:
// through limit points, where no larger load can be borne and the path turns back, and on to where it passes λ = 1
// (docs/theory/10_equilibrium.md, section 10.5).
#pragma once

#include <optional>
#include <vector>

#include "solve/balance/tangent_signs.hpp"

namespace flexloop::solve {

class LoadPath {
 public:
  // Starts at `start`, which h of the balance holds, or from an equilibrium with a share of the loads if nothing does.
  LoadPath(StaticBalance& balance, const system::State& start, double share = 0.0);

  // Goes on to the next point with the full load. False if there is none: the path has no direction at its start,
  // a step cannot be made, or the steps are used up.
  [[nodiscard]] bool findNext(system::State& found);

  // Shares of the loads at which the path has turned so far.
  const std::vector<double>& limits() const { return limits_; }
  int points() const { return points_; }
  double share() const { return point_.share; }  // of the loads, at the last point

 private:
  struct Point {
    system::State state;
    double share = 0.0;
    Eigen::VectorXd direction;    // of the unknowns, per length of the path
    double shareDirection = 0.0;  // of λ
    double weight = 1.0;          // of a dot product of motions beside that of λ
    std::optional<TangentSigns> signs{};
  };

  bool findDirection(Point& point, const Point* before);
  bool advance(Point& next);
  void accept(const Point& next, bool isEasy);
  bool mayHaveLeft(const Point& next) const;
  bool correct(const Point& from, double length, Point& next, int& corrections);
  bool tryStep(const Point& from, double length, Point& next, int& corrections);
  bool findLimit(const Point& from, double& length, Point& limit);
  bool stopAtLimit(Point& next);
  bool locate(const Point& from, double length, const Point& to, system::State& found);
  double moveOf(const Eigen::VectorXd& delta) const;
  bool isRoundOff(const Eigen::VectorXd& delta, double share) const;
  double product(const Point& at, const Eigen::VectorXd& motion, double share) const;

  StaticBalance& balance_;
  Point point_;
  bool hasDirection_ = false, isAtLimit_ = false;
  double unit_ = 1.0;  // of moves, in the sizes of the balance
  double length_;      // of the next step
  double done_ = 0.0;  // of the last step
  double arc_ = 0.0;   // of all steps
  // Beyond where signs change, as near as a step has led, and its place.
  std::optional<Point> across_;
  double arcAcross_ = 0.0;
  int points_ = 0;
  std::vector<double> limits_;
};

}  // namespace flexloop::solve
