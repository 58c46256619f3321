#include "study/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;

// Differences of two steps h and h/2 leave errors of h⁴ and of round-off/h: with a thousandth both are 1e-12.
constexpr double kStep = 1e-3;
constexpr double kShorter = 0.1;      // the second attempt, for what bends within a thousandth
constexpr double kGoodEnough = 1e-8;  // p·uncertainty by |λ|
constexpr double kNoSlope =
    1e-8;  // slope by its scale: the root is repeated without a shape of its own

// Roots that are equal move as the eigenvalues of one small matrix (24.3).
struct Cluster {
  std::vector<int> modes;
  MatrixXcd left, right;
  std::optional<linalg::DenseLu<Complex>> slope;  // Wᵀ N'(λ) Z
  Complex eigenvalue;
};

// By cluster.
using Forms = std::vector<MatrixXcd>;

struct Derivatives {
  Forms values;
  std::vector<double> uncertainties;
};

class SensitivityAnalysis {
 public:
  SensitivityAnalysis(const ModelMaker& maker, const ModeTask& task)
      : maker_(maker), task_(task), point_(findModesAt(maker, {}, task)) {}

  SensitivityResult calc(const Settings& parameters) {
    SensitivityResult result{point_.failure, {}, {}};
    if (!result.ok()) return result;
    for (const analysis::Mode& mode : point_.modes) {
      result.modes.push_back({mode.eigenvalue, {}, {}});
    }
    makeClusters(result);
    for (const Setting& parameter : parameters) addParameter(parameter, result);
    for (ModeSensitivity& mode : result.modes) {
      std::stable_sort(mode.entries.begin(), mode.entries.end(),
                       [](const Sensitivity& a, const Sensitivity& b) {
                         return std::abs(a.value * a.derivative) > std::abs(b.value * b.derivative);
                       });
    }
    return result;
  }

 private:
  void makeClusters(SensitivityResult& result) {
    std::vector<bool> taken(point_.modes.size(), false);
    for (std::size_t i = 0; i < point_.modes.size(); ++i) {
      if (taken[i]) continue;
      if (point_.modes[i].eigenvalue == 0.0) {
        result.modes[i].obstacle = "its root is zero: nothing resists this motion";
        continue;
      }
      Cluster cluster;
      for (std::size_t k = i; k < point_.modes.size(); ++k) {
        if (taken[k] || !areRepeated(point_.modes[i].eigenvalue, point_.modes[k].eigenvalue)) {
          continue;
        }
        taken[k] = true;
        cluster.modes.push_back(static_cast<int>(k));
      }
      if (finish(cluster)) {
        clusters_.push_back(std::move(cluster));
      } else {
        for (const int k : cluster.modes) {
          result.modes[k].obstacle =
              "a repeated root without its own shape changes like a square root, so it has no "
              "derivative";
        }
      }
    }
  }

  // False if the slope of the cluster vanishes.
  bool finish(Cluster& cluster) const {
    const int size = static_cast<int>(cluster.modes.size());
    const Eigen::Index length = point_.vectors[cluster.modes.front()].right.size();
    cluster.left.resize(length, size);
    cluster.right.resize(length, size);
    cluster.eigenvalue = point_.modes[cluster.modes.front()].eigenvalue;
    double scale = 0.0;
    for (int i = 0; i < size; ++i) {
      const RootVectors& vectors = point_.vectors[cluster.modes[i]];
      cluster.left.col(i) = vectors.left;
      cluster.right.col(i) = vectors.right;
      scale = std::max(scale, vectors.slopeScale);
    }
    const MatrixXcd slope = point_.roots->calcSlopes(cluster.eigenvalue, cluster.eigenvalue,
                                                     cluster.left, cluster.right);
    if (!slope.allFinite()) return false;
    const linalg::PivotedQr<Complex> qr(slope);
    if (!(qr.largest() > kNoSlope * scale) || qr.rank(kNoSlope) < size) return false;
    cluster.slope.emplace(slope);
    return true;
  }

  // Wᵀ N(λ) Z of the model with another value; nothing, and the reason, if there is no such model.
  std::optional<Forms> calcForms(const Setting& parameter, double offset,
                                 std::string& reason) const {
    const ModePoint other =
        linearizeAt(maker_, {{parameter.name, parameter.value + offset}}, task_);
    if (other.failure) {
      reason = other.failure->message;
      return std::nullopt;
    }
    if (!point_.roots->hasSameUnknowns(*other.roots)) {
      reason = "it changes the number of unknowns";
      return std::nullopt;
    }
    Forms forms;
    for (const Cluster& cluster : clusters_) {
      forms.push_back(other.roots->calcForms(cluster.eigenvalue, cluster.left, cluster.right));
    }
    return forms;
  }

