// Modes of one machine in the views of three trades, side by side: with its controllers and its
// flexibility; with rigid bodies, as control theory sees it; with its actuated freedoms locked, as structural
// analysis does. Shapes are paired by the modal assurance criterion with the mass of the motions,
//
//     MAC(a, b) = |aᴴ M b|² / ((aᴴ M a)(bᴴ M b))                                                (22.6)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "base/result.hpp"

namespace flexloop::analysis {

// M of the motions alone, on all unknowns of the system.
linalg::SparseMatrix makeMotionMass(const model::Model& model, const system::State& state);

// Rows by mode of the first list. Shapes without motion are like no motion; among each other they are
// compared by their states and signals.
Eigen::MatrixXd calcMac(const linalg::SparseMatrix& mass, const std::vector<Mode>& first,
                        const std::vector<Mode>& second);

// By mode of the first list, the index of its partner in the second, or -1. The best pair first; a mode
// has one partner at most, with a MAC of one half at least.
std::vector<int> pairModes(const Eigen::MatrixXd& mac);

struct ComparedModes {
  std::string view;  // "with controllers", "rigid bodies", "locked"
  ModeResult result;
};

struct ModeComparison {
  std::optional<base::Failure> failure;
  std::vector<ComparedModes> columns;  // the first is that of the whole machine
  struct Row {
    std::vector<int> modes;   // by column, -1: none
    std::vector<double> mac;  // with the mode of the first column
  };
  std::vector<Row> rows;

  bool ok() const { return !failure; }
};

// The view of the options is not used.
[[nodiscard]] ModeComparison compareModes(const model::Model& model, const system::State& state,
                                          const ModeOptions& options);

}  // namespace flexloop::analysis
