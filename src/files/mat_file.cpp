#include "files/mat_file.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <matio.h>
#include <stdexcept>
#include <utility>

namespace flexloop::files {
namespace {

using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

std::runtime_error failureOf(const std::string& path) {
  return std::runtime_error("the file '" + path +
                            "' cannot be written as a MAT-file; is the disk full?");
}

void writeVariable(mat_t* file, const Variable& variable, const std::string& path) {
  if (!variable || Mat_VarWrite(file, variable.get(), MAT_COMPRESSION_NONE) != 0) {
    throw failureOf(path);
  }
}

// The library does not notice a full disk. A whole file consists of its head and, for each variable, of an element that
// has room for its values.
bool isWhole(const std::string& path, const std::vector<std::size_t>& values) {
  constexpr std::uint64_t kHead = 128;
  std::ifstream stream(path, std::ios::binary);
  std::uint64_t at = kHead;
  for (const std::size_t bytes : values) {
    std::array<std::uint32_t, 2> tag{};  // type and size
    stream.seekg(static_cast<std::streamoff>(at));
    stream.read(reinterpret_cast<char*>(tag.data()), sizeof tag);
    if (!stream || tag[1] < bytes) return false;
    at += sizeof tag + tag[1];
  }
  std::error_code error;
  return std::filesystem::file_size(path, error) == at && !error;
}

// The library copies the values, and only lacks the word const.
Variable makeNumbers(const char* name, const double* numbers, std::vector<std::size_t> size) {
  return {Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, static_cast<int>(size.size()),
                        size.data(), const_cast<double*>(numbers), 0),
          Mat_VarFree};
}

}  // namespace

MatFile::MatFile(std::string path)
    : path_(std::move(path)),
      staged_(path_),
      file_(Mat_CreateVer(staged_.name().c_str(), "MATLAB 5.0 MAT-file, written by Flexloop",
                          MAT_FT_MAT5),
            Mat_Close) {
  if (!file_) throw failureOf(path_);
}

void MatFile::write(const char* name, const Eigen::MatrixXd& matrix) {
  writeVariable(file_.get(),
                makeNumbers(name, matrix.data(),
                            {static_cast<std::size_t>(matrix.rows()),
                             static_cast<std::size_t>(matrix.cols())}),
                path_);
  values_.push_back(static_cast<std::size_t>(matrix.size()) * sizeof(double));
}

void MatFile::write(const char* name, const std::vector<double>& numbers,
                    const std::vector<std::size_t>& size) {
  writeVariable(file_.get(), makeNumbers(name, numbers.data(), size), path_);
  values_.push_back(numbers.size() * sizeof(double));
}

void MatFile::write(const char* name, const std::vector<std::string>& texts) {
  std::size_t size[] = {texts.size(), 1};
  const Variable cell(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, size, nullptr, 0),
                      Mat_VarFree);
  for (std::size_t i = 0; cell && i < texts.size(); ++i) {
    std::size_t length[] = {1, texts[i].size()};
    Mat_VarSetCell(cell.get(), static_cast<int>(i),
                   Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF8, 2, length,
                                 const_cast<char*>(texts[i].data()), 0));
  }
  writeVariable(file_.get(), cell, path_);
  values_.push_back(0);
}

void MatFile::close() {
  if (Mat_Close(file_.release()) != 0 || !isWhole(staged_.name(), values_)) {
    throw failureOf(path_);
  }
  staged_.commit();
}

}  // namespace flexloop::files
