// Records of other programs, for comparison with runs: numbers are SI wherever their unit is known.
#pragma once

#include <map>
#include <string>

#include "analysis/records/time_record.hpp"

namespace flexloop::results {

// From the bytes of the file. Each throws base::InputError for what cannot be read.

// OpenFAST: text (.out) and binary (.outb, all four kinds).
analysis::TimeRecord readOpenFastText(const std::string& bytes, const std::string& path);
analysis::TimeRecord readOpenFastBinary(const std::string& bytes, const std::string& path);
// MATLAB and Simulink (.mat): what 'flexloop export' writes; the array of a To File block; a structure with time; vectors
// beside one that is called time, t or tout.
analysis::TimeRecord readMatRecord(const std::string& bytes, const std::string& path);

// Names that are all different: a second "speed" becomes "speed_2". Files may have many thousands of the same.
class UniqueNames {
 public:
  std::string make(const std::string& name);

 private:
  std::map<std::string, int> next_;  // the number that is tried next, by name
};

// "speed [rpm]" is the name speed and the unit rpm; what is in brackets and is not a unit belongs to the name.
void splitUnit(std::string& name, std::string& unit);
// Columns whose unit is known become SI, with the unit as it is written here.
void convertToSi(analysis::TimeRecord& record);

}  // namespace flexloop::results
