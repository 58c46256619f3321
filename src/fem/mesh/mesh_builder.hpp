// What the readers of all formats share: nodes and elements by the numbers of the file, sets, the first failure, and the
// conversion to SI units (mesh_file.hpp). Elements and sets may name nodes that the file gives later, so names are
// resolved at the end.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fem/mesh/mesh_file.hpp"

namespace flexloop::fem {

// Factors from the consistent system of the file to SI.
struct MeshUnits {
  explicit MeshUnits(double lengthUnit)
      : length(lengthUnit),
        area(lengthUnit * lengthUnit),
        secondMoment(area * area),
        modulus(1.0 / area),
        density(1.0 / secondMoment),
        mass(1.0 / lengthUnit),
        inertia(lengthUnit),
        massPerArea(1.0 / (area * lengthUnit)) {}
  double length, area, secondMoment, modulus, density, mass, inertia, massPerArea;
};

struct FilePlace {
  int file = 0;  // index of a file that was read; 0: the mesh itself
  int line = 0;  // 0: unknown
};

// From the numbers of a file to indices from 0 on. Numbers that are not far above the count, as is usual, take an array.
class IdTable {
 public:
  // False if the number is there already.
  bool add(std::int64_t id);
  // -1 if it is not there.
  int find(std::int64_t id) const {
    if (id >= 0 && id < static_cast<std::int64_t>(dense_.size()) && dense_[id] >= 0)
      return dense_[id];
    if (sparse_.empty()) return -1;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? -1 : found->second;
  }
  int size() const { return count_; }

 private:
  std::vector<int> dense_;
  std::unordered_map<std::int64_t, int> sparse_;
  int count_ = 0;
};

// Numbers first, first + step, … up to last. Of a range, those that do not exist are passed over; a single one must
// exist.
struct IdRange {
  std::int64_t first = 0, last = 0, step = 1;
  FilePlace place;
};

struct IdSet {
  std::string name;
  std::vector<IdRange> ranges;

  // Sets of sets of sets may name the same numbers any number of times; they are kept once.
  void add(const IdSet& other);
};

class MeshBuilder {
 public:
  MeshBuilder(const std::string& path, double lengthUnit);

  const MeshUnits& units() const { return units_; }
  const std::string& fileName(int file) const { return files_[file]; }
  int addFile(const std::string& path);
  int fileCount() const { return static_cast<int>(files_.size()); }

  // Keeps the first failure, and returns false.
  bool fail(FilePlace place, const std::string& message, const std::string& hint = {});
  bool fail(base::Failure failure);
  void warn(FilePlace place, const std::string& message, const std::string& hint = {});
  bool hasFailed() const { return failure_.has_value(); }

  // In the unit of the file.
  bool addNode(std::int64_t id, const Eigen::Vector3d& point, FilePlace place);
  // The index of the new element; -1 after a failure.
  int addElement(ElementShape shape, std::int64_t id, std::span<const std::int64_t> nodes,
                 FilePlace place);
  bool hasNode(std::int64_t id) const { return nodes_.find(id) >= 0; }
  bool hasElement(std::int64_t id) const { return elements_.find(id) >= 0; }
  int findElement(std::int64_t id) const { return elements_.find(id); }
  FilePlace placeOf(int element) const {
    return {elementFiles_.empty() ? 0 : elementFiles_[element], mesh_.elements[element].line};
  }

  // The node with this number, or -1 after a failure that names who needs it: "the spider 12".
  int requireNode(std::int64_t id, const std::string& user, FilePlace place);
  // Sorted, each once.
  std::optional<std::vector<int>> resolveNodes(const IdSet& set);
  std::optional<std::vector<int>> resolveElements(const IdSet& set);

  // Gives the elements their nodes; from here on Mesh::elementNodes holds.
  bool resolveElementNodes();

  Mesh& mesh() { return mesh_; }
  base::Result<MeshFile> finish();

 private:
  std::optional<std::vector<int>> resolve(const IdSet& set, const IdTable& table,
                                          const std::vector<std::int64_t>& ids, const char* kind);
  base::Place placeText(FilePlace place) const;

  MeshUnits units_;
  std::vector<std::string> files_;
  Mesh mesh_;
  IdTable nodes_, elements_;
  std::vector<std::int64_t> elementIds_;
  std::vector<std::int64_t> nodeNumbers_;  // of the elements, one after the other
  std::vector<int> elementFiles_;          // empty while all are in the first
  std::optional<base::Failure> failure_;
  base::Diagnostics notes_;
};

}  // namespace flexloop::fem
