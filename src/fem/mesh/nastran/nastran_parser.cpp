#include "fem/mesh/nastran/nastran_parser.hpp"

#include <filesystem>

#include "base/file_text.hpp"
#include "base/nearest_word.hpp"
#include "fem/mesh/mesh_readers.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

constexpr int kDeepestInclude = 10;
constexpr int kMostFiles = 1000;
constexpr std::size_t kLargestInclude = std::size_t{16} << 30;

constexpr const char* kLoads = "loads and solutions do not belong to a part";
constexpr const char* kSupports = "supports do not belong to a part";
constexpr const char* kSprings = "springs and dampers are elements of the model, not of a part";
constexpr const char* kIsotropic = "use MAT1, the isotropic material";
constexpr const char* kBars = "use CBAR";

}  // namespace

const std::map<std::string_view, NastranParser::Known>& NastranParser::known() {
  using P = NastranParser;
  static const std::map<std::string_view, Known> all = [] {
    std::map<std::string_view, Known> cards;
    const auto add = [&](const char* name, bool (P::*read)()) {
      cards[name] = {name, read, nullptr, nullptr};
    };
    add("INCLUDE", &P::readInclude);
    add("PARAM", &P::readParameter);
    add("GRID", &P::readGrid);
    add("GRDSET", &P::readGridDefaults);
    for (const char* name : {"CORD1R", "CORD1C", "CORD1S"}) add(name, &P::readSystem1);
    for (const char* name : {"CORD2R", "CORD2C", "CORD2S"}) add(name, &P::readSystem2);
    add("CTETRA", &P::readTetra);
    for (const char* name : {"CPYRAM", "CPYRA"}) add(name, &P::readPyramid);
    add("CPENTA", &P::readPenta);
    add("CHEXA", &P::readHexa);
    for (const char* name : {"CTRIA3", "CTRIAR"}) add(name, &P::readTria3);
    add("CTRIA6", &P::readTria6);
    for (const char* name : {"CQUAD4", "CQUADR"}) add(name, &P::readQuad4);
    add("CQUAD8", &P::readQuad8);
    for (const char* name : {"CBAR", "CBEAM"}) add(name, &P::readBar);
    add("SET1", &P::readSet1);
    add("SET3", &P::readSet3);
    add("SPC", &P::readSupport);
    add("SPC1", &P::readSupport1);
    add("MAT1", &P::readMaterial);
    add("PSOLID", &P::readSolidProperty);
    add("PSHELL", &P::readShellProperty);
    add("PBAR", &P::readBarProperty);
    for (const char* name : {"PBARL", "PBEAML"}) add(name, &P::readBarShape);
    add("PBEAM", &P::readBeamProperty);
    add("CONM2", &P::readMass);
    add("RBE2", &P::readRigid);
    add("RBE3", &P::readAveraging);
    add("RBAR", &P::readRigidBar);
    add("MPC", &P::readEquation);
    add("MPCADD", &P::readEquationSum);
    const auto skip = [&](std::initializer_list<const char*> names, const char* reason) {
      for (const char* name : names) cards[name] = {name, nullptr, reason, nullptr};
    };
    skip({"FORCE",   "FORCE1", "FORCE2",  "MOMENT",  "MOMENT1", "MOMENT2", "PLOAD",  "PLOAD1",
          "PLOAD2",  "PLOAD4", "GRAV",    "RFORCE",  "LOAD",    "LSEQ",    "TEMP",   "TEMPD",
          "TEMPP1",  "EIGRL",  "EIGR",    "EIGC",    "EIGB",    "TLOAD1",  "TLOAD2", "RLOAD1",
          "RLOAD2",  "DLOAD",  "DAREA",   "FREQ",    "FREQ1",   "FREQ2",   "FREQ4",  "TSTEP",
          "TSTEPNL", "NLPARM", "TABLED1", "TABLED2", "TABLEM1", "TABDMP1", "DPHASE", "DELAY",
          "SLOAD",   "ACCEL",  "ACCEL1"},
         kLoads);
    skip({"SPCADD", "SPCD", "SUPORT", "SUPORT1"}, kSupports);
    skip({"ASET", "ASET1", "BSET", "BSET1", "CSET", "CSET1", "QSET", "QSET1", "OMIT", "OMIT1",
          "SPOINT", "USET", "USET1", "DTI"},
         "the reduction is described in the model");
    skip({"PLOTEL"}, "it has no stiffness");
    skip({"MATT1", "MATS1"}, "a part is linear elastic");
    const auto refuse = [&](std::initializer_list<const char*> names, const char* hint) {
      for (const char* name : names) cards[name] = {name, nullptr, nullptr, hint};
    };
    refuse({"CELAS1", "CELAS2", "CELAS3", "CELAS4", "CBUSH", "CBUSH1D", "CDAMP1", "CDAMP2", "CVISC",
            "CGAP", "PELAS", "PBUSH", "PDAMP", "PVISC", "PGAP"},
           kSprings);
    refuse({"CMASS1", "CMASS2", "CMASS3", "CMASS4", "PMASS", "CONM1"}, "use CONM2");
    refuse({"CROD", "CONROD", "CTUBE", "PROD", "PTUBE", "CBEND", "PBEND"}, kBars);
    refuse({"CSHEAR", "PSHEAR", "CWELD", "CFAST", "CQUAD", "CTRIAX6", "CQUADX"},
           "use CQUAD4 or CTRIA3");
    refuse({"PCOMP", "PCOMPG"}, "use PSHELL with MAT1");
    refuse({"MAT2", "MAT3", "MAT8", "MAT9", "MAT10", "MAT11"}, kIsotropic);
    refuse({"RBE1", "RROD", "RTRPLT", "RSPLINE", "RSSCON"}, "use RBE2, RBE3, RBAR or MPC");
    refuse({"BAROR", "BEAMOR"}, "give the orientation with each CBAR");
    refuse({"GENEL", "DMIG", "K2GG"}, "give matrices as Matrix Market files");
    refuse({"CORD3G", "CORD3R"}, "use CORD2R, CORD2C or CORD2S");
    return cards;
  }();
  return all;
}