  // Slopes at the middle by values on both sides (24.4), or on one side where the other has no model (24.5).
  std::optional<Derivatives> differentiate(const Setting& parameter, double h,
                                           std::string& reason) const {
    std::string unused;
    const std::optional<Forms> plus = calcForms(parameter, h, reason);
    const std::optional<Forms> minus = calcForms(parameter, -h, plus ? unused : reason);
    if (!plus && !minus) return std::nullopt;
    if (plus && minus) {
      const std::optional<Forms> nearPlus = calcForms(parameter, 0.5 * h, reason);
      const std::optional<Forms> nearMinus = calcForms(parameter, -0.5 * h, reason);
      if (!nearPlus || !nearMinus) return std::nullopt;
      return extrapolate(
          [&](std::size_t c) { return MatrixXcd(((*plus)[c] - (*minus)[c]) / (2.0 * h)); },
          [&](std::size_t c) { return MatrixXcd(((*nearPlus)[c] - (*nearMinus)[c]) / h); });
    }
    const double side = plus ? h : -h;
    const std::optional<Forms> zero = calcForms(parameter, 0.0, reason);
    const std::optional<Forms> half = calcForms(parameter, 0.5 * side, reason);
    const std::optional<Forms> quarter = calcForms(parameter, 0.25 * side, reason);
    if (!zero || !half || !quarter) return std::nullopt;
    const Forms& whole = plus ? *plus : *minus;
    return extrapolate(
        [&](std::size_t c) {
          return MatrixXcd((4.0 * (*half)[c] - 3.0 * (*zero)[c] - whole[c]) / side);
        },
        [&](std::size_t c) {
          return MatrixXcd((4.0 * (*quarter)[c] - 3.0 * (*zero)[c] - (*half)[c]) / (0.5 * side));
        });
  }

  template <class Far, class Near>
  Derivatives extrapolate(const Far& far, const Near& near) const {
    Derivatives derivatives;
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
      const MatrixXcd correction = (near(c) - far(c)) / 3.0;
      derivatives.values.push_back(-clusters_[c].slope->solve(near(c) + correction));
      derivatives.uncertainties.push_back(clusters_[c].slope->solve(correction).norm());
    }
    return derivatives;
  }

  bool isGood(const Derivatives& derivatives, double scale) const {
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
      if (derivatives.uncertainties[c] * scale > kGoodEnough * std::abs(clusters_[c].eigenvalue)) {
        return false;
      }
    }
    return true;
  }

  void addParameter(const Setting& parameter, SensitivityResult& result) {
    const double scale = parameter.value != 0.0 ? std::abs(parameter.value) : 1.0;
    std::string reason;
    std::optional<Derivatives> found = differentiate(parameter, kStep * scale, reason);
    if (!found || !isGood(*found, scale)) {
      const std::optional<Derivatives> second =
          differentiate(parameter, kShorter * kStep * scale, reason);
      if (!found) found = second;
      for (std::size_t c = 0; second && c < clusters_.size(); ++c) {
        if (second->uncertainties[c] >= found->uncertainties[c]) continue;
        found->values[c] = second->values[c];
        found->uncertainties[c] = second->uncertainties[c];
      }
    }
    if (!found) {
      result.skipped.push_back({parameter.name, reason});
      return;
    }
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
      addEntries(parameter, clusters_[c], found->values[c], found->uncertainties[c], result);
    }
  }

  static void addEntries(const Setting& parameter, const Cluster& cluster, const MatrixXcd& matrix,
                         double uncertainty, SensitivityResult& result) {
    Eigen::VectorXcd derivatives = matrix.diagonal();
    if (matrix.rows() > 1) {
      derivatives = linalg::findEigenvalues(matrix);
      std::sort(derivatives.begin(), derivatives.end(), [](Complex a, Complex b) {
        return a.imag() != b.imag() ? a.imag() < b.imag() : a.real() < b.real();
      });
    }
    for (std::size_t i = 0; i < cluster.modes.size(); ++i) {
      Complex derivative = derivatives[static_cast<Eigen::Index>(i)];
      // A root on the real axis stays there.
      if (cluster.eigenvalue.imag() == 0.0 && cluster.modes.size() == 1) derivative.imag(0.0);
      result.modes[cluster.modes[i]].entries.push_back(
          {parameter.name, parameter.value, derivative, uncertainty});
    }
  }

  const ModelMaker& maker_;
  const ModeTask& task_;
  ModePoint point_;
  std::vector<Cluster> clusters_;
};

}  // namespace

SensitivityResult calcSensitivities(const ModelMaker& maker, const Settings& parameters,
                                    const ModeTask& task) {
  return SensitivityAnalysis(maker, task).calc(parameters);
}

Complex calcChangePerPercent(const Sensitivity& sensitivity) {
  return 0.01 * sensitivity.value * sensitivity.derivative;
}

double calcFrequencyChange(Complex eigenvalue, Complex change) {
  return eigenvalue.imag() == 0.0 ? 0.0 : change.imag() / (2.0 * std::numbers::pi);
}

double calcDampingChange(Complex eigenvalue, Complex change) {
  const double sigma = eigenvalue.real(), omega = eigenvalue.imag(), size = std::abs(eigenvalue);
  if (size == 0.0) return 0.0;
  return omega * (sigma * change.imag() - omega * change.real()) / (size * size * size);
}

}  // namespace flexloop::study
