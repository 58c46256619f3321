#include "io/result_reader.hpp"

#include "io/hdf5_file.hpp"

namespace flexloop::io {

Result readResult(const std::string& path) {
  const Hdf5File file = Hdf5File::open(path);
  Result result;
  result.complete = file.readFlag("/", "complete");
  result.version = file.readTextAttribute("/", "version");
  result.modelFile = file.readTextAttribute("/", "model");
  result.modelText = file.readText("/model");
  result.title = file.readTextAttribute("/", "title");
  result.settings = file.readTextAttribute("/", "settings");
  result.time = file.readNumbers("/time");
  result.outputs = file.namesIn("/outputs");
  for (const std::string& name : result.outputs) {
    const std::string where = "/outputs/" + name;
    result.units.push_back(file.hasAttribute(where, "unit") ? file.readTextAttribute(where, "unit")
                                                            : std::string());
    result.values.push_back(file.readNumbers(where));
    // The times are written last: an interrupted file may have more of the others.
    result.values.back().resize(result.time.size());
  }
  if (file.has("/nodes")) {
    result.nodes = file.readTexts("/nodes/names");
    result.positions = file.readNumbers("/nodes/position");
    result.rotations = file.readNumbers("/nodes/rotation");
    result.positions.resize(result.time.size() * result.nodes.size() * 3);
    result.rotations.resize(result.time.size() * result.nodes.size() * 4);
  }
  return result;
}

}  // namespace flexloop::io
