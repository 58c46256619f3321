#include "support/window_chain.hpp"

#include <cmath>
#include <cstdio>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace flexloop::test {
namespace {

std::string number(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

std::string list(const Eigen::Vector3d& v) {
  return "[" + number(v.x()) + ", " + number(v.y()) + ", " + number(v.z()) + "]";
}

class Writer {
 public:
  explicit Writer(const WindowChain& chain) : chain_(chain) {
    if (!chain.isTilted) return;
    const Eigen::Vector3d axis = Eigen::Vector3d(0.3, -0.7, 0.5).normalized();
    R_ = Eigen::AngleAxisd(1.1, axis).toRotationMatrix();
    const Eigen::AngleAxisd turn(R_);
    rotation_ =
        ", rotation: {axis: " + list(turn.axis()) + ", angle: " + number(turn.angle()) + "}";
  }

  std::string write() {
    const double L = chain_.length;
    for (int i = 0; i <= chain_.windows; ++i) {
      const std::string u = "u" + std::to_string(i), c = "c" + std::to_string(i);
      addRod(u, {i * L, 0.5 * L, 0.0}, {0.5 * L, 0.0, 0.0}, -1.0, 1);
      addHinge("A" + std::to_string(i), "ground", u, {i * L, 0.0, 0.0});
      if (i == 0) continue;
      addRod(c, {(i - 0.5) * L, L, 0.0}, {L, 0.0, 0.0}, 0.0, 0);
      addHinge("B" + std::to_string(i), "u" + std::to_string(i - 1), c, {(i - 1) * L, L, 0.0});
      addHinge("C" + std::to_string(i), u, c, {i * L, L, 0.0});
    }
    return "gravity: " + list(R_ * Eigen::Vector3d(0.0, -9.81 * L, 0.0)) + "\nnodes:\n" + nodes_ +
           "bodies:\n" + bodies_ + "joints:\n" + joints_ +
           "sensors:\n  angle: {measure: angle, joint: A0}\n"
           "  force: {measure: force, joint: A0}\n  torque: {measure: torque, joint: A0}\n";
  }

 private:
  void addRod(const std::string& name, const Eigen::Vector3d& centre, const Eigen::Vector3d& v,
              double w, int along) {
    const double m = chain_.mass, square = m * chain_.length * chain_.length;
    Eigen::Vector3d J = Eigen::Vector3d::Constant(square / 12.0);
    J[along] = 1e-4 * square;
    nodes_ += "  " + name + ": {position: " + list(R_ * centre) + rotation_ +
              ", velocity: " + list(R_ * v) +
              ", angular_velocity: " + list(R_ * Eigen::Vector3d(0.0, 0.0, w)) + "}\n";
    bodies_ +=
        "  " + name + ": {node: " + name + ", mass: " + number(m) + ", inertia: " + list(J) + "}\n";
  }

  void addHinge(const std::string& name, const std::string& a, const std::string& b,
                const Eigen::Vector3d& at) {
    joints_ += "  " + name + ": {type: hinge, between: [" + a + ", " + b +
               "], at: " + list(R_ * at) + ", axis: " + list(R_ * Eigen::Vector3d::UnitZ()) + "}\n";
  }

  const WindowChain& chain_;
  Eigen::Matrix3d R_ = Eigen::Matrix3d::Identity();
  std::string rotation_, nodes_, bodies_, joints_;
};

}  // namespace

std::string WindowChain::text() const {
  return Writer(*this).write();
}

// The method of Runge and Kutta with steps of 0.1 ms errs by 1e-12.
double WindowChain::calcAngle(double time) const {
  const double I = (windows + 1) / 3.0 + windows, P = (windows + 1) / 2.0 + windows;
  const double k = 9.81 * P / I;
  const int steps = static_cast<int>(std::ceil(time / 1e-4));
  const double h = time / steps;
  double q = 0.0, v = 1.0;
  for (int i = 0; i < steps; ++i) {
    const double v1 = v, a1 = k * std::sin(q);
    const double v2 = v + 0.5 * h * a1, a2 = k * std::sin(q + 0.5 * h * v1);
    const double v3 = v + 0.5 * h * a2, a3 = k * std::sin(q + 0.5 * h * v2);
    const double v4 = v + h * a3, a4 = k * std::sin(q + h * v3);
    q += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return q;
}

}  // namespace flexloop::test
