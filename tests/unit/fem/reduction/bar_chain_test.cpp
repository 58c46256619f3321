// A chain of three parts made of bars, reduced and coupled, against errors of the frequencies that were computed apart from
// this program with dense matrices (numpy and scipy).
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fem/modes/normal_modes.hpp"
#include "fem/reduction/component_basis.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/symmetric/dense_modes.hpp"

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using linalg::SparseMatrix;

constexpr int kBars = 12;

struct BarPart {
  SparseMatrix K, M;
  Component component;
};

// Linear bars of total length 1, the first node held where asked for.
void makeBars(double EA, double rhoA, bool isHeld, std::vector<int> boundary, BarPart& part) {
  const double h = 1.0 / kBars;
  MatrixXd K = MatrixXd::Zero(kBars + 1, kBars + 1), M = K;
  for (int e = 0; e < kBars; ++e) {
    K.block<2, 2>(e, e) += EA / h * (Eigen::Matrix2d() << 1, -1, -1, 1).finished();
    M.block<2, 2>(e, e) += rhoA * h / 6.0 * (Eigen::Matrix2d() << 2, 1, 1, 2).finished();
  }
  const int n = isHeld ? kBars : kBars + 1;
  part.K = MatrixXd(K.bottomRightCorner(n, n).triangularView<Eigen::Lower>()).sparseView();
  part.M = MatrixXd(M.bottomRightCorner(n, n).triangularView<Eigen::Lower>()).sparseView();
  part.component.K = &part.K;
  part.component.M = &part.M;
  part.component.boundary = std::move(boundary);
  part.component.rigid = MatrixXd::Ones(n, isHeld ? 0 : 1);
}

struct Chain {
  BarPart A, B, C;
  std::vector<const BarPart*> parts() const { return {&A, &B, &C}; }

  Chain() {
    makeBars(1.0, 1.0, true, {kBars - 1}, A);
    makeBars(2.0, 1.0, false, {0, kBars}, B);
    makeBars(1.0, 0.5, false, {0}, C);
  }
};

struct Reduced {
  MatrixXd K, M;
  int boundary = 0;
};

VectorXd frequencies(const MatrixXd& K, const MatrixXd& M) {
  // Masses may be singular (MacNeal): M x = μ (K + M) x.
  const VectorXd values = linalg::findDenseModes(M, K + M)->values;
  VectorXd omega(K.rows());
  int count = 0;
  for (int i = static_cast<int>(K.rows()) - 1; i >= 0; --i) {
    if (values[i] > 1e-12) omega[count++] = std::sqrt(1.0 / values[i] - 1.0);
  }
  return omega.head(count);
}

// z of the chain: [A|B, B|C, q_A, q_B, q_C].
VectorXd couple(const std::vector<Reduced>& parts) {
  const std::vector<std::vector<int>> places = {{0}, {0, 1}, {1}};
  int size = 2;
  for (const Reduced& part : parts) size += static_cast<int>(part.K.rows()) - part.boundary;
  MatrixXd K = MatrixXd::Zero(size, size), M = K;
  int next = 2;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Reduced& part = parts[p];
    std::vector<int> map = places[p];
    for (Eigen::Index q = part.boundary; q < part.K.rows(); ++q) map.push_back(next++);
    for (std::size_t i = 0; i < map.size(); ++i) {
      for (std::size_t j = 0; j < map.size(); ++j) {
        K(map[i], map[j]) += part.K(i, j);
        M(map[i], map[j]) += part.M(i, j);
      }
    }
  }
  return frequencies(K, M);
}

MatrixXd normalModes(const Component& component, NormalModes kind, int count) {
  std::vector<int> held;
  if (kind == NormalModes::kFixed) held = component.boundary;
  if (kind == NormalModes::kHybrid) held = {component.boundary.front()};
  linalg::ModeRequest request;
  request.count = count;
  const auto modes = findNormalModes(component, held, request);
  EXPECT_TRUE(modes.hasValue()) << (modes ? "" : modes.failure().message);
  EXPECT_TRUE(count == 0 || modes.value().verified);
  return modes.value().vectors;
}

