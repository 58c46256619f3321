#include "api/part.hpp"

#include <utility>
#include <vector>

#include "api/failed.hpp"
#include "api/registry.hpp"
#include "base/nearest_word.hpp"
#include "fem/parts/part_request.hpp"
#include "system/builder.hpp"

namespace flexloop::api {
namespace {

const system::Item& findPart(const model::Description& description, const std::string& name) {
  std::vector<const system::Item*> parts;
  std::vector<std::string> names;
  for (const system::Item& item : description.items) {
    if (item.section() != "parts") continue;
    if (item.name() == name) return item;
    parts.push_back(&item);
    names.push_back(item.name());
  }
  if (name.empty() && parts.size() == 1) return *parts.front();
  if (parts.empty()) throw base::InputError({}, description.file + ": the model has no parts");
  if (name.empty()) {
    throw base::InputError({}, "the model has several parts",
                           "choose one with --part, such as --part " + names.front());
  }
  const std::optional<std::string> nearest = base::findNearestWord(name, names);
  throw base::InputError({}, "the model has no part '" + name + "'",
                         nearest ? "did you mean '" + *nearest + "'?" : "");
}

}  // namespace

PartReduction reducePart(const ModelSource& source, const std::string& part,
                         const linalg::Progress& progress) {
  const system::Registry& registry = commonRegistry();
  const model::Description description = readDescription(source, registry);
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics);
  for (const system::Item& item : description.items) builder.declare(item);
  const system::Item& item = findPart(description, part);
  const std::optional<fem::PartRequest> request = fem::readPartRequest(item, builder);
  if (!request) throw base::InputError(diagnostics);
  base::Result<fem::StoredPart> reduced = fem::obtainPart(*request, true, progress);
  if (!reduced) {
    throw Failed(base::withContext("parts." + item.name() + ": ", reduced.failure()));
  }
  return {item.name(), reduced.value()};
}

}  // namespace flexloop::api
