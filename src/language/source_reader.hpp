// The files of a model apart from what they say: read once, kept with a result, and used instead of those on disk.
#pragma once

#include <string>

#include "language/overrides.hpp"
#include "language/raw_model.hpp"
#include "model/description.hpp"
#include "model/source_files.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

// A model file with all that it includes. A file that cannot be read or is no YAML ends the reading with
// base::InputError; other mistakes are for those who read the model.
model::SourceFiles readSourceFiles(const std::string& path, const system::Registry& registry);
// The same with another text for the first.
model::SourceFiles readSourceFiles(const std::string& text, const std::string& path,
                                   const system::Registry& registry);

// Files that were stored, with the paths that they would have if the model were at `path`.
model::SourceFiles placeSourceFiles(const model::SourceFiles& stored, const std::string& path,
                                    const system::Registry& registry);

// As readRawFile and readModelFile, of such files. `path` is that of the model, for messages and for what is not among
// the files, such as black boxes.
RawModel readRawFiles(const model::SourceFiles& files, const std::string& path,
                      const system::Registry& registry, ErrorList& errors);
model::Description readModelFiles(const model::SourceFiles& files, const std::string& path,
                                  const system::Registry& registry,
                                  const Overrides& overrides = {});

}  // namespace flexloop::language