StaticModes makeStatics(const Component& component) {
  StaticModes statics;
  EXPECT_FALSE(statics.calculate(component));
  EXPECT_FALSE(statics.singular());
  return statics;
}

ComponentBasis makeReduced(const Component& component, ReductionMethod method, NormalModes kind,
                           int count) {
  const auto basis =
      makeBasis(component, makeStatics(component), method, normalModes(component, kind, count));
  EXPECT_TRUE(basis.hasValue());
  return basis.value();
}

// Of all three parts as one: its frequencies as they were printed, to more digits.
const VectorXd& fullOmega() {
  static const VectorXd omega = [] {
    const int n = 3 * kBars + 1;
    MatrixXd K = MatrixXd::Zero(n, n), M = K;
    const Chain chain;
    int first = 0;
    for (const BarPart* part : chain.parts()) {
      const auto size = part->K.rows();
      const int place = first == 0 ? 1 : first;
      K.block(place, place, size, size) += MatrixXd(part->K);
      M.block(place, place, size, size) += MatrixXd(part->M);
      first += kBars;
    }
    const MatrixXd k = K.selfadjointView<Eigen::Lower>(), m = M.selfadjointView<Eigen::Lower>();
    return frequencies(k.bottomRightCorner(n - 1, n - 1), m.bottomRightCorner(n - 1, n - 1));
  }();
  return omega;
}

TEST(BarChain, FrequenciesOfTheWhole) {
  const std::vector<double> printed = {.671894192904, 2.05451255456, 3.12340455845, 4.5698557305,
                                       6.07483320719, 7.06309607941, 8.5875035776,  10.0267641325};
  for (std::size_t i = 0; i < printed.size(); ++i)
    EXPECT_NEAR(fullOmega()[i], printed[i], 5e-12 * printed[i] + 5e-11);
}

void expectErrors(const VectorXd& omega, const std::vector<double>& errors, const std::string& what,
                  double share = 1e-8) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    // Eleven digits of an error are given. Both computations round by ε λ_max / 2 λ₁ = 9e-13.
    EXPECT_NEAR(omega[i] / fullOmega()[i] - 1.0, errors[i], share * errors[i] + 2e-12)
        << what << " omega " << i + 1;
  }
}

struct Case {
  std::vector<ReductionMethod> methods;
  NormalModes kind;
  int modes, size;
  std::vector<double> errors;
};

