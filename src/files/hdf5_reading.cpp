// The reading half of Hdf5File. Files come from strangers and from disks that lose bits: class, size, rank and extent
// of everything are checked before memory is taken for it, and nothing that leads out of the file is followed. No other
// source calls H5Aread or H5Dread.
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string_view>

#include <hdf5.h>

#include "files/hdf5_file.hpp"
#include "files/hdf5_fill.hpp"

namespace flexloop::files {
namespace {

std::string trimmed(const std::string& text, std::size_t from, std::size_t size) {
  const auto start = text.begin() + static_cast<std::ptrdiff_t>(from);
  return {start, std::find(start, start + static_cast<std::ptrdiff_t>(size), '\0')};
}

// The product, or the largest number where it is larger.
std::size_t multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::size_t>::max() : product;
}

bool isPlainText(const Hdf5Handle& type) {
  return H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0;
}

std::vector<std::size_t> shapeOf(const Hdf5Handle& space) {
  const int rank = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  return {sizes.begin(), sizes.end()};
}

// Empty where the dataset is not in chunks.
std::vector<hsize_t> chunkOf(const Hdf5Handle& dataset) {
  const Hdf5Handle properties(H5Dget_create_plist(dataset.id()), H5Pclose);
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  if (H5Pget_layout(properties.id()) != H5D_CHUNKED) return {};
  const int rank = H5Pget_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data());
  return {chunk.begin(), chunk.begin() + std::max(rank, 0)};
}

bool isInRows(const Hdf5Handle& dataset, const std::vector<std::size_t>& shape) {
  const std::vector<hsize_t> chunk = chunkOf(dataset);
  if (chunk.empty()) return true;
  if (chunk.size() != shape.size() || chunk.front() == 0) return false;
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (chunk[i] != std::max<std::size_t>(shape[i], 1)) return false;
  }
  return true;
}

// Whether no chunk is missing (see hdf5_fill.hpp) or called unfiltered, which would not be checked. HDF5 looks through
// the whole index for each: for the few chunks of texts and bytes, not for tables.
bool hasChunks(const Hdf5Handle& dataset, std::size_t first, std::size_t end) {
  const std::vector<hsize_t> chunk = chunkOf(dataset);
  if (chunk.empty()) return true;
  std::vector<hsize_t> offset(chunk.size(), 0);
  for (std::size_t row = first / chunk.front() * chunk.front(); row < end; row += chunk.front()) {
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    offset.front() = row;
    if (H5Dget_chunk_info_by_coord(dataset.id(), offset.data(), &mask, &address, &size) < 0 ||
        address == HADDR_UNDEF || mask != 0) {
      return false;
    }
  }
  return true;
}

// One value, as a scalar or as an array of one entry.
bool isSingle(const Hdf5Handle& space) {
  return H5Sget_simple_extent_type(space.id()) != H5S_NULL &&
         H5Sget_simple_extent_npoints(space.id()) == 1;
}

// The data of a dataset may be in other files, and its filters in libraries: a result has neither.
bool isWithinFile(const Hdf5Handle& dataset) {
  const Hdf5Handle properties(H5Dget_create_plist(dataset.id()), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT) return false;
  if (H5Pget_external_count(properties.id()) != 0) return false;
  for (int i = 0; i < H5Pget_nfilters(properties.id()); ++i) {
    unsigned flags = 0, settings = 0;
    std::size_t count = 0;
    if (H5Pget_filter2(properties.id(), static_cast<unsigned>(i), &flags, &count, nullptr, 0,
                       nullptr, &settings) != H5Z_FILTER_FLETCHER32) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool Hdf5File::isOf(Content content, const Hdf5Handle& type) {
  if (content == Content::kTexts) return isPlainText(type);
  return H5Tequal(type.id(), content == Content::kNumbers ? H5T_IEEE_F64LE : H5T_STD_U8LE) > 0;
}

std::string Hdf5File::describe(Content content) {
  if (content == Content::kTexts) return "texts of fixed length";
  return content == Content::kNumbers ? "numbers of 64 bits" : "bytes";
}

// A link of another kind than a hard one may lead to another file.
bool Hdf5File::isWithin(const std::string& name) const {
  if (name == "/") return true;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('/', end + 1);
    const std::string part = name.substr(0, end);
    H5L_info_t link;
    if (H5Lexists(file_.id(), part.c_str(), H5P_DEFAULT) <= 0 ||
        H5Lget_info(file_.id(), part.c_str(), &link, H5P_DEFAULT) < 0) {
      return false;
    }
    if (link.type != H5L_TYPE_HARD)
      fail("'" + part + "' links to another file; results contain no links");
  }
  return true;
}

bool Hdf5File::has(const std::string& name) const {
  return isWithin(name);
}

Hdf5Handle Hdf5File::openObject(const std::string& where) const {
  if (!isWithin(where)) fail("there is no '" + where + "'");
  return check(H5Oopen(file_.id(), where.c_str(), H5P_DEFAULT), H5Oclose,
               "'" + where + "' cannot be opened; the file is damaged or truncated");
}

Hdf5Handle Hdf5File::openDataset(const std::string& name, Content content) const {
  Hdf5Handle dataset = openObject(name);
  if (H5Iget_type(dataset.id()) != H5I_DATASET) fail("'" + name + "' is not a table of values");
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  if (!isOf(content, type)) fail("'" + name + "' does not contain " + describe(content));
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  if (H5Sget_simple_extent_type(space.id()) != H5S_SIMPLE) fail("'" + name + "' is not an array");
  if (!isWithinFile(dataset) || !isInRows(dataset, shapeOf(space))) {
    fail("'" + name + "' is stored outside the file or in a format that results do not use");
  }
  return dataset;
}

// Nothing is packed: what is read takes at least as much of the file.
void Hdf5File::checkSize(const std::string& name, std::size_t bytes) const {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path_, error);
  if (error || bytes > size) {
    fail("'" + name + "' claims to be larger than the file; the file is damaged");
  }
}

