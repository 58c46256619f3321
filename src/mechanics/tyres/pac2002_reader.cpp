#include "mechanics/tyres/pac2002_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "base/file_text.hpp"
#include "base/nearest_word.hpp"
#include "base/text_format.hpp"
#include "mechanics/tyres/tir_file.hpp"

namespace flexloop::mechanics {

using base::Place;
using system::Builder;
using system::Item;

namespace {

using namespace pac2002;

constexpr std::size_t kLargestFile = std::size_t{4} << 20;
// Slip as large as this is the limit where a file gives none.
constexpr double kUsualSlip = 1.5;

struct Entry {
  double value = std::numeric_limits<double>::quiet_NaN();
  Place place;
  bool isGiven() const { return !std::isnan(value); }
};

class Reader {
 public:
  Reader(const Item& item, Builder& builder)
      : item_(item), builder_(builder), before_(builder.diagnostics().errors().size()) {}

  std::optional<Pac2002Numbers> read() {
    if (item_.has("file")) readFile();
    if (item_.has("coefficients")) readCoefficients();
    if (hasErrors()) return std::nullopt;
    complete();
    check();
    if (hasErrors()) return std::nullopt;
    for (int k = 0; k < kCount; ++k) numbers_.c[k] = entries_[k].value;
    return numbers_;
  }

 private:
  bool hasErrors() const { return builder_.diagnostics().errors().size() > before_; }
  std::string subject() const { return "contacts." + item_.name() + ": "; }

  static std::optional<int> find(std::string_view name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<int>(found - kNames.begin());
  }

  void readFile() {
    namespace fs = std::filesystem;
    const Place& place = item_.placeOf("file");
    const fs::path folder =
        place.file != nullptr ? fs::path(*place.file).parent_path() : fs::path();
    const std::string path = (folder / item_.text("file")).string();
    const auto text = base::readFileText(path, kLargestFile);
    if (!text) {
      return builder_.error(place, subject() + text.failure().message, text.failure().hint);
    }
    TirFile file = parseTir(text.value(), path, builder_.diagnostics());
    if (hasErrors()) return;
    const Place top{std::make_shared<const std::string>(path), 1, 0};
    checkModel(file, top);
    checkUnits(file, top);
    readSide(file);
    for (const auto& [key, value] : file.values) readNumber(key, value);
    warnOfOthers(file);
    numbers_.loadCurve = std::move(file.loadCurve);
  }

  void checkModel(const TirFile& file, const Place& top) {
    const auto found = file.values.find("PROPERTY_FILE_FORMAT");
    if (found == file.values.end()) {
      return builder_.error(
          top, "the tyre file has no PROPERTY_FILE_FORMAT",
          "its section [MODEL] must have the line PROPERTY_FILE_FORMAT = 'PAC2002'");
    }
    if (found->second.text == "PAC2002") return;
    builder_.error(found->second.place, "the tyre model '" + found->second.text + "' is not known",
                   "files of the format 'PAC2002' can be read; the names of other formats mean "
                   "other things");
  }

