// Turns of who writes a file and who reads it meanwhile, in other processes: while one has the turn, the other
// keeps off. It is a lock on the open file, so that it goes when its owner ends, however that happens. It lies on a
// byte far behind the end and so touches no lock of HDF5 or of other programs. Where a file system knows no
// locks, everyone always has the turn.
#pragma once

#include <chrono>
#include <string>

namespace flexloop::io {

class FileTurn {
 public:
  enum class Use { kRead, kWrite };  // many may read at once, one writes alone

  FileTurn() = default;
  FileTurn(const std::string& path, Use use);  // without the turn yet; the file must be there
  ~FileTurn();
  FileTurn(FileTurn&& other) noexcept;
  FileTurn& operator=(FileTurn&& other) noexcept;

  bool tryToTake() const;
  bool take(std::chrono::milliseconds patience) const;  // false: others had it all the time
  void release() const;

 private:
  int lock(short type) const;

  int descriptor_ = -1;
  Use use_ = Use::kRead;
};

}  // namespace flexloop::io
