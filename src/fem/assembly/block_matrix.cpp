#include "fem/assembly/block_matrix.hpp"

#include <algorithm>
#include <cassert>

namespace flexloop::fem {

Lists transpose(const Lists& lists, int numbers) {
  Lists result;
  result.first.assign(numbers + 1, 0);
  for (const int number : lists.items) ++result.first[number + 1];
  for (int i = 0; i < numbers; ++i) result.first[i + 1] += result.first[i];
  result.items.resize(lists.items.size());
  std::vector<int> next(result.first.begin(), result.first.end() - 1);
  for (int i = 0; i < lists.count(); ++i) {
    for (const int* number = lists.begin(i); number != lists.end(i); ++number) {
      result.items[next[*number]++] = i;
    }
  }
  return result;
}

Lists findBlockPattern(int groups, const Lists& elements, const Lists& stars,
                       const std::vector<int>& centres) {
  const Lists users = transpose(elements, groups), starsOf = transpose(stars, groups);
  Lists pattern;
  pattern.first.reserve(groups + 1);
  pattern.items.reserve(elements.items.size());
  std::vector<int> seen(groups, -1);
  for (int group = 0; group < groups; ++group) {
    pattern.items.push_back(group);
    seen[group] = group;
    const auto begin = static_cast<std::ptrdiff_t>(pattern.items.size());
    for (const int* element = users.begin(group); element != users.end(group); ++element) {
      for (const int* other = elements.begin(*element); other != elements.end(*element); ++other) {
        if (*other <= group || seen[*other] == group) continue;
        seen[*other] = group;
        pattern.items.push_back(*other);
      }
    }
    std::sort(pattern.items.begin() + begin, pattern.items.end());
    for (const int* star = starsOf.begin(group); star != starsOf.end(group); ++star) {
      pattern.items.push_back(centres[*star]);
    }
    pattern.close();
  }
  return pattern;
}

BlockMatrix::BlockMatrix(const RowGroups& groups, const Lists& pattern, Blocks blocks)
    : groups_(groups), pattern_(pattern), blocks_(blocks), matrix_(groups.rows, groups.rows) {
  offsets_.resize(pattern.items.size());
  int* outer = matrix_.outerIndexPtr();
  std::fill(outer, outer + groups.rows + 1, 0);
  for (int group = 0; group < groups.count(); ++group) {
    int entries = 0;
    for (int block = pattern.first[group] + 1; block < pattern.first[group + 1]; ++block) {
      const int other = pattern.items[block];
      offsets_[block] = entries;
      entries += isScalar(other, group) ? 1 : groups.size[other];
    }
    for (int column = 0; column < groups.size[group]; ++column) {
      outer[groups.first[group] + column + 1] = diagonalEntries(group, column) + entries;
    }
  }
  for (int column = 0; column < groups.rows; ++column) outer[column + 1] += outer[column];
  matrix_.resizeNonZeros(outer[groups.rows]);
  std::fill_n(matrix_.valuePtr(), matrix_.nonZeros(), 0.0);

  for (int group = 0; group < groups.count(); ++group) {
    for (int column = 0; column < groups.size[group]; ++column) {
      int* row = matrix_.innerIndexPtr() + outer[groups.first[group] + column];
      for (int i = 0; i < diagonalEntries(group, column); ++i) {
        *row++ = groups.first[group] + column + i;
      }
      for (int block = pattern.first[group] + 1; block < pattern.first[group + 1]; ++block) {
        const int other = pattern.items[block];
        if (isScalar(other, group)) {
          *row++ = groups.first[other] + column;
        } else {
          for (int i = 0; i < groups.size[other]; ++i) *row++ = groups.first[other] + i;
        }
      }
    }
  }
}

void BlockMatrix::addDiagonalBlock(int group, const int* rows, const Eigen::MatrixXd& matrix) {
  const int* outer = matrix_.outerIndexPtr() + groups_.first[group];
  const bool scalar = isScalar(group, group);
  for (int j = 0; j < groups_.size[group]; ++j) {
    if (rows[j] < 0) continue;
    double* values = matrix_.valuePtr() + outer[j];
    values[0] += matrix(rows[j], rows[j]);
    if (scalar) continue;
    for (int i = j + 1; i < groups_.size[group]; ++i) {
      if (rows[i] >= 0) values[i - j] += matrix(rows[i], rows[j]);
    }
  }
}

void BlockMatrix::addBlock(int block, int rowGroup, const int* rows, int columnGroup,
                           const int* columns, const Eigen::MatrixXd& matrix) {
  const int* outer = matrix_.outerIndexPtr() + groups_.first[columnGroup];
  const bool scalar = isScalar(rowGroup, columnGroup);
  for (int j = 0; j < groups_.size[columnGroup]; ++j) {
    if (columns[j] < 0) continue;
    double* values =
        matrix_.valuePtr() + outer[j] + diagonalEntries(columnGroup, j) + offsets_[block];
    if (scalar) {
      if (rows[j] >= 0) values[0] += matrix(rows[j], columns[j]);
      continue;
    }
    for (int i = 0; i < groups_.size[rowGroup]; ++i) {
      if (rows[i] >= 0) values[i] += matrix(rows[i], columns[j]);
    }
  }
}

void BlockMatrix::add(const std::vector<int>& members, const std::vector<int>& indices,
                      const Eigen::MatrixXd& matrix) {
  for (std::size_t j = 0; j < members.size(); ++j) {
    const int columnGroup = members[j];
    addDiagonalBlock(columnGroup, &indices[6 * j], matrix);
    const int* const end = pattern_.end(columnGroup);
    const int* place = pattern_.begin(columnGroup);
    for (std::size_t i = j + 1; i < members.size(); ++i) {
      place = std::lower_bound(place, end, members[i]);
      assert(place != end && *place == members[i]);
      addBlock(static_cast<int>(place - pattern_.items.data()), members[i], &indices[6 * i],
               columnGroup, &indices[6 * j], matrix);
    }
  }
}

void BlockMatrix::addEntry(int rowGroup, int row, int columnGroup, int column, double value) {
  const int* place =
      std::lower_bound(pattern_.begin(columnGroup), pattern_.end(columnGroup), rowGroup);
  assert(place != pattern_.end(columnGroup) && *place == rowGroup && rowGroup > columnGroup);
  const auto block = place - pattern_.items.data();
  const int start = matrix_.outerIndexPtr()[groups_.first[columnGroup] + column];
  matrix_.valuePtr()[start + diagonalEntries(columnGroup, column) + offsets_[block] + row] += value;
}

}  // namespace flexloop::fem
