// The reading half of Hdf5File.
#include <algorithm>

#include <hdf5.h>

#include "io/hdf5_file.hpp"

namespace flexloop::io {
namespace {

std::string trimmed(const char* text, std::size_t size) {
  return {text, std::find(text, text + size, '\0')};
}

}  // namespace

std::vector<std::string> Hdf5File::namesIn(const std::string& group) const {
  const Hdf5Handle object = openObject(group);
  H5G_info_t info;
  if (H5Gget_info(object.id(), &info) < 0) fail("'" + group + "' is no group");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto name = [&](char* buffer, std::size_t size) {
      return H5Lget_name_by_idx(object.id(), ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, buffer, size,
                                H5P_DEFAULT);
    };
    const ssize_t size = name(nullptr, 0);
    if (size < 0) fail("the names of '" + group + "' cannot be read");
    std::string text(static_cast<std::size_t>(size) + 1, '\0');
    name(text.data(), text.size());
    text.pop_back();
    names.push_back(std::move(text));
  }
  return names;
}

std::string Hdf5File::readText(const std::string& name) const {
  const std::vector<std::string> texts = readTexts(name);
  return texts.empty() ? std::string() : texts.front();
}

std::vector<std::string> Hdf5File::readTexts(const std::string& name) const {
  const Hdf5Handle dataset = check(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose,
                                   "there is no '" + name + "'");
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const std::size_t size = H5Tget_size(type.id());
  const auto count =
      static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.id()), 0));
  std::vector<char> characters(size * count);
  if (count > 0 &&
      H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data()) < 0) {
    fail("'" + name + "' cannot be read");
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(trimmed(characters.data() + i * size, size));
  return texts;
}

std::vector<double> Hdf5File::readNumbers(const std::string& name) const {
  const Hdf5Handle dataset = check(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose,
                                   "there is no '" + name + "'");
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  std::vector<double> numbers(
      static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.id()), 0)));
  if (!numbers.empty() &&
      H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0) {
    fail("'" + name + "' cannot be read");
  }
  return numbers;
}

std::vector<std::size_t> Hdf5File::readShape(const std::string& name) const {
  const Hdf5Handle dataset = check(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose,
                                   "there is no '" + name + "'");
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(rank, 0)));
  H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  return {sizes.begin(), sizes.end()};
}

std::vector<double> Hdf5File::readRows(const std::string& name, std::size_t first,
                                       std::size_t rows) const {
  const Hdf5Handle dataset = check(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose,
                                   "there is no '" + name + "'");
  const std::vector<std::size_t> shape = readShape(name);
  if (shape.empty() || first + rows > shape.front()) fail("'" + name + "' has too few rows");
  std::vector<hsize_t> offset(shape.size(), 0), count(shape.begin(), shape.end());
  offset.front() = first;
  count.front() = rows;
  std::size_t numbers = rows;
  for (std::size_t i = 1; i < shape.size(); ++i) numbers *= shape[i];
  std::vector<double> values(numbers);
  if (values.empty()) return values;
  const Hdf5Handle source(H5Dget_space(dataset.id()), H5Sclose);
  const Hdf5Handle target(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                          H5Sclose);
  H5Sselect_hyperslab(source.id(), H5S_SELECT_SET, offset.data(), nullptr, count.data(), nullptr);
  if (H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, target.id(), source.id(), H5P_DEFAULT,
              values.data()) < 0) {
    fail("'" + name + "' cannot be read; the file is damaged or cut off");
  }
  return values;
}

bool Hdf5File::hasAttribute(const std::string& where, const std::string& name) const {
  const Hdf5Handle object = openObject(where);
  return H5Aexists(object.id(), name.c_str()) > 0;
}

std::string Hdf5File::readTextAttribute(const std::string& where, const std::string& name) const {
  const Hdf5Handle object = openObject(where);
  const Hdf5Handle attribute = check(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose,
                                     "there is no attribute '" + name + "'");
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  std::string text(H5Tget_size(type.id()), '\0');
  if (H5Aread(attribute.id(), type.id(), text.data()) < 0) fail("'" + name + "' cannot be read");
  return trimmed(text.data(), text.size());
}

bool Hdf5File::readFlag(const std::string& where, const std::string& name) const {
  const Hdf5Handle object = openObject(where);
  const Hdf5Handle attribute = check(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), H5Aclose,
                                     "there is no attribute '" + name + "'");
  unsigned char byte = 0;
  if (H5Aread(attribute.id(), H5T_NATIVE_UCHAR, &byte) < 0) fail("'" + name + "' cannot be read");
  return byte != 0;
}

}  // namespace flexloop::io
