#include "fem/assembly/dependence.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/text_format.hpp"

namespace flexloop::fem {
namespace {

using base::Failure;
using base::formatText;
using Eigen::Vector3d;

std::string lineText(const Mesh& mesh, int line) {
  return line > 0 ? formatText(" (%s:%d)", mesh.file.c_str(), line) : std::string();
}

// Rows as they are given, in freedoms that may follow from others themselves.
class RowCollector {
 public:
  explicit RowCollector(const Mesh& mesh) : mesh_(mesh) {
    rowOf_.assign(6 * mesh.points.size(), -1);
  }

  std::optional<Failure> addSpider(const Spider& spider) {
    const Vector3d& origin = mesh_.points[spider.reference];
    const std::string name = nameSpider(mesh_, spider);
    for (const int node : spider.nodes) {
      if (node == spider.reference) continue;
      const Vector3d arm = mesh_.points[node] - origin;
      for (int component = 0; component < 6; ++component) {
        if ((spider.components >> component & 1U) == 0) continue;
        auto failure =
            add(6 * node + component, followRigidly(6 * spider.reference, arm, component),
                nameSpider(mesh_, spider));
        if (failure) return failure;
      }
    }
    return {};
  }

  std::optional<Failure> addEquation(const Equation& equation) {
    const std::string name = "the equation" + lineText(mesh_, equation.line);
    if (equation.terms.empty()) return {};
    const Equation::Term& first = equation.terms.front();
    FreedomRow row;
    double leading = 0.0, largest = 0.0;
    for (const Equation::Term& term : equation.terms) {
      const int freedom = 6 * term.node + term.component;
      if (term.node == first.node && term.component == first.component) {
        leading += term.factor;
      } else if (term.factor != 0.0) {
        row.push_back({freedom, -term.factor});
      }
      largest = std::max(largest, std::abs(term.factor));
    }
    if (leading == 0.0 && largest == 0.0) return {};
    const int freedom = 6 * first.node + first.component;
    if (leading == 0.0) {
      return Failure{
          name + ": the factor of its first term, " + nameFreedom(mesh_, freedom) + ", is zero",
          "the first term of an equation is the one that is eliminated"};
    }
    for (FreedomTerm& term : row) term.factor /= leading;
    return add(freedom, std::move(row), name);
  }

  std::optional<Failure> addHeld(const FreedomRow& direction) {
    FreedomRow row;
    for (std::size_t i = 1; i < direction.size(); ++i) {
      row.push_back({direction[i].freedom, -direction[i].factor / direction[0].factor});
    }
    return add(direction[0].freedom, std::move(row), "a direction without stiffness");
  }

  base::Result<Dependence> resolve();

 private:
  static FreedomRow followRigidly(int reference, const Vector3d& arm, int component) {
    FreedomRow row{{reference + component, 1.0}};
    if (component >= 3) return row;
    // u = u_ref + θ × arm
    const int next = (component + 1) % 3, last = (component + 2) % 3;
    if (arm[last] != 0.0) row.push_back({reference + 3 + next, arm[last]});
    if (arm[next] != 0.0) row.push_back({reference + 3 + last, -arm[next]});
    return row;
  }

  std::optional<Failure> add(int freedom, FreedomRow row, const std::string& origin) {
    if (rowOf_[freedom] >= 0) {
      return Failure{nameFreedom(mesh_, freedom) +
                         " follows from two constraints: " + originOf(freedom) + " and " + origin,
                     "leave the node out of one of them, or restrict their components"};
    }
    rowOf_[freedom] = static_cast<int>(rows_.size());
    rows_.push_back(std::move(row));
    if (names_.empty() || names_.back() != origin) names_.push_back(origin);
    origins_.push_back(static_cast<int>(names_.size()) - 1);
    freedoms_.push_back(freedom);
    return {};
  }

  const std::string& originOf(int freedom) const { return names_[origins_[rowOf_[freedom]]]; }