void Hdf5File::failReading(const std::string& name) const {
  fail("'" + name + "' cannot be read; the file is damaged or truncated");
}

std::vector<std::string> Hdf5File::namesIn(const std::string& group) const {
  const Hdf5Handle object = openObject(group);
  H5G_info_t info;
  if (H5Iget_type(object.id()) != H5I_GROUP || H5Gget_info(object.id(), &info) < 0) {
    fail("'" + group + "' is not a group");
  }
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto name = [&](char* buffer, std::size_t size) {
      return H5Lget_name_by_idx(object.id(), ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, buffer, size,
                                H5P_DEFAULT);
    };
    const ssize_t size = name(nullptr, 0);
    if (size < 0) fail("the names in '" + group + "' cannot be read; the file is damaged");
    checkSize(group, static_cast<std::size_t>(size));
    std::string text(static_cast<std::size_t>(size) + 1, '\0');
    if (name(text.data(), text.size()) < 0) failReading(group);
    text.pop_back();
    names.push_back(std::move(text));
  }
  return names;
}

std::string Hdf5File::readText(const std::string& name) const {
  std::vector<std::string> texts = readTexts(name);
  if (texts.size() != 1) {
    fail("'" + name + "' contains " + std::to_string(texts.size()) + " texts instead of one");
  }
  return std::move(texts.front());
}

std::vector<std::string> Hdf5File::readTexts(const std::string& name) const {
  const Hdf5Handle dataset = openDataset(name, Content::kTexts);
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const std::vector<std::size_t> shape = shapeOf(space);
  if (shape.size() != 1) fail("'" + name + "' is not a list of texts");
  const std::size_t size = H5Tget_size(type.id());
  checkSize(name, multiply(shape.front(), size));
  std::string characters(shape.front() * size, '\0');
  if (characters.empty()) return {};
  if (!hasChunks(dataset, 0, shape.front()) ||
      H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data()) < 0) {
    failReading(name);
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < shape.front(); ++i)
    texts.push_back(trimmed(characters, i * size, size));
  return texts;
}

std::string Hdf5File::readBytes(const std::string& name) const {
  const Hdf5Handle dataset = openDataset(name, Content::kBytes);
  const std::vector<std::size_t> shape = shapeOf(Hdf5Handle(H5Dget_space(dataset.id()), H5Sclose));
  if (shape.size() != 1) fail("'" + name + "' is not a list of bytes");
  checkSize(name, shape.front());
  std::string bytes(shape.front(), '\0');
  if (bytes.empty()) return bytes;
  if (!hasChunks(dataset, 0, shape.front()) ||
      H5Dread(dataset.id(), H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
    failReading(name);
  }
  return bytes;
}

std::vector<double> Hdf5File::readNumbers(const std::string& name) const {
  const std::vector<std::size_t> shape = readShape(name);
  if (shape.size() != 1) fail("'" + name + "' is not a list of numbers");
  return readRows(name, 0, shape.front());
}

std::vector<std::size_t> Hdf5File::readShape(const std::string& name) const {
  const Hdf5Handle dataset = openDataset(name, Content::kNumbers);
  return shapeOf(Hdf5Handle(H5Dget_space(dataset.id()), H5Sclose));
}

// Rows of the shape from `first` on.
bool Hdf5File::readBlock(const Hdf5Handle& dataset, const std::vector<std::size_t>& shape,
                         std::size_t first, double* values, bool checksSum) const {
  std::vector<hsize_t> offset(shape.size(), 0);
  const std::vector<hsize_t> count(shape.begin(), shape.end());
  offset.front() = first;
  const Hdf5Handle source(H5Dget_space(dataset.id()), H5Sclose);
  const Hdf5Handle target(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                          H5Sclose);
  const Hdf5Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  if (!checksSum) H5Pset_edc_check(transfer.id(), H5Z_DISABLE_EDC);
  return H5Sselect_hyperslab(source.id(), H5S_SELECT_SET, offset.data(), nullptr, count.data(),
                             nullptr) >= 0 &&
         H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, target.id(), source.id(), transfer.id(),
                 values) >= 0;
}

