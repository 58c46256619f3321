#include "fem/reduction/reduce_component.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/text_format.hpp"
#include "fem/modes/normal_modes.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/symmetric/dense_modes.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using linalg::multiplySymmetric;

namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr int kMostModes = 2000;
// Normal modes up to this multiple of a frequency are offered first where accuracy is asked for, and this much more each time
// that they do not suffice.
constexpr double kFirstMargin = 1.5, kMargin = 1.5;
constexpr int kMargins = 5;

double squared(double hertz) {
  return kTwoPi * hertz * kTwoPi * hertz;
}

// Progress of one of several stages.
linalg::Progress between(const linalg::Progress& progress, double first, double last) {
  if (!progress) return {};
  return [&progress, first, last](double fraction, const char* what) {
    return progress(first + fraction * (last - first), what);
  };
}

class Reduction {
 public:
  Reduction(Component component, const ReductionOptions& options, int groupSize,
            const linalg::Progress& progress)
      : component_(std::move(component)),
        options_(options),
        kind_(options.normalModes.value_or(usualModes(options.method))),
        groupSize_(groupSize),
        progress_(progress) {}

  base::Result<ReducedComponent> run() {
    if (!calculateStatics() || !chooseModes() || !compare()) return *failure_;
    fillReport();
    prestress();
    return std::move(result_);
  }

 private:
  bool fail(base::Failure failure) {
    failure_ = std::move(failure);
    return false;
  }

  bool calculateStatics() {
    if (auto failure = statics_.calculate(component_, between(progress_, 0.0, 0.4)))
      return fail(*failure);
    if (const auto& singular = statics_.singular()) return fail(describe(*singular));
    // The frequencies of the smallest complete basis are near enough to choose a shift for all others.
    const auto rough = makeBasis(component_, statics_, ReductionMethod::kHintzConstraint,
                                 MatrixXd(component_.unknowns(), 0));
    if (!rough) return fail(rough.failure());
    const auto modes = linalg::findDenseModes(rough.value().K, rough.value().M, motions());
    if (modes && modes->values.size() > motions()) component_.scale = modes->values[motions()];
    return true;
  }

  base::Failure describe(const StaticModes::Singular& singular) const {
    if (singular.negative > 0) {
      // Where, the modes know.
      linalg::ModeRequest request;
      request.count = 1;
      request.verify = false;
      const auto modes = findNormalModes(component_, component_.boundary, request);
      if (!modes) return modes.failure();
      return base::numericalFailure("the stiffness matrix of the part is not positive");
    }
    return {"with its interfaces held the part still moves freely at " +
                component_.nameOf(singular.unknown),
            "a piece of the mesh is not connected to the rest, or only by a hinge"};
  }

  void prestress() {
    std::vector<int> held(groupSize_), places;
    std::iota(held.begin(), held.end(), 0);
    const auto count = static_cast<int>(component_.boundary.size());
    for (int i = groupSize_; i < count && options_.foreshortening; ++i) {
      if (i % groupSize_ < 3) places.push_back(i);
    }
    if (!places.empty()) result_.pulled = statics_.respondToForces(places, held);
    // The forces of these interfaces have a stiffness of their own then.
    held.insert(held.end(), places.begin(), places.end());
    if (component_.loads.cols() > 0) result_.loaded = statics_.respondToLoads(held);
  }

  int motions() const { return static_cast<int>(component_.rigid.cols()); }

  std::vector<int> heldUnknowns() const {
    if (kind_ == NormalModes::kFree) return {};
    std::vector<int> groups = options_.held.empty() ? std::vector<int>{0} : options_.held;
    if (kind_ == NormalModes::kFixed) {
      groups.resize(component_.boundary.size() / groupSize_);
      std::iota(groups.begin(), groups.end(), 0);
    }
    std::vector<int> held;
    for (const int group : groups) {
      for (int i = 0; i < groupSize_; ++i)
        held.push_back(component_.boundary[group * groupSize_ + i]);
      holdSet(group, held);
    }
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    if (!component_.flexible.empty()) {
      const std::vector<int> settled = findSettledMultipliers(component_, held);
      held.insert(held.end(), settled.begin(), settled.end());
    }
    return held;
  }

  // Where an interface has modes of its own, normal modes hold all of its set.
  void holdSet(int group, std::vector<int>& held) const {
    for (const FlexibleSet& set : component_.flexible) {
      if (set.group == group) held.insert(held.end(), set.unknowns.begin(), set.unknowns.end());
    }
  }

