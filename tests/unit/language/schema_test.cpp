#include "language/schema.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "language/manual/manual.hpp"
#include "language/model_reader.hpp"
#include "language/registry_check.hpp"
#include "support/sample_registry.hpp"

namespace flexloop::language {
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

TEST(SchemaTest, DiagramsAreBlocksOfWhichTheUserIsTheAuthor) {
  const json schema = json::parse(makeSchema(sampleRegistry()));
  EXPECT_EQ(schema["properties"]["diagrams"]["additionalProperties"]["$ref"], "#/$defs/diagram");
  const json& diagram = schema["$defs"]["diagram"];
  EXPECT_EQ(diagram["required"], json::array({"outputs", "blocks"}));
  EXPECT_EQ(diagram["additionalProperties"], false);
  for (const char* key : {"inputs", "outputs", "parameters", "blocks"}) {
    EXPECT_TRUE(diagram["properties"].contains(key)) << key;
  }
  // Both kinds of blocks may be diagrams: those of the model and those of a diagram.
  for (const json& blocks : {schema["properties"]["blocks"], diagram["properties"]["blocks"]}) {
    EXPECT_EQ(blocks["additionalProperties"]["$ref"], "#/$defs/block");
  }
  const json& block = schema["$defs"]["block"];
  EXPECT_EQ(block["properties"]["type"]["anyOf"][1]["type"], "string");
  const json& use = block["allOf"].back();
  EXPECT_EQ(use["then"]["$ref"], "#/$defs/diagram_use");
  EXPECT_EQ(use["if"]["properties"]["type"]["not"]["enum"].size(),
            sampleRegistry().typesOf("blocks").size());
  EXPECT_EQ(schema["$defs"]["diagram_use"]["additionalProperties"], false);
}

TEST(ManualTest, DiagramsHaveAPageWithASample) {
  const std::vector<ManualPage> pages = makeManual(sampleRegistry());
  const auto page = std::find_if(pages.begin(), pages.end(), [](const ManualPage& candidate) {
    return candidate.filename == "diagrams.md";
  });
  ASSERT_NE(page, pages.end());
  EXPECT_NE(pages.front().text.find("| [diagrams](diagrams.md) |"), std::string::npos);
  const std::size_t start = page->text.find("flexloop: 1\n");
  const std::string sample = page->text.substr(start, page->text.find("```", start) - start);
  const model::Description model = readModelText(sample, "sample", sampleRegistry());
  const auto has = [&](const char* name) {
    return std::any_of(model.items.begin(), model.items.end(),
                       [&](const system::Item& item) { return item.name() == name; });
  };
  EXPECT_TRUE(has("axis1.limited"));
  EXPECT_TRUE(has("axis2.error"));
  EXPECT_TRUE(model.warnings.empty());
}

TEST(ManualTest, OnePagePerSection) {
  const std::vector<ManualPage> pages = makeManual(sampleRegistry());
  EXPECT_EQ(pages.size(), sampleRegistry().sections().size() + 2);  // with index and diagrams
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
        "| `friction.velocity` | number | `rad/s` | `0.01` | regularisation (> 0) |",
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
                 Parameter{.name = "v", .shape = Shape::kVector, .doc = "v"},
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
  EXPECT_TRUE(has("things.a.v does not say whether it is a point or a direction"));
  EXPECT_TRUE(has("things.a.y has no documentation"));
  EXPECT_TRUE(has("things.a.y has no choices"));
  EXPECT_TRUE(has("things.a.z refers to the unknown section 'thinks'"));
  EXPECT_TRUE(has("things.a is not used by its sample"));
  EXPECT_TRUE(has("things.b has no documentation"));
  EXPECT_TRUE(has("things.b has no sample"));
  EXPECT_EQ(mistakes.size(), 8u);
  EXPECT_THROW(registry.add({"things", "b", "", {}, {}, {}}), std::logic_error);
}

}  // namespace
}  // namespace flexloop::language
