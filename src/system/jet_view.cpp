#include "system/jet_view.hpp"

#include <algorithm>

namespace flexloop::system {

using math::Jet;
using math::Mat3;
using math::Vec3;
using math::Vec6;
using Order = JetSeeds::Order;

JetSeeds makeSeeds(int first, int count, int freedoms) {
  JetSeeds seeds;
  const int lanes = std::min(Jet::kDirections, count - first);
  for (int lane = 0; lane < lanes; ++lane) {
    seeds.directions[lane] = {static_cast<Order>((first + lane) / freedoms),
                              (first + lane) % freedoms};
  }
  return seeds;
}

namespace {

// The change of a frame and of its rate in one direction.
struct FrameChange {
  Mat3<double> R = Mat3<double>::Zero(), R1 = Mat3<double>::Zero();
  Vec3<double> x = Vec3<double>::Zero(), x1 = Vec3<double>::Zero();
};

FrameChange calcChange(const Mat3<double>& R, const Vec6<double>& twist, Order order, int c) {
  FrameChange change;
  const Vec3<double> axis = Vec3<double>::Unit(c % 3);
  const bool turns = c >= 3;
  if (order == Order::kValue && !turns) change.x = R * axis;
  if (order == Order::kValue && turns) {
    change.R = R * math::skew<double>(axis);
    change.R1 = change.R * math::skew<double>(Vec3<double>(twist.tail<3>()));
    change.x1 = change.R * twist.head<3>();
  }
  if (order == Order::kRate && !turns) change.x1 = R * axis;
  if (order == Order::kRate && turns) change.R1 = R * math::skew<double>(axis);
  return change;
}

}  // namespace

void makeNodeJets(const math::Frame<double>& frame, const Vec6<double>& twist,
                  const Vec6<double>& twistRate, int k, const JetSeeds& seeds,
                  math::Frame<Jet>& frameJet, Vec6<Jet>& twistJet, Vec6<Jet>& rateJet) {
  const Mat3<double>& R = frame.R;
  const Vec3<double> v = twist.head<3>(), a = twistRate.head<3>();
  const Mat3<double> W = math::skew<double>(Vec3<double>(twist.tail<3>()));
  const Mat3<double> W1 = math::skew<double>(Vec3<double>(twistRate.tail<3>()));
  const Mat3<double> R1 = R * W, R2 = R * (W * W + W1), R3 = R2 * W + 2.0 * R1 * W1;
  const Vec3<double> x1 = R * v, x2 = R * (W * v + a), x3 = R2 * v + 2.0 * R1 * a;
  for (int i = 0; i < 9; ++i) {
    frameJet.R.data()[i] = Jet(R.data()[i], R1.data()[i], R2.data()[i], R3.data()[i]);
  }
  for (int i = 0; i < 3; ++i) frameJet.x[i] = Jet(frame.x[i], x1[i], x2[i], x3[i]);
  for (int i = 0; i < 6; ++i) {
    twistJet[i] = Jet(twist[i], twistRate[i], 0.0, 0.0);
    rateJet[i] = Jet(twistRate[i]);
  }
  for (int lane = 0; lane < Jet::kDirections; ++lane) {
    const auto [order, freedom] = seeds.directions[lane];
    const int c = freedom - 6 * k;
    if (c < 0 || c >= 6) continue;
    const FrameChange change = calcChange(R, twist, order, c);
    for (int i = 0; i < 9; ++i) {
      frameJet.R.data()[i].d[lane] = change.R.data()[i];
      frameJet.R.data()[i].dFirst[lane] = change.R1.data()[i];
    }
    for (int i = 0; i < 3; ++i) {
      frameJet.x[i].d[lane] = change.x[i];
      frameJet.x[i].dFirst[lane] = change.x1[i];
    }
    if (order == Order::kRate) twistJet[c].d[lane] = 1.0;
    if (order == Order::kAcceleration) {
      twistJet[c].dFirst[lane] = 1.0;
      rateJet[c].d[lane] = 1.0;
    }
  }
}

std::array<Jet, 3> makeScalarJets(const std::array<double, 3>& at, int freedom,
                                  const JetSeeds& seeds) {
  std::array<Jet, 3> jets{Jet(at[0], at[1], at[2], 0.0), Jet(at[1], at[2], 0.0, 0.0), Jet(at[2])};
  for (int lane = 0; lane < Jet::kDirections; ++lane) {
    if (seeds.directions[lane].freedom != freedom) continue;
    const int order = static_cast<int>(seeds.directions[lane].order);
    jets[order].d[lane] = 1.0;
    if (order > 0) jets[order - 1].dFirst[lane] = 1.0;
  }
  return jets;
}

}  // namespace flexloop::system
