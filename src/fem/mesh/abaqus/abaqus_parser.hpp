// Abaqus and CalculiX .inp: keyword lines, each followed by lines of data.
//
//   abaqus_parser.cpp       lines, keywords and which of them are known
//   abaqus_mesh_cards.cpp   parts, nodes, elements, sets, surfaces
//   abaqus_property_cards.cpp    materials, sections, masses
//   abaqus_constraint_cards.cpp  rigid bodies, couplings, equations
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "fem/mesh/abaqus/abaqus_deck.hpp"

namespace flexloop::fem {

class AbaqusParser {
 public:
  AbaqusParser(MeshBuilder& builder, AbaqusDeck& deck)
      : builder_(builder), deck_(deck), names_(deck, builder) {}

  bool parse(std::string_view text);

 private:
  using Card = bool (AbaqusParser::*)();
  struct Keyword {
    const char* name;
    Card begin = nullptr, add = nullptr,
         end = nullptr;             // at its line, for each line of data, behind the last
    const char* skipped = nullptr;  // why it is read over with a warning
    bool isRefused = false;         // `skipped` says why
  };
  enum class Scope { kNone, kPart, kOtherPart, kInstance, kAssembly };

  static const std::vector<Keyword>& keywords();

  bool parseText(std::string_view text, int file);
  bool parseKeyword(std::string_view line);
  bool beginKeyword();
  bool endKeyword();
  bool include(const std::string& name);
  void splitFields(std::string_view line);
  void findInstances(std::string_view text);
  void warnOnce(const std::string& message, const std::string& hint = {});

  std::optional<std::int64_t> integer(std::size_t i, const char* what);
  std::optional<double> real(std::size_t i, const char* what);
  std::optional<double> realOr(std::size_t i, double missing, const char* what);
  std::string field(std::size_t i) const {
    return i < fields_.size() ? std::string(fields_[i]) : "";
  }
  bool has(const char* parameter) const { return parameters_.contains(parameter); }
  std::string valueOf(const char* parameter) const;  // empty if it is not given
  bool require(const char* parameter);
  bool refuse(std::initializer_list<const char*> parameters);
  bool fail(const std::string& message, const std::string& hint = {}) {
    return builder_.fail(place_, message, hint);
  }

  // abaqus_mesh_cards.cpp
  bool beginHeading() { return true; }
  bool addNothing() { return true; }
  bool beginInclude();
  bool beginPart();
  bool endPart();
  bool beginAssembly();
  bool endAssembly();
  bool beginInstance();
  bool addInstance();
  bool endInstance();
  bool beginStep();
  bool endStep();
  bool beginNode();
  bool addNode();
  bool beginElement();
  bool addElement();
  bool finishElement();
  bool endElement();
  bool beginNodeSet();
  bool beginElementSet();
  bool addToSet();
  bool addRange();
  bool beginSurface();
  bool addToSurface();
  std::optional<std::int64_t> nodeNumber(std::string_view text);
  std::string scoped(const std::string& name) const;
  IdSet& openSet(std::map<std::string, IdSet>& sets, const std::string& name);

  // abaqus_property_cards.cpp
  bool beginMaterial();
  bool beginElastic();
  bool addElastic();
  bool beginDensity();
  bool addDensity();
  bool beginExpansion();
  bool addExpansion();
  bool beginSolidSection();
  bool beginShellSection();
  bool beginBeamSection();
  bool beginBeamGeneralSection();
  bool beginSection(AbaqusSection::Kind kind);
  bool addToSection();
  bool addShape();
  bool addGeneralShape();
  bool addDirection();
  bool endSection();
  bool beginMass();
  bool addMass();
  bool addRotaryInertia();
  MeshMaterial* currentMaterial();

  // abaqus_constraint_cards.cpp
  bool beginRigidBody();
  bool beginCoupling();
  bool beginKinematic();
  bool addKinematic();
  bool beginDistributing();
  bool beginEquation();
  bool addEquation();
  bool endEquation();
  bool addPair();
  bool beginTransform();

  MeshBuilder& builder_;
  AbaqusDeck& deck_;
  AbaqusNames names_;
  const Keyword* keyword_ = nullptr;
  std::map<std::string, std::string>
      parameters_;                        // of the keyword, by upper-case name; value as written
  FilePlace place_;                       // of the line that is read
  std::vector<std::string_view> fields_;  // of a line of data
  int depth_ = 0;                         // of included files

  Scope scope_ = Scope::kNone;
  bool isInStep_ = false;
  std::set<std::string> warned_;
  int instances_ = 0;
  std::string instancedPart_;  // upper case
  Eigen::Vector3d translation_ = Eigen::Vector3d::Zero(), axisFoot_ = Eigen::Vector3d::Zero();
  int instanceLines_ = 0;
  std::map<std::int64_t, std::int64_t>
      assemblyIds_;  // numbers of nodes of the assembly that the part has as well

  const AbaqusType* type_ = nullptr;
  std::string block_;
  IdSet* blockSet_ = nullptr;
  std::vector<std::int64_t> numbers_;  // of an element that may continue on the next line
  IdSet* set_ = nullptr;
  std::size_t copied_ = 0;  // ranges of sets within sets
  bool isGenerated_ = false, isOfNodes_ = false;
  int material_ = -1;
  FilePlace lastPlace_;
};

}  // namespace flexloop::fem
