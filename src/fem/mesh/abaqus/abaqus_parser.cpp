#include "fem/mesh/abaqus/abaqus_parser.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file_text.hpp"
#include "base/nearest_word.hpp"
#include "fem/mesh/mesh_readers.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

constexpr int kDeepestInclude = 10;
constexpr std::size_t kLargestInclude = std::size_t{16} << 30;
constexpr int kMostFiles = 1000;

constexpr const char* kLoads = "loads and supports do not belong to a part";
constexpr const char* kLinear = "a part is linear elastic";
constexpr const char* kSprings = "springs, dashpots and contact are not supported in a part";

// The line at `at` without its end; `at` moves behind it.
std::string_view takeLine(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(at, end - at);
  at = end + 1;
  return trim(line);
}

// Upper case, with single blanks.
std::string keywordName(std::string_view text) {
  std::string name;
  for (const char c : toUpper(trim(text))) {
    if (isBlank(c)) {
      if (!name.ends_with(' ')) name += ' ';
    } else {
      name += c;
    }
  }
  return name;
}

}  // namespace

const std::vector<AbaqusParser::Keyword>& AbaqusParser::keywords() {
  using P = AbaqusParser;
  static const std::vector<Keyword> all = {
      {"HEADING", &P::beginHeading, &P::addNothing},
      {"PREPRINT", &P::beginHeading, &P::addNothing},
      {"INCLUDE", &P::beginInclude},
      {"PART", &P::beginPart},
      {"END PART", &P::endPart},
      {"ASSEMBLY", &P::beginAssembly},
      {"END ASSEMBLY", &P::endAssembly},
      {"INSTANCE", &P::beginInstance, &P::addInstance},
      {"END INSTANCE", &P::endInstance},
      {"STEP", &P::beginStep},
      {"END STEP", &P::endStep},
      {"NODE", &P::beginNode, &P::addNode},
      {"ELEMENT", &P::beginElement, &P::addElement, &P::endElement},
      {"NSET", &P::beginNodeSet, &P::addToSet},
      {"ELSET", &P::beginElementSet, &P::addToSet},
      {"SURFACE", &P::beginSurface, &P::addToSurface},
      {"MATERIAL", &P::beginMaterial},
      {"ELASTIC", &P::beginElastic, &P::addElastic},
      {"DENSITY", &P::beginDensity, &P::addDensity},
      {"EXPANSION", &P::beginExpansion, &P::addExpansion},
      {"SOLID SECTION", &P::beginSolidSection, &P::addToSection, &P::endSection},
      {"SHELL SECTION", &P::beginShellSection, &P::addToSection, &P::endSection},
      {"BEAM SECTION", &P::beginBeamSection, &P::addToSection, &P::endSection},
      {"BEAM GENERAL SECTION", &P::beginBeamGeneralSection, &P::addToSection, &P::endSection},
      {"MASS", &P::beginMass, &P::addMass},
      {"ROTARY INERTIA", &P::beginMass, &P::addRotaryInertia},
      {"ROTARYI", &P::beginMass, &P::addRotaryInertia},
      {"RIGID BODY", &P::beginRigidBody},
      {"COUPLING", &P::beginCoupling},
      {"KINEMATIC", &P::beginKinematic, &P::addKinematic},
      {"DISTRIBUTING", &P::beginDistributing, &P::addKinematic},
      {"EQUATION", &P::beginEquation, &P::addEquation, &P::endEquation},
      {"MPC", &P::beginHeading, &P::addPair},
      {"TRANSFORM", &P::beginTransform, &P::addNothing},
      {"BOUNDARY", nullptr, nullptr, nullptr, kLoads},
      {"CLOAD", nullptr, nullptr, nullptr, kLoads},
      {"DLOAD", nullptr, nullptr, nullptr, kLoads},
      {"DSLOAD", nullptr, nullptr, nullptr, kLoads},
      {"AMPLITUDE", nullptr, nullptr, nullptr, kLoads},
      {"INITIAL CONDITIONS", nullptr, nullptr, nullptr, kLoads},
      {"PHYSICAL CONSTANTS", nullptr, nullptr, nullptr, kLoads},
      {"TIME POINTS", nullptr, nullptr, nullptr, kLoads},
      {"RESTART", nullptr, nullptr, nullptr, "results are not read"},
      {"NODE PRINT", nullptr, nullptr, nullptr, "results are not read"},
      {"NODE FILE", nullptr, nullptr, nullptr, "results are not read"},
      {"EL PRINT", nullptr, nullptr, nullptr, "results are not read"},
      {"EL FILE", nullptr, nullptr, nullptr, "results are not read"},
      {"ORIENTATION", nullptr, nullptr, nullptr, "the materials are isotropic"},
      {"DISTRIBUTION", nullptr, nullptr, nullptr, "the materials are isotropic"},
      {"DISTRIBUTION TABLE", nullptr, nullptr, nullptr, "the materials are isotropic"},
      {"DAMPING", nullptr, nullptr, nullptr, "the model gives the damping of a part"},
      {"PLASTIC", nullptr, nullptr, nullptr, kLinear},
      {"CREEP", nullptr, nullptr, nullptr, kLinear},
      {"CONDUCTIVITY", nullptr, nullptr, nullptr, "a part has no temperature field"},
      {"SPECIFIC HEAT", nullptr, nullptr, nullptr, "a part has no temperature field"},
      {"TRANSVERSE SHEAR STIFFNESS", nullptr, nullptr, nullptr, "it follows from the material"},
      {"SECTION CONTROLS", nullptr, nullptr, nullptr, "elements are fully integrated"},
      {"HOURGLASS STIFFNESS", nullptr, nullptr, nullptr, "elements are fully integrated"},
      {"SYSTEM", nullptr, nullptr, nullptr, "write the nodes in the axes of the part", true},
      {"TIE", nullptr, nullptr, nullptr, "merge the nodes, or use *EQUATION", true},
      {"SPRING", nullptr, nullptr, nullptr, kSprings, true},
      {"DASHPOT", nullptr, nullptr, nullptr, kSprings, true},
      {"GAP", nullptr, nullptr, nullptr, kSprings, true},
      {"CONTACT PAIR", nullptr, nullptr, nullptr, kSprings, true},
      {"SURFACE INTERACTION", nullptr, nullptr, nullptr, kSprings, true},
      {"CONNECTOR SECTION", nullptr, nullptr, nullptr, kSprings, true},
      {"MEMBRANE SECTION", nullptr, nullptr, nullptr, "use shells", true},
      {"SHELL GENERAL SECTION", nullptr, nullptr, nullptr, "use *SHELL SECTION", true},
      {"PARAMETER", nullptr, nullptr, nullptr, "write the numbers themselves", true},
      {"NGEN", nullptr, nullptr, nullptr, "write all nodes", true},
      {"NFILL", nullptr, nullptr, nullptr, "write all nodes", true},
      {"NCOPY", nullptr, nullptr, nullptr, "write all nodes", true},
      {"ELGEN", nullptr, nullptr, nullptr, "write all elements", true},
      {"ELCOPY", nullptr, nullptr, nullptr, "write all elements", true},
      {"SUBMODEL", nullptr, nullptr, nullptr, kLoads, true},
      {"CYCLIC SYMMETRY MODEL", nullptr, nullptr, nullptr, "mesh the whole part", true},
      {"KINEMATIC COUPLING", nullptr, nullptr, nullptr, "use *COUPLING with *KINEMATIC", true},
      {"DISTRIBUTING COUPLING", nullptr, nullptr, nullptr, "use *COUPLING with *DISTRIBUTING",
       true},
  };
  return all;
}

