// What a model asks of a part, as plain values: where its mesh comes from, what it is made of, where the machine takes hold
// of it, and how it is reduced. It is all that the reduced part depends on, so it is also the key under which it is kept.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "base/diagnostics.hpp"
#include "fem/assembly/interfaces.hpp"
#include "fem/mesh/mesh.hpp"
#include "fem/reduction/component_basis.hpp"
#include "system/item.hpp"

namespace flexloop::system {
class Builder;
}

namespace flexloop::fem {

struct BlockRequest {
  Eigen::Vector3d size;         // m
  std::array<int, 3> elements;  // along x, y, z
  ElementShape shape = ElementShape::kHex20;
};

struct MatricesRequest {
  std::string K, M, nodes;  // files
};

struct PartRequest {
  std::string name;
  base::Place place;
  // One of these four.
  std::string mesh;
  std::optional<BlockRequest> block;
  std::optional<MatricesRequest> matrices;
  std::string reduced;

  double unit = 1.0;                  // of lengths in the mesh, m
  std::vector<std::string> elements;  // sets that the part consists of; none: the whole mesh
  std::optional<MeshMaterial> material;
  std::vector<std::pair<std::string, MeshMaterial>> materials;  // by group or set
  std::vector<std::pair<std::string, double>> thickness;        // by group or set, m
  std::optional<double> shellThickness;  // of all shells that have none otherwise, m
  std::vector<InterfaceRequest> interfaces;

  ReductionMethod method = ReductionMethod::kCraigBampton;
  std::optional<int> modes;
  std::optional<double> upTo;        // Hz
  std::optional<double> accuracy;    // relative, of frequencies up to `upTo`
  std::vector<std::string> held;     // interfaces that hybrid modes hold
  std::vector<std::string> recover;  // nodes and sets whose motion and stresses are measured
  double damping = 0.0;  // ratio of every elastic mode; the rest of PartDamping comes later
  bool hasStiffening = false;
  bool hasForeshortening = false;
};

// The words of the model language, in the order of ReductionMethod.
const std::vector<std::string>& reductionWords();
// Metres of a unit of length, such as mm; 0: not known.
double findLengthUnit(const std::string& word);
const std::vector<std::string>& lengthUnitWords();

// Of a part: the ratio of every elastic mode, and a M + b K of Rayleigh (docs/theory/31_reduced_bodies.md, section 31.7).
struct PartDamping {
  double ratio = 0.0;
  std::vector<std::string> held;  // interfaces that are held in these modes
  double mass = 0.0;              // a, 1/s
  double stiffness = 0.0;         // b, s
};
PartDamping readPartDamping(const system::Item& item);

// Reports to the builder what contradicts itself; nothing then.
std::optional<PartRequest> readPartRequest(const system::Item& item, system::Builder& builder);

}  // namespace flexloop::fem
