// Responses and loops of a machine with sampled blocks (docs/theory/25_delays_and_samples.md, section 25.8). All clocks
// together repeat after T; the steady answer to e^{iωt} is e^{iωt} times what has the period T. Its mean is the response:
//
//     H(iω) = E P(iω)⁻¹ (F + F_w ŵ),    ŵ = 1/T ∫ w(t) e^{−iωt} dt  of what blocks hold,             (25.19)
//
// and of a loop that is cut where it is held or sampled, all of its samples are distinguished: its loci are the eigenvalues
// of the matrix between those that go in and those that come back within T, of which there are as many as there
// are samples. With one it is the loop gain L(z), z = e^{iωT}.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/frequency_response.hpp"
#include "analysis/linear/loop_margins.hpp"
#include "analysis/linear/return_ratio.hpp"
#include "analysis/sampled/cycle_map.hpp"
#include "analysis/sampled/sampled_machine.hpp"
#include "base/result.hpp"
#include "linalg/roots/hessenberg.hpp"

namespace flexloop::analysis {

class SampledResponse {
 public:
  // The linear model is that of the closed loop, with the outputs of black boxes among the blocks held; it must outlive
  // this.
  SampledResponse(const model::Model& model, const SampledBlocks& blocks, const LinearModel& linear,
                  const system::State& state, const PortNames& names);
  ~SampledResponse();

  const std::optional<base::Failure>& failure() const { return sampled_.failure; }
  double period() const { return sampled_.sampling.cycle.period; }
  // Of a loop that is cut: where it is cut really, and what its margins are.
  const std::string& note() const { return note_; }

  // Outputs × inputs. False where no digit would be right.
  [[nodiscard]] bool calc(double omega, Eigen::MatrixXcd& H);
  // Of a loop that is cut, up to half the frequency of the cycle; nothing where they are not finite.
  [[nodiscard]] LociFunction makeLoci();
  // Whether these are exact. Otherwise they are the response, without what sampling folds back.
  bool hasLoci() const { return cutKind_ == CutKind::kHeld || cutKind_ == CutKind::kRead; }

  // s = ln(multiplier)/T of the machine as it is here, cut or not; conjugates once.
  struct Roots {
    std::vector<std::complex<double>> values;
    int growing = 0;  // multipliers outside the unit circle
  };
  Roots findRoots() const;

 private:
  enum class CutKind { kNone, kHeld, kRead, kContinuous };
  struct Steady {
    std::vector<Eigen::MatrixXcd> before, after;  // z about each instant of a cycle, by input
  };

  void classifyCut(const model::Model& model);
  void addNote(const std::string& text);
  void makeSteps();
  void makeMachinePorts(const model::Model& model);
  Steady findSteady(std::complex<double> z, const std::vector<Eigen::MatrixXcd>& inputs) const;
  Eigen::MatrixXcd calcMean(double omega, const Steady& steady) const;
  std::vector<int> findCutInstants() const;
  // The cut signal at the instant, as its readers would see it.
  Eigen::RowVectorXcd calcCut(const Steady& steady, int instant) const;
  std::optional<std::vector<LoopValue>> calcLoci(double omega);

  SampledMachine sampled_;
  LinearPorts ports_;  // with the cut where it really is
  CutKind cutKind_ = CutKind::kNone;
  SampledCut cut_;
  int cutInput_ = -1;  // of the ports
  std::string note_;
  std::unique_ptr<SampledMap> map_;
  CycleMap cycle_;
  std::vector<Eigen::MatrixXd> instants_;  // [S J], those that differ
  std::vector<Eigen::MatrixXd> flows_;     // those that differ
  std::vector<int> instantOf_, flowOf_;    // by instant of the cycle
  linalg::HessenbergSolver psi_;
  LinearPorts machinePorts_;
  std::unique_ptr<ResponseSolver> machine_;
};

// As analyzeLoop, for a machine with sampled blocks.
[[nodiscard]] ReturnRatio analyzeSampledLoop(SampledResponse& cut, const SampledResponse& closed,
                                             double lowHz, double highHz);
[[nodiscard]] FrequencyResponse calcSampledResponse(SampledResponse& sampled,
                                                    const std::vector<double>& frequencyHz);

}  // namespace flexloop::analysis