void NastranParser::warnOnce(const std::string& message, const std::string& hint) {
  if (warned_.insert(message).second) builder_.warn(card_.place, message, hint);
}

bool NastranParser::isInteger(std::size_t i) const {
  return isGiven(i) && parseInteger(card_.fields[i]).has_value();
}

std::optional<std::int64_t> NastranParser::integer(std::size_t i, const char* what) {
  if (!isGiven(i)) {
    fail(std::string("the ") + what + " is missing");
    return {};
  }
  const std::optional<std::int64_t> value = parseInteger(card_.fields[i]);
  if (!value) fail("'" + text(i) + "' is no whole number (" + what + ")");
  return value;
}

std::optional<std::int64_t> NastranParser::integerOr(std::size_t i, std::int64_t missing,
                                                     const char* what) {
  return isGiven(i) ? integer(i, what) : missing;
}

std::optional<double> NastranParser::real(std::size_t i, const char* what) {
  if (!isGiven(i)) {
    fail(std::string("the ") + what + " is missing");
    return {};
  }
  const std::optional<double> value = parseReal(card_.fields[i]);
  if (!value) fail("'" + text(i) + "' is no number (" + what + ")");
  return value;
}

std::optional<double> NastranParser::realOr(std::size_t i, double missing, const char* what) {
  return isGiven(i) ? real(i, what) : missing;
}

std::optional<unsigned> NastranParser::components(std::size_t i) {
  unsigned bits = 0;
  for (const char c : text(i)) {
    if (c < '1' || c > '6') {
      bits = 0;
      break;
    }
    bits |= 1U << (c - '1');
  }
  if (bits != 0) return bits;
  fail("'" + text(i) + "' are no components", "they are given by digits from 1 to 6, as 123");
  return {};
}

