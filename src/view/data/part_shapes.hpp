// How the flexible parts of a machine are deformed, as the page and exports draw them: shapes once, and the coordinates z of
// docs/theory/31_reduced_bodies.md for each record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "mechanics/parts/part_layout.hpp"
#include "model/model.hpp"
#include "view/data/result_source.hpp"

namespace flexloop::view {

class PartShapes {
 public:
  PartShapes() = default;  // of no machine
  // The model must outlive them.
  explicit PartShapes(const model::Model& model);

  const std::vector<mechanics::PartLayout>& parts() const { return parts_; }
  int coordinates() const { return mechanics::countCoordinates(parts_); }
  bool hasStress() const;

  // Whether the result has their deformation. Otherwise z is zero.
  bool isRecorded(const ResultSource& result) const;
  // [count][coordinates] of the records from `first` on.
  std::vector<double> calcCoordinates(const ResultSource& result, std::size_t first,
                                      std::size_t count) const;
  // [coordinates] of a state.
  std::vector<double> calcCoordinates(const system::State& state) const;
  // [coordinates]: how a mode changes them.
  std::vector<std::complex<double>> calcShape(const system::System& system,
                                              const system::State& state,
                                              const Eigen::VectorXcd& shape) const;

  // Of one part, for the page: f32 [points][3], u32 [triangles][3], f32 [coordinates][points][3] and
  // f32 [coordinates][sides][points][6], by these names. Nothing for other names.
  std::optional<std::string> findBytes(std::size_t part, const std::string& what) const;
  std::vector<std::string> listNames() const;  // part/I/what

 private:
  std::vector<double> calcFrom(const std::vector<math::Frame<double>>& frames,
                               const double* modes) const;

  std::vector<mechanics::PartLayout> parts_;
};

}  // namespace flexloop::view
