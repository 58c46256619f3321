// Section `contacts` of the model language (docs/theory/34_contact.md). It is declared here, and its types that act by a compliance are
// listed below; each family of others is registered by a function of its own.
#include "mechanics/contacts/contact_types.hpp"

#include "mechanics/sample_models.hpp"

namespace flexloop::mechanics {

// Exponents are such that differences of the residual are exact enough where shapes just touch.
std::vector<std::string> contactSamples(const std::string& shape,
                                        const std::vector<std::string>& sizes) {
  std::vector<std::string> samples;
  for (const std::string& size : sizes) {
    std::string sized = shape;
    sized.replace(sized.find("%s"), 2, size);
    const auto contact = [&](const char* name, const char* law) {
      return std::string("  ") + name + ": {" + sized + ", " + law + "}\n";
    };
    samples.push_back(
        twoBodies() + "contacts:\n" +
        contact("plain", "stiffness: 40, exponent: 3, damping: 0.01") +
        contact("linear", "stiffness: 30, exponent: 1") +
        contact("table", "table: {depth: [0, 0.3, 4], force: [0, 2, 90]}, friction: 0.2") +
        contact("rough", "stiffness: 40, exponent: 3, damping: 0.02, friction: 0.3") +
        contact("stribeck",
                "stiffness: 40, exponent: 2, friction: 0.3, static: 0.5, stribeck: 2, viscous: "
                "0.05, tangential_damping: 1") +
        contact("smooth",
                "stiffness: 40, exponent: 3, damping: 0.02, friction: 0.3, regularization: 0.7") +
        contact("stiff", "stiffness: 40, exponent: 3, friction: 900, tangential_stiffness: 5"));
  }
  return samples;
}

std::vector<std::string> withRigid(const std::string& shape,
                                   const std::vector<std::string>& sizes) {
  std::vector<std::string> samples = contactSamples(shape, sizes);
  std::string sized = shape;
  sized.replace(sized.find("%s"), 2, sizes.back());
  samples.push_back(twoBodies() + "contacts:\n  hard: {" + sized +
                    ", restitution: 0.5}\n  soft: {" + sized + ", restitution: 0}\n  rough: {" +
                    sized + ", restitution: 0.3, friction: 0.3, static: 0.4}\n");
  return samples;
}

void registerContacts(system::Registry& registry) {
  registerPlaneContacts(registry);
  registerRoundContacts(registry);
  registerSphereGroups(registry);
  registerContactMeasures(registry);
  registerGroupMeasures(registry);
}

}  // namespace flexloop::mechanics