// Numbers and ranges `first THRU last [BY step]` in the fields from first to before last.
bool NastranParser::addIds(IdSet& set, std::size_t first, std::size_t last) {
  last = std::min(last, card_.fields.size());
  for (std::size_t i = first; i < last; ++i) {
    if (!isGiven(i)) continue;
    const auto id = integer(i, "number of a node or element");
    if (!id) return false;
    IdRange range{*id, *id, 1, card_.place};
    if (i + 1 < last && toUpper(card_.fields[i + 1]) == "THRU") {
      const auto end = integer(i + 2, "last number behind THRU");
      if (!end) return false;
      range.last = *end;
      i += 2;
      if (i + 1 < last && toUpper(card_.fields[i + 1]) == "BY") {
        const auto step = integer(i + 2, "step behind BY");
        if (!step) return false;
        range.step = *step;
        i += 2;
      }
      if (range.last < range.first || range.step < 1)
        return fail("THRU must lead to a larger number");
    }
    set.ranges.push_back(range);
  }
  return true;
}

bool NastranParser::parse(std::string_view text) {
  return parseText(text, 0) && build();
}

bool NastranParser::parseText(std::string_view text, int file) {
  NastranCards cards(text, file, builder_);
  if (file == 0) {
    std::vector<std::string> control;
    if (!cards.skipControl(control)) return false;
    readControl(control);
  }
  while (cards.next(card_)) {
    if (!readCard()) return false;
  }
  return !builder_.hasFailed();
}

// Of the case control, the choice among sets of MPC.
void NastranParser::readControl(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos || trim(std::string_view(line).substr(0, equals)) != "MPC") continue;
    if (const auto id = parseInteger(std::string_view(line).substr(equals + 1)))
      selectedEquations_ = *id;
  }
}

bool NastranParser::readCard() {
  const auto found = known().find(card_.name);
  if (found == known().end()) {
    std::vector<std::string> names;
    for (const auto& [name, card] : known()) {
      if (card.refused == nullptr) names.emplace_back(name);
    }
    const auto nearest = base::findNearestWord(card_.name, names);
    return builder_.fail(card_.place, "the card '" + card_.name + "' is not known",
                         nearest ? "did you mean " + *nearest + "?" : "");
  }
  const Known& card = found->second;
  if (card.refused != nullptr) {
    return builder_.fail(card_.place, card_.name + " is not supported", card.refused);
  }
  if (card.skipped != nullptr) {
    warnOnce(card_.name + " is not used: " + card.skipped);
    return true;
  }
  return (this->*card.read)();
}

bool NastranParser::readInclude() {
  std::string name = text(0);
  std::erase_if(name, [](char c) { return c == '\'' || c == '"'; });
  if (name.empty()) return fail("the name of the file is missing");
  if (depth_ >= kDeepestInclude || builder_.fileCount() >= kMostFiles) {
    return fail("'" + name + "' is included too deeply", "does a file include itself?");
  }
  const std::filesystem::path folder =
      std::filesystem::path(builder_.fileName(card_.place.file)).parent_path();
  const std::string path = (folder / name).string();
  const base::Result<std::string> content = base::readFileText(path, kLargestInclude);
  if (!content) return fail(content.failure().message, content.failure().hint);
  ++depth_;
  const bool ok = parseText(content.value(), builder_.addFile(path));
  --depth_;
  return ok;
}

bool NastranParser::readParameter() {
  const std::string name = toUpper(text(0));
  if (name != "WTMASS") {
    if (parameters_.insert(name).second) warnOnce("PARAM " + name + " is not used");
    return true;
  }
  const auto factor = real(1, "value of WTMASS");
  if (!factor) return false;
  if (!(*factor > 0.0)) return fail("WTMASS must be positive");
  massFactor_ = *factor;
  if (*factor != 1.0) warnOnce("densities and masses are multiplied by WTMASS = " + text(1));
  return true;
}

base::Result<MeshFile> readNastran(std::string_view text, MeshBuilder& builder) {
  NastranParser(builder).parse(text);
  return builder.finish();
}

}  // namespace flexloop::fem
