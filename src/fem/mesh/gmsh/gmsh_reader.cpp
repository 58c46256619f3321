// Gmsh's .msh, versions 2.2 and 4.1, text and binary (https://gmsh.info/doc/texinfo/gmsh.html#File-formats).
//
// A physical group becomes the node set of all nodes of its elements, and the element set of those that could carry
// stiffness; the first group of an element is its property. Lines and faces are kept as elements: whether they are
// beams and shells or only mark a boundary is for selectStructuralElements to decide.
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "base/nearest_word.hpp"
#include "fem/mesh/gmsh/gmsh_elements.hpp"
#include "fem/mesh/gmsh/gmsh_groups.hpp"
#include "fem/mesh/gmsh/gmsh_input.hpp"
#include "fem/mesh/mesh_readers.hpp"

namespace flexloop::fem {
namespace {

class GmshReader {
 public:
  GmshReader(std::string_view text, MeshBuilder& builder) : input_(text), builder_(builder) {}

  base::Result<MeshFile> read();

 private:
  bool readFormat();
  bool readSection(std::string_view name);
  bool readNames();
  bool readEntities();
  bool readEntity(int dimension);
  bool readNodes();
  bool readNodes2();
  bool readNodeBlock();
  bool readElements();
  bool readElements2();
  bool readElementList2(std::int64_t count);
  bool readElementBlocks2(std::int64_t count);
  bool readElementBlock();
  bool readElement(const GmshType& type, std::int64_t id, bool sizes,
                   std::span<const std::int64_t> groups, int line);
  bool endSection(std::string_view name);

  const GmshType* requireType(std::int64_t number);
  bool checkCount(std::int64_t count, const char* what);
  FilePlace here() const { return {0, input_.line()}; }
  bool failNumber(const char* what);

