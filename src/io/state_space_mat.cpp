// The MAT-file of state_space_text.hpp.
#include <filesystem>
#include <matio.h>
#include <memory>
#include <stdexcept>

#include "io/output_file.hpp"
#include "io/state_space_text.hpp"

namespace flexloop::io {
namespace {

using File = std::unique_ptr<mat_t, int (*)(mat_t*)>;
using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

Variable makeMatrix(const char* name, const Eigen::MatrixXd& matrix) {
  std::size_t size[] = {static_cast<std::size_t>(matrix.rows()),
                        static_cast<std::size_t>(matrix.cols())};
  // The library copies the values, and only lacks the word const.
  return {Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size,
                        const_cast<double*>(matrix.data()), 0),
          Mat_VarFree};
}

Variable makeTexts(const char* name, const std::vector<std::string>& texts) {
  std::size_t size[] = {texts.size(), 1};
  Variable cell(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, size, nullptr, 0), Mat_VarFree);
  for (std::size_t i = 0; cell && i < texts.size(); ++i) {
    std::size_t length[] = {1, texts[i].size()};
    Mat_VarSetCell(cell.get(), static_cast<int>(i),
                   Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF8, 2, length,
                                 const_cast<char*>(texts[i].data()), 0));
  }
  return cell;
}

}  // namespace

void writeStateSpaceMat(const std::string& path, const analysis::StateSpace& system) {
  const std::runtime_error failure("cannot write '" + path + "' as a MAT-file");
  const std::string partial = partialName(path);
  File file(Mat_CreateVer(partial.c_str(), "MATLAB 5.0 MAT-file, written by Flexloop", MAT_FT_MAT5),
            Mat_Close);
  if (!file) throw failure;
  const auto write = [&](const Variable& variable) {
    if (!variable || Mat_VarWrite(file.get(), variable.get(), MAT_COMPRESSION_NONE) != 0) {
      throw failure;
    }
  };
  write(makeMatrix("A", system.A));
  write(makeMatrix("B", system.B));
  write(makeMatrix("C", system.C));
  write(makeMatrix("D", system.D));
  write(makeTexts("states", system.states));
  write(makeTexts("inputs", system.inputs));
  write(makeTexts("outputs", system.outputs));
  file.reset();
  renamePartial(path);
}

}  // namespace flexloop::io
