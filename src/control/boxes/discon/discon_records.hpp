// Records of the interface of wind-turbine controllers, by the names that a model uses
// (docs/theory/37_foreign_models.md, section 37.4). They are numbered from 1; quantities are SI.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flexloop::control {

struct DisconRecord {
  const char* name;
  int first;              // of its records
  std::vector<int> more;  // of the second blade, of the third
  const char* doc;
};

const std::vector<DisconRecord>& disconInputs();
const std::vector<DisconRecord>& disconOutputs();

// The records of a name, or of `record_N`; empty: there is no such name.
std::vector<int> findDisconRecords(const std::vector<DisconRecord>& known, std::string_view name);
std::vector<std::string> namesOf(const std::vector<DisconRecord>& known);

// Set by this side in every call.
namespace discon {
inline constexpr int kStatus = 1, kTime = 2, kInterval = 3, kPitch1 = 4, kIndividualPitch = 28,
                     kDemandedPitch1 = 42, kDemandedPitch = 45, kMessageLength = 49,
                     kFileLength = 50, kNameLength = 51, kBlades = 61, kLogRecord = 63,
                     kNameRoom = 64;
inline constexpr int kRecords = 4096;
}  // namespace discon

}  // namespace flexloop::control
