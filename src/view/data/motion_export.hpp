// A moving machine for other programs: VTU and PVD for ParaView, glTF for three-dimensional programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "model/model.hpp"
#include "view/data/result_source.hpp"

namespace flexloop::view {

// At most so many records, evenly, with the first and the last.
std::vector<std::size_t> chooseRecords(std::size_t records, std::size_t most);

// All throw std::runtime_error where they cannot write. Without files, meshes are read from disk.
//
// The .pvd names one .vtu per record in the folder <name>_files beside it, with the displacement of points
// since the start and the fields of fields.hpp on the beams.
void writeMotionPvd(const std::string& path, const model::Model& model, const ResultSource& result,
                    const std::vector<std::size_t>& records,
                    const model::SourceFiles* files = nullptr);
// Parts have the largest equivalent stress of these records at each point.
void writeMotionGlb(const std::string& path, const model::Model& model, const ResultSource& result,
                    const std::vector<std::size_t>& records,
                    const model::SourceFiles* files = nullptr);
// The real and the imaginary part of each mode, as vectors at the points of the linearised machine.
void writeModesVtu(const std::string& path, const model::Model& model, const system::State& state,
                   const std::vector<analysis::Mode>& modes,
                   const model::SourceFiles* files = nullptr);
// One animation for each mode, of one second per cycle.
void writeModesGlb(const std::string& path, const model::Model& model, const system::State& state,
                   const std::vector<analysis::Mode>& modes,
                   const model::SourceFiles* files = nullptr);

}  // namespace flexloop::view
