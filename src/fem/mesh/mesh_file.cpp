#include "fem/mesh/mesh_file.hpp"

#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file_text.hpp"
#include "fem/mesh/mesh_readers.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

// Above what fits into the memory of any machine that could use the mesh.
constexpr std::size_t kLargestMesh = std::size_t{16} << 30;

enum class Format { kGmsh, kAbaqus, kNastran };

// The first line that is neither empty nor a comment of Abaqus or Nastran; empty at the end.
std::string_view findFirstLine(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    const bool isComment =
        line.starts_with("**") || (line.starts_with('$') && !line.starts_with("$MeshFormat"));
    if (!line.empty() && !isComment) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::optional<Format> detectFormat(std::string_view text, const std::string& path) {
  const std::string_view line = findFirstLine(text);
  if (line.starts_with("$MeshFormat")) return Format::kGmsh;
  if (text.substr(0, 1024).find('\0') != text.npos) return {};
  // A card of Nastran may be NAME*, but none begins with an asterisk: a continuation does, which is never first.
  if (line.starts_with('*')) return Format::kAbaqus;
  const std::string extension = toUpper(std::filesystem::path(path).extension().string());
  if (extension == ".MSH") return Format::kGmsh;
  if (extension == ".INP") return Format::kAbaqus;
  for (const char* known : {".BDF", ".DAT", ".NAS", ".BLK", ".BULK", ".PCH", ".FEM"}) {
    if (extension == known) return Format::kNastran;
  }
  const std::string word = toUpper(line.substr(0, 5));
  for (const char* known :
       {"GRID ", "GRID*", "GRID,", "BEGIN", "SOL 1", "CEND", "INIT ", "NASTR"}) {
    if (word.starts_with(known)) return Format::kNastran;
  }
  return {};
}

}  // namespace

base::Result<MeshFile> readMeshText(const std::string& bytes, const std::string& path,
                                    double lengthUnit) {
  std::string_view text = bytes;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the mark of UTF-8
  if (!(lengthUnit > 0.0) || !std::isfinite(lengthUnit)) {
    return base::Failure{path + ": the unit of length must be positive"};
  }
  const std::optional<Format> format = detectFormat(text, path);
  if (!format) {
    return base::Failure{
        path + ": this is no mesh of a known format",
        "meshes are read from Gmsh .msh, Abaqus or CalculiX .inp and Nastran .bdf, .dat or .nas"};
  }
  MeshBuilder builder(path, lengthUnit);
  switch (*format) {
    case Format::kGmsh:
      return readGmsh(text, builder);
    case Format::kAbaqus:
      return readAbaqus(text, builder);
    case Format::kNastran:
      break;
  }
  return readNastran(text, builder);
}

base::Result<MeshFile> readMesh(const std::string& path, double lengthUnit) {
  const base::Result<std::string> text = base::readFileText(path, kLargestMesh);
  if (!text) return text.failure();
  return readMeshText(text.value(), path, lengthUnit);
}

}  // namespace flexloop::fem