TEST(BarChain, FrequencyErrorsOfAllSets) {
  using enum ReductionMethod;
  const std::vector<ReductionMethod> supersets = {kHintzConstraint, kHintzAttachment,
                                                  kInertiaRelief, kFreeInterface};
  const std::vector<ReductionMethod> hintz = {kHintzConstraint, kHintzAttachment};
  const std::vector<Case> cases = {
      {{kCraigBampton}, NormalModes::kFixed, 0, 2, {2.0777286403e-02, 3.8149323588e-01}},
      {{kCraigBampton},
       NormalModes::kFixed,
       1,
       5,
       {3.6711511535e-04, 2.8105282432e-03, 4.0762403092e-03, 1.2191708371e-01, 3.5908636839e-01}},
      {{kCraigBampton},
       NormalModes::kFixed,
       2,
       8,
       {1.1566921943e-04, 4.9473614405e-04, 6.2831878985e-04, 7.1531488551e-03, 3.3408038896e-03}},
      {{kCraigBampton},
       NormalModes::kFixed,
       4,
       14,
       {1.4459241247e-05, 6.7650000693e-05, 7.4508861139e-05, 8.7007630637e-04, 3.4778479379e-04}},
      {supersets,
       NormalModes::kFixed,
       0,
       4,
       {1.9307858604e-03, 4.6475160599e-02, 3.0328769822e-01, 7.1611221637e-01}},
      {hintz,
       NormalModes::kFixed,
       1,
       7,
       {1.4051812281e-04, 2.6653189673e-03, 1.4020858859e-03, 7.6783492223e-02, 1.4203174416e-01}},
      {hintz,
       NormalModes::kFixed,
       2,
       10,
       {3.0526995205e-05, 4.1080817228e-04, 8.4711837585e-05, 5.3427388302e-03, 7.2963368649e-04}},
      {supersets,
       NormalModes::kFree,
       1,
       7,
       {4.1439357070e-06, 1.3506236472e-04, 8.7039271710e-03, 5.4345401222e-02, 1.2517495532e-01}},
      {supersets,
       NormalModes::kFree,
       2,
       10,
       {2.2947601996e-07, 8.6889555984e-06, 2.3193740224e-04, 3.3957010976e-05, 7.9434374640e-03}},
      {supersets,
       NormalModes::kFree,
       4,
       16,
       {6.3703917697e-09, 2.7721375528e-07, 5.3708238867e-06, 6.0117856626e-07, 8.1772835195e-05}},
      {{kHybridInterface},
       NormalModes::kHybrid,
       2,
       10,
       {3.0210356674e-05, 3.4905116269e-04, 5.9712672762e-06, 3.7503449229e-03, 8.8168749245e-04}},
  };
  const Chain chain;
  for (const Case& test : cases) {
    for (const ReductionMethod method : test.methods) {
      std::vector<Reduced> parts;
      for (const BarPart* part : chain.parts()) {
        const ComponentBasis basis = makeReduced(part->component, method, test.kind, test.modes);
        parts.push_back({basis.K, basis.M, basis.boundary()});
      }
      const VectorXd omega = couple(parts);
      ASSERT_EQ(omega.size(), test.size) << nameOf(method) << ' ' << test.modes;
      expectErrors(omega, test.errors, nameOf(method) + " " + std::to_string(test.modes));
    }
  }
}

TEST(BarChain, FrequencyErrorsOfMacNealsModes) {
  const std::vector<std::pair<int, std::vector<double>>> cases = {
      {1,
       {6.9892921729e-04, 3.8491644557e-03, 5.7978096305e-02, 1.8346297360e-01, 3.3034286324e-01}},
      {2,
       {1.2511966882e-04, 9.1829746292e-04, 5.1235204394e-03, 2.8265370451e-04, 3.1282792475e-02}}};
  // The unscaled residual columns of the reference cost it some digits.
  const Chain chain;
  for (const auto& [count, errors] : cases) {
    std::vector<Reduced> parts;
    for (const BarPart* part : chain.parts()) {
      const Component& component = part->component;
      linalg::ModeRequest request;
      request.count = count;
      const auto modes = findNormalModes(component, {}, request);
      ASSERT_TRUE(modes.hasValue());
      const auto form = makeMacNeal(component, makeStatics(component), modes.value().vectors,
                                    modes.value().omega2);
      ASSERT_TRUE(form);
      parts.push_back({form->K, form->M, static_cast<int>(component.boundary.size())});
    }
    expectErrors(couple(parts), errors, "MacNeal " + std::to_string(count), 1e-6);
  }
}

// Free modes and rigid motions alone are not statically complete; any basis can be brought to the boundary.
TEST(BarChain, FrequencyErrorsOfFreeModesAlone) {
  const Chain chain;
  std::vector<Reduced> parts;
  for (const BarPart* part : chain.parts()) {
    const Component& component = part->component;
    const MatrixXd phi = normalModes(component, NormalModes::kFree, 4);
    MatrixXd V(phi.rows(), phi.cols() + component.rigid.cols());
    V << component.rigid, phi;
    MatrixXd rows(component.boundary.size(), V.cols());
    for (std::size_t i = 0; i < component.boundary.size(); ++i)
      rows.row(i) = V.row(component.boundary[i]);
    const auto form = bringToBoundary(rows, V.transpose() * linalg::multiplySymmetric(part->K, V),
                                      V.transpose() * linalg::multiplySymmetric(part->M, V));
    ASSERT_TRUE(form);
    parts.push_back({form->K, form->M, static_cast<int>(component.boundary.size())});
  }
  const VectorXd omega = couple(parts);
  ASSERT_EQ(omega.size(), 12);
  expectErrors(
      omega,
      {2.2660268135e-02, 3.4615670917e-02, 4.2555097241e-02, 8.5229835927e-04, 4.7375544870e-02},
      "free only");
}

