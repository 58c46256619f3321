// A file whose state is replaced as a whole: a process that is killed, or a disk that is full, leaves either the
// last committed state or the one before, never a mixture (docs/decisions/0025).
//
// Two kinds of writes:
//   data     behind the end of the committed state go to the file at once: nothing refers to them yet.
//   changes  overwrite what the committed state consists of, as do data before its end, such as further rows of a block
//            that was not full. They are kept in memory until commit(), which
//              1. writes all of them as a journal behind the end of the file,
//              2. writes them to their places.
//            Whoever opens a file whose journal is whole reads it with the changes of the journal: after step 1 it
//            is the new state, whatever was reached of step 2. A journal that is not whole has no effect: before
//            step 2 the file is the old state.
//
//   journal: blocks {offset, size, bytes}…, then {mark, offset of the journal, number of blocks, checksum};
//            numbers have 64 bits, least significant byte first; the checksum covers all before it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace flexloop::files {

class CommitFile {
 public:
  enum class Use { kCreate, kRead };

  // error() says whether it is open.
  CommitFile(const std::string& path, Use use);
  ~CommitFile();
  CommitFile(const CommitFile&) = delete;
  CommitFile& operator=(const CommitFile&) = delete;

  // Of the first failure, as errno; 0: none. After a failure nothing is written any more.
  int error() const { return error_; }
  // Whether changes of a journal belong to the file that was opened for reading.
  bool hasJournal() const { return hasJournal_; }
  bool isRegular() const;  // no pipe, device or folder
  std::uint64_t size() const;

  // What is behind the end of the file is zero. False: the medium reports an error.
  bool read(std::uint64_t offset, std::span<char> bytes) const;
  void writeData(std::uint64_t offset, std::span<const char> bytes);
  void change(std::uint64_t offset, std::span<const char> bytes);

  // Of the state, without the journal.
  void setEnd(std::uint64_t end) { end_ = end; }
  std::uint64_t end() const { return end_; }

  // A synchronised commit outlasts a power failure too.
  void commit(bool isSynchronised);
  // The last commit, without a journal behind it.
  void finish();

 private:
  using Blocks = std::map<std::uint64_t, std::vector<char>>;  // by offset, without overlap

  void readJournal();
  bool isChanged(std::uint64_t offset, std::size_t size) const;  // any of these bytes
  std::vector<char> makeJournal() const;
  void writeAt(std::uint64_t offset, std::span<const char> bytes);
  void replaceState(bool isSynchronised);
  void truncate(std::uint64_t size);
  void synchronise();

  int descriptor_ = -1;
  int error_ = 0;
  bool hasJournal_ = false;
  std::uint64_t end_ = 0;
  std::uint64_t committedEnd_ = 0;
  Blocks changes_;
};

}  // namespace flexloop::files
