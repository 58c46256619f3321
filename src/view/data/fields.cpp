#include "view/data/fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/quaternion.hpp"

namespace flexloop::view {
namespace {

enum FieldIndex { kAxial, kShear, kTorque, kBending, kStress, kEnergy, kSpeed };

constexpr std::array<Field, 7> kFields{{{"axial_force", "N", "axial force", true},
                                        {"shear_force", "N", "shear force", true},
                                        {"torque", "N*m", "torque", true},
                                        {"bending_moment", "N*m", "bending moment", true},
                                        {"stress", "Pa", "normal stress, largest", true},
                                        {"strain_energy", "J/m", "strain energy per length", true},
                                        {"speed", "m/s", "speed", false}}};

math::Frame<double> toFrame(const double* f) {
  return {math::calcRotation({f[3], f[4], f[5], f[6]}), {f[0], f[1], f[2]}};
}

}  // namespace

Fields::Fields(const model::Model* model) {
  if (model == nullptr) return;
  nodes_ = model->system().nodes().size();
  beams_ = mechanics::findBeams(model->system());
  const auto find = [&](const char* section, const std::string& name) -> const system::Item* {
    for (const system::Item& item : model->description().items) {
      if (item.section() == section && item.name() == name) return &item;
    }
    return nullptr;
  };
  for (const mechanics::BeamLayout& beam : beams_) {
    const system::Item* item = find("beams", beam.name);
    const system::Item* section =
        item != nullptr ? find("sections", item->text("section")) : nullptr;
    stresses_.push_back(section != nullptr ? makeOutline(*section).stress : std::nullopt);
  }
}

std::vector<Field> Fields::list(const ResultSource& result) const {
  std::vector<Field> fields;
  if (result.nodes().empty()) return fields;
  const bool hasBeams = !beams_.empty() && result.nodes().size() + 1 == nodes_;
  const bool hasStress = std::any_of(stresses_.begin(), stresses_.end(),
                                     [](const auto& stress) { return stress.has_value(); });
  for (int i = 0; i < static_cast<int>(kFields.size()); ++i) {
    const Field& field = kFields[i];
    if (field.isOfSegments && !hasBeams) continue;
    if (i == kStress && !hasStress) continue;
    // Differences of far records are no speeds.
    const bool isThinned = result.whole().records() != result.records();
    if (i == kSpeed && (result.records() < 2 || isThinned)) continue;
    fields.push_back(field);
  }
  return fields;
}

std::optional<std::vector<float>> Fields::calc(const std::string& name, const ResultSource& result,
                                               std::size_t first, std::size_t count) const {
  const std::vector<Field> known = list(result);
  const auto isNamed = [&](const Field& field) { return field.name == name; };
  if (std::none_of(known.begin(), known.end(), isNamed)) return std::nullopt;
  const auto field =
      static_cast<int>(std::find_if(kFields.begin(), kFields.end(), isNamed) - kFields.begin());
  if (field == kSpeed) return calcSpeeds(result, first, count);
  std::vector<float> values;
  std::vector<math::Frame<double>> frames(nodes_);
  const std::vector<double> numbers = result.readFrames(first, count);
  for (std::size_t record = 0; record < count; ++record) {
    for (std::size_t n = 0; n < nodes_; ++n) {
      frames[n] = toFrame(numbers.data() + (record * nodes_ + n) * kFrameNumbers);
    }
    for (std::size_t beam = 0; beam < beams_.size(); ++beam) {
      for (int segment = 0; segment < beams_[beam].segments(); ++segment) {
        values.push_back(static_cast<float>(calcValue(field, beam, segment, frames)));
      }
    }
  }
  return values;
}

double Fields::calcValue(int field, std::size_t beam, int segment,
                         const std::vector<math::Frame<double>>& frames) const {
  const mechanics::SectionState state = mechanics::calcSectionState(beams_[beam], segment, frames);
  const math::Vec6<double>& f = state.force;
  if (field == kAxial) return f[0];
  if (field == kShear) return std::hypot(f[1], f[2]);
  if (field == kTorque) return f[3];
  if (field == kBending) return std::hypot(f[4], f[5]);
  if (field == kEnergy) return 0.5 * f.dot(state.strain);
  return stresses_[beam] ? calcLargestStress(*stresses_[beam], f) : 0.0;
}

// Central differences; at the ends of the run those to the only neighbour.
std::vector<float> Fields::calcSpeeds(const ResultSource& result, std::size_t first,
                                      std::size_t count) const {
  const std::size_t nodes = result.nodes().size() + 1;
  const std::size_t from = first > 0 ? first - 1 : 0;
  const std::size_t to = std::min(first + count + 1, result.records());
  const std::vector<double> numbers = result.readFrames(from, to - from);
  const auto positionAt = [&](std::size_t record, std::size_t node) {
    return Eigen::Map<const math::Vec3<double>>(numbers.data() +
                                                ((record - from) * nodes + node) * kFrameNumbers);
  };
  std::vector<float> values;
  for (std::size_t record = first; record < first + count; ++record) {
    const std::size_t before = record > from ? record - 1 : record;
    const std::size_t after = std::min(record + 1, to - 1);
    const double interval = result.times()[after] - result.times()[before];
    for (std::size_t n = 0; n < nodes; ++n) {
      const double way = (positionAt(after, n) - positionAt(before, n)).norm();
      values.push_back(interval > 0.0 ? static_cast<float>(way / interval) : 0.0F);
    }
  }
  return values;
}

}  // namespace flexloop::view
