#include "analysis/balance/read_outputs.hpp"

#include <algorithm>

namespace flexloop::analysis {
namespace {

// Whether one of the sampled blocks takes it: their equations are not in the pattern.
bool isSampled(const control::BlockSet& blocks, int signal) {
  const std::vector<int>& sampled = blocks.sampled();
  return std::any_of(sampled.begin(), sampled.end(), [&](int e) {
    for (int i = 0; i < blocks.inputs(e); ++i) {
      if (blocks.input(e, i).value == signal) return true;
    }
    return false;
  });
}

}  // namespace

std::vector<bool> findReadOutputs(const system::Assembler& assembler,
                                  const control::BlockSet& blocks, int element) {
  std::vector<int> own;
  for (int k = 0; k < blocks.outputs(element); ++k) own.push_back(blocks.output(element, k).value);
  const auto isOwn = [&](int row) { return std::find(own.begin(), own.end(), row) != own.end(); };
  const linalg::SparseMatrix& pattern = assembler.pattern();
  std::vector<bool> isRead;
  for (const int signal : own) {
    bool isUsed = isSampled(blocks, signal);
    for (linalg::SparseMatrix::InnerIterator it(pattern, signal); it && !isUsed; ++it) {
      isUsed = !isOwn(static_cast<int>(it.row()));
    }
    isRead.push_back(isUsed);
  }
  return isRead;
}

}  // namespace flexloop::analysis
