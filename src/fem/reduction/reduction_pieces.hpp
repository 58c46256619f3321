// Stages of a long reduction that are done, on disk until the whole part is: a reduction that was interrupted goes on where it
// stopped, with the same bits.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace flexloop::fem {

struct Stopwatch {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
};

class ReductionPieces {
 public:
  using Matrices = std::vector<Eigen::MatrixXd>;

  ReductionPieces() = default;  // keeps nothing
  // Beside the file `path` of the finished part, for what has this key; see part_cache.hpp. A stage of less than `least`
  // seconds is sooner done again than read. Who makes pieces holds the lock of the part.
  ReductionPieces(std::string path, std::string key, double least = 1.0);

  // Nothing where the stage is not done, or its file is damaged or of another key.
  std::optional<Matrices> find(const std::string& stage) const;
  // A disk that is full or cannot be written is no error: the stage is then done again.
  void keep(const std::string& stage, const Matrices& matrices, double seconds) const;
  // When the whole is done.
  void remove() const;

  static constexpr const char* kEnding = ".piece";

 private:
  std::string fileFor(const std::string& stage) const;

  std::string path_, key_;
  double least_ = 0.0;
};

}  // namespace flexloop::fem