std::vector<double> Hdf5File::readRows(const std::string& name, std::size_t first,
                                       std::size_t rows) const {
  const Hdf5Handle dataset = openDataset(name, Content::kNumbers);
  std::vector<std::size_t> shape = shapeOf(Hdf5Handle(H5Dget_space(dataset.id()), H5Sclose));
  if (shape.empty() || first > shape.front() || rows > shape.front() - first) {
    fail("'" + name + "' has too few rows");
  }
  shape.front() = rows;
  std::size_t numbers = 1;
  for (const std::size_t size : shape) numbers = multiply(numbers, size);
  checkSize(name, multiply(numbers, sizeof(double)));
  std::vector<double> values(numbers);
  if (values.empty()) return values;
  if (!readBlock(dataset, shape, first, values.data(), true)) {
    const std::vector<hsize_t> chunk = chunkOf(dataset);
    if (!allowsTornEnd_ || chunk.empty()) failReading(name);
    // All whole chunks before the last must be right.
    const std::size_t end = first + rows, start = (end - 1) / chunk.front() * chunk.front();
    const std::size_t torn = std::max(first, start);
    shape.front() = torn - first;
    if (torn > first && !readBlock(dataset, shape, first, values.data(), true)) failReading(name);
    shape.front() = end - torn;
    double* last = values.data() + (torn - first) * (numbers / rows);
    if (!readBlock(dataset, shape, torn, last, false)) failReading(name);
  }
  if (std::any_of(values.begin(), values.end(), isMissing)) failReading(name);
  return values;
}

bool Hdf5File::hasAttribute(const std::string& where, const std::string& name) const {
  const Hdf5Handle object = openObject(where);
  return H5Aexists(object.id(), name.c_str()) > 0;
}

Hdf5Handle Hdf5File::openAttribute(const std::string& where, const std::string& name) const {
  const Hdf5Handle object = openObject(where);
  const std::string subject = "the attribute '" + name + "' of '" + where + "' ";
  if (H5Aexists(object.id(), name.c_str()) <= 0) fail(subject + "is missing");
  Hdf5Handle attribute = check(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose,
                               subject + "cannot be opened; the file is damaged or truncated");
  if (!isSingle(Hdf5Handle(H5Aget_space(attribute.id()), H5Sclose))) {
    fail(subject + "is not a single value");
  }
  return attribute;
}

std::string Hdf5File::readTextAttribute(const std::string& where, const std::string& name) const {
  const Hdf5Handle attribute = openAttribute(where, name);
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const std::string subject = "the attribute '" + name + "' of '" + where + "' ";
  if (!isPlainText(type)) fail(subject + "is not a text of fixed length");
  const std::size_t size = H5Tget_size(type.id());
  checkSize(name, size);
  std::string text(size, '\0');
  if (H5Aread(attribute.id(), type.id(), text.data()) < 0) {
    fail(subject + "cannot be read; the file is damaged or truncated");
  }
  return trimmed(text, 0, text.size());
}

bool Hdf5File::readFlag(const std::string& where, const std::string& name) const {
  const Hdf5Handle attribute = openAttribute(where, name);
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const std::string subject = "the attribute '" + name + "' of '" + where + "' ";
  if (H5Tequal(type.id(), H5T_STD_U8LE) <= 0) fail(subject + "is not a single byte");
  unsigned char byte = 0;
  if (H5Aread(attribute.id(), H5T_NATIVE_UCHAR, &byte) < 0) {
    fail(subject + "cannot be read; the file is damaged or truncated");
  }
  if (byte > 1) fail(subject + "is neither 0 nor 1");
  return byte == 1;
}

}  // namespace flexloop::files
