#include "random/maker.hpp"

namespace flexloop::random {

void Maker::addBeam(int from, int to) {
  const Vector3d& a = machine_.nodes[from].position;
  const Vector3d& b = machine_.nodes[to].position;
  const double length = (b - a).norm();
  const int order = dice_.between(1, 3);
  const int elements = dice_.between(1, order == 1 ? 3 : 2);
  const std::string section = addSection(length, 1.0);
  Item item{"beams", newName("beam"), {}, {}};
  item.with("from", nodeName(from)).with("to", nodeName(to));
  item.with("elements", std::to_string(elements)).with("section", section);
  if (isStiff()) item.with("material", "steel");
  item.with("y_axis", ground(dice_.perpendicularTo(b - a)));
  if (order > 1) item.with("order", std::to_string(order));
  if (dice_.chance(0.3)) item.with("inertia", dice_.chance(0.5) ? "consistent" : "lumped");
  if (dice_.chance(0.25)) {
    item.with("via", ground(0.5 * (a + b) + 0.15 * length * dice_.perpendicularTo(b - a), kLength));
  }
  if (dice_.chance(0.25)) item.with("twist", dice_.uniform(-0.6, 0.6));
  if (dice_.chance(0.4)) item.with("damping", time(1e-4, 5e-3), When::kNotInEnergyBalance);
  const std::string name = item.name;
  machine_.items.push_back(item);
  isCarrying_[to] = true;
  if (from != 0) isCarrying_[from] = true;
  const std::string place = ", beam: " + name + ", at: 0.3, component: ";
  for (const std::string component : {"axial", "shear_y", "shear_z"}) {
    machine_.outputs.push_back({"q_" + name + "_" + component, "section force", kForce, false,
                                "measure: section_force" + place + component});
  }
  for (const std::string component : {"torsion", "bending_y", "bending_z"}) {
    machine_.outputs.push_back({"q_" + name + "_" + component, "section torque", kTorque, false,
                                "measure: section_force" + place + component});
  }
}

// Soft sections have axial, shear and bending modes of some 100 rad/s.
std::string Maker::addSection(double length, double mass) {
  Item item{"sections", newName("section"), {}, {}};
  if (isStiff()) {
    const bool isKnown = std::any_of(machine_.items.begin(), machine_.items.end(),
                                     [](const Item& i) { return i.section == "materials"; });
    if (!isKnown) {
      machine_.items.push_back(Item{"materials", "steel", {}, {}}
                                   .with("E", Number{2.1e11, kForce / kLength / kLength})
                                   .with("nu", 0.3)
                                   .with("rho", Number{7850, kMass / kLength / kLength / kLength}));
    }
    const auto size = [&] { return Number{dice_.uniform(0.01, 0.03), kLength}; };
    if (dice_.chance(0.5)) {
      item.with("type", "circle").with("diameter", size());
    } else {
      item.with("type", "rectangle").with("width", size()).with("height", size());
    }
  } else {
    const double line = mass / length, radius = 0.2 * length;
    const double EA = line * std::pow(dice_.uniform(60, 90) * length, 2);
    const auto bending = [&] {
      return Number{line * std::pow(length, 4) * std::pow(dice_.uniform(5, 10), 2),
                    kForce * kLength * kLength};
    };
    item.with("type", "stiffness").with("EA", Number{EA, kForce});
    for (const char* key : {"GAy", "GAz"})
      item.with(key, Number{dice_.uniform(0.2, 0.4) * EA, kForce});
    for (const char* key : {"GJ", "EIy", "EIz"}) item.with(key, bending());
    item.with("rhoA", Number{line, kMass / kLength});
    const double J = line * radius * radius;
    item.with("rhoJ", listOf({2.0 * J, J, dice_.uniform(0.7, 1.0) * J}, kMass * kLength));
  }
  machine_.items.push_back(item);
  return item.name;
}

}  // namespace flexloop::random