  void checkUnits(const TirFile& file, const Place& top) {
    struct Unit {
      const char* key;
      std::array<const char*, 3> words;
    };
    static constexpr std::array<Unit, 5> kUnits{{{"LENGTH", {"METER", "METRE", "M"}},
                                                 {"FORCE", {"NEWTON", "N", "NEWTONS"}},
                                                 {"ANGLE", {"RADIANS", "RADIAN", "RAD"}},
                                                 {"MASS", {"KG", "KILOGRAM", "KILOGRAMS"}},
                                                 {"TIME", {"SECOND", "SEC", "S"}}}};
    const auto section = file.sections.find("UNITS");
    if (section == file.sections.end()) {
      return builder_.error(top, "the tyre file has no section [UNITS]",
                            "state LENGTH = 'meter', FORCE = 'newton' and ANGLE = 'radians'");
    }
    for (const Unit& unit : kUnits) {
      const auto found = file.values.find(unit.key);
      const bool isThere = found != file.values.end() && found->second.section == "UNITS";
      const bool isNeeded = unit.key != std::string("MASS") && unit.key != std::string("TIME");
      if (!isThere) {
        if (isNeeded) {
          builder_.error(section->second, std::string("[UNITS] does not state ") + unit.key,
                         "state LENGTH = 'meter', FORCE = 'newton' and ANGLE = 'radians'");
        }
        continue;
      }
      std::string word = found->second.text;
      std::transform(word.begin(), word.end(), word.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      if (std::find(unit.words.begin(), unit.words.end(), word) != unit.words.end()) continue;
      std::string usual = unit.words[0];
      std::transform(usual.begin(), usual.end(), usual.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      builder_.error(found->second.place,
                     std::string("the unit of ") + unit.key + " is '" + found->second.text + "'",
                     "convert the numbers of the file, and state '" + usual + "'");
    }
  }

  void readSide(const TirFile& file) {
    const auto found = file.values.find("TYRESIDE");
    if (found == file.values.end()) return;
    std::string word = found->second.text;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    numbers_.isRight = word == "RIGHT";
    if (numbers_.isRight || word == "LEFT") return;
    builder_.error(found->second.place, "TYRESIDE is '" + found->second.text + "'",
                   "state 'LEFT' or 'RIGHT', the side on which the tyre was measured");
  }

  void readNumber(const std::string& key, const TirValue& value) {
    const auto name = find(key);
    if (!name) return;
    double number = 0.0;
    const char* end = value.text.data() + value.text.size();
    const char* begin = value.text.data() + (value.text.starts_with('+') ? 1 : 0);
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (value.isText || error != std::errc() || stop != end || !std::isfinite(number)) {
      return builder_.error(value.place, "'" + key + "' is not a number: '" + value.text + "'",
                            "give a finite number with a decimal point");
    }
    entries_[*name] = {number, value.place};
  }

  // Coefficients of effects that are not computed.
  void warnOfOthers(const TirFile& file) {
    std::string names;
    for (const auto& [key, value] : file.values) {
      if (find(key) || !value.section.ends_with("_COEFFICIENTS") || value.isText) continue;
      double number = 1.0;
      std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
      const bool isNeutral = number == (value.section.starts_with("SCALING") ? 1.0 : 0.0);
      if (!isNeutral) names += (names.empty() ? "" : ", ") + key;
    }
    if (names.empty()) return;
    builder_.diagnostics().addWarning(
        item_.placeOf("file"), subject() + "coefficients of the tyre file are not used: " + names,
        "turn slip, inflation pressure and the dynamics of the belt are not computed");
  }

  void readCoefficients() {
    const system::Value& map = item_.at("coefficients");
    for (const system::NamedValue& given : *std::get_if<system::ValueMap>(&map.data)) {
      const auto name = find(given.name);
      if (!name) {
        const std::vector<std::string> known(kNames.begin(), kNames.end());
        const auto nearest = base::findNearestWord(given.name, known);
        builder_.error(given.value.place,
                       subject() + "'" + given.name + "' is not a coefficient of PAC2002",
                       nearest ? "did you mean '" + *nearest + "'?"
                               : "names are those of tyre files, such as PDY1 and LMUY");
        continue;
      }
      entries_[*name] = {*std::get_if<double>(&given.value.data), given.value.place};
    }
  }

  Place whole() const { return item_.has("file") ? item_.placeOf("file") : item_.place(); }

  void complete() {
    std::string missing, needed;
    for (int k = 0; k < kCount; ++k) {
      if (entries_[k].isGiven()) continue;
      const std::string name(kNames[k]);
      const bool isNeeded = std::find(kRequired.begin(), kRequired.end(), k) != kRequired.end();
      if (isNeeded) {
        needed += (needed.empty() ? "" : ", ") + name;
      } else if (!isFactor(k) && !isRange(k)) {
        missing += (missing.empty() ? "" : ", ") + name;
      }
      entries_[k].value = isFactor(k) ? 1.0 : isRange(k) ? rangeWithout(k) : 0.0;
    }
    if (!needed.empty()) {
      return builder_.error(whole(), subject() + "coefficients of the tyre are missing: " + needed,
                            "a tyre has no forces without them; give them in the tyre file or "
                            "under 'coefficients'");
    }
    if (!missing.empty() && item_.has("file")) {
      builder_.diagnostics().addWarning(
          whole(), subject() + "coefficients that the tyre file does not give are zero: " + missing,
          "add them to the file, or under 'coefficients'");
    }
  }

  static double rangeWithout(int name) {
    switch (name) {
      case FZMAX:
        return HUGE_VAL;
      case KPUMIN:
      case ALPMIN:
        return -kUsualSlip;
      case KPUMAX:
      case ALPMAX:
        return kUsualSlip;
      case CAMMIN:
        return -HUGE_VAL;
      case CAMMAX:
        return HUGE_VAL;
      default:
        return 0.0;
    }
  }

  void checkPositive(int name, const char* hint) {
    const Entry& entry = entries_[name];
    if (entry.value > 0.0) return;
    builder_.error(entry.place.file != nullptr ? entry.place : whole(),
                   subject() + std::string(kNames[name]) + " is " +
                       base::formatText("%g", entry.value) + ", but must be greater than zero",
                   hint);
  }

  void check() {
    for (const int name : {FNOMIN, UNLOADED_RADIUS, VERTICAL_STIFFNESS, LFZO}) {
      checkPositive(name, "it is a load, a length, a stiffness or a factor of one");
    }
    for (const int name : {PCX1, PDX1, PCY1, PDY1, PKY2, LCX, LMUX, LCY, LMUY}) {
      checkPositive(
          name,
          "shape and friction are positive numbers; for hardly any friction give a small one");
    }
    const auto checkRange = [&](int low, int high, double from, double to, const char* hint) {
      const double a = entries_[low].value, b = entries_[high].value;
      if (a <= from && b >= to && a < b) return;
      const Entry& entry = entries_[high];
      builder_.error(entry.place.file != nullptr ? entry.place : whole(),
                     subject() + std::string(kNames[low]) + " and " + std::string(kNames[high]) +
                         " are " + base::formatText("%g", a) + " and " + base::formatText("%g", b),
                     hint);
    };
    const double tiny = 1e-6;
    checkRange(KPUMIN, KPUMAX, -tiny, tiny, "the range of slip lies on both sides of zero");
    checkRange(ALPMIN, ALPMAX, -tiny, tiny, "the range of slip angles lies on both sides of zero");
    checkRange(CAMMIN, CAMMAX, 0.0, 0.0, "the range of cambers includes zero");
    checkRange(FZMIN, FZMAX, entries_[FNOMIN].value, entries_[FNOMIN].value,
               "the range of loads includes the nominal load");
    for (const int name : {ALPMIN, ALPMAX}) {
      if (std::abs(entries_[name].value) < 0.5 * std::numbers::pi) continue;
      builder_.error(entries_[name].place,
                     subject() + std::string(kNames[name]) + " is a quarter turn or more",
                     "slip angles are in radians, and less than 1.57");
    }
    checkLoad();
    const bool needsSpeed = entries_[QSY3].value != 0.0 || entries_[QSY4].value != 0.0;
    if (needsSpeed) {
      checkPositive(LONGVL,
                    "rolling resistance that grows with the speed needs the speed at which the "
                    "tyre was measured");
    } else if (!(entries_[LONGVL].value > 0.0)) {
      entries_[LONGVL].value = 1.0;
    }
  }

  // A load in other units than the rest makes nonsense of everything that is related to it.
  void checkLoad() {
    constexpr double kLeast = 1e-3;  // of the radius: tyres are deflected by some hundredths
    const double load = entries_[FNOMIN].value, radius = entries_[UNLOADED_RADIUS].value;
    const double share = load / entries_[VERTICAL_STIFFNESS].value / radius;
    if (hasErrors() || (share > kLeast && share < 1.0)) return;
    const Place& place = entries_[FNOMIN].place;
    builder_.error(place.file != nullptr ? place : whole(),
                   subject() + "the nominal load FNOMIN of " + base::formatText("%g", load) +
                       " N deflects the tyre by " + base::formatText("%.3g", share * radius) +
                       " m, and its radius is " + base::formatText("%g", radius) + " m",
                   "check the units: FNOMIN in N, VERTICAL_STIFFNESS in N/m, UNLOADED_RADIUS in m");
  }

  const Item& item_;
  Builder& builder_;
  std::size_t before_;
  std::array<Entry, kCount> entries_;
  Pac2002Numbers numbers_;
};

}  // namespace

std::optional<Pac2002Numbers> readPac2002(const Item& item, Builder& builder) {
  if (!item.has("file") && !item.has("coefficients")) {
    builder.error(item.place(), "contacts." + item.name() + ": the tyre has no numbers",
                  "give 'file: NAME.tir' or 'coefficients', or a simpler 'model'");
    return std::nullopt;
  }
  return Reader(item, builder).read();
}

}  // namespace flexloop::mechanics