void AbaqusParser::warnOnce(const std::string& message, const std::string& hint) {
  if (warned_.insert(message).second) builder_.warn(place_, message, hint);
}

std::string AbaqusParser::valueOf(const char* parameter) const {
  const auto found = parameters_.find(parameter);
  return found == parameters_.end() ? std::string() : found->second;
}

bool AbaqusParser::require(const char* parameter) {
  if (!valueOf(parameter).empty()) return true;
  return fail(std::string("*") + keyword_->name + " needs " + parameter + "=");
}

bool AbaqusParser::refuse(std::initializer_list<const char*> parameters) {
  for (const char* parameter : parameters) {
    if (has(parameter)) {
      return fail(std::string(parameter) + " of *" + keyword_->name + " is not supported");
    }
  }
  return true;
}

std::optional<std::int64_t> AbaqusParser::integer(std::size_t i, const char* what) {
  const std::optional<std::int64_t> value =
      i < fields_.size() ? parseInteger(fields_[i]) : std::nullopt;
  if (!value) {
    fail(i < fields_.size() && !fields_[i].empty()
             ? "'" + field(i) + "' is no whole number (" + what + ")"
             : std::string("the ") + what + " is missing");
  }
  return value;
}

std::optional<double> AbaqusParser::real(std::size_t i, const char* what) {
  const std::optional<double> value = i < fields_.size() ? parseReal(fields_[i]) : std::nullopt;
  if (!value) {
    fail(i < fields_.size() && !fields_[i].empty()
             ? "'" + field(i) + "' is no number (" + what + ")"
             : std::string("the ") + what + " is missing");
  }
  return value;
}

std::optional<double> AbaqusParser::realOr(std::size_t i, double missing, const char* what) {
  if (i >= fields_.size() || fields_[i].empty()) return missing;
  return real(i, what);
}

void AbaqusParser::splitFields(std::string_view line) {
  fields_.clear();
  while (true) {
    const std::size_t comma = line.find(',');
    fields_.push_back(trim(line.substr(0, std::min(comma, line.size()))));
    if (comma == line.npos) break;
    line.remove_prefix(comma + 1);
  }
  while (!fields_.empty() && fields_.back().empty()) fields_.pop_back();
}

