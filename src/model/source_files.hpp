// The files that a model consists of, as they were read: the model itself, what it includes, and the meshes that it is
// drawn with. A result keeps them, so that what comes after a run does not depend on what has become of them.
#pragma once

#include <string>
#include <vector>

namespace flexloop::model {

struct SourceFile {
  std::string name;  // relative to the folder of the model, unless the model gives an absolute one
  std::string path;  // where it was looked for, as in messages
  std::string text;
  bool isRepeated = false;  // another name of a file that is here already; without its text
};

struct SourceFiles {
  std::vector<SourceFile> files;  // the model itself first
  bool isStored = false;          // with a result: what is not here is not looked for on disk

  const SourceFile* findName(const std::string& name) const;
  const SourceFile* findPath(const std::string& path) const;
  // The name of what the file at `path` calls `reference`.
  std::string nameFrom(const std::string& path, const std::string& reference) const;
};

}  // namespace flexloop::model
