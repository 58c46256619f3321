// Which nodal freedoms follow from others, by rigid spiders and equations. Theory section 28.7.
//
// A nodal freedom has the number 6 · node + component, components in the order x y z rx ry rz.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct FreedomTerm {
  int freedom = 0;
  double factor = 0.0;
};
using FreedomRow = std::vector<FreedomTerm>;

struct Dependence {
  std::vector<int> rowOf;        // by nodal freedom, into `rows`; -1: independent
  std::vector<FreedomRow> rows;  // U_f = Σ factor · U, independent freedoms only, ascending

  bool isIndependent(int freedom) const { return rowOf[freedom] < 0; }
  // The same for an independent freedom: itself.
  FreedomRow rowFor(int freedom) const {
    return isIndependent(freedom) ? FreedomRow{{freedom, 1.0}} : rows[rowOf[freedom]];
  }
};

// `held` are directions without stiffness: freedoms of one node with a combination that is zero, the first of which is
// eliminated. Fails where a freedom would follow twice or from itself.
base::Result<Dependence> findDependence(const Mesh& mesh, const std::vector<FreedomRow>& held);

// Σ factor · row, ascending and each freedom once.
FreedomRow substitute(const Dependence& dependence, const FreedomRow& row);

// As in messages: node 12 rx.
std::string nameFreedom(const Mesh& mesh, int freedom);
std::string nameSpider(const Mesh& mesh, const Spider& spider);

}  // namespace flexloop::fem
