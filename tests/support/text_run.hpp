// A simulation of a model that a test writes down.
#pragma once

#include <string>

#include "analysis/time_analysis.hpp"
#include "model/model.hpp"
#include "support/record.hpp"

namespace flexloop::test {

// The line `flexloop: 1` goes before the text. Paths are relative to the folder of the program, where
// boxes/ has the black boxes of the tests. Throws base::InputError.
model::Model buildText(const std::string& text);
// All of what that error says; empty if the model is right.
std::string buildTrouble(const std::string& text);

struct TextRun {
  analysis::TimeReport report;
  Record record;
};
TextRun runModel(const model::Model& model);
TextRun runText(const std::string& text);

}  // namespace flexloop::test
