#include "files/vtu_file.hpp"

#include <string_view>

#include "base/text_format.hpp"
#include "files/output_file.hpp"
#include "files/xml_text.hpp"

namespace flexloop::files {
namespace {

constexpr std::uint8_t kTriangle = 5;  // VTK's number of this kind of cell

// Names and offsets are in the XML; the numbers follow as bytes.
class VtuWriter {
 public:
  void addArray(const char* type, const VtuArray& array) {
    add(type, array.name, array.components, array.values);
  }

  template <class Number>
  void add(const char* type, const std::string& name, int components,
           const std::vector<Number>& values) {
    xml_ += base::formatText(
        "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
        "offset=\"%zu\"/>\n",
        type, escapeXml(name).c_str(), components, bytes_.size());
    const std::uint64_t size = values.size() * sizeof(Number);
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(reinterpret_cast<const char*>(values.data()), size);
  }

  void text(std::string_view text) { xml_ += text; }

  void write(const std::string& path) {
    OutputFile file(path);
    file.write(xml_);
    file.write("<AppendedData encoding=\"raw\">\n_");
    file.write(bytes_);
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.close();
  }

 private:
  std::string xml_, bytes_;
};

}  // namespace

void writeVtu(const std::string& path, const VtuSurface& surface) {
  const std::size_t cells = surface.triangles.size() / 3;
  std::vector<std::int64_t> ends(cells);
  for (std::size_t i = 0; i < cells; ++i) ends[i] = static_cast<std::int64_t>(3 * (i + 1));
  VtuWriter writer;
  writer.text(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
  writer.text(base::formatText("<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<Points>\n",
                               surface.points.size() / 3, cells));
  writer.add("Float32", "position", 3, surface.points);
  writer.text("</Points>\n<Cells>\n");
  writer.add("Int64", "connectivity", 1,
             std::vector<std::int64_t>(surface.triangles.begin(), surface.triangles.end()));
  writer.add("Int64", "offsets", 1, ends);
  writer.add("UInt8", "types", 1, std::vector<std::uint8_t>(cells, kTriangle));
  writer.text("</Cells>\n<PointData>\n");
  for (const VtuArray& array : surface.pointArrays) writer.addArray("Float32", array);
  writer.text("</PointData>\n<CellData>\n");
  for (const VtuArray& array : surface.cellArrays) writer.addArray("Float32", array);
  writer.text("</CellData>\n</Piece>\n</UnstructuredGrid>\n");
  writer.write(path);
}

void writePvd(const std::string& path,
              const std::vector<std::pair<double, std::string>>& filesByTime) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const auto& [time, file] : filesByTime) {
    text += "<DataSet timestep=\"" + base::numberText(time) + "\" part=\"0\" file=\"" +
            escapeXml(file) + "\"/>\n";
  }
  writeTextFile(path, text + "</Collection>\n</VTKFile>\n");
}

}  // namespace flexloop::files