  bool findModes(const std::string& stage, const std::vector<int>& held,
                 linalg::ModeRequest request, double first, double last, NormalModeSet& set) {
    if (request.count == 0 && !request.below) {
      set = {MatrixXd(component_.unknowns(), 0), VectorXd(0), 0, MatrixXd(component_.unknowns(), 0),
             true};
      return true;
    }
    if (findKept(stage, set)) return true;
    const Stopwatch watch;
    const auto found = findNormalModes(component_, held, request, between(progress_, first, last));
    if (!found) return fail(found.failure());
    set = found.value();
    const MatrixXd counts = Eigen::RowVector2d(set.rigid, set.verified ? 1.0 : 0.0);
    component_.pieces.keep(stage, {set.vectors, set.omega2, set.rigidVectors, counts},
                           watch.seconds());
    return true;
  }

  // From a reduction of the same part that was interrupted.
  bool findKept(const std::string& stage, NormalModeSet& set) const {
    auto kept = component_.pieces.find(stage);
    if (!kept || kept->size() != 4) return false;
    ReductionPieces::Matrices& matrices = *kept;
    const bool fits = matrices[0].rows() == component_.unknowns() &&
                      matrices[1].rows() == matrices[0].cols() && matrices[1].cols() == 1 &&
                      matrices[2].rows() == component_.unknowns() && matrices[3].size() == 2;
    if (!fits) return false;
    set = {std::move(matrices[0]), matrices[1], static_cast<int>(matrices[3](0)),
           std::move(matrices[2]), matrices[3](1) != 0.0};
    return true;
  }

  bool makeResult(int count) {
    const auto basis =
        makeBasis(component_, statics_, options_.method, normal_.vectors.leftCols(count));
    if (!basis) return fail(basis.failure());
    result_.basis = basis.value();
    result_.report.normalModes = count;
    const auto modes = linalg::findDenseModes(result_.basis.K, result_.basis.M, motions());
    if (!modes) return fail(base::numericalFailure("the mass of the reduced part is not positive"));
    const VectorXd elastic = modes->values.tail(modes->values.size() - motions());
    result_.report.frequencies = elastic.cwiseMax(0.0).cwiseSqrt() / kTwoPi;
    return true;
  }

  bool chooseModes() {
    if (options_.upTo && options_.accuracy) return chooseByAccuracy();
    linalg::ModeRequest request;
    request.count = options_.upTo ? kMostModes : options_.modes;
    if (options_.upTo) request.below = squared(*options_.upTo);
    if (!findModes("normal", heldUnknowns(), request, 0.4, 0.7, normal_)) return false;
    return makeResult(static_cast<int>(normal_.omega2.size()));
  }

  double largestError() const {
    const VectorXd &reduced = result_.report.frequencies, full = fullFrequencies();
    if (reduced.size() < full.size()) return std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (Eigen::Index i = 0; i < full.size(); ++i)
      largest = std::max(largest, std::abs(reduced[i] / full[i] - 1.0));
    return largest;
  }

  VectorXd fullFrequencies() const { return full_.omega2.cwiseSqrt() / kTwoPi; }

  // The fewest normal modes that do; more are never worse, because spaces are nested.
  bool chooseByAccuracy() {
    linalg::ModeRequest request;
    request.count = kMostModes;
    request.below = squared(*options_.upTo);
    if (!findModes("full", {}, request, 0.4, 0.6, full_)) return false;
    double limit = kind_ == NormalModes::kFree ? *options_.upTo : kFirstMargin * *options_.upTo;
    for (int margin = 0; margin < kMargins; ++margin, limit *= kMargin) {
      request.below = squared(limit);
      if (kind_ == NormalModes::kFree && margin == 0) {
        normal_ = full_;
      } else if (!findModes("normal-" + std::to_string(margin), heldUnknowns(), request, 0.6, 0.9,
                            normal_)) {
        return false;
      }
      int enough = static_cast<int>(normal_.omega2.size()), tooFew = -1;
      if (!makeResult(enough)) return false;
      if (largestError() > *options_.accuracy) continue;
      while (enough - tooFew > 1) {
        const int middle = (enough + tooFew) / 2;
        if (!makeResult(middle)) return false;
        (largestError() <= *options_.accuracy ? enough : tooFew) = middle;
      }
      return makeResult(enough);
    }
    return fail(
        {base::formatText("%s does not reach an accuracy of %g up to %g Hz",
                          nameOf(options_.method).c_str(), *options_.accuracy, *options_.upTo),
         "use inertia_relief, whose free modes are exact for the free part"});
  }

  // The full part is solved for once where no normal modes are its own.
  bool compare() {
    if (options_.compared == 0 || full_.omega2.size() > 0 || (options_.upTo && options_.accuracy))
      return true;
    if (kind_ == NormalModes::kFree && normal_.omega2.size() > 0) {
      full_ = normal_;
      return true;
    }
    linalg::ModeRequest request;
    request.count =
        std::min<int>(options_.compared, static_cast<int>(result_.report.frequencies.size()));
    return findModes("full", {}, request, 0.7, 1.0, full_);
  }

