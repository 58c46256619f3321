// Sensors of tyres.
#include "mechanics/contacts/contact_parts.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/springs/connection.hpp"
#include "mechanics/tyres/rolling.hpp"
#include "system/jet_view.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using math::Jet;
using system::Builder;
using system::Environment;
using system::Item;
using system::Motion;

namespace {

// Consecutive entries of what is read of a tyre.
class TyreMeasure final : public system::Measure {
 public:
  TyreMeasure(const Builder::Attachment& grip, int first, const std::vector<std::string>& names)
      : Measure(names),
        set_(grip.set),
        rolling_(dynamic_cast<const Rolling*>(grip.set)),
        element_(grip.element),
        first_(first) {}

  std::vector<Term> terms() const override {
    Term term{{set_->node(element_, 0), set_->node(element_, 1)}, {}};
    for (int k = 0; k < set_->scalars(element_); ++k) {
      term.scalars.push_back(set_->scalar(element_, k));
    }
    return {term};
  }
  void calc(const Motion& motion, const Environment& environment, bool rate,
            double* q) const override {
    if (rate) {
      std::array<Jet, kMostComponents> jets;
      calcJets(motion, environment, {}, {}, jets.data());
      for (int i = 0; i < size(); ++i) q[i] = jets[i].first;
      return;
    }
    TyreReading<double> reading;
    rolling_->calcReading(motion, element_, reading);
    for (int i = 0; i < size(); ++i) q[i] = reading.values[first_ + i];
  }
  void calcJets(const Motion& motion, const Environment&, const Term&,
                const system::JetSeeds& seeds, Jet* q) const override {
    TyreReading<Jet> reading;
    rolling_->calcReadingJets(motion, element_, seeds, reading);
    for (int i = 0; i < size(); ++i) q[i] = reading.values[first_ + i];
  }

 private:
  const system::ElementSet* set_;
  const Rolling* rolling_;
  int element_, first_;
};

template <int kFirst, int kCount>
void makeTyreMeasure(const Item& item, Builder& builder) {
  const Item* contact = findMade("contacts", item.text("contact"), builder);
  if (contact == nullptr) return;
  const Builder::Attachment* grip =
      builder.findAttachment("contacts", contact->name() + kFrictionPart);
  if (grip == nullptr || dynamic_cast<const Rolling*>(grip->set) == nullptr) {
    return builder.error(item.placeOf("contact"),
                         "sensors." + item.name() + ": '" + contact->name() + "' is not a tyre",
                         "name a contact of type tyre");
  }
  const bool isVector = kCount == 3;
  auto measure = std::make_unique<TyreMeasure>(
      *grip, kFirst,
      isVector ? std::vector<std::string>{"x", "y", "z"} : std::vector<std::string>{""});
  if (isVector && item.has("component")) {
    measure->setComponent(item.text("component").front() - 'x');
  }
  builder.addMeasure(item.name(), std::move(measure));
}

}  // namespace

void registerTyreMeasures(system::Registry& registry) {
  using namespace system;
  using Reading = TyreReading<double>;
  const auto add = [&](const char* type, const char* unit, const char* doc, bool isVector,
                       void (*make)(const Item&, Builder&)) {
    const std::string component = isVector ? ", component: y" : "";
    const std::string sample = twoBodies() + R"(contacts:
  c: {type: tyre, node: A, axis: [0.2, 1, 0.1], road: {node: B, at: [0.2, 0, -0.3], normal: [0.2, 0.3, 1]},
      model: brush, radius: 1.2, stiffness: 40, damping: 0.05, friction: 0.9, slip_stiffness: 30,
      cornering_stiffness: 40, relaxation_length: 0.4, contact_length: 0.2}
sensors: {s: {measure: )" + std::string(type) +
                               ", contact: c" + component + "}}\n" + readByBlock("s, s.rate");
    std::vector<Parameter> parameters{required(thing("contact", "contacts", "the tyre"))};
    if (isVector) {
      parameters.push_back(withNote(
          choice("component", {"x", "y", "z"},
                 "only the component forward, to the left or along the normal of the road"),
          "all three"));
    }
    registry.add({"sensors",
                  type,
                  doc,
                  std::move(parameters),
                  make,
                  {sample},
                  {.unit = std::string_view(unit), .hasRate = true}});
  };
  add("tyre_force", "N",
      "Force of the road on a tyre: forward, to the left, and the load along the normal of the "
      "road.",
      true, makeTyreMeasure<Reading::kForce, 3>);
  add("tyre_moment", "N*m",
      "Moment of the road on a tyre at its contact: overturning, of rolling resistance, and "
      "aligning.",
      true, makeTyreMeasure<Reading::kMoment, 3>);
  add("slip_ratio", "1",
      "Longitudinal slip of a tyre after relaxation: −1 for a locked wheel, above zero for a "
      "driven one.",
      false, makeTyreMeasure<Reading::kSlipRatio, 1>);
  add("slip_angle", "rad",
      "Slip angle of a tyre after relaxation, positive if the wheel moves to its left.", false,
      makeTyreMeasure<Reading::kSlipAngle, 1>);
  add("camber", "rad",
      "Inclination of a wheel against the normal of the road, positive if its top leans to its "
      "right.",
      false, makeTyreMeasure<Reading::kCamber, 1>);
}

}  // namespace flexloop::mechanics
