#include "io/mat_file.hpp"

#include <matio.h>
#include <stdexcept>
#include <utility>

#include "io/output_file.hpp"

namespace flexloop::io {
namespace {

using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

std::runtime_error failureOf(const std::string& path) {
  return std::runtime_error("cannot write '" + path + "' as a MAT-file");
}

void writeVariable(mat_t* file, const Variable& variable, const std::string& path) {
  if (!variable || Mat_VarWrite(file, variable.get(), MAT_COMPRESSION_NONE) != 0) {
    throw failureOf(path);
  }
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
      file_(Mat_CreateVer(partialName(path_).c_str(), "MATLAB 5.0 MAT-file, written by Flexloop",
                          MAT_FT_MAT5),
            Mat_Close) {
  if (!file_) throw failureOf(path_);
}

MatFile::~MatFile() = default;

void MatFile::write(const char* name, const Eigen::MatrixXd& matrix) {
  writeVariable(file_.get(),
                makeNumbers(name, matrix.data(),
                            {static_cast<std::size_t>(matrix.rows()),
                             static_cast<std::size_t>(matrix.cols())}),
                path_);
}

void MatFile::write(const char* name, const std::vector<double>& numbers,
                    const std::vector<std::size_t>& size) {
  writeVariable(file_.get(), makeNumbers(name, numbers.data(), size), path_);
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
}

void MatFile::close() {
  file_.reset();
  renamePartial(path_);
}

}  // namespace flexloop::io
