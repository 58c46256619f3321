// The little that we need of HDF5, with owners of its identifiers. Everything throws
// std::runtime_error with the name of the file where it fails.
//
// Files are made without time stamps (same input, same bits), without locks (a run may be looked at
// while it goes on) and in the format of HDF5 1.8, which has no mark of an open writer. They are written through a
// CommitFile: a file whose writer was killed, or whose disk was full, reads like any other, up to its last commit.
// Every part has a checksum: those of HDF5 for its own structures and Fletcher's for texts and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace flexloop::files {

class CommitFile;

// Throws std::bad_alloc where so many bytes cannot be had. HDF5 does not survive a lack of memory, so it is asked for
// before.
void requireMemory(std::size_t bytes);

class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);

  Hdf5Handle() = default;
  Hdf5Handle(std::int64_t id, Close close) : id_(id), close_(close) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept;
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;

  std::int64_t id() const { return id_; }
  bool isValid() const { return id_ >= 0; }
  // False if what was written could not be brought to the file.
  bool reset();

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

// Rows of numbers that grow at the end.
class Hdf5Table {
 public:
  void append(const double* values, std::size_t rows);
  std::size_t rows() const { return rows_; }

 private:
  friend class Hdf5File;
  std::string file_;
  std::shared_ptr<CommitFile> bytes_;
  Hdf5Handle dataset_;
  std::vector<std::size_t> rowShape_;
  std::size_t rows_ = 0;
};

class Hdf5File {
 public:
  static Hdf5File create(
      const std::string& path);  // nothing is read before it is committed or closed
  static Hdf5File open(const std::string& path);  // for reading

  void addGroup(const std::string& name);
  void addText(const std::string& name, const std::string& text);
  void addTexts(const std::string& name, const std::vector<std::string>& texts);
  // The content of a file, whatever it is.
  void addBytes(const std::string& name, const std::string& bytes);
  // A row has the shape given; no entries for one number. Space is taken in chunks of rows.
  Hdf5Table addTable(const std::string& name, std::vector<std::size_t> rowShape,
                     std::size_t chunkRows);
  // Attributes of the object at `where`, `/` for the file. They may be set again.
  void setAttribute(const std::string& where, const std::string& name, const std::string& text);
  void setAttribute(const std::string& where, const std::string& name, bool value);
  // Brings everything to the file at once: who opens it finds all of it or nothing. A synchronised commit has
  // reached the medium.
  void commit(bool isSynchronised);
  // Without it, the file stays as it was committed last.
  void close();

  bool has(const std::string& name) const;
  std::vector<std::string> namesIn(const std::string& group) const;  // in the order of their making
  std::string readText(const std::string& name) const;
  std::vector<std::string> readTexts(const std::string& name) const;
  std::string readBytes(const std::string& name) const;
  std::vector<double> readNumbers(const std::string& name) const;  // row by row
  // The numbers of rows and columns and so on of a table.
  std::vector<std::size_t> readShape(const std::string& name) const;
  // `count` rows from `first` on, which must be there.
  std::vector<double> readRows(const std::string& name, std::size_t first, std::size_t count) const;
  // A writer that is killed may leave the last chunk of a table with the checksum of other rows: it wrote the rows that
  // were there before over themselves, so they are still right. Such chunks are read without their checksum.
  void allowTornEnd() { allowsTornEnd_ = true; }
  bool hasAttribute(const std::string& where, const std::string& name) const;
  std::string readTextAttribute(const std::string& where, const std::string& name) const;
  bool readFlag(const std::string& where, const std::string& name) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void checkBytes() const;  // throws where they could not be written
  Hdf5Handle check(std::int64_t id, Hdf5Handle::Close close, const std::string& what) const;
  // What is opened is inside of the file and of the kind that is asked for.
  enum class Content { kTexts, kNumbers, kBytes };
  static bool isOf(Content content, const Hdf5Handle& type);
  static std::string describe(Content content);
  bool isWithin(const std::string& name) const;
  Hdf5Handle openObject(const std::string& where) const;
  Hdf5Handle openDataset(const std::string& name, Content content) const;
  Hdf5Handle openAttribute(const std::string& where, const std::string& name) const;
  void checkSize(const std::string& name, std::size_t bytes) const;
  [[noreturn]] void failReading(const std::string& name) const;

  bool readBlock(const Hdf5Handle& dataset, const std::vector<std::size_t>& shape,
                 std::size_t first, double* values, bool checksSum) const;

  std::string path_;
  std::shared_ptr<CommitFile> bytes_;  // of a file that is written, or that has a journal
  Hdf5Handle file_;
  bool allowsTornEnd_ = false;
};

}  // namespace flexloop::files
