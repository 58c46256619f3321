#include "fem/parts/part_request.hpp"

#include <algorithm>
#include <filesystem>
#include <variant>

#include "base/text_format.hpp"
#include "system/builder.hpp"

namespace flexloop::fem {
namespace {

namespace fs = std::filesystem;
using system::Builder;
using system::Item;

struct LengthUnit {
  const char* word;
  double metres;
};
constexpr std::array<LengthUnit, 7> kUnits{{{"m", 1.0},
                                            {"mm", 1e-3},
                                            {"cm", 1e-2},
                                            {"um", 1e-6},
                                            {"km", 1e3},
                                            {"in", 0.0254},
                                            {"ft", 0.3048}}};

// A relative path starts at the file that names it.
std::string resolvePath(const std::string& text, const base::Place& place) {
  const fs::path path(text);
  if (path.is_absolute() || place.file == nullptr) return path.string();
  return (fs::path(*place.file).parent_path() / path).string();
}

class RequestReader {
 public:
  RequestReader(const Item& item, Builder& builder) : item_(item), builder_(builder) {}

  std::optional<PartRequest> read() {
    request_.name = item_.name();
    request_.place = item_.place();
    readSource();
    readMaterials();
    readInterfaces();
    readReduction();
    if (hasError_) return std::nullopt;
    return std::move(request_);
  }

 private:
  void error(const base::Place& place, const std::string& message, const std::string& hint) {
    builder_.error(place, "parts." + item_.name() + ": " + message, hint);
    hasError_ = true;
  }

  std::string fileOf(const Item& item, const char* key) const {
    return resolvePath(item.text(key), item.placeOf(key));
  }

  void readSource() {
    int sources = 0;
    if (item_.has("mesh")) {
      request_.mesh = fileOf(item_, "mesh");
      ++sources;
    }
    if (item_.has("reduced")) {
      request_.reduced = fileOf(item_, "reduced");
      ++sources;
    }
    if (item_.has("matrices")) {
      const Item files = item_.child("matrices");
      request_.matrices = {fileOf(files, "K"), fileOf(files, "M"), fileOf(files, "nodes")};
      ++sources;
    }
    if (item_.has("block")) {
      readBlock(item_.child("block"));
      ++sources;
    }
    if (sources != 1) {
      error(item_.place(),
            sources == 0 ? "nothing says what it consists of" : "it is given in several ways",
            "give exactly one of 'mesh', 'block', 'matrices' and 'reduced'");
    }
    request_.unit = item_.has("unit") ? findLengthUnit(item_.text("unit")) : 1.0;
    if (item_.has("elements")) request_.elements = item_.names("elements");
  }

  void readBlock(const Item& block) {
    BlockRequest request;
    request.size = block.vector("size");
    const std::vector<double> counts = block.numbers("elements");
    double all = 1.0;
    for (int a = 0; a < 3; ++a) {
      all *= counts[a];
      if (!(request.size[a] > 0.0)) {
        return error(block.placeOf("size"), "a block has a positive size in all directions", "");
      }
      if (counts[a] < 1.0 || counts[a] != std::floor(counts[a])) {
        return error(block.placeOf("elements"),
                     "expected whole numbers of elements along x, y and z", "such as [16, 4, 1]");
      }
    }
    constexpr double kMost = 1e7;  // more do not fit the memory of any machine that is at hand
    if (all > kMost) {
      return error(block.placeOf("elements"), "a block of more than 10,000,000 elements",
                   "fewer elements are sufficient for a part that is reduced anyway");
    }
    for (int a = 0; a < 3; ++a) request.elements[a] = static_cast<int>(counts[a]);
    request.shape = block.text("shape") == "hex8" ? ElementShape::kHex8 : ElementShape::kHex20;
    request_.block = request;
  }

  // Shear follows from nu; a material of beams may give G instead.
  MeshMaterial materialOf(const std::string& name) {
    MeshMaterial material;
    material.name = name;
    const Item* item = builder_.findItem("materials", name);
    if (item == nullptr) return material;
    material.E = item->number("E");
    material.rho = item->number("rho", 0.0);
    material.nu =
        item->has("nu") ? item->number("nu") : material.E / (2.0 * item->number("G")) - 1.0;
    return material;
  }

  void readMaterials() {
    if (item_.has("material")) request_.material = materialOf(item_.text("material"));
    for (const auto& [group, value] : entriesOf("materials")) {
      request_.materials.emplace_back(group, materialOf(std::get<std::string>(value.data)));
    }
    for (const auto& [group, value] : entriesOf("thickness")) {
      request_.thickness.emplace_back(group, std::get<double>(value.data));
    }
  }

  system::ValueMap entriesOf(const char* key) const {
    const system::Value* value = item_.find(key);
    return value != nullptr ? std::get<system::ValueMap>(value->data) : system::ValueMap();
  }

  void readInterfaces() {
    for (const auto& [name, value] : entriesOf("interfaces")) {
      readInterface(Item("parts", name, "", value.place, std::get<system::ValueMap>(value.data)));
    }
    if (request_.interfaces.empty() && request_.reduced.empty() && !hasError_) {
      error(item_.has("interfaces") ? item_.placeOf("interfaces") : item_.place(),
            "it has no interface",
            "the machine takes hold of a part at its interfaces, such as foot: {set: foot_face}");
    }
  }

