// What is in a mesh: mass properties, quality of its elements, modes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/mesh/quality/quality.hpp"
#include "fem/parts/part_request.hpp"
#include "linalg/symmetric/lowest_modes.hpp"

namespace flexloop::fem {

struct PartStudyRequest {
  PartRequest part;                // without interfaces
  std::vector<std::string> clamp;  // sets of nodes that are held
  int modes = 10;                  // elastic ones; rigid ones come in addition
};

struct PartStudy {
  double mass = 0.0;                                  // kg
  double volume = 0.0;                                // m³
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   // of mass, mesh axes, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // tensor about it, kg m²
  Eigen::Vector3d extent = Eigen::Vector3d::Zero();   // m
  int nodes = 0;                                      // that elements use
  int freedoms = 0;                                   // that are free
  std::map<std::string, int> elements;                // by shape
  std::vector<std::string> sets;                      // of nodes and elements
  std::vector<double> frequenciesHz;                  // rising; of rigid motions zero exactly
  QualityReport quality;
  base::Diagnostics notes;
  PartSystem system;  // K and M, with what is clamped still free
  Mesh mesh;
};

base::Result<PartStudy> studyPart(const PartStudyRequest& request,
                                  const linalg::Progress& progress = {});

}  // namespace flexloop::fem
