#include "files/hdf5_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <hdf5.h>

#include "base/file_text.hpp"
#include "files/commit_file.hpp"
#include "files/hdf5_driver.hpp"
#include "files/hdf5_fill.hpp"

namespace flexloop::files {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// HDF5 prints its own stack of errors otherwise, and looks for libraries of filters that a file names. At the end of the program it would try again to close what could not be
// closed, for ever where memory is short.
void prepareLibrary() {
  constexpr std::size_t kMemory = std::size_t{4} << 20;  // for a file with a few tables
  requireMemory(kMemory);
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);
}

Hdf5Handle makeTextType(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), std::max<std::size_t>(size, 1));
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

Hdf5Handle makeAccess() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_file_locking(access.id(), false, true);
  return access;
}

// Fixed and small: of tables that only grow, no more than the last pieces of their indices are needed. By
// default this cache grows with the file, to hundreds of megabytes.
void limitCache(hid_t access) {
  constexpr std::size_t kBytes = std::size_t{128} << 10;
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  H5Pget_mdc_config(access, &cache);
  cache.set_initial_size = true;
  cache.initial_size = kBytes;
  cache.min_size = kBytes;
  cache.max_size = kBytes;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  H5Pset_mdc_config(access, &cache);
}

// Rows are written where they belong at once. A cache would take a megabyte of each table.
Hdf5Handle makeTableAccess() {
  Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.id(), 1, 0, 1.0);
  return access;
}

