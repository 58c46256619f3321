// A parameter-dependent linear model as a block: equations (38.1) and (38.2) with the parameters as the last of its inputs,
// so that its derivatives by them are in the tangent like those by the states; with rate terms (38.19), their rates come after
// them.
#pragma once

#include <array>
#include <string>

#include "control/blocks/block.hpp"
#include "control/lpv/last_parameters.hpp"
#include "control/lpv/lpv_model.hpp"

namespace flexloop::control {

class LpvBlock final : public BlockOf<LpvBlock> {
 public:
  // Of one output there are two copies, NAME.OUTPUT and NAME. With `stops` a parameter outside of its range is a fault.
  LpvBlock(std::string name, LpvModel model, bool stops, bool usesRates = false);

  BlockSize size() const override;
  bool uses(int row, int column) const override;
  void calc(const BlockPorts<double>& ports) const override;
  std::optional<base::Failure> fault() const override;

  template <class S>
  void evaluate(const BlockPorts<S>& p) const;

 private:
  template <class S>
  void addRateTerms(const BlockPorts<S>& p, const LpvCoefficients<S>& c) const;

  std::string name_;
  LpvModel model_;
  std::vector<Axis> axes_;
  bool stops_, usesRates_;
  int copies_;  // of the outputs
  LastParameters last_;
};

template <class S>
void LpvBlock::addRateTerms(const BlockPorts<S>& p, const LpvCoefficients<S>& c) const {
  const LpvLayout& at = model_.layout;
  const int q = at.pairs;
  for (int d = 0; d < at.rates; ++d) {
    // Outside of its range the parameter stays at the end of it.
    const double value = math::valueOf(p.u[at.inputs + d]);
    const std::vector<double>& points = model_.axes[d].points;
    if (value < points.front() || value > points.back()) continue;
    const S& rate = p.u[at.inputs + at.rates + d];
    for (int i = 0; i < q; ++i) {
      S byPlaces = S(0.0), byRates = S(0.0);
      for (int k = 0; k < q; ++k) {
        const S g = c[at.rate(d, i, k)];
        byPlaces = byPlaces + g * p.x[k];
        byRates = byRates + g * p.x[q + k];
      }
      p.dx[i] = p.dx[i] - rate * byPlaces;
      p.dx[q + i] = p.dx[q + i] - rate * byRates;
    }
  }
}

template <class S>
void LpvBlock::evaluate(const BlockPorts<S>& p) const {
  const LpvLayout& at = model_.layout;
  const int q = at.pairs, r = at.others, n = at.states();
  std::array<S, LpvModel::kMostParameters> parameters;
  for (int d = 0; d < model_.countParameters(); ++d) parameters[d] = p.u[at.inputs + d];
  const LpvCoefficients<S> c(model_, axes_, parameters.data());
  const auto addInputs = [&](int row) {
    S sum = S(0.0);
    for (int k = 0; k < at.inputs; ++k) sum = sum + c[at.input(row, k)] * p.u[k];
    return sum;
  };
  // K η = Ω (Ω η): the product in the middle is kept where the rates of η will be.
  if (model_.isRooted) {
    for (int i = 0; i < q; ++i) {
      S sum = S(0.0);
      for (int k = 0; k < q; ++k) sum = sum + c[at.stiffness(i, k)] * p.x[k];
      p.dx[i] = sum;
    }
  }
  for (int i = 0; i < q; ++i) {
    S sum = addInputs(q + i);
    for (int k = 0; k < q; ++k) {
      const S& stretched = model_.isRooted ? p.dx[k] : p.x[k];
      sum = sum - c[at.stiffness(i, k)] * stretched - c[at.damping(i, k)] * p.x[q + k];
    }
    p.dx[q + i] = sum;
  }
  for (int i = 0; i < q; ++i) p.dx[i] = p.x[q + i] + addInputs(i);
  if (usesRates_) addRateTerms(p, c);
  for (int i = 0; i < r; ++i) {
    S sum = addInputs(2 * q + i);
    for (int k = 0; k < r; ++k) sum = sum + c[at.other(i, k)] * p.x[2 * q + k];
    p.dx[2 * q + i] = sum;
  }
  for (int i = 0; i < at.outputs; ++i) {
    S sum = S(0.0);
    for (int k = 0; k < n; ++k) sum = sum + c[at.output(i, k)] * p.x[k];
    for (int k = 0; k < at.inputs; ++k) sum = sum + c[at.direct(i, k)] * p.u[k];
    for (int copy = 0; copy < copies_; ++copy) p.y[i + copy * at.outputs] = sum;
  }
}

}  // namespace flexloop::control
