#include "language/convert/mjcf_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string_view>

#include <Eigen/Geometry>

#include "base/file_text.hpp"
#include "math/so3.hpp"

namespace flexloop::language {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using pugi::xml_node;

constexpr const char* kMain = "main";  // the class of those that name none

// All actuators share these, whichever of them states a default.
constexpr std::array kOfActuators{"gear",       "ctrlrange",    "ctrllimited",
                                  "forcerange", "forcelimited", "joint"};
constexpr std::array kActuators{"general", "motor", "position", "velocity", "damper"};

bool contains(const auto& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

MjcfSource::MjcfSource(const std::string& text, const std::string& file) : xml_(text, file) {
  if (std::string(root().name()) != "mujoco") {
    throw base::InputError(xml_.placeOf(root()), "this is no MJCF: its outermost element is '" +
                                                     std::string(root().name()) +
                                                     "' and not 'mujoco'");
  }
  include(root(), 0);
  for (const xml_node& node : root().children("default")) {
    readClass(node, classes_[kMain]);
    const std::string name = node.attribute("class").value();
    if (!name.empty()) classes_[kMain] = classes_[name];
  }
  for (const char* section : {"worldbody", "actuator", "equality"}) {
    for (const xml_node& node : root().children(section)) fill(node, kMain);
  }
}

void MjcfSource::include(xml_node node, int depth) {
  constexpr int kMostFiles = 1000, kDeepest = 20;
  for (xml_node child = node.first_child(); child;) {
    const xml_node next = child.next_sibling();
    if (std::string(child.name()) != "include") {
      include(child, depth);
      child = next;
      continue;
    }
    const std::string name = child.attribute("file").value();
    const std::filesystem::path file = std::filesystem::path(xml_.file()).parent_path() / name;
    const auto text = base::readFileText(file.string());
    if (!text) throw base::InputError(xml_.placeOf(child), "include: " + text.failure().message);
    if (depth == kDeepest || ++included_ > kMostFiles) {
      throw base::InputError(xml_.placeOf(child), "the file '" + name + "' includes itself");
    }
    pugi::xml_document other;
    if (const auto parsed = other.load_buffer(text.value().data(), text.value().size()); !parsed) {
      throw base::InputError(xml_.placeOf(child),
                             "the file '" + name + "' is no XML: " + parsed.description());
    }
    include(other.document_element(), depth + 1);
    for (const xml_node& part : other.document_element().children()) {
      node.insert_copy_before(part, child);
    }
    node.remove_child(child);
    child = next;
  }
}

std::string MjcfSource::option(const char* name) const {
  std::string value;
  for (const xml_node& node : root().children("compiler")) {
    if (node.attribute(name)) value = node.attribute(name).value();
  }
  return value;
}

double MjcfSource::angle(double value) const {
  return isDegrees() ? value * std::numbers::pi / 180.0 : value;
}

// A class has what the one around it has, and its own.
void MjcfSource::readClass(const xml_node& node, Class inherited) {
  for (const xml_node& element : node.children()) {
    if (std::string(element.name()) == "default") continue;
    for (const pugi::xml_attribute& attribute : element.attributes()) {
      inherited[element.name()][attribute.name()] = attribute.value();
      const bool isActuator = contains(kActuators, element.name());
      if (!isActuator || !contains(kOfActuators, attribute.name())) continue;
      for (const char* other : kActuators) inherited[other][attribute.name()] = attribute.value();
    }
  }
  const std::string name = node.attribute("class").value();
  classes_[name.empty() ? kMain : name] = inherited;
  for (const xml_node& inner : node.children("default")) readClass(inner, inherited);
}

// `around` is the class of elements here that name none.
void MjcfSource::fill(const xml_node& node, const std::string& around) {
  for (xml_node child : node.children()) {
    const std::string name = child.name();
    const std::string own = child.attribute("class").value();
    const auto known = classes_.find(own.empty() ? around : own);
    if (known != classes_.end() && known->second.contains(name)) {
      for (const auto& [key, value] : known->second.at(name)) {
        if (!child.attribute(key.c_str())) child.append_attribute(key.c_str()) = value.c_str();
      }
    }
    const std::string inside = child.attribute("childclass").value();
    fill(child, inside.empty() ? around : inside);
  }
}

Frame MjcfSource::readFrame(const xml_node& node, ErrorList& errors) const {
  return {readRotation(node, errors).value_or(Matrix3d::Identity()),
          xml_.readVector(node, "pos", Vector3d::Zero(), errors)};
}

std::optional<Matrix3d> MjcfSource::readRotation(const xml_node& node, ErrorList& errors) const {
  const auto read = [&](const char* name, std::size_t count) -> std::vector<double> {
    if (!node.attribute(name)) return {};
    const std::vector<double> numbers = xml_.readNumbers(node, name, errors);
    if (numbers.size() == count) return numbers;
    errors.add(xml_.placeOf(node), std::string(node.name()) + ": '" + name + "' must be " +
                                       std::to_string(count) + " numbers");
    return {};
  };
  if (const auto n = read("euler", 3); !n.empty()) return turnByEuler({n[0], n[1], n[2]});
  if (const auto n = read("axisangle", 4); !n.empty()) {
    return math::expSO3<double>(angle(n[3]) * Vector3d(n[0], n[1], n[2]).normalized());
  }
  if (const auto n = read("xyaxes", 6); !n.empty()) {
    const Vector3d x = Vector3d(n[0], n[1], n[2]).normalized();
    Vector3d y(n[3], n[4], n[5]);
    y = (y - x.dot(y) * x).normalized();
    Matrix3d R;
    R << x, y, x.cross(y);
    return R;
  }
  if (const auto n = read("zaxis", 3); !n.empty()) {
    return turnZ({n[0], n[1], n[2]});
  }
  if (const auto n = read("quat", 4); !n.empty()) {
    return Eigen::Quaterniond(n[0], n[1], n[2], n[3]).normalized().toRotationMatrix();
  }
  return std::nullopt;
}

Matrix3d MjcfSource::turnZ(const Vector3d& direction) {
  const Vector3d axis = Vector3d::UnitZ().cross(direction);
  if (axis.isZero(0.0)) {
    return direction[2] < 0.0 ? Matrix3d(Vector3d(1.0, -1.0, -1.0).asDiagonal())
                              : Matrix3d(Matrix3d::Identity());
  }
  return math::expSO3<double>(std::atan2(axis.norm(), direction[2]) * axis.normalized());
}

// One turn after the other: about axes that turn along (small letters), or about fixed ones.
Matrix3d MjcfSource::turnByEuler(const Vector3d& angles) const {
  std::string order = option("eulerseq");
  if (order.size() != 3) order = "xyz";
  Matrix3d R = Matrix3d::Identity();
  for (int k = 0; k < 3; ++k) {
    const int axis = std::tolower(static_cast<unsigned char>(order[k])) - 'x';
    if (axis < 0 || axis > 2) return R;
    const Matrix3d turn = math::expSO3<double>(angle(angles[k]) * Vector3d::Unit(axis));
    const bool turnsAlong = std::islower(static_cast<unsigned char>(order[k])) != 0;
    R = turnsAlong ? Matrix3d(R * turn) : Matrix3d(turn * R);
  }
  return R;
}

}  // namespace flexloop::language