  void readInterface(const Item& item) {
    InterfaceRequest request;
    request.name = item.name();
    const std::string owner = "interface '" + item.name() + "': ";
    if (item.has("set") == item.has("mesh_node")) {
      return error(item.place(), owner + "expected either 'set' or 'mesh_node'",
                   "a set of nodes, or the number of one node of the mesh");
    }
    if (item.has("set")) request.set = item.text("set");
    if (item.has("mesh_node")) request.meshNode = item.integer("mesh_node");
    if (item.has("at")) request.at = request_.unit * item.vector("at");
    request.spread = item.boolean("spread", false);
    if (item.has("modes")) request.modes = item.integer("modes");
    if (request.meshNode && (request.at || request.spread || request.modes > 0)) {
      return error(item.place(), owner + "'at', 'spread' and 'modes' belong to a set",
                   "remove them");
    }
    request.spread = request.spread || request.modes > 0;
    request_.interfaces.push_back(std::move(request));
  }

  void readReduction() {
    if (item_.has("method")) request_.method = *findMethod(item_.text("method"));
    if (item_.has("modes")) request_.modes = item_.integer("modes");
    if (item_.has("up_to")) request_.upTo = item_.number("up_to");
    if (item_.has("accuracy")) request_.accuracy = item_.number("accuracy");
    if (item_.has("recover")) request_.recover = item_.names("recover");
    const PartDamping damping = readPartDamping(item_);
    if (damping.held.empty()) request_.damping = damping.ratio;
    if (damping.ratio > 1.0) {
      builder_.diagnostics().addWarning(item_.placeOf("damping"),
                                        "parts." + item_.name() + ": the damping ratio is " +
                                            base::numberText(damping.ratio) +
                                            ": no mode of the part can vibrate",
                                        "it is a share of critical damping: 0.01 is one percent");
    }
    request_.hasStiffening = item_.boolean("stiffening", false);
    request_.hasForeshortening = item_.boolean("foreshortening", false);
    if (request_.hasForeshortening && request_.interfaces.size() == 1) {
      error(item_.placeOf("foreshortening"), "'foreshortening' needs a second interface",
            "it is the stiffness that forces at other interfaces than the first give to the part");
    }
    for (const char* key : {"stiffening", "foreshortening"}) {
      if (!request_.matrices || !item_.boolean(key, false)) continue;
      error(item_.placeOf(key), std::string("'") + key + "' needs a mesh",
            "stiffness and mass from another program do not say how stresses stiffen the part");
    }
    if (request_.modes && request_.upTo) {
      error(item_.placeOf("modes"), "'modes' and 'up_to' cannot be combined",
            "give the number of modes, or the frequency up to which they count");
    }
    if (request_.accuracy && !request_.upTo) {
      error(item_.placeOf("accuracy"), "'accuracy' needs 'up_to'",
            "the frequency up to which it holds, such as up_to: 500 Hz");
    }
    readHeld();
  }

  void readHeld() {
    if (!item_.has("held")) return;
    request_.held = item_.names("held");
    if (request_.method != ReductionMethod::kHybridInterface) {
      error(item_.placeOf("held"), "'held' belongs to method hybrid_interface", "remove it");
    }
    for (const std::string& name : request_.held) {
      const bool isThere = std::any_of(request_.interfaces.begin(), request_.interfaces.end(),
                                       [&](const auto& i) { return i.name == name; });
      if (!isThere) error(item_.placeOf("held"), "no interface is called '" + name + "'", "");
    }
  }

  const Item& item_;
  Builder& builder_;
  PartRequest request_;
  bool hasError_ = false;
};

}  // namespace

const std::vector<std::string>& reductionWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list;
    for (int m = 0; m <= static_cast<int>(ReductionMethod::kHybridInterface); ++m) {
      list.push_back(nameOf(static_cast<ReductionMethod>(m)));
    }
    return list;
  }();
  return words;
}

double findLengthUnit(const std::string& word) {
  for (const LengthUnit& unit : kUnits) {
    if (word == unit.word) return unit.metres;
  }
  return 0.0;
}

const std::vector<std::string>& lengthUnitWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list;
    for (const LengthUnit& unit : kUnits) list.emplace_back(unit.word);
    return list;
  }();
  return words;
}

PartDamping readPartDamping(const Item& item) {
  if (!item.has("damping")) return {};
  if (const double* ratio = std::get_if<double>(&item.at("damping").data))
    return {*ratio, {}, 0.0, 0.0};
  const Item parts = item.child("damping");
  return {parts.number("ratio", 0.0),
          parts.has("held") ? parts.names("held") : std::vector<std::string>(),
          parts.number("mass", 0.0), parts.number("stiffness", 0.0)};
}

std::optional<PartRequest> readPartRequest(const Item& item, Builder& builder) {
  return RequestReader(item, builder).read();
}

}  // namespace flexloop::fem