  GmshInput input_;
  MeshBuilder& builder_;
  int version_ = 0;  // 2 or 4
  GmshGroups groups_;
  std::map<GmshGroups::Key, std::vector<std::int64_t>>
      groupsOfEntity_;  // by dimension and number of the entity
  bool hasNodes_ = false, hasElements_ = false, hasReduced_ = false;
};

const std::vector<std::string> kKnown = {"MeshFormat", "PhysicalNames", "Entities", "Nodes",
                                         "Elements"};
// What a mesh file may hold beside the mesh.
const std::vector<std::string> kSkipped = {
    "Periodic",         "NodeData", "ElementData",   "ElementNodeData", "InterpolationScheme",
    "Parametrizations", "Comments", "GhostElements", "Comment"};

// A negative number means that the group is reversed. The least one has no opposite.
std::int64_t withoutSign(std::int64_t group) {
  return group < 0 ? -std::max(group, -std::numeric_limits<std::int64_t>::max()) : group;
}

bool GmshReader::failNumber(const char* what) {
  const std::string_view word = input_.peekWord();
  if (input_.isBinary() || word.empty()) {
    return builder_.fail(here(), std::string("the file ends within ") + what,
                         "it was cut off; write or copy it again");
  }
  return builder_.fail(here(),
                       "'" + std::string(word) + "' is no number that is expected in " + what);
}

bool GmshReader::checkCount(std::int64_t count, const char* what) {
  if (count >= 0 && static_cast<std::uint64_t>(count) <= input_.bytesLeft() / input_.leastBytes()) {
    return true;
  }
  return builder_.fail(
      here(), "the file promises " + std::to_string(count) + " " + what + ", more than it can hold",
      "it was cut off or damaged; write or copy it again");
}

bool GmshReader::readFormat() {
  if (input_.takeFilledLine() != "$MeshFormat") {
    return builder_.fail(FilePlace{0, 1},
                         "this is no Gmsh mesh: it does not begin with $MeshFormat",
                         "Gmsh's first format is not supported; write version 4.1 or 2.2");
  }
  double version = 0.0;
  std::int64_t isBinary = 0, size = 0;
  if (!input_.takeReal(version) || !input_.takeInt(isBinary) || !input_.takeInt(size)) {
    return failNumber("$MeshFormat");
  }
  if (version >= 2.0 && version < 2.3) {
    version_ = 2;
  } else if (version > 4.05 && version < 4.15) {
    version_ = 4;
  } else {
    return builder_.fail(
        here(),
        "version " + std::to_string(version).substr(0, 3) + " of Gmsh's format is not supported",
        "write version 4.1 or 2.2 (gmsh -format msh41)");
  }
  if (isBinary == 0) return endSection("MeshFormat");
  if (isBinary != 1 || (size != 8 && (version_ == 2 || size != 4))) {
    return builder_.fail(
        here(), "the file type in $MeshFormat is neither text nor binary with numbers of 8 bytes");
  }
  input_.takeLine();
  input_.setBinary(false, static_cast<int>(size));
  std::int64_t one = 0;
  if (!input_.takeInt(one)) return failNumber("$MeshFormat");
  if (one == 0x01000000) {
    input_.setBinary(true, static_cast<int>(size));
  } else if (one != 1) {
    return builder_.fail(here(),
                         "the order of bytes of the binary file is unknown: its mark is not 1");
  }
  return endSection("MeshFormat");
}

bool GmshReader::endSection(std::string_view name) {
  const std::string end = "$End" + std::string(name);
  const std::string_view line = input_.takeFilledLine();
  if (line == end) return true;
  if (line.empty()) return failNumber(("$" + std::string(name)).c_str());
  return builder_.fail(here(),
                       "the section $" + std::string(name) + " does not end where its numbers say",
                       "its count is wrong, or numbers are missing or superfluous");
}

bool GmshReader::readSection(std::string_view line) {
  if (!line.starts_with('$')) {
    return builder_.fail(here(),
                         "'" + std::string(line.substr(0, 40)) + "' is outside any section");
  }
  const std::string name(line.substr(1));
  if (name == "PhysicalNames") return readNames();
  if (name == "Entities" && version_ == 4) return readEntities();
  if (name == "Nodes") return readNodes();
  if (name == "Elements") return readElements();
  if (name == "PartitionedEntities") {
    return builder_.fail(here(), "partitioned meshes are not supported",
                         "save the mesh before it is partitioned");
  }
  const int start = input_.line();
  if (!input_.skipTo("$End" + name)) {
    const auto nearest = base::findNearestWord(name, kKnown);
    return builder_.fail(here(), "the section $" + name + " has no end",
                         nearest ? "did you mean '$" + *nearest + "'?" : "");
  }
  const bool isKnown = std::find(kSkipped.begin(), kSkipped.end(), name) != kSkipped.end();
  builder_.warn({0, std::max(start - 1, 0)},
                "the section $" + name + (isKnown ? " is not used" : " is unknown and not used"));
  return true;
}

bool GmshReader::readNames() {
  const std::optional<std::int64_t> count = parseInteger(input_.takeFilledLine());
  if (!count) return builder_.fail(here(), "the number of physical names is missing");
  if (!checkCount(*count, "physical names")) return false;
  for (std::int64_t i = 0; i < *count; ++i) {
    const int line = input_.line();
    const std::string_view text = input_.takeFilledLine();
    const std::size_t quote = text.find('"'), last = text.rfind('"');
    const std::string_view numbers = trim(text.substr(0, std::min(quote, text.size())));
    const std::size_t blank = numbers.find_first_of(" \t");
    const auto dimension = parseInteger(numbers.substr(0, std::min(blank, numbers.size())));
    const auto number = blank < numbers.size() ? parseInteger(numbers.substr(blank)) : std::nullopt;
    if (!dimension || *dimension < 0 || *dimension > 3 || !number || last <= quote ||
        last == text.npos) {
      return builder_.fail({0, line}, "a physical name is given as: dimension number \"name\"");
    }
    groups_.names[{static_cast<int>(*dimension), *number}] =
        text.substr(quote + 1, last - quote - 1);
  }
  return endSection("PhysicalNames");
}

bool GmshReader::readEntities() {
  std::array<std::int64_t, 4> counts{};
  for (std::int64_t& count : counts) {
    if (!input_.takeSize(count)) return failNumber("$Entities");
    if (!checkCount(count, "entities")) return false;
  }
  for (int dimension = 0; dimension < 4; ++dimension) {
    for (std::int64_t i = 0; i < counts[dimension]; ++i) {
      if (!readEntity(dimension)) return false;
    }
  }
  return endSection("Entities");
}

bool GmshReader::readEntity(int dimension) {
  std::int64_t number = 0, count = 0;
  if (!input_.takeInt(number)) return failNumber("$Entities");
  double bound = 0.0;
  for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i) {
    if (!input_.takeReal(bound)) return failNumber("$Entities");
  }
  if (!input_.takeSize(count)) return failNumber("$Entities");
  if (!checkCount(count, "physical groups")) return false;
  std::vector<std::int64_t>& groups = groupsOfEntity_[{dimension, number}];
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t group = 0;
    if (!input_.takeInt(group)) return failNumber("$Entities");
    groups.push_back(withoutSign(group));
  }
  if (dimension == 0) return true;
  if (!input_.takeSize(count)) return failNumber("$Entities");
  if (!checkCount(count, "bounding entities")) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!input_.takeInt(number)) return failNumber("$Entities");
  }
  return true;
}

