// What an .inp file says, before names are resolved: abaqus_parser.hpp fills it, buildAbaqusMesh makes the mesh. Names are
// the same in upper and lower case, so they are kept in upper case beside the way they were written first.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fem/mesh/mesh_builder.hpp"

namespace flexloop::fem {

// An element type by its name.
struct AbaqusType {
  const char* name;
  enum class Kind {
    kStructural,
    kFacet,  // plane and truss elements, by which mesh generators write faces and edges
    kNodes,  // masses, and lines that have no shape here
  } kind;
  ElementShape shape;
  int nodes;
  bool isReduced =
      false;  // its integration, or the C3D8I and C3D10M formulation, differs from ours
};

struct AbaqusSection {
  enum class Kind { kSolid, kShell, kBeam } kind = Kind::kSolid;
  Property property;
  std::string elementSet, material;  // upper case
  double offsetRatio = 0.0;          // of the reference surface of a shell over its thickness
  std::string shape;                 // of a beam
  std::array<float, 3> direction{};  // n₁ of a beam
  FilePlace place;
  int lines = 0;  // of data that were read
};

struct AbaqusCoupling {
  std::string surface, reference;
  bool isDistributing = false, hasKind = false;
  unsigned components = 0;  // 0: all
  FilePlace place;
};

struct AbaqusRigidBody {
  std::string nodeSet, elementSet, reference, rotation;
  FilePlace place;
};

struct AbaqusEquation {
  struct Term {
    std::string node;  // number or set
    int component;     // 1-6
    double factor;
  };
  std::vector<Term> terms;
  std::size_t count = 0;
  FilePlace place;
};

struct AbaqusPair {  // *MPC
  std::string type, dependent, independent;
  FilePlace place;
};

struct AbaqusSurface {
  struct Item {
    std::string set, face;  // number or set; S1, SPOS, …
    FilePlace place;
  };
  std::string name;
  bool isOfNodes = false;
  std::vector<Item> items;
};

struct AbaqusMass {
  std::string elementSet;
  double mass = 0.0;
  std::array<double, 6> inertia{};  // tensor: 11 22 33 12 13 23
  FilePlace place;
};

// What is an element in the file and none in the mesh.
struct AbaqusNodes {
  const AbaqusType* type;
  std::vector<std::int64_t> nodes;
  FilePlace place;
};

struct AbaqusDeck {
  // By upper-case name. Sets of a part are in a room of their own: INSTANCE.NAME, beside NAME of the assembly.
  std::map<std::string, IdSet> nodeSets, elementSets;
  std::vector<const AbaqusType*> typeOf;  // by element
  std::vector<std::string>
      blockOf;  // by element: upper-case set of its *ELEMENT line; may be empty
  std::map<std::int64_t, AbaqusNodes> nodeElements;
  std::map<std::string, int> materials;  // by upper-case name
  std::vector<AbaqusSurface> surfaces;
  std::map<std::string, std::vector<int>>
      surfaceNodes;  // by upper-case name, once they are resolved
  std::vector<AbaqusSection> sections;
  std::vector<AbaqusCoupling> couplings;
  std::vector<AbaqusRigidBody> rigidBodies;
  std::vector<AbaqusEquation> equations;
  std::vector<AbaqusPair> pairs;
  std::vector<AbaqusMass> masses;
  std::vector<std::string> transformed;  // node sets of *TRANSFORM, upper case
  std::set<std::string> reducedTypes;
  std::string instance;  // upper case; its name may prefix those of sets and nodes
  Eigen::Matrix3d rotation =
      Eigen::Matrix3d::Identity();  // of the instance against the axes of its part
};

// Resolves names, gives the elements their properties, and makes constraints. False after a failure.
bool buildAbaqusMesh(AbaqusDeck& deck, MeshBuilder& builder);

// The parts of it.
class AbaqusNames {
 public:
  AbaqusNames(AbaqusDeck& deck, MeshBuilder& builder) : deck_(deck), builder_(builder) {}

  // Null if there is none; NAME or INSTANCE.NAME in any case. A name of the assembly goes before that of the part.
  IdSet* findNodeSet(const std::string& name) { return find(deck_.nodeSets, name); }
  IdSet* findElementSet(const std::string& name) { return find(deck_.elementSets, name); }
  std::string withoutInstance(const std::string& name) const;
  // Of a number or a set; nothing, or -1, after a failure.
  std::optional<std::vector<int>> findNodes(const std::string& name, FilePlace place);
  std::optional<std::vector<int>> findElements(const std::string& name, FilePlace place);
  int findOneNode(const std::string& name, FilePlace place);

 private:
  IdSet* find(std::map<std::string, IdSet>& sets, const std::string& name);

  AbaqusDeck& deck_;
  MeshBuilder& builder_;
};

bool assignAbaqusSections(AbaqusDeck& deck, MeshBuilder& builder);
bool makeAbaqusConstraints(AbaqusDeck& deck, MeshBuilder& builder);

}  // namespace flexloop::fem
