#include "fem/parts/part_maker.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "fem/parts/given_part.hpp"
#include "fem/parts/obtain_part.hpp"
#include "fem/parts/part_key.hpp"
#include "fem/parts/part_request.hpp"
#include "fem/reduction/reduce_part.hpp"
#include "math/se3.hpp"
#include "mechanics/parts/reduced_bodies.hpp"
#include "system/builder.hpp"

namespace flexloop::fem {
namespace {

using math::Frame;
using math::Vec3;
using math::Vec6;
using mechanics::ReducedModel;
using system::Builder;
using system::Item;

math::Mat3<double> readRotation(const Item& item) {
  if (!item.has("rotation")) return math::Mat3<double>::Identity();
  const Item rotation = item.child("rotation");
  return math::expSO3<double>(rotation.vector("axis").normalized() * rotation.number("angle"));
}

// Interfaces start where the undeformed part has them, moving as one rigid body.
mechanics::PartPlace addUnknowns(const Item& item, const ReducedModel& model, Builder& builder) {
  mechanics::PartPlace place;
  const Frame<double> mesh{readRotation(item), item.vector("position")};
  const Vec3<double> omega = item.vector("angular_velocity");
  for (std::size_t k = 0; k < model.interfaces.size(); ++k) {
    const Vec3<double> arm = mesh.R * model.interfaces[k];
    const Vec3<double> velocity = item.vector("velocity") + math::cross<double>(omega, arm);
    const Vec6<double> twist =
        math::joined<double>(mesh.R.transpose() * velocity, mesh.R.transpose() * omega);
    place.nodes.push_back(builder.addNode(item.name() + "." + model.interfaceNames[k],
                                          {mesh.R, mesh.x + arm}, system::FreeSet::all(), twist));
  }
  for (int i = 0; i < model.modes(); ++i) {
    const std::string name = item.name() + ": mode " + std::to_string(i + 1);
    place.modes.push_back(
        builder.addScalar(system::Kind::kMotion, name, name + ": equation of motion"));
  }
  return place;
}

const volatile int* stopRequest = nullptr;

ReductionWatcher& reductionWatcher() {
  static ReductionWatcher watcher;
  return watcher;
}

// Tells the watcher, and at the end of its life that the work is over.
class WatchedReduction {
 public:
  explicit WatchedReduction(std::string part) : part_(std::move(part)) {}
  ~WatchedReduction() {
    if (isTold_ && reductionWatcher()) reductionWatcher()(part_, 1.0, nullptr);
  }
  WatchedReduction(const WatchedReduction&) = delete;
  WatchedReduction& operator=(const WatchedReduction&) = delete;

  void tell(double share, const char* what) {
    if (!reductionWatcher()) return;
    isTold_ = true;
    reductionWatcher()(part_, share, what);
  }

 private:
  std::string part_;
  bool isTold_ = false;
};

bool isStopRequested() {
  return stopRequest != nullptr && *stopRequest != 0;
}

base::Result<StoredPart> obtainKept(const PartRequest& request, const std::string* kept) {
  if (kept != nullptr) {
    base::Result<StoredPart> part = unpackReducedPart(*kept);
    const bool isGiven = !request.reduced.empty();  // the file may be gone
    if (part && (isGiven || part.value().request == findRequestKey(request))) {
      StoredPart stored = part.value();
      stored.recovery.bytes = std::make_shared<const std::string>(*kept);
      return stored;
    }
  }
  WatchedReduction watched(request.name);
  return obtainPart(request, false, [&watched](double share, const char* what) {
    watched.tell(share, what);
    return !isStopRequested();
  });
}

// With its own bytes where it is in no file that a result could copy.
std::shared_ptr<const mechanics::PartRecovery> makeRecovery(const StoredPart& part) {
  auto recovery = std::make_shared<mechanics::PartRecovery>(part.recovery);
  if (!recovery->file.empty() || recovery->bytes != nullptr) return recovery;
  if (const base::Result<std::string> bytes = packReducedPart(part)) {
    recovery->bytes = std::make_shared<const std::string>(bytes.value());
  }
  return recovery;
}

// What does not belong to the part as it is kept.
bool addDamping(const Item& item, const PartDamping& damping, Builder& builder,
                ReducedModel& model) {
  std::vector<int> held;
  const auto& names = model.interfaceNames;
  for (const std::string& name : damping.held) {
    const auto found = std::find(names.begin(), names.end(), name);
    held.push_back(static_cast<int>(found - names.begin()));
    if (found != names.end()) continue;
    builder.error(item.placeOf("damping"),
                  "parts." + item.name() + ".damping.held: no interface is called '" + name + "'");
    return false;
  }
  if (!held.empty()) setModalDamping(model, damping.ratio, held);
  if (damping.stiffness > 0.0) model.D += damping.stiffness * model.K;
  return true;
}

}  // namespace

void heedStops(const volatile int* request) {
  stopRequest = request;
}

void watchReductions(ReductionWatcher watcher) {
  reductionWatcher() = std::move(watcher);
}

std::string keptPartName(const std::string& part) {
  return "<parts." + part + ">";
}

void makePart(const Item& item, Builder& builder, const std::string* kept) {
  const std::optional<PartRequest> request = readPartRequest(item, builder);
  if (!request) return;
  base::Result<StoredPart> obtained = obtainKept(*request, kept);
  if (!obtained && isStopRequested()) {
    throw std::runtime_error("stopped while the part '" + item.name() + "' was being reduced");
  }
  if (!obtained) {
    builder.error(item.place(), "parts." + item.name() + ": " + obtained.failure().message,
                  obtained.failure().hint);
    return;
  }
  if (!obtained.value().warnings.empty()) {
    builder.diagnostics().addWarning(
        item.place(),
        "parts." + item.name() + ": the mesh is doubtful:\n" + obtained.value().warnings);
  }
  StoredPart part = obtained.value();
  if (!request->reduced.empty()) applyToGivenPart(item, *request, part, builder);
  mechanics::PartPlace place = addUnknowns(item, part.model, builder);
  auto recovery = makeRecovery(part);
  const PartDamping damping = readPartDamping(item);
  if (!addDamping(item, damping, builder, part.model)) return;
  auto& set = builder.elementSet<mechanics::ReducedBodies>();
  const int element =
      set.add(item.name(), std::move(place),
              std::make_shared<const mechanics::ReducedMatrices>(part.model, damping.mass),
              std::move(recovery));
  builder.attach("parts", item.name(), {&set, element, 1});
}

}  // namespace flexloop::fem