bool GmshReader::readNodes() {
  if (hasNodes_) return builder_.fail(here(), "there is a second section $Nodes");
  hasNodes_ = true;
  if (version_ == 2) return readNodes2();
  std::int64_t blocks = 0, count = 0, least = 0, most = 0;
  if (!input_.takeSize(blocks) || !input_.takeSize(count) || !input_.takeSize(least) ||
      !input_.takeSize(most)) {
    return failNumber("$Nodes");
  }
  if (!checkCount(blocks, "blocks of nodes") || !checkCount(count, "nodes")) return false;
  for (std::int64_t i = 0; i < blocks; ++i) {
    if (!readNodeBlock()) return false;
  }
  const auto found = static_cast<std::int64_t>(builder_.mesh().points.size());
  if (found != count) {
    return builder_.fail(here(), "$Nodes promises " + std::to_string(count) + " nodes and has " +
                                     std::to_string(found));
  }
  return endSection("Nodes");
}

bool GmshReader::readNodeBlock() {
  std::int64_t dimension = 0, entity = 0, isParametric = 0, count = 0;
  if (!input_.takeInt(dimension) || !input_.takeInt(entity) || !input_.takeInt(isParametric) ||
      !input_.takeSize(count)) {
    return failNumber("$Nodes");
  }
  if (dimension < 0 || dimension > 3) {
    return builder_.fail(here(), "a block of nodes has the dimension " + std::to_string(dimension));
  }
  if (!checkCount(count, "nodes")) return false;
  std::vector<std::int64_t> ids(count);
  for (std::int64_t& id : ids) {
    if (!input_.takeSize(id)) return failNumber("$Nodes");
  }
  for (const std::int64_t id : ids) {
    Eigen::Vector3d point;
    const FilePlace place = here();
    for (double& coordinate : point) {
      if (!input_.takeReal(coordinate)) return failNumber("$Nodes");
    }
    double parameter = 0.0;
    for (std::int64_t i = 0; isParametric != 0 && i < dimension; ++i) {
      if (!input_.takeReal(parameter)) return failNumber("$Nodes");
    }
    if (!builder_.addNode(id, point, place)) return false;
  }
  return true;
}

bool GmshReader::readNodes2() {
  const std::optional<std::int64_t> count = parseInteger(input_.takeFilledLine());
  if (!count) return builder_.fail(here(), "the number of nodes is missing");
  if (!checkCount(*count, "nodes")) return false;
  for (std::int64_t i = 0; i < *count; ++i) {
    std::int64_t id = 0;
    Eigen::Vector3d point;
    if (!input_.takeInt(id)) return failNumber("$Nodes");
    for (double& coordinate : point) {
      if (!input_.takeReal(coordinate)) return failNumber("$Nodes");
    }
    if (!builder_.addNode(id, point, here())) return false;
  }
  return endSection("Nodes");
}

const GmshType* GmshReader::requireType(std::int64_t number) {
  const GmshType* type = findGmshType(number);
  if (type == nullptr) {
    builder_.fail(here(), "the element type " + std::to_string(number) + " is not supported",
                  "use elements of the first or second order");
  } else if (type->dimension == 3 && !type->shape) {
    builder_.fail(here(),
                  std::string("elements of type ") + std::to_string(number) + " (" + type->name +
                      ") are not supported",
                  "of the pyramids, the one with 5 nodes is");
    return nullptr;
  }
  return type;
}

// `sizes`: whether numbers of nodes are of the size that version 4.1 uses for them.
bool GmshReader::readElement(const GmshType& type, std::int64_t id, bool sizes,
                             std::span<const std::int64_t> groups, int line) {
  std::array<std::int64_t, 27> given{}, ordered{};
  for (int i = 0; i < type.nodes; ++i) {
    if (!(sizes ? input_.takeSize(given[i]) : input_.takeInt(given[i])))
      return failNumber("$Elements");
  }
  if (!type.shape) {
    for (const std::int64_t group : groups) {
      std::vector<std::int64_t>& nodes = groups_.members[{type.dimension, group}].nodes;
      nodes.insert(nodes.end(), given.begin(), given.begin() + type.nodes);
    }
    return true;
  }
  const int count = nodeCount(*type.shape);
  hasReduced_ = hasReduced_ || (count < type.nodes && type.dimension >= 2);
  for (int i = 0; i < count; ++i) ordered[i] = given[type.order[i]];
  const int element = builder_.addElement(
      *type.shape, id, {ordered.data(), static_cast<std::size_t>(count)}, {0, line});
  if (element < 0) return false;
  for (const std::int64_t group : groups)
    groups_.members[{type.dimension, group}].elements.push_back(element);
  return true;
}