TEST(BarChain, NormalModesOfTheParts) {
  const Chain chain;
  const auto omega = [](const Component& component, const std::vector<int>& held) {
    linalg::ModeRequest request;
    request.count = 2;
    return findNormalModes(component, held, request).value().omega2.cwiseSqrt().eval();
  };
  EXPECT_NEAR(omega(chain.A.component, {})[0], 1.571918031, 1e-9);
  EXPECT_NEAR(omega(chain.A.component, {})[1], 4.742724057, 1e-9);
  EXPECT_NEAR(omega(chain.B.component, {})[0], 4.455581507, 1e-9);
  EXPECT_NEAR(omega(chain.C.component, {})[1], 8.987586427, 1e-9);
  EXPECT_NEAR(omega(chain.A.component, chain.A.component.boundary)[0], 3.150571898, 1e-9);
  EXPECT_NEAR(omega(chain.C.component, chain.C.component.boundary)[0], 2.223027799, 1e-9);
}

// Static supersets of the free middle part span the same space.
TEST(BarChain, SupersetsSpanTheSameSpace) {
  const Chain chain;
  const Component& component = chain.B.component;
  const MatrixXd m = MatrixXd(chain.B.M).selfadjointView<Eigen::Lower>();
  const auto masses = linalg::findSymmetricEigensystem(m);
  const MatrixXd root = masses->values.cwiseSqrt().asDiagonal() * masses->vectors.transpose();
  std::vector<MatrixXd> spans;
  for (const ReductionMethod method :
       {ReductionMethod::kHintzConstraint, ReductionMethod::kHintzAttachment,
        ReductionMethod::kInertiaRelief}) {
    // Of the set's own columns; R is among all of them, constraint modes only in the first.
    const StaticModes statics = makeStatics(component);
    MatrixXd own = additionalColumns(component, statics, method);
    if (method == ReductionMethod::kHintzConstraint) {
      MatrixXd both(own.rows(), own.cols() + 2);
      both << own, statics.constraint();
      own = both;
    }
    for (Eigen::Index j = 0; j < own.cols(); ++j) own.col(j) /= (root * own.col(j)).norm();
    const linalg::Svd<double> svd = linalg::findSvd(MatrixXd(root * own), linalg::SvdForm::kThin);
    const Eigen::Index rank = (svd.values.array() > 1e-10).count();
    EXPECT_EQ(rank, 3) << nameOf(method);
    spans.push_back(svd.U.leftCols(rank));
  }
  for (std::size_t i = 1; i < spans.size(); ++i) {
    // Largest sine between the spans.
    const MatrixXd beside = spans[i] - spans[0] * (spans[0].transpose() * spans[i]);
    EXPECT_LT(linalg::findSvd(beside, linalg::SvdForm::kThin).values[0], 1e-13);
  }
}

// Unit pull on the right end of the free middle part, balanced by inertia.
TEST(BarChain, InertiaReliefOfTheMiddlePart) {
  const Chain chain;
  const MatrixXd u = makeStatics(chain.B.component).inertiaReliefAttachment();
  EXPECT_NEAR(u(kBars, 1) - u(0, 1), 0.25, 1e-14);
  EXPECT_NEAR(0.5 * u(kBars, 1), 0.083188657407, 1e-12);
}

}  // namespace
}  // namespace flexloop::fem
