// Nastran bulk data: from cards to a mesh. Cards may come in any order, so names are resolved after the last.
//
//   nastran_parser.cpp            which cards are known
//   nastran_mesh_cards.cpp        nodes, coordinate systems, elements, sets
//   nastran_property_cards.cpp    materials, properties, masses
//   nastran_constraint_cards.cpp  RBE2, RBE3, RBAR, MPC
//   nastran_mesh.cpp              what is resolved at the end
#pragma once

#include <map>
#include <optional>
#include <set>

#include "fem/mesh/nastran/nastran_cards.hpp"
#include "fem/mesh/nastran/nastran_systems.hpp"

namespace flexloop::fem {

class NastranParser {
 public:
  explicit NastranParser(MeshBuilder& builder) : builder_(builder), systems_(builder) {}

  bool parse(std::string_view text);

 private:
  struct Known {
    const char* name;
    bool (NastranParser::*read)() = nullptr;
    const char* skipped = nullptr;  // why it is read over with a warning, or
    const char* refused = nullptr;  // what to do instead of a card that is not supported
  };
  struct PropertyCard {
    enum class Kind { kSolid, kShell, kBeam } kind = Kind::kSolid;
    Property property;
    std::int64_t material = 0;
    double massPerLength = 0.0;  // of beams, beside that of the material
    FilePlace place;
  };
  struct NodeList {
    IdSet set;
    bool isOfElements = false, isSure = false;  // isSure: the card says of what it is
    std::string name;                           // by a comment; may be empty
    bool isSupport = false;
  };
  struct RawSpider {
    Spider spider;
    std::int64_t reference = 0;
    IdSet nodes;                                         // of rigid ones
    std::vector<std::pair<double, std::int64_t>> pairs;  // weight and node of averaging ones
    std::string name;                                    // RBE2 12
    FilePlace place;
  };
  struct RawEquation {
    struct Term {
      std::int64_t node;
      int component;
      double factor;
    };
    std::int64_t set = 0;
    std::vector<Term> terms;
    FilePlace place;
  };
  struct RawMass {
    std::int64_t element = 0, node = 0, system = 0;
    PointMass mass;
    FilePlace place;
  };
  struct RawBeam {
    int element;
    std::int64_t node = 0;   // G0; 0: a vector
    std::int64_t first = 0;  // GA, whose displacement axes the vector has
    Eigen::Vector3d vector = Eigen::Vector3d::Zero();
  };

  // nastran_parser.cpp
  static const std::map<std::string_view, Known>& known();
  bool parseText(std::string_view text, int file);
  bool readCard();
  bool readInclude();
  bool readParameter();
  void readControl(const std::vector<std::string>& lines);
  void warnOnce(const std::string& message, const std::string& hint = {});
  bool fail(const std::string& message, const std::string& hint = {}) {
    return builder_.fail(card_.place, card_.name + ": " + message, hint);
  }
  bool isGiven(std::size_t i) const { return i < card_.fields.size() && !card_.fields[i].empty(); }
  std::string text(std::size_t i) const {
    return isGiven(i) ? std::string(card_.fields[i]) : std::string();
  }
  bool isInteger(std::size_t i) const;
  std::optional<std::int64_t> integer(std::size_t i, const char* what);
  std::optional<std::int64_t> integerOr(std::size_t i, std::int64_t missing, const char* what);
  std::optional<double> real(std::size_t i, const char* what);
  std::optional<double> realOr(std::size_t i, double missing, const char* what);
  std::optional<unsigned> components(std::size_t i);  // digits 1 to 6 as bits
  bool addIds(IdSet& set, std::size_t first, std::size_t last);

  // nastran_mesh_cards.cpp
  bool readGrid();
  bool readGridDefaults();
  bool readSystem1();
  bool readSystem2();
  bool readTetra();
  bool readPyramid();
  bool readPenta();
  bool readHexa();
  bool readTria3();
  bool readTria6();
  bool readQuad4();
  bool readQuad8();
  bool readBar();
  bool readSolid(ElementShape linear, ElementShape quadratic);
  bool readShell(ElementShape shape, std::size_t offset, std::size_t thickness);
  int addElement(ElementShape shape, std::size_t first);
  bool readBarOffsets();
  bool readSet1();
  bool readSet3();
  bool readSupport();
  bool readSupport1();
  std::string commentName() const;

  // nastran_property_cards.cpp
  bool readMaterial();
  bool readSolidProperty();
  bool readShellProperty();
  bool readBarProperty();
  bool readBarShape();
  bool readBeamProperty();
  bool readMass();
  bool addProperty(PropertyCard card);
  bool setSection(PropertyCard& card, const std::array<double, 5>& values, double shear1,
                  double shear2);
  std::optional<PropertyCard> beginProperty(PropertyCard::Kind kind);

  // nastran_constraint_cards.cpp
  bool readRigid();
  bool readAveraging();
  bool readRigidBar();
  bool readEquation();
  bool readEquationSum();

  // nastran_mesh.cpp
  bool build();
  bool makeProperties();
  int makeProperty(int element);
  bool checkProperty(int element, const PropertyCard& card);
  bool makeBeamAxes();
  bool makeSets();
  bool makeMasses();
  bool makeSpiders();
  bool makeEquations();
  bool isTurned(int node);  // its displacements are not along the basic axes
  void applyMassFactor();

  MeshBuilder& builder_;
  NastranSystems systems_;
  NastranCard card_;
  int depth_ = 0;
  std::set<std::string> warned_, parameters_;
  double massFactor_ = 1.0;  // PARAM WTMASS
  std::optional<std::int64_t> selectedEquations_;

  std::vector<std::int64_t> propertyOf_;  // by element: number of its property
  struct Variant {
    double offset = 0.0, thickness = 0.0;  // m; a thickness of 0 is that of the property
  };
  std::map<int, Variant> variants_;  // by element
  std::map<std::int64_t, PropertyCard> properties_;
  std::map<std::int64_t, int> materials_;
  std::map<int, std::int64_t> displacementSystems_;  // by node, where not basic
  std::vector<std::pair<std::int64_t, std::int64_t>> rawDisplacementSystems_;
  std::vector<NodeList> lists_;
  std::vector<RawSpider> spiders_;
  std::vector<RawEquation> equations_;
  std::map<std::int64_t, std::vector<std::int64_t>> equationSums_;
  std::vector<RawMass> masses_;
  std::vector<RawBeam> beams_;
};

}  // namespace flexloop::fem