  void fillReport() {
    ReductionReport& report = result_.report;
    const ComponentBasis& basis = result_.basis;
    report.method = options_.method;
    report.freedoms = component_.unknowns() - component_.multipliers;
    report.interfaceFreedoms = basis.boundary();
    report.modes = static_cast<int>(basis.omega2.size());
    report.dropped = basis.dropped;
    report.fullFrequencies = fullFrequencies();
    const Eigen::Index common = std::min(report.fullFrequencies.size(), report.frequencies.size());
    report.fullFrequencies.conservativeResize(common);
    report.frequencyErrors = report.frequencies.head(common).cwiseQuotient(report.fullFrequencies);
    report.frequencyErrors.array() -= 1.0;
    report.verified = full_.verified;
    if (options_.upTo && options_.accuracy) report.reachedAccuracy = largestError();
    const MatrixXd X = basis.Phi.rightCols(report.modes);
    const MatrixXd shares = X.transpose() * statics_.massTimesRigid();
    report.effectiveMasses = shares.cwiseProduct(shares);
    report.staticError = calcStaticError(X, shares);
    report.massError = calcMassError();
    if (motions() > 0) report.mass = statics_.rigidMass()(0, 0);
  }

  // Both solutions move the boundary alike; they differ by (Y − X ω⁻² Xᵀ M R) c inside (30.19).
  double calcStaticError(const MatrixXd& X, const MatrixXd& shares) const {
    if (motions() == 0) return 0.0;
    const MatrixXd missing =
        statics_.relief() - X * (result_.basis.omega2.cwiseInverse().asDiagonal() * shares);
    const MatrixXd errors = missing.transpose() * multiplySymmetric(*component_.K, missing);
    const MatrixXd exact = statics_.inertiaReliefAttachment();
    const MatrixXd forces = multiplySymmetric(*component_.K, exact);
    MatrixXd Rb(component_.boundary.size(), motions());
    for (std::size_t i = 0; i < component_.boundary.size(); ++i)
      Rb.row(i) = component_.rigid.row(component_.boundary[i]);
    const MatrixXd c = linalg::DenseLu<double>(statics_.rigidMass()).solve(Rb.transpose());
    double largest = 0.0;
    for (Eigen::Index j = 0; j < exact.cols(); ++j) {
      const double energy = exact.col(j).dot(forces.col(j));
      const double error = c.col(j).dot(errors * c.col(j));
      if (energy > 0.0) largest = std::max(largest, std::sqrt(std::max(0.0, error) / energy));
    }
    return largest;
  }

  double calcMassError() const {
    const int count = motions();
    if (count == 0) return 0.0;
    MatrixXd Rz = MatrixXd::Zero(result_.basis.K.rows(), count);
    for (std::size_t i = 0; i < component_.boundary.size(); ++i)
      Rz.row(i) = component_.rigid.row(component_.boundary[i]);
    const MatrixXd reduced = Rz.transpose() * result_.basis.M * Rz;
    const MatrixXd& full = statics_.rigidMass();
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) {
        largest = std::max(
            largest, std::abs(reduced(i, j) - full(i, j)) / std::sqrt(full(i, i) * full(j, j)));
      }
    }
    return largest;
  }

  Component component_;
  const ReductionOptions& options_;
  NormalModes kind_;
  int groupSize_;
  const linalg::Progress& progress_;
  StaticModes statics_;
  NormalModeSet normal_, full_;
  ReducedComponent result_;
  std::optional<base::Failure> failure_;
};

}  // namespace

base::Result<ReducedComponent> reduceComponent(Component component, const ReductionOptions& options,
                                               int groupSize, const linalg::Progress& progress) {
  return Reduction(std::move(component), options, groupSize, progress).run();
}

MatrixXd makeModalDamping(const MatrixXd& K, const MatrixXd& M, const MatrixXd& Rz, double ratio) {
  const Eigen::Index size = K.rows(), rigid = Rz.cols();
  const auto modes = linalg::findDenseModes(K, M, static_cast<int>(rigid));
  if (!modes || ratio == 0.0) return MatrixXd::Zero(size, size);
  const MatrixXd MPhi = M * modes->vectors.rightCols(size - rigid);
  const VectorXd omega = modes->values.tail(size - rigid).cwiseMax(0.0).cwiseSqrt();
  MatrixXd D = MPhi * (2.0 * ratio * omega).asDiagonal() * MPhi.transpose();
  if (rigid > 0) {
    const MatrixXd MR = M * Rz;
    const MatrixXd P = MatrixXd::Identity(size, size) -
                       Rz * linalg::DenseLu<double>(Rz.transpose() * MR).solve(MR.transpose());
    D = (P.transpose() * D * P).eval();
  }
  return 0.5 * (D + D.transpose());
}

}  // namespace flexloop::fem
