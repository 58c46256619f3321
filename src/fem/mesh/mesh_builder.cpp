#include "fem/mesh/mesh_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace flexloop::fem {
namespace {

constexpr std::size_t kMost = std::numeric_limits<int>::max();

void sortOnce(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

bool IdTable::add(std::int64_t id) {
  if (find(id) >= 0) return false;
  // At most 16 places per number, so that one large number does not take the memory of a large mesh.
  const std::int64_t limit = 16 * (std::int64_t{count_} + 1024);
  if (id >= 0 && id < limit) {
    if (id >= static_cast<std::int64_t>(dense_.size())) {
      dense_.resize(std::max<std::size_t>(id + 1, std::min<std::size_t>(2 * dense_.size(), limit)),
                    -1);
    }
    dense_[id] = count_++;
  } else {
    sparse_.emplace(id, count_++);
  }
  return true;
}

void IdSet::add(const IdSet& other) {
  const auto order = [](const IdRange& range) {
    return std::array{range.first, range.last, range.step};
  };
  const std::vector<IdRange> added = other.ranges;  // may be this set
  ranges.insert(ranges.end(), added.begin(), added.end());
  std::stable_sort(ranges.begin(), ranges.end(), [&](const IdRange& first, const IdRange& second) {
    return order(first) < order(second);
  });
  ranges.erase(std::unique(ranges.begin(), ranges.end(),
                           [&](const IdRange& first, const IdRange& second) {
                             return order(first) == order(second);
                           }),
               ranges.end());
}

MeshBuilder::MeshBuilder(const std::string& path, double lengthUnit)
    : units_(lengthUnit), files_{path} {
  mesh_.file = path;
}

int MeshBuilder::addFile(const std::string& path) {
  if (elementFiles_.empty()) elementFiles_.assign(mesh_.elements.size(), 0);
  files_.push_back(path);
  return static_cast<int>(files_.size()) - 1;
}

base::Place MeshBuilder::placeText(FilePlace place) const {
  return {std::make_shared<const std::string>(files_[place.file]), place.line, 0};
}

bool MeshBuilder::fail(FilePlace place, const std::string& message, const std::string& hint) {
  return fail(base::Failure{base::toText(placeText(place)) + ": " + message, hint});
}

bool MeshBuilder::fail(base::Failure failure) {
  if (!failure_) failure_ = std::move(failure);
  return false;
}

void MeshBuilder::warn(FilePlace place, const std::string& message, const std::string& hint) {
  notes_.addWarning(placeText(place), message, hint);
}

bool MeshBuilder::addNode(std::int64_t id, const Eigen::Vector3d& point, FilePlace place) {
  if (!point.allFinite()) {
    return fail(place, "a coordinate of node " + std::to_string(id) + " is not finite");
  }
  if (mesh_.points.size() >= kMost) return fail(place, "there are too many nodes");
  if (!nodes_.add(id)) {
    return fail(place, "node " + std::to_string(id) + " is given twice");
  }
  mesh_.points.push_back(point * units_.length);
  mesh_.nodeIds.push_back(id);
  return true;
}

int MeshBuilder::addElement(ElementShape shape, std::int64_t id,
                            std::span<const std::int64_t> nodes, FilePlace place) {
  if (nodeNumbers_.size() + nodes.size() > kMost) {
    fail(place, "there are too many elements");
    return -1;
  }
  if (!elements_.add(id)) {
    fail(place, "element " + std::to_string(id) + " is given twice");
    return -1;
  }
  MeshElement element;
  element.shape = shape;
  element.id = id;
  element.line = place.line;
  element.firstNode = static_cast<int>(nodeNumbers_.size());
  nodeNumbers_.insert(nodeNumbers_.end(), nodes.begin(), nodes.end());
  mesh_.elements.push_back(element);
  elementIds_.push_back(id);
  if (files_.size() > 1) elementFiles_.push_back(place.file);
  return static_cast<int>(mesh_.elements.size()) - 1;
}

int MeshBuilder::requireNode(std::int64_t id, const std::string& user, FilePlace place) {
  const int node = nodes_.find(id);
  if (node < 0) {
    fail(place, user + " refers to node " + std::to_string(id) + ", which the file does not have");
  }
  return node;
}

bool MeshBuilder::resolveElementNodes() {
  mesh_.elementNodes.resize(nodeNumbers_.size());
  for (std::size_t e = 0; e < mesh_.elements.size(); ++e) {
    const MeshElement& element = mesh_.elements[e];
    const int count = nodeCount(element.shape);
    for (int i = element.firstNode; i < element.firstNode + count; ++i) {
      const int node = nodes_.find(nodeNumbers_[i]);
      if (node < 0) {
        requireNode(nodeNumbers_[i], "element " + std::to_string(element.id),
                    placeOf(static_cast<int>(e)));
        return false;
      }
      mesh_.elementNodes[i] = node;
    }
  }
  nodeNumbers_ = {};
  return true;
}

std::optional<std::vector<int>> MeshBuilder::resolve(const IdSet& set, const IdTable& table,
                                                     const std::vector<std::int64_t>& ids,
                                                     const char* kind) {
  std::vector<int> members;
  for (const IdRange& range : set.ranges) {
    if (range.first == range.last) {
      const int index = table.find(range.first);
      if (index < 0) {
        fail(range.place, "the set '" + set.name + "' contains " + kind + " " +
                              std::to_string(range.first) + ", which the file does not have");
        return {};
      }
      members.push_back(index);
      continue;
    }
    const auto width =
        static_cast<std::uint64_t>(range.last) - static_cast<std::uint64_t>(range.first);
    const auto step = static_cast<std::uint64_t>(range.step);
    if (width / step <= 4 * ids.size()) {
      for (std::uint64_t k = 0; k <= width / step; ++k) {
        const int index = table.find(range.first + static_cast<std::int64_t>(k * step));
        if (index >= 0) members.push_back(index);
      }
    } else {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] < range.first || ids[i] > range.last) continue;
        const auto distance =
            static_cast<std::uint64_t>(ids[i]) - static_cast<std::uint64_t>(range.first);
        if (distance % step == 0) members.push_back(static_cast<int>(i));
      }
    }
  }
  sortOnce(members);
  return members;
}

std::optional<std::vector<int>> MeshBuilder::resolveNodes(const IdSet& set) {
  return resolve(set, nodes_, mesh_.nodeIds, "node");
}

std::optional<std::vector<int>> MeshBuilder::resolveElements(const IdSet& set) {
  return resolve(set, elements_, elementIds_, "element");
}

base::Result<MeshFile> MeshBuilder::finish() {
  if (!failure_ && mesh_.points.empty()) fail(FilePlace{}, "there are no nodes");
  if (!failure_ && mesh_.elements.empty() && mesh_.masses.empty()) {
    fail(FilePlace{}, "there are no elements");
  }
  if (failure_) return *failure_;
  return MeshFile{std::move(mesh_), std::move(notes_)};
}

}  // namespace flexloop::fem