  Failure describeCycle(const std::vector<int>& path, int freedom) const {
    std::string text;
    auto i = std::find(path.begin(), path.end(), freedom);
    for (; i != path.end(); ++i) {
      text += nameFreedom(mesh_, *i) + " (" + originOf(*i) + ") follows from ";
      // A long circle is named by its beginning.
      if (text.size() > 600) {
        text += "… ";
        break;
      }
    }
    return Failure{"constraints in a circle: " + text + nameFreedom(mesh_, freedom),
                   "one of the constraints must go, or its first term must be another"};
  }

  const Mesh& mesh_;
  std::vector<int> rowOf_;
  std::vector<FreedomRow> rows_;
  std::vector<int> freedoms_;       // by row
  std::vector<int> origins_;        // by row, into names_
  std::vector<std::string> names_;  // of constraints
};

// Depth first: what a row refers to is resolved before the row itself.
base::Result<Dependence> RowCollector::resolve() {
  enum class Mark : char { kNew, kOpen, kDone };
  std::vector<Mark> marks(rows_.size(), Mark::kNew);
  Dependence result;
  result.rowOf = rowOf_;
  result.rows = std::move(rows_);
  std::vector<int> path;  // freedoms
  for (const int start : freedoms_) {
    if (marks[rowOf_[start]] == Mark::kDone) continue;
    path.assign(1, start);
    while (!path.empty()) {
      const int row = rowOf_[path.back()];
      marks[row] = Mark::kOpen;
      int next = -1;
      for (const FreedomTerm& term : result.rows[row]) {
        const int other = rowOf_[term.freedom];
        if (other < 0 || marks[other] == Mark::kDone) continue;
        if (marks[other] == Mark::kOpen) return describeCycle(path, term.freedom);
        next = term.freedom;
        break;
      }
      if (next >= 0) {
        path.push_back(next);
        continue;
      }
      result.rows[row] = substitute(result, result.rows[row]);
      marks[row] = Mark::kDone;
      path.pop_back();
    }
  }
  return result;
}

}  // namespace

std::string nameFreedom(const Mesh& mesh, int freedom) {
  static constexpr const char* kNames[6] = {"ux", "uy", "uz", "rx", "ry", "rz"};
  return formatText("node %lld %s", static_cast<long long>(mesh.nodeIds[freedom / 6]),
                    kNames[freedom % 6]);
}

std::string nameSpider(const Mesh& mesh, const Spider& spider) {
  const char* kind = spider.kind == Spider::Kind::kRigid ? "rigid" : "averaging";
  return formatText("the %s spider of node %lld", kind,
                    static_cast<long long>(mesh.nodeIds[spider.reference])) +
         lineText(mesh, spider.line);
}

FreedomRow substitute(const Dependence& dependence, const FreedomRow& row) {
  FreedomRow result;
  for (const FreedomTerm& term : row) {
    if (dependence.isIndependent(term.freedom)) {
      result.push_back(term);
      continue;
    }
    for (const FreedomTerm& other : dependence.rows[dependence.rowOf[term.freedom]]) {
      result.push_back({other.freedom, term.factor * other.factor});
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const FreedomTerm& a, const FreedomTerm& b) {
    return a.freedom < b.freedom;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (kept > 0 && result[kept - 1].freedom == result[i].freedom) {
      result[kept - 1].factor += result[i].factor;
    } else {
      result[kept++] = result[i];
    }
  }
  result.resize(kept);
  std::erase_if(result, [](const FreedomTerm& term) { return term.factor == 0.0; });
  return result;
}

base::Result<Dependence> findDependence(const Mesh& mesh, const std::vector<FreedomRow>& held) {
  RowCollector collector(mesh);
  for (const Spider& spider : mesh.spiders) {
    if (spider.kind != Spider::Kind::kRigid) continue;
    if (auto failure = collector.addSpider(spider)) return *failure;
  }
  for (const Equation& equation : mesh.equations) {
    if (auto failure = collector.addEquation(equation)) return *failure;
  }
  for (const FreedomRow& direction : held) {
    if (auto failure = collector.addHeld(direction)) return *failure;
  }
  return collector.resolve();
}

}  // namespace flexloop::fem
