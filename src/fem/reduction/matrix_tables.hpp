// Matrices in HDF5 files, with checks of their sizes and numbers.
#pragma once

#include <stdexcept>
#include <string>

#include <Eigen/Core>

#include "files/hdf5_file.hpp"

namespace flexloop::fem {

// What a file should have and has not.
struct WrongContent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void writeMatrix(files::Hdf5File& file, const std::string& name, const Eigen::MatrixXd& matrix);
void writeVector(files::Hdf5File& file, const std::string& name, const Eigen::VectorXd& vector);

// Throw WrongContent for other sizes and for numbers that are not finite. With as many rows and columns as asked for; -1: any.
Eigen::MatrixXd readMatrix(const files::Hdf5File& file, const std::string& name, Eigen::Index rows,
                           Eigen::Index columns);
Eigen::VectorXd readVector(const files::Hdf5File& file, const std::string& name);

}  // namespace flexloop::fem
