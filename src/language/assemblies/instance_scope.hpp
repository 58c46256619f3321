// The inside of one instance of an assembly: what names mean there in the whole model, and where its things are.
//
// A name is looked for in the assembly, then in what encloses the instance, and so on out to the model. Points and
// directions in ground axes are moved and turned by the instance's frame (decision 37):
//
//     x -> p + R x,     n -> R n,     exp(a θ) -> R exp(a θ)
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "language/assemblies/assembly.hpp"
#include "language/parameter_table.hpp"
#include "math/se3.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

class InstanceScope {
 public:
  InstanceScope(const Assembly& assembly, std::string path, const InstanceScope* outside)
      : assembly_(assembly), path_(std::move(path)), outside_(outside) {}

  const Assembly& assembly() const { return assembly_; }
  const std::string& path() const { return path_; }  // `leg1`, `robot.leg1`
  std::string fullName(const std::string& own) const { return path_ + "." + own; }
  // How messages start inside: `instances.leg1 (assembly leg): `
  std::string context() const;

  ParameterTable parameters;

  // The frame of the instance from its item, whose position and rotation are in ground axes already.
  void setFrame(const system::Item& instance);

  // What these names mean in the model. Those that nobody inside has are left as they are.
  std::string nodeName(const std::string& name) const;
  std::string signalName(const std::string& name) const;  // with its sign
  std::string thingName(const std::string& section, const std::string& name) const;

  // Puts an item that was read inside into the model: its references and its places.
  void place(system::Item& item, const system::TypeEntry& type) const;

 private:
  using Values = system::ValueMap;
  using Parameter = system::Parameter;

  void placeValues(Values& values, const std::vector<Parameter>& fields) const;
  void placeValue(system::Value& value, const Parameter& parameter, const Values& beside) const;
  void placeText(std::string& text, const Parameter& parameter) const;
  void move(system::Value& value, bool isPoint) const;
  void turnRotation(Values& values, const Parameter& parameter) const;

  const Assembly& assembly_;
  const std::string path_;
  const InstanceScope* outside_;
  math::Frame<double> frame_ = math::Frame<double>::identity();
  system::Value rotation_;  // of the frame, as a model writes it
  bool isTurned_ = false;
};

}  // namespace flexloop::language
