#include "fem/elements/shell_stiffness.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace flexloop::fem {

namespace {

constexpr int kRowsPerPoint = 9;
using FactorRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                                 kRowsPerPoint * 9, kMostShellFreedoms>;

// Rows whose squares add up to the energy of a symmetric tensor e_11, e_22, 2 e_12 of modulus 1 and Poisson's ratio ν:
//   e_11² + e_22² + 2ν e_11 e_22 + (1-ν)/2 (2 e_12)² = (1+ν)/2 (e_11 + e_22)² + (1-ν)/2 [(e_11 - e_22)² + (2 e_12)²]
template <typename From, typename To>
void addTensorRows(const From& e, double scale, double nu, To&& rows) {
  const double sum = scale * std::sqrt((1 + nu) / 2), difference = scale * std::sqrt((1 - nu) / 2);
  rows.row(0) = sum * (e.row(0) + e.row(1));
  rows.row(1) = difference * (e.row(0) - e.row(1));
  rows.row(2) = difference * e.row(2);
}

Eigen::Matrix3d crossMatrix(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

}  // namespace

ShellElasticity calcElasticity(const ElementGeometry& geometry, const ShellStrains& strains) {
  const double E = geometry.material->E, nu = geometry.material->nu;
  const double t = geometry.property->thickness;
  ShellElasticity elasticity;
  elasticity.nu = nu;
  elasticity.membrane = E * t / (1 - nu * nu);
  elasticity.bending = elasticity.membrane * t * t / 12;
  const double G = E / (2 * (1 + nu));
  elasticity.shear = 5. / 6 * G * t;
  double area = 0;
  for (int i = 0; i < strains.count; ++i) {
    area += strains.points[static_cast<std::size_t>(i)].area;
  }
  elasticity.drilling = G * t * std::min(.005, t * t / area);
  return elasticity;
}

ShellMatrix calcFullStiffness(const ShellStrains& strains, const ShellElasticity& elasticity) {
  FactorRows factor(kRowsPerPoint * strains.count, strains.freedoms());
  for (int i = 0; i < strains.count; ++i) {
    const ShellPoint& point = strains.points[static_cast<std::size_t>(i)];
    auto rows = factor.middleRows<kRowsPerPoint>(kRowsPerPoint * i);
    addTensorRows(point.B.topRows<3>(), std::sqrt(elasticity.membrane * point.area), elasticity.nu,
                  rows.topRows<3>());
    addTensorRows(point.B.middleRows<3>(3), std::sqrt(elasticity.bending * point.area),
                  elasticity.nu, rows.middleRows<3>(3));
    rows.middleRows<2>(6) = std::sqrt(elasticity.shear * point.area) * point.B.bottomRows<2>();
    if (point.drilling.size() == 0) {
      rows.row(8).setZero();
    } else {
      rows.row(8) = std::sqrt(elasticity.drilling * point.area) * point.drilling;
    }
  }
  ShellMatrix K(strains.freedoms(), strains.freedoms());
  K.noalias() = factor.transpose() * factor;
  return K;
}

ShellVector calcExpansionLoad(const ShellStrains& strains, const ShellElasticity& elasticity) {
  ShellVector load = ShellVector::Zero(strains.freedoms());
  for (int i = 0; i < strains.count; ++i) {
    const ShellPoint& point = strains.points[static_cast<std::size_t>(i)];
    const double force = elasticity.membrane * (1 + elasticity.nu) * point.area;
    load += force * (point.B.row(0) + point.B.row(1)).transpose();
  }
  return load;
}

void eliminateInside(int nodeFreedoms, ShellMatrix& K, ShellVector* load) {
  for (int last = static_cast<int>(K.rows()) - 1; last >= nodeFreedoms; --last) {
    const ShellVector column = K.col(last).head(last) / K(last, last);
    K.topLeftCorner(last, last).noalias() -= column * K.row(last).head(last);
    if (load != nullptr) {
      load->head(last) -= column * (*load)[last];
    }
  }
  K.conservativeResize(nodeFreedoms, nodeFreedoms);
  if (load != nullptr) {
    load->conservativeResize(nodeFreedoms);
  }
}

void moveToNodes(const ShellSurface& surface, double offset, ShellMatrix& K) {
  if (offset == 0) {
    return;
  }
  for (int i = 0; i < K.rows() / 6; ++i) {
    const Eigen::Matrix3d arm = crossMatrix(offset * surface.directors.col(i));
    K.middleCols<3>(6 * i + 3) -= K.middleCols<3>(6 * i) * arm;
  }
  for (int i = 0; i < K.rows() / 6; ++i) {
    const Eigen::Matrix3d arm = crossMatrix(offset * surface.directors.col(i));
    K.middleRows<3>(6 * i + 3) += arm * K.middleRows<3>(6 * i);
  }
}

void moveToNodes(const ShellSurface& surface, double offset, ShellVector& load) {
  for (int i = 0; i < load.size() / 6; ++i) {
    const Eigen::Vector3d force = load.segment<3>(6 * i);
    const Eigen::Vector3d arm = offset * surface.directors.col(i);
    load.segment<3>(6 * i + 3) += arm.cross(force);
  }
}

ShellVector moveToSurface(const ShellSurface& surface, double offset,
                          const Eigen::VectorXd& displacement) {
  ShellVector moved = displacement;
  for (int i = 0; i < moved.size() / 6; ++i) {
    const Eigen::Vector3d rotation = displacement.segment<3>(6 * i + 3);
    const Eigen::Vector3d arm = offset * surface.directors.col(i);
    moved.segment<3>(6 * i) += rotation.cross(arm);
  }
  return moved;
}

ShellVector calcAllFreedoms(const ElementGeometry& geometry, const ShellSurface& surface,
                            const ShellStrains& strains, const ShellElasticity& elasticity,
                            const Eigen::VectorXd& displacement, double temperature) {
  const int n = strains.nodeFreedoms;
  ShellVector all = ShellVector::Zero(strains.freedoms());
  all.head(n) = moveToSurface(surface, geometry.property->offset, displacement);
  if (strains.internalFreedoms == 0) {
    return all;
  }
  // The rows of the freedoms inside, with those of the nodes on the right-hand side: K_ii a = f_i - K_in u. Elimination by
  // rows is stable without pivots because K_ii is definite.
  ShellMatrix K = calcFullStiffness(strains, elasticity);
  ShellVector load =
      geometry.material->expansion * temperature * calcExpansionLoad(strains, elasticity);
  load -= K.leftCols(n) * all.head(n);
  for (int k = n; k < strains.freedoms(); ++k) {
    for (int row = k + 1; row < strains.freedoms(); ++row) {
      const double factor = K(row, k) / K(k, k);
      K.row(row).tail(strains.internalFreedoms) -= factor * K.row(k).tail(strains.internalFreedoms);
      load[row] -= factor * load[k];
    }
  }
  for (int k = strains.freedoms() - 1; k >= n; --k) {
    const int after = strains.freedoms() - 1 - k;
    all[k] = (load[k] - K.row(k).tail(after).dot(all.tail(after))) / K(k, k);
  }
  return all;
}

}  // namespace flexloop::fem
