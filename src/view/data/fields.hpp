// What may colour the machine: forces and stress of beams, and the speed of nodes, from recorded frames.
//
// A value of a segment is that in its middle. Frames tell no velocities: speeds are differences of
// neighbouring records, and damping forces are left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechanics/beams/beam_layout.hpp"
#include "model/model.hpp"
#include "view/data/result_source.hpp"
#include "view/scene/section_outline.hpp"

namespace flexloop::view {

struct Field {
  const char* name;
  const char* unit;
  const char* label;
  bool isOfSegments;
};

class Fields {
 public:
  // Without a model there is only the speed. The model must outlive the fields.
  explicit Fields(const model::Model* model);

  // Those that this result has.
  std::vector<Field> list(const ResultSource& result) const;

  // [count][segments or nodes] of the records from `first` on; nothing if there is no such field.
  std::optional<std::vector<float>> calc(const std::string& name, const ResultSource& result,
                                         std::size_t first, std::size_t count) const;

 private:
  std::vector<float> calcSpeeds(const ResultSource& result, std::size_t first,
                                std::size_t count) const;
  double calcValue(int field, std::size_t beam, int segment,
                   const std::vector<math::Frame<double>>& frames) const;

  std::vector<mechanics::BeamLayout> beams_;
  std::vector<std::optional<SectionOutline::Stress>> stresses_;  // by beam
  std::size_t nodes_ = 0;                                        // of the model, with ground
};

}  // namespace flexloop::view
