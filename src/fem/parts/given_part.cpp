#include "fem/parts/given_part.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/text_format.hpp"
#include "fem/parts/part_key.hpp"
#include "fem/reduction/reduce_part.hpp"
#include "system/builder.hpp"

namespace flexloop::fem {
namespace {

using system::Builder;
using system::Item;

std::string listOf(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

class GivenPart {
 public:
  GivenPart(const Item& item, const PartRequest& request, const StoredPart& part, Builder& builder)
      : item_(item),
        request_(request),
        part_(part),
        builder_(builder),
        file_(std::filesystem::path(request.reduced).filename().string()) {}

  void check() {
    checkInterfaces();
    checkReduction();
    warnOfUnknown();
  }

 private:
  void error(const char* key, const std::string& message) {
    builder_.error(item_.placeOf(key), "parts." + item_.name() + ": " + file_ + " " + message,
                   std::string("remove '") + key + "', or reduce the part again");
  }

  void checkInterfaces() {
    const auto& known = part_.model.interfaceNames;
    for (const InterfaceRequest& interface : request_.interfaces) {
      if (std::find(known.begin(), known.end(), interface.name) != known.end()) continue;
      error("interfaces", "has no interface '" + interface.name + "', but " + listOf(known));
    }
  }

  void checkReduction() {
    const ReductionReport& report = part_.report;
    if (item_.has("method") && request_.method != report.method) {
      error("method", std::string("was reduced by ") + nameOf(report.method));
    }
    if (request_.modes && *request_.modes != report.normalModes) {
      error("modes", base::formatText("has %d normal modes", report.normalModes));
    }
    const bool isStiffened = part_.model.Kg[0][0].size() > 0;
    if (item_.has("stiffening") && request_.hasStiffening != isStiffened) {
      error("stiffening",
            isStiffened ? "was reduced with stiffening" : "was reduced without stiffening");
    }
    const bool isShortened = !part_.model.B.empty();
    if (item_.has("foreshortening") && request_.hasForeshortening != isShortened) {
      error("foreshortening",
            isShortened ? "was reduced with foreshortening" : "was reduced without foreshortening");
    }
  }

  void warnOfUnknown() {
    std::vector<std::string> keys;
    for (const char* key : {"unit", "elements", "material", "materials", "thickness", "up_to",
                            "accuracy", "held", "recover"}) {
      if (item_.has(key)) keys.push_back(std::string("'") + key + "'");
    }
    if (keys.empty()) return;
    builder_.diagnostics().addWarning(
        item_.place(),
        "parts." + item_.name() + ": " + listOf(keys) + (keys.size() > 1 ? " have" : " has") +
            " no influence: " + file_ + " was reduced for another request",
        "remove them, or reduce the part again");
  }

  const Item& item_;
  const PartRequest& request_;
  const StoredPart& part_;
  Builder& builder_;
  std::string file_;
};

}  // namespace

void applyToGivenPart(const Item& item, const PartRequest& request, StoredPart& part,
                      Builder& builder) {
  // The lines of the model that the part was reduced for may stay as they are.
  if (part.request == findRequestKey(request)) return;
  GivenPart(item, request, part, builder).check();
  if (item.has("damping")) setModalDamping(part.model, request.damping);
}

}  // namespace flexloop::fem