// Several instances would need several bodies; one is flattened. Parts that are not used are read over.
void AbaqusParser::findInstances(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t star = text.find('*', at);
    if (star == text.npos) return;
    at = star + 1;
    if (star > 0 && text[star - 1] != '\n') continue;
    if (toUpper(text.substr(star, 10)) != "*INSTANCE,") continue;
    std::size_t next = star;
    splitFields(takeLine(text, next));
    ++instances_;
    for (const std::string_view field : fields_) {
      const std::size_t equals = field.find('=');
      if (equals == field.npos) continue;
      const std::string name = keywordName(field.substr(0, equals));
      const std::string value = toUpper(trim(field.substr(equals + 1)));
      if (name == "PART") instancedPart_ = value;
      if (name == "NAME") deck_.instance = value;
    }
  }
}

bool AbaqusParser::parse(std::string_view text) {
  findInstances(text);
  if (!parseText(text, 0) || !endKeyword()) return false;
  if (scope_ == Scope::kPart || scope_ == Scope::kOtherPart)
    return fail("the file ends within *PART");
  if (scope_ == Scope::kInstance) return fail("the file ends within *INSTANCE");
  return true;
}

bool AbaqusParser::parseText(std::string_view text, int file) {
  int number = 0;
  std::string continued;
  for (std::size_t at = 0; at < text.size();) {
    std::string_view line = takeLine(text, at);
    place_ = {file, ++number};
    if (line.empty() || line.starts_with("**")) continue;
    if (!line.starts_with('*')) {
      if (isInStep_ || scope_ == Scope::kOtherPart) continue;
      if (keyword_ == nullptr) {
        return fail("there is data before the first keyword",
                    "keywords begin with an asterisk: *NODE");
      }
      if (keyword_->add == nullptr) {
        if (keyword_->skipped != nullptr) continue;
        return fail(std::string("*") + keyword_->name + " takes no data");
      }
      splitFields(line);
      if (!(this->*keyword_->add)()) return false;
      continue;
    }
    const FilePlace start = place_;
    if (line.ends_with(',')) {
      continued = line;
      while (continued.ends_with(',') && at < text.size()) {
        continued += takeLine(text, at);
        ++number;
      }
      line = continued;
    }
    place_ = start;
    if (!endKeyword()) return false;
    place_ = start;
    if (!parseKeyword(line)) return false;
  }
  place_ = {file, number};
  return !builder_.hasFailed();
}

bool AbaqusParser::parseKeyword(std::string_view line) {
  splitFields(line.substr(1));
  const std::string name = fields_.empty() ? std::string() : keywordName(fields_[0]);
  if (isInStep_ && name != "END STEP") return true;
  if (scope_ == Scope::kOtherPart && name != "END PART") return true;
  parameters_.clear();
  for (std::size_t i = 1; i < fields_.size(); ++i) {
    const std::size_t equals = std::min(fields_[i].find('='), fields_[i].size());
    std::string_view value = trim(fields_[i].substr(std::min(equals + 1, fields_[i].size())));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    parameters_[keywordName(fields_[i].substr(0, equals))] = value;
  }
  const auto found = std::find_if(keywords().begin(), keywords().end(),
                                  [&](const Keyword& keyword) { return name == keyword.name; });
  if (found != keywords().end()) {
    keyword_ = &*found;
    return beginKeyword();
  }
  std::vector<std::string> known;
  for (const Keyword& keyword : keywords()) {
    if (!keyword.isRefused) known.emplace_back(keyword.name);
  }
  const auto nearest = base::findNearestWord(name, known);
  return fail("the keyword *" + name + " is not known",
              nearest ? "did you mean *" + *nearest + "?" : "");
}

bool AbaqusParser::beginKeyword() {
  lastPlace_ = place_;
  if (keyword_->isRefused) {
    return fail(std::string("*") + keyword_->name + " is not supported", keyword_->skipped);
  }
  if (keyword_->skipped != nullptr) {
    warnOnce(std::string("*") + keyword_->name + " is not used: " + keyword_->skipped);
    return true;
  }
  return (this->*keyword_->begin)();
}

bool AbaqusParser::endKeyword() {
  if (keyword_ == nullptr || keyword_->end == nullptr) return !builder_.hasFailed();
  const Keyword* ended = keyword_;
  keyword_ = nullptr;
  return (this->*ended->end)();
}

bool AbaqusParser::include(const std::string& name) {
  if (depth_ >= kDeepestInclude || builder_.fileCount() >= kMostFiles) {
    return fail("'" + name + "' is included too deeply", "does a file include itself?");
  }
  const std::filesystem::path folder =
      std::filesystem::path(builder_.fileName(place_.file)).parent_path();
  const std::string path = (folder / name).string();
  const base::Result<std::string> text = base::readFileText(path, kLargestInclude);
  if (!text) return fail(text.failure().message, text.failure().hint);
  const FilePlace start = place_;
  const int file = builder_.addFile(path);
  ++depth_;
  if (instances_ == 0) findInstances(text.value());
  const bool ok = parseText(text.value(), file);
  --depth_;
  place_ = start;
  return ok;
}

base::Result<MeshFile> readAbaqus(std::string_view text, MeshBuilder& builder) {
  AbaqusDeck deck;
  AbaqusParser parser(builder, deck);
  if (parser.parse(text)) buildAbaqusMesh(deck, builder);
  return builder.finish();
}

}  // namespace flexloop::fem
