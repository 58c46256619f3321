#include "fem/assembly/freedom_map.hpp"

#include <algorithm>
#include <optional>

#include "fem/assembly/averaging.hpp"

namespace flexloop::fem {
namespace {

class MapMaker {
 public:
  MapMaker(const Mesh& mesh, const std::vector<unsigned char>& stiffComponents,
           const Dependence& dependence)
      : mesh_(mesh), freedoms_(6 * static_cast<int>(mesh.points.size())) {
    map_.dependence = dependence;
    isHeld_.assign(freedoms_, 0);
    for (int freedom = 0; freedom < freedoms_; ++freedom) {
      if ((stiffComponents[freedom / 6] >> (freedom % 6) & 1U) != 0) hold({{freedom, 1.0}});
    }
  }

  std::optional<base::Failure> addAveraging() {
    std::vector<const Spider*> spiders;
    for (const Spider& spider : mesh_.spiders) {
      if (spider.kind == Spider::Kind::kAveraging) spiders.push_back(&spider);
    }
    // A spider may follow the reference of another.
    for (const Spider* spider : spiders) {
      for (int k = 0; k < 6; ++k) {
        if ((spider->referenceComponents >> k & 1U) != 0) hold({{6 * spider->reference + k, 1.0}});
      }
    }
    const std::vector<char> isStiff = findStiffFreedoms();
    for (const Spider* spider : spiders) {
      const base::Result<std::vector<FreedomRow>> rows = makeAveragingRows(mesh_, *spider, isStiff);
      if (!rows) return rows.failure();
      std::vector<FreedomRow> resolved;
      for (const FreedomRow& row : rows.value()) {
        resolved.push_back(substitute(map_.dependence, row));
        // A spider whose nodes all follow its own reference says nothing.
        if (resolved.back().empty()) resolved.pop_back();
      }
      if (!resolved.empty()) map_.averaging.push_back(std::move(resolved));
    }
    return {};
  }

  void number(const std::vector<char>& hasScalarMass);
  FreedomMap take() { return std::move(map_); }

 private:
  void hold(const FreedomRow& row) {
    for (const FreedomTerm& term : substitute(map_.dependence, row)) isHeld_[term.freedom] = 1;
  }

  std::vector<char> findStiffFreedoms() const {
    std::vector<char> result = isHeld_;
    for (int freedom = 0; freedom < freedoms_; ++freedom) {
      if (map_.dependence.isIndependent(freedom)) continue;
      const FreedomRow& row = map_.dependence.rows[map_.dependence.rowOf[freedom]];
      result[freedom] = static_cast<char>(std::all_of(
          row.begin(), row.end(), [&](const FreedomTerm& term) { return isHeld_[term.freedom]; }));
    }
    return result;
  }

  std::vector<char> findMasters() const {
    std::vector<char> isMaster(freedoms_, 0);
    for (const FreedomRow& row : map_.dependence.rows) {
      for (const FreedomTerm& term : row) isMaster[term.freedom] = 1;
    }
    return isMaster;
  }

  const Mesh& mesh_;
  int freedoms_;
  std::vector<char> isHeld_;  // by independent freedom: something gives it stiffness
  FreedomMap map_;
};

void MapMaker::number(const std::vector<char>& hasScalarMass) {
  const std::vector<char> isMaster = findMasters();
  const int nodes = freedoms_ / 6;
  map_.unknownOf.assign(freedoms_, -1);
  map_.groupOf.assign(nodes, -1);
  map_.isDirect.assign(nodes, 1);
  int next = 0;
  for (int node = 0; node < nodes; ++node) {
    const int first = next;
    bool isPlain = hasScalarMass[node] != 0;
    for (int k = 0; k < 6; ++k) {
      const int freedom = 6 * node + k;
      if (!map_.dependence.isIndependent(freedom)) map_.isDirect[node] = 0;
      if (map_.dependence.isIndependent(freedom) && isHeld_[freedom] != 0) {
        map_.unknownOf[freedom] = next++;
        isPlain = isPlain && k < 3 && isMaster[freedom] == 0;
      }
    }
    if (next == first) continue;
    map_.groupOf[node] = map_.nodeGroups();
    map_.nodeOf.push_back(node);
    map_.groups.first.push_back(first);
    map_.groups.size.push_back(next - first);
    map_.groups.isScalar.push_back(static_cast<char>(isPlain && next - first == 3));
  }
  map_.independents = next;
  for (const std::vector<FreedomRow>& rows : map_.averaging) {
    map_.groups.first.push_back(next);
    map_.groups.size.push_back(static_cast<int>(rows.size()));
    map_.groups.isScalar.push_back(0);
    next += static_cast<int>(rows.size());
  }
  map_.groups.rows = next;
}

}  // namespace

base::Result<FreedomMap> makeFreedomMap(const Mesh& mesh,
                                        const std::vector<unsigned char>& stiffComponents,
                                        const std::vector<char>& hasScalarMass,
                                        const std::vector<FreedomRow>& held) {
  const base::Result<Dependence> dependence = findDependence(mesh, held);
  if (!dependence) return dependence.failure();
  MapMaker maker(mesh, stiffComponents, dependence.value());
  if (auto failure = maker.addAveraging()) return *failure;
  maker.number(hasScalarMass);
  return maker.take();
}

void makeTransformation(const FreedomMap& map, linalg::SparseMatrix& T) {
  const auto freedoms = static_cast<int>(map.unknownOf.size());
  T.resize(freedoms, map.groups.rows);
  const auto forEach = [&](auto&& visit) {
    for (int freedom = 0; freedom < freedoms; ++freedom) {
      if (map.dependence.isIndependent(freedom)) {
        if (map.unknownOf[freedom] >= 0) visit(freedom, map.unknownOf[freedom], 1.0);
        continue;
      }
      for (const FreedomTerm& term : map.dependence.rows[map.dependence.rowOf[freedom]]) {
        const int unknown = map.unknownOf[term.freedom];
        if (unknown >= 0) visit(freedom, unknown, term.factor);
      }
    }
  };
  int* outer = T.outerIndexPtr();
  std::fill(outer, outer + map.groups.rows + 1, 0);
  forEach([&](int, int unknown, double) { ++outer[unknown + 1]; });
  for (int i = 0; i < map.groups.rows; ++i) outer[i + 1] += outer[i];
  T.resizeNonZeros(outer[map.groups.rows]);
  std::vector<int> place(outer, outer + map.groups.rows);
  forEach([&](int freedom, int unknown, double factor) {
    T.innerIndexPtr()[place[unknown]] = freedom;
    T.valuePtr()[place[unknown]++] = factor;
  });
}

}  // namespace flexloop::fem
