#include "io/schema.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/manual.hpp"
#include "io/registry_check.hpp"
#include "unit/sample_registry.hpp"

namespace flexloop::io {
namespace {

using nlohmann::json;
using testing::sampleRegistry;

TEST(SchemaTest, HasEverySectionAndNothingElse) {
  const json schema = json::parse(makeSchema(sampleRegistry()));
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["required"], json::array({"flexloop"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["flexloop"]["const"], 1);
  for (const std::string& section : sampleRegistry().sections()) {
    EXPECT_TRUE(schema["properties"].contains(section)) << section;
  }
  EXPECT_EQ(schema["properties"]["nodes"]["type"], json::array({"object", "null"}));
}

TEST(SchemaTest, TypesHaveParametersWithDescriptionsAndDefaults) {
  const json schema = json::parse(makeSchema(sampleRegistry()));
  const json& hinge = schema["$defs"]["joints.hinge"];
  EXPECT_EQ(hinge["additionalProperties"], false);
  EXPECT_EQ(hinge["required"], json::array({"between", "axis"}));
  EXPECT_EQ(hinge["properties"]["type"]["const"], "hinge");
  EXPECT_EQ(hinge["properties"]["locked"]["default"], false);
  EXPECT_EQ(hinge["properties"]["friction"]["properties"]["torque"]["description"],
            "friction torque [N*m]");
  const json& material = schema["$defs"]["materials"];
  EXPECT_EQ(material["properties"]["E"]["anyOf"][0]["exclusiveMinimum"], 0.0);
  EXPECT_EQ(schema["$defs"]["nodes"]["properties"]["free"]["default"].size(), 6u);
  EXPECT_EQ(schema["$defs"]["sensors.angle"]["properties"]["measure"]["const"], "angle");
  EXPECT_EQ(schema["$defs"]["springs.bushing"]["properties"]["stiffness"]["description"],
            "three translations, three rotations [N/m, N*m]");
}

// Every reference inside the schema leads somewhere.
void checkReferences(const json& part, const json& definitions) {
  if (part.is_object() && part.contains("$ref")) {
    const std::string target =
        part["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
    EXPECT_TRUE(definitions.contains(target)) << target;
  }
  if (part.is_structured()) {
    for (const json& inner : part) checkReferences(inner, definitions);
  }
}

TEST(SchemaTest, ReferencesLeadSomewhere) {
  const json schema = json::parse(makeSchema(sampleRegistry()));
  checkReferences(schema, schema["$defs"]);
}

TEST(ManualTest, OnePagePerSection) {
  const std::vector<ManualPage> pages = makeManual(sampleRegistry());
  EXPECT_EQ(pages.size(), sampleRegistry().sections().size() + 1);
  EXPECT_EQ(pages.front().filename, "index.md");
  EXPECT_NE(pages.front().text.find("| [joints](joints.md) | `hinge` `weld` |"), std::string::npos);
  const auto joints = std::find_if(pages.begin(), pages.end(), [](const ManualPage& page) {
    return page.filename == "joints.md";
  });
  ASSERT_NE(joints, pages.end());
  for (const char* line :
       {"# joints\n", "The key `type` chooses", "## hinge\n", "A rotation about one axis.",
        "| `between` | [node, node] |  | required | the two nodes |",
        "| `axis` | [x, y, z] |  | required | axis in ground axes at the start (not zero) |",
        "| `friction.velocity` | number | rad/s | `0.01` | regularisation (> 0) |",
        "```yaml\nflexloop: 1\n"}) {
    EXPECT_NE(joints->text.find(line), std::string::npos) << line;
  }
}

TEST(RegistryCheckTest, TheSampleRegistryIsRight) {
  EXPECT_EQ(findRegistryMistakes(sampleRegistry()), std::vector<std::string>());
}

TEST(RegistryCheckTest, FindsMistakes) {
  using system::Parameter;
  using system::Shape;
  system::Registry registry;
  registry.add({"things",
                "a",
                "A thing.",
                {Parameter{.name = "x", .shape = Shape::kNumber, .doc = "x", .defaultText = "abc"},
                 Parameter{.name = "y", .shape = Shape::kChoice, .doc = ""},
                 Parameter{.name = "z", .shape = Shape::kName, .doc = "z", .refersTo = "thinks"}},
                {},
                {"flexloop: 1\n"}});
  registry.add({"things", "b", "", {}, {}, {}});
  const std::vector<std::string> mistakes = findRegistryMistakes(registry);
  const auto has = [&](const std::string& start) {
    return std::any_of(mistakes.begin(), mistakes.end(),
                       [&](const std::string& mistake) { return mistake.starts_with(start); });
  };
  EXPECT_TRUE(has("things.a.x has a wrong default: error: things.a.x: 'abc' is not a number"));
  EXPECT_TRUE(has("things.a.y has no documentation"));
  EXPECT_TRUE(has("things.a.y has no choices"));
  EXPECT_TRUE(has("things.a.z refers to the unknown section 'thinks'"));
  EXPECT_TRUE(has("things.a is not used by its sample"));
  EXPECT_TRUE(has("things.b has no documentation"));
  EXPECT_TRUE(has("things.b has no sample"));
  EXPECT_EQ(mistakes.size(), 7u);
  EXPECT_THROW(registry.add({"things", "b", "", {}, {}, {}}), std::logic_error);
}

}  // namespace
}  // namespace flexloop::io