bool GmshReader::readElements() {
  if (hasElements_) return builder_.fail(here(), "there is a second section $Elements");
  hasElements_ = true;
  if (version_ == 2) return readElements2();
  std::int64_t blocks = 0, count = 0, least = 0, most = 0;
  if (!input_.takeSize(blocks) || !input_.takeSize(count) || !input_.takeSize(least) ||
      !input_.takeSize(most)) {
    return failNumber("$Elements");
  }
  if (!checkCount(blocks, "blocks of elements") || !checkCount(count, "elements")) return false;
  for (std::int64_t i = 0; i < blocks; ++i) {
    if (!readElementBlock()) return false;
  }
  return endSection("Elements");
}

bool GmshReader::readElementBlock() {
  std::int64_t dimension = 0, entity = 0, number = 0, count = 0;
  if (!input_.takeInt(dimension) || !input_.takeInt(entity) || !input_.takeInt(number) ||
      !input_.takeSize(count)) {
    return failNumber("$Elements");
  }
  const GmshType* type = requireType(number);
  if (type == nullptr || !checkCount(count, "elements")) return false;
  const auto found = groupsOfEntity_.find({type->dimension, entity});
  const std::span<const std::int64_t> groups =
      found == groupsOfEntity_.end() ? std::span<const std::int64_t>() : found->second;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t id = 0;
    if (!input_.takeSize(id)) return failNumber("$Elements");
    if (!readElement(*type, id, true, groups, input_.line())) return false;
  }
  return true;
}

bool GmshReader::readElements2() {
  const std::optional<std::int64_t> count = parseInteger(input_.takeFilledLine());
  if (!count) return builder_.fail(here(), "the number of elements is missing");
  if (!checkCount(*count, "elements")) return false;
  const bool ok = input_.isBinary() ? readElementBlocks2(*count) : readElementList2(*count);
  return ok && endSection("Elements");
}

bool GmshReader::readElementList2(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t id = 0, number = 0, tags = 0, group = 0, tag = 0;
    if (!input_.takeInt(id) || !input_.takeInt(number) || !input_.takeInt(tags)) {
      return failNumber("$Elements");
    }
    const GmshType* type = requireType(number);
    if (type == nullptr || !checkCount(tags, "tags")) return false;
    for (std::int64_t k = 0; k < tags; ++k) {
      if (!input_.takeInt(k == 0 ? group : tag)) return failNumber("$Elements");
    }
    group = withoutSign(group);
    const std::span<const std::int64_t> groups(&group, group == 0 ? 0 : 1);
    if (!readElement(*type, id, false, groups, input_.line())) return false;
  }
  return true;
}

bool GmshReader::readElementBlocks2(std::int64_t count) {
  for (std::int64_t done = 0; done < count;) {
    std::int64_t number = 0, follow = 0, tags = 0;
    if (!input_.takeInt(number) || !input_.takeInt(follow) || !input_.takeInt(tags)) {
      return failNumber("$Elements");
    }
    const GmshType* type = requireType(number);
    if (type == nullptr || !checkCount(follow, "elements") || !checkCount(tags, "tags"))
      return false;
    if (follow == 0) return builder_.fail(here(), "a block of elements is empty");
    for (std::int64_t i = 0; i < follow; ++i, ++done) {
      std::int64_t id = 0, group = 0, tag = 0;
      if (!input_.takeInt(id)) return failNumber("$Elements");
      for (std::int64_t k = 0; k < tags; ++k) {
        if (!input_.takeInt(k == 0 ? group : tag)) return failNumber("$Elements");
      }
      group = withoutSign(group);
      const std::span<const std::int64_t> groups(&group, group == 0 ? 0 : 1);
      if (!readElement(*type, id, false, groups, 0)) return false;
    }
  }
  return true;
}

base::Result<MeshFile> GmshReader::read() {
  bool ok = readFormat();
  while (ok) {
    const std::string_view line = input_.takeFilledLine();
    if (line.empty()) break;
    ok = readSection(line);
  }
  if (ok && !hasNodes_) ok = builder_.fail(FilePlace{}, "there is no section $Nodes");
  if (ok && !hasElements_) ok = builder_.fail(FilePlace{}, "there is no section $Elements");
  if (ok && builder_.resolveElementNodes()) {
    if (version_ == 2) mergeRepeatedElements(groups_, builder_.mesh());
    makeGmshSets(groups_, builder_);
  }
  if (hasReduced_) {
    builder_.warn(FilePlace{},
                  "elements with 9, 18 and 27 nodes are used without the nodes in their middle",
                  "the mesh generator can leave them out: Mesh.SecondOrderIncomplete = 1");
  }
  return builder_.finish();
}

}  // namespace

base::Result<MeshFile> readGmsh(std::string_view text, MeshBuilder& builder) {
  return GmshReader(text, builder).read();
}

}  // namespace flexloop::fem
