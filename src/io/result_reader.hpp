// Reads a result file, also one whose run was interrupted.
#pragma once

#include <string>
#include <vector>

namespace flexloop::io {

struct Result {
  bool complete = false;
  std::string version, modelFile, modelText, title, settings;
  std::vector<double> time;
  std::vector<std::string> outputs;
  std::vector<std::string> units;           // by output; empty where not known
  std::vector<std::vector<double>> values;  // by output, as many as times
  std::vector<std::string> nodes;           // empty where no frames were recorded
  std::vector<double> positions;            // by record, node, x y z
  std::vector<double> rotations;            // by record, node, quaternion w x y z
};

// Throws std::runtime_error if the file cannot be read.
Result readResult(const std::string& path);

}  // namespace flexloop::io