Hdf5Handle makeTimeless(hid_t kind) {
  Hdf5Handle properties(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(properties.id(), false);
  return properties;
}

std::size_t product(const std::vector<std::size_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::string describeFailure(const std::string& path, const CommitFile& bytes) {
  return "the file '" + path + "' cannot be written: " + std::strerror(bytes.error());
}

// Why a file does not open.
std::string explainUnreadable(const std::string& path) {
  const std::string special = base::describeSpecialFile(path);
  if (!special.empty()) return "it is " + special;
  constexpr std::string_view kMark = "\x89HDF\r\n\x1a\n";
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return "it does not exist or cannot be read";
  std::string start(kMark.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == kMark ? "it is damaged or truncated" : "it is not an HDF5 file";
}

}  // namespace

void requireMemory(std::size_t bytes) {
  const std::unique_ptr<void, decltype(&std::free)> room(std::malloc(bytes), std::free);
  if (room == nullptr) throw std::bad_alloc();
}

Hdf5Handle::Hdf5Handle(Hdf5Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), close_(other.close_) {}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

bool Hdf5Handle::reset() {
  if (id_ < 0) return true;
  return close_(std::exchange(id_, -1)) >= 0;
}

void Hdf5File::fail(const std::string& what) const {
  throw std::runtime_error("the file '" + path_ + "': " + what);
}

Hdf5Handle Hdf5File::check(std::int64_t id, Hdf5Handle::Close closer,
                           const std::string& what) const {
  if (id < 0) fail(what);
  return {id, closer};
}

Hdf5File Hdf5File::create(const std::string& path) {
  prepareLibrary();
  Hdf5File result;
  result.path_ = path;
  result.bytes_ = std::make_shared<CommitFile>(path, CommitFile::Use::kCreate);
  result.checkBytes();
  const Hdf5Handle access = makeAccess();
  limitCache(access.id());
  useCommitFile(*result.bytes_, access.id());
  const Hdf5Handle properties = makeTimeless(H5P_FILE_CREATE);
  H5Pset_link_creation_order(properties.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  result.file_ = result.check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.id(), access.id()),
                              H5Fclose, "it cannot be written");
  return result;
}

Hdf5File Hdf5File::open(const std::string& path) {
  prepareLibrary();
  Hdf5File result;
  result.path_ = path;
  const Hdf5Handle access = makeAccess();
  auto bytes = std::make_shared<CommitFile>(path, CommitFile::Use::kRead);
  // HDF5 itself opens a file by its real path, which one in memory does not have.
  std::error_code hasNoPath;
  static_cast<void>(std::filesystem::canonical(path, hasNoPath));
  if (bytes->hasJournal() || hasNoPath) {
    useCommitFile(*bytes, access.id());
    result.bytes_ = bytes;
  }
  if (bytes->isRegular()) {
    result.file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  }
  if (!result.file_.isValid()) result.fail(explainUnreadable(path));
  return result;
}

void Hdf5File::addGroup(const std::string& name) {
  const Hdf5Handle properties = makeTimeless(H5P_GROUP_CREATE);
  H5Pset_link_creation_order(properties.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  check(H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose,
        "the group '" + name + "' cannot be created");
}

void Hdf5File::addText(const std::string& name, const std::string& text) {
  addTexts(name, {text});
}

void Hdf5File::addTexts(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size());
  std::string joined;
  for (const std::string& text : texts) joined += text + std::string(size - text.size(), '\0');
  const Hdf5Handle type = makeTextType(size);
  const hsize_t count = texts.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle properties = makeTimeless(H5P_DATASET_CREATE);
  // Only what is in chunks has checksums.
  if (count > 0) {
    H5Pset_chunk(properties.id(), 1, &count);
    H5Pset_fletcher32(properties.id());
  }
  const Hdf5Handle dataset = check(H5Dcreate2(file_.id(), name.c_str(), type.id(), space.id(),
                                              H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                                   H5Dclose, "'" + name + "' cannot be created");
  if (H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, joined.data()) < 0) {
    fail("'" + name + "' cannot be written");
  }
}

void Hdf5File::addBytes(const std::string& name, const std::string& bytes) {
  constexpr hsize_t kChunk = hsize_t{1} << 20;
  const hsize_t count = bytes.size(), chunk = std::clamp<hsize_t>(count, 1, kChunk);
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle properties = makeTimeless(H5P_DATASET_CREATE);
  if (count > 0) {
    H5Pset_chunk(properties.id(), 1, &chunk);
    H5Pset_fletcher32(properties.id());
  }
  const Hdf5Handle dataset = check(H5Dcreate2(file_.id(), name.c_str(), H5T_STD_U8LE, space.id(),
                                              H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                                   H5Dclose, "'" + name + "' cannot be created");
  if (count > 0 &&
      H5Dwrite(dataset.id(), H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
    fail("'" + name + "' cannot be written");
  }
}

Hdf5Table Hdf5File::addTable(const std::string& name, std::vector<std::size_t> rowShape,
                             std::size_t chunkRows) {
  std::vector<hsize_t> now{0}, most{H5S_UNLIMITED}, chunk{chunkRows};
  for (const std::size_t n : rowShape) {
    now.push_back(n);
    most.push_back(n);
    chunk.push_back(std::max<std::size_t>(n, 1));
  }
  const int rank = static_cast<int>(now.size());
  const Hdf5Handle space(H5Screate_simple(rank, now.data(), most.data()), H5Sclose);
  const Hdf5Handle properties = makeTimeless(H5P_DATASET_CREATE);
  H5Pset_chunk(properties.id(), rank, chunk.data());
  H5Pset_fletcher32(properties.id());
  H5Pset_fill_value(properties.id(), H5T_NATIVE_DOUBLE, &kMissing);
  // What is not used of the last chunk would otherwise hold whatever was in memory.
  H5Pset_fill_time(properties.id(), H5D_FILL_TIME_ALLOC);
  const Hdf5Handle access = makeTableAccess();
  Hdf5Table table;
  table.file_ = path_;
  table.bytes_ = bytes_;
  table.rowShape_ = std::move(rowShape);
  table.dataset_ = check(H5Dcreate2(file_.id(), name.c_str(), H5T_NATIVE_DOUBLE, space.id(),
                                    H5P_DEFAULT, properties.id(), access.id()),
                         H5Dclose, "'" + name + "' cannot be created");
  return table;
}

void Hdf5Table::append(const double* values, std::size_t rows) {
  if (rows == 0 || product(rowShape_) == 0) return;
  std::vector<hsize_t> offset{rows_}, count{rows}, size{rows_ + rows};
  for (const std::size_t n : rowShape_) {
    offset.push_back(0);
    count.push_back(n);
    size.push_back(n);
  }
  const bool extended = H5Dset_extent(dataset_.id(), size.data()) >= 0;
  const Hdf5Handle target(H5Dget_space(dataset_.id()), H5Sclose);
  const Hdf5Handle source(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                          H5Sclose);
  H5Sselect_hyperslab(target.id(), H5S_SELECT_SET, offset.data(), nullptr, count.data(), nullptr);
  if (!extended || H5Dwrite(dataset_.id(), H5T_NATIVE_DOUBLE, source.id(), target.id(), H5P_DEFAULT,
                            values) < 0) {
    throw std::bad_alloc();  // failures to write are kept by the file
  }
  if (bytes_->error() != 0) throw std::runtime_error(describeFailure(file_, *bytes_));
  rows_ += rows;
}

void Hdf5File::setAttribute(const std::string& where, const std::string& name,
                            const std::string& text) {
  const Hdf5Handle object = openObject(where);
  if (H5Aexists(object.id(), name.c_str()) > 0) {
    const Hdf5Handle old(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
    const Hdf5Handle reserved(H5Aget_type(old.id()), H5Tclose);
    if (const std::size_t size = H5Tget_size(reserved.id()); text.size() <= size) {
      std::string padded = text;
      padded.resize(size, '\0');
      if (H5Awrite(old.id(), reserved.id(), padded.data()) < 0) fail("it cannot be written");
      return;
    }
    H5Adelete(object.id(), name.c_str());
  }
  const Hdf5Handle type = makeTextType(text.size());
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute =
      check(H5Acreate2(object.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
            H5Aclose, "the attribute '" + name + "' cannot be created");
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  if (H5Awrite(attribute.id(), type.id(), padded.data()) < 0) fail("it cannot be written");
}

void Hdf5File::setAttribute(const std::string& where, const std::string& name, bool value) {
  const Hdf5Handle object = openObject(where);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const bool isThere = H5Aexists(object.id(), name.c_str()) > 0;
  const Hdf5Handle attribute = check(isThere ? H5Aopen(object.id(), name.c_str(), H5P_DEFAULT)
                                             : H5Acreate2(object.id(), name.c_str(), H5T_STD_U8LE,
                                                          space.id(), H5P_DEFAULT, H5P_DEFAULT),
                                     H5Aclose, "the attribute '" + name + "' cannot be created");
  const unsigned char byte = value ? 1 : 0;
  if (H5Awrite(attribute.id(), H5T_NATIVE_UCHAR, &byte) < 0) fail("it cannot be written");
}

void Hdf5File::checkBytes() const {
  if (bytes_->error() != 0) throw std::runtime_error(describeFailure(path_, *bytes_));
}

void Hdf5File::commit(bool isSynchronised) {
  if (H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) < 0) throw std::bad_alloc();
  bytes_->commit(isSynchronised);
  checkBytes();
}

void Hdf5File::close() {
  if (!file_.reset()) fail("it cannot be closed");
  bytes_->finish();
  checkBytes();
}

}  // namespace flexloop::files
