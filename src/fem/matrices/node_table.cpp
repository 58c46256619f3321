#include "fem/matrices/node_table.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/file_text.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

constexpr std::size_t kLargestFile = std::size_t{4} << 30;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find_first_of(",;");
    fields.push_back(trim(line.substr(0, std::min(comma, line.size()))));
    if (comma == line.npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// x y z a b c or 1 to 6 as 0 to 5; nothing for another letter or one that comes twice.
std::optional<std::vector<int>> parseFreedoms(std::string_view text) {
  std::vector<int> freedoms;
  for (const char c : text) {
    const std::size_t letter = std::string_view("xyzabc").find(c),
                      digit = std::string_view("123456").find(c);
    const std::size_t found = std::min(letter, digit);
    if (found == std::string_view::npos) return {};
    const int freedom = static_cast<int>(found);
    if (std::find(freedoms.begin(), freedoms.end(), freedom) != freedoms.end()) return {};
    freedoms.push_back(freedom);
  }
  return freedoms;
}

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& path, double unit, int rows)
      : text_(text), path_(path), unit_(unit), rows_(rows) {}

  base::Result<NodeTable> read() {
    if (!readLines() || !assignRows()) return *failure_;
    return std::move(table_);
  }

 private:
  bool fail(const std::string& message, const std::string& hint = {}) {
    failure_ = base::Failure{
        path_ + (line_ > 0 ? ":" + std::to_string(line_) : "") + ": " + message, hint};
    return false;
  }

  bool readLines() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      const std::string_view line = trim(text_.substr(at, end - at));
      at = end + 1;
      ++line_;
      if (line.empty() || line.starts_with('#')) continue;
      if (!(columns_.empty() ? readHeader(line) : readNode(line))) return false;
    }
    line_ = 0;
    return !table_.ids.empty() ||
           fail("there are no nodes", "the columns are node,x,y,z and dofs, if need be");
  }

  bool readHeader(std::string_view line) {
    const std::vector<std::string_view> names = split(line);
    for (std::size_t i = 0; i < names.size(); ++i) columns_[toUpper(names[i])] = i;
    for (const char* needed : {"NODE", "X", "Y", "Z"}) {
      if (!columns_.contains(needed)) {
        return fail("the columns must be node,x,y,z and, if need be, dofs",
                    "the first line names them");
      }
    }
    return true;
  }

  bool readNode(std::string_view line) {
    const std::vector<std::string_view> fields = split(line);
    const auto field = [&](const char* name) {
      const auto column = columns_.find(name);
      return column == columns_.end() || column->second >= fields.size() ? std::string_view()
                                                                         : fields[column->second];
    };
    const auto id = parseInteger(field("NODE"));
    const auto x = parseReal(field("X")), y = parseReal(field("Y")), z = parseReal(field("Z"));
    if (!id || !x || !y || !z) return fail("a node is given by its number and three coordinates");
    if (!seen_.emplace(*id, line_).second)
      return fail("node " + std::to_string(*id) + " is given twice");
    const auto freedoms = parseFreedoms(field("DOFS"));
    if (!freedoms || (columns_.contains("DOFS") && freedoms->empty())) {
      return fail("'" + std::string(field("DOFS")) + "' are no freedoms",
                  "they are letters of xyzabc or digits from 1 to 6, each once");
    }
    addToSets(field("SETS"));
    table_.ids.push_back(*id);
    table_.points.push_back(unit_ * Eigen::Vector3d(*x, *y, *z));
    freedoms_.push_back(*freedoms);
    return true;
  }

  void addToSets(std::string_view names) {
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      std::vector<int>& set = table_.sets[std::string(names.substr(0, end))];
      const int node = static_cast<int>(table_.ids.size());
      if (set.empty() || set.back() != node) set.push_back(node);
      names = trim(names.substr(end));
    }
  }

  bool assignRows() {
    const auto nodes = static_cast<std::int64_t>(table_.ids.size());
    if (!columns_.contains("DOFS")) {
      const int each = rows_ == 3 * nodes ? 3 : rows_ == 6 * nodes ? 6 : 0;
      if (each == 0) {
        return fail("the matrices have " + std::to_string(rows_) + " rows and the table has " +
                        std::to_string(nodes) + " nodes, which makes neither 3 nor 6 per node",
                    "list the freedoms of each node in a column dofs");
      }
      std::vector<int> all;
      for (int i = 0; i < each; ++i) all.push_back(i);
      freedoms_.assign(table_.ids.size(), all);
    }
    for (const std::vector<int>& freedoms : freedoms_) {
      std::array<int, 6>& rows = table_.rowOf.emplace_back();
      rows.fill(-1);
      for (const int freedom : freedoms) rows[freedom] = table_.rows++;
    }
    if (table_.rows == rows_) return true;
    return fail("the nodes have " + std::to_string(table_.rows) + " freedoms and the matrices " +
                std::to_string(rows_) + " rows");
  }

  std::string_view text_;
  const std::string& path_;
  double unit_;
  int rows_;
  int line_ = 0;
  std::map<std::string, std::size_t> columns_;
  std::map<std::int64_t, int> seen_;
  std::vector<std::vector<int>> freedoms_;
  NodeTable table_;
  std::optional<base::Failure> failure_;
};

}  // namespace

base::Result<NodeTable> readNodeTableText(const std::string& text, const std::string& path,
                                          double lengthUnit, int rows) {
  return TableReader(text, path, lengthUnit, rows).read();
}

base::Result<NodeTable> readNodeTable(const std::string& path, double lengthUnit, int rows) {
  const base::Result<std::string> text = base::readFileText(path, kLargestFile);
  if (!text) return text.failure();
  return readNodeTableText(text.value(), path, lengthUnit, rows);
}

}  // namespace flexloop::fem
