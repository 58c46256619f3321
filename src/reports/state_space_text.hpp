// State equations, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/linear/state_space.hpp"

namespace flexloop::reports {

// `point` as describePoint writes it.
std::vector<std::string> describeStateSpace(const std::string& title, const std::string& point,
                                            const analysis::StateSpaceResult& result);

// What was left out for the least order, and what that costs.
std::vector<std::string> describeMinimal(const analysis::StateSpaceResult& result);

// `{"A": [[…]], "B": …, "C": …, "D": …, "states": […], "inputs": […], "outputs": […]}`, and where states were left
// out `"left_out": [{"name": …, "root": [re, im], "states": 2, "reach": …, "sight": …}], "response_error": …`
std::string makeStateSpaceJson(const analysis::StateSpaceResult& result);
void writeStateSpaceJson(const std::string& path, const analysis::StateSpaceResult& result);

// One table: rows are the rates of states, then outputs; columns are states, then inputs. A path that is a
// folder, or ends in `/`, gets A.csv, B.csv, C.csv and D.csv instead, each with a header and names of rows.
void writeStateSpaceCsv(const std::string& path, const analysis::StateSpace& system);

// Variables A, B, C, D, and states, inputs, outputs as cells of texts; level 5 of the format, which
// MATLAB, Octave and SciPy read. Throws std::runtime_error if it cannot be written.
void writeStateSpaceMat(const std::string& path, const analysis::StateSpace& system);

}  // namespace flexloop::reports
