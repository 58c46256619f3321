#include "control/boxes/discon/discon_records.hpp"

#include <algorithm>
#include <charconv>

namespace flexloop::control {

const std::vector<DisconRecord>& disconInputs() {
  static const std::vector<DisconRecord> records{
      {"blade_pitch", 4, {33, 34}, "pitch angles of the blades [rad]"},
      {"demanded_pitch", 11, {}, "present demand of the pitch angle [rad]"},
      {"demanded_pitch_rate", 12, {}, "present demand of the pitch rate [rad/s]"},
      {"demanded_power", 13, {}, "demanded power [W]"},
      {"shaft_power", 14, {}, "measured power of the shaft [W]"},
      {"electrical_power", 15, {}, "measured electrical power [W]"},
      {"generator_speed", 20, {}, "measured speed of the generator [rad/s]"},
      {"rotor_speed", 21, {}, "measured speed of the rotor [rad/s]"},
      {"generator_torque", 23, {}, "measured torque of the generator [N m]"},
      {"yaw_error", 24, {}, "measured yaw error [rad]"},
      {"wind_speed", 27, {}, "wind speed at the hub, as the nacelle measures it [m/s]"},
      {"root_out_of_plane_moment",
       30,
       {31, 32},
       "out-of-plane bending moments at the blade roots [N m]"},
      {"yaw_angle", 37, {}, "yaw angle of the nacelle from north [rad]"},
      {"fore_aft_acceleration", 53, {}, "acceleration of the tower top along the wind [m/s²]"},
      {"side_to_side_acceleration", 54, {}, "acceleration of the tower top across the wind [m/s²]"},
      {"azimuth", 60, {}, "azimuth of the rotor [rad]"},
      {"root_in_plane_moment", 69, {70, 71}, "in-plane bending moments at the blade roots [N m]"},
      {"rotating_hub_my", 73, {}, "moment My of the rotating hub [N m]"},
      {"rotating_hub_mz", 74, {}, "moment Mz of the rotating hub [N m]"},
      {"fixed_hub_my", 75, {}, "moment My of the fixed hub [N m]"},
      {"fixed_hub_mz", 76, {}, "moment Mz of the fixed hub [N m]"},
      {"yaw_bearing_my", 77, {}, "moment My of the yaw bearing [N m]"},
      {"yaw_bearing_mz", 78, {}, "moment Mz of the yaw bearing [N m]"},
      {"nacelle_roll_acceleration", 82, {}, "roll acceleration of the nacelle [rad/s²]"},
      {"nacelle_nodding_acceleration", 83, {}, "nodding acceleration of the nacelle [rad/s²]"},
      {"nacelle_yaw_acceleration", 84, {}, "yaw acceleration of the nacelle [rad/s²]"},
      {"shaft_torque", 109, {}, "torque of the shaft [N m]"},
  };
  return records;
}

const std::vector<DisconRecord>& disconOutputs() {
  static const std::vector<DisconRecord> records{
      {"torque", 47, {}, "demanded torque of the generator [N m]"},
      {"pitch1", 42, {}, "demanded pitch angle of blade 1 [rad]"},
      {"pitch2", 43, {}, "demanded pitch angle of blade 2 [rad]"},
      {"pitch3", 44, {}, "demanded pitch angle of blade 3 [rad]"},
      {"pitch", 45, {}, "demanded pitch angle of all blades [rad]"},
      {"pitch_rate", 46, {}, "demanded pitch rate of all blades [rad/s]"},
      {"yaw_rate", 48, {}, "demanded yaw rate of the nacelle [rad/s]"},
      {"yaw_torque", 41, {}, "demanded torque of the yaw actuator [N m]"},
      {"contactor", 35, {}, "state of the generator contactor"},
      {"brake", 36, {}, "state of the shaft brake"},
      {"brake_torque", 107, {}, "demanded torque of the shaft brake [N m]"},
  };
  return records;
}

std::vector<int> findDisconRecords(const std::vector<DisconRecord>& known, std::string_view name) {
  for (const DisconRecord& record : known) {
    if (name != record.name) continue;
    std::vector<int> all{record.first};
    all.insert(all.end(), record.more.begin(), record.more.end());
    return all;
  }
  constexpr std::string_view kPrefix = "record_";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  int number = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool isNumber = status == std::errc() && end == name.data() + name.size();
  if (!isNumber || number < 1 || number > discon::kRecords) return {};
  return {number};
}

std::vector<std::string> namesOf(const std::vector<DisconRecord>& known) {
  std::vector<std::string> names;
  for (const DisconRecord& record : known) names.emplace_back(record.name);
  return names;
}

}  // namespace flexloop::control
