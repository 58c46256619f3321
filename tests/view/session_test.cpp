#include "view/data/session.hpp"

#include <cmath>
#include <zlib.h>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "math/quaternion.hpp"
#include "numbers.hpp"
#include "results/result_writer.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"
#include "view/data/packing.hpp"
#include "view/data/report.hpp"

namespace flexloop::view {
namespace {

using flexloop::testing::TemporaryFolder;
using test::buildModel;
using test::jsonOf;
using test::numbersOf;

std::vector<std::string> namesOf(const model::Model& model) {
  std::vector<std::string> names;
  for (const system::Node& node : model.system().nodes()) names.push_back(node.name);
  names.erase(names.begin());
  return names;
}

// One record of the state, as a run would have written it.
std::shared_ptr<FileResult> recordState(const model::Model& model, const system::State& state,
                                        const std::string& file, int records = 1) {
  results::ResultHead head;
  head.nodes = namesOf(model);
  head.outputs = {"y"};
  head.units = {"m"};
  results::ResultWriter writer(file, head);
  for (int i = 0; i < records; ++i) {
    std::vector<math::Frame<double>> frames = state.frames;
    for (math::Frame<double>& frame : frames) frame.x[0] += 0.5 * i;
    writer.write(0.25 * i, {std::sin(0.25 * i)}, frames);
  }
  writer.finish(
      true,
      {.verdict = "do not trust this run: it is a test", .health = "steps of 1 s", .message = {}});
  return std::make_shared<FileResult>(file);
}

constexpr double kF = 2.0, kL = 1.0, kWidth = 0.04, kHeight = 0.01;

std::string cantilever(int order) {
  return R"(
materials: {steel: {E: 200 GPa, nu: 0.3, rho: 7800}}
sections: {plate: {type: rectangle, width: 40 mm, height: 10 mm}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [1, 0, 0]}
beams: {arm: {from: root, to: tip, elements: 5, order: )" +
         std::to_string(order) + R"(, section: plate, material: steel, y_axis: [0, 1, 0]}}
loads: {push: {node: tip, force: [0, 0, 2]}}
)";
}

// Bending moment F (L − x) and its stress M z/I at the middles of the segments, and the strain energy per
// length M²/2EI. The tip moves by a thousandth of the length, so that linear theory has six digits.
TEST(Fields, CantileverHasItsMomentAndStress) {
  for (const int order : {1, 2, 3}) {
    const TemporaryFolder folder;
    const auto model = std::make_shared<const model::Model>(buildModel(cantilever(order)));
    const analysis::EquilibriumResult rest = analysis::findEquilibrium(*model);
    ASSERT_TRUE(rest.report.ok());
    Session session("{}", namesOf(*model));
    session.addResult({"r", recordState(*model, rest.state, folder.file("r.h5")), model}, true);
    const auto moment = numbersOf<float>(session.find("result/0/field/bending_moment/0"));
    const auto stress = numbersOf<float>(session.find("result/0/field/stress/0"));
    const auto shear = numbersOf<float>(session.find("result/0/field/shear_force/0"));
    const auto energy = numbersOf<float>(session.find("result/0/field/strain_energy/0"));
    const std::vector<mechanics::BeamLayout> beams = mechanics::findBeams(model->system());
    ASSERT_EQ(moment.size(), static_cast<std::size_t>(5 * order));
    const double I = kWidth * std::pow(kHeight, 3) / 12.0, EI = 200e9 * I;
    for (std::size_t i = 0; i < moment.size(); ++i) {
      const double x = 0.5 * kL * (beams[0].fractions[i] + beams[0].fractions[i + 1]);
      const double M = kF * (kL - x);
      EXPECT_NEAR(moment[i], M, 2e-5 * kF * kL) << "order " << order;
      EXPECT_NEAR(stress[i], M * 0.5 * kHeight / I, 2e-3 * M * 0.5 * kHeight / I);
      EXPECT_NEAR(shear[i], kF, 1e-3 * kF);
      EXPECT_NEAR(energy[i], 0.5 * M * M / EI, 2e-3 * kF * kF * kL * kL / EI);
    }
  }
}

TEST(SectionOutline, StressOfRoundAndRectangularSections) {
  const double pi = std::acos(-1.0);
  math::Vec6<double> force;
  force << 100.0, 0.0, 0.0, 0.0, 3.0, -4.0;
  const double d = 0.02, A = pi * d * d / 4.0, I = pi * std::pow(d, 4) / 64.0;
  EXPECT_NEAR(calcLargestStress({A, I, I, d / 2, d / 2, true}, force), 100.0 / A + 5.0 * d / 2 / I,
              1e-6);
  EXPECT_NEAR(calcLargestStress({2.0, 3.0, 4.0, 0.5, 0.25, false}, force),
              50.0 + 3.0 * 0.25 / 3.0 + 4.0 * 0.5 / 4.0, 1e-12);
}

TEST(Session, FramesAreThoseOfTheFile) {
  const TemporaryFolder folder;
  const auto model = std::make_shared<const model::Model>(buildModel(cantilever(2)));
  const system::State& state = model->system().start();
  Session session("{}", namesOf(*model));
  session.addResult({"r", recordState(*model, state, folder.file("r.h5"), 5), model}, true);
  const nlohmann::json result = jsonOf(session.find("results.json")).at(0);
  EXPECT_EQ(result.at("records"), 5);
  EXPECT_EQ(result.at("frames"), true);
  EXPECT_EQ(result.at("channels"), nlohmann::json::parse(R"([{"name": "y", "unit": "m"}])"));
  EXPECT_EQ(result.at("verdict"), "do not trust this run: it is a test");
  EXPECT_EQ(result.at("health"), "steps of 1 s");
  const auto frames = numbersOf<float>(session.find("result/0/frames/0"));
  const std::size_t nodes = state.frames.size();
  ASSERT_EQ(frames.size(), 5 * nodes * 7);
  for (std::size_t n = 0; n < nodes; ++n) {
    const float* f = frames.data() + (3 * nodes + n) * 7;
    const double moved = n == 0 ? 0.0 : 1.5;  // ground stays
    EXPECT_EQ(f[0], static_cast<float>(state.frames[n].x[0] + moved));
    const std::array<double, 4> q = math::calcQuaternion(state.frames[n].R);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(f[3 + i], static_cast<float>(q[i]));
  }
  const auto speed = numbersOf<float>(session.find("result/0/field/speed/0"));
  ASSERT_EQ(speed.size(), 5 * nodes);
  for (std::size_t i = 0; i < speed.size(); ++i) {
    EXPECT_NEAR(speed[i], i % nodes == 0 ? 0.0 : 2.0, 1e-6);
  }
  const auto time = numbersOf<double>(session.find("result/0/time"));
  const auto y = numbersOf<double>(session.find("result/0/channel/0"));
  ASSERT_EQ(time.size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(y[i], std::sin(time[i]));
}

// Signals that are functions of time are known without a record, where a load or an actuator reads them.
TEST(Session, SourcesOfLoadsAreComputed) {
  const TemporaryFolder folder;
  const auto model = std::make_shared<const model::Model>(buildModel(R"(
nodes: {A: [0, 0, 0]}
bodies: {a: {node: A, mass: 1, inertia: [1, 1, 1]}}
blocks:
  wave: {type: expression, value: "= 2*t^2"
}
  idle: {type: expression, value: "= t"}
loads: {push: {node: A, force: [1, 0, 0], signal: wave}}
)"));
  Session session("{}", namesOf(*model));
  session.addResult(
      {"r", recordState(*model, model->system().start(), folder.file("r.h5"), 5), model}, true);
  EXPECT_EQ(jsonOf(session.find("results.json")).at(0).at("sources"), nlohmann::json({"wave"}));
  const auto time = numbersOf<double>(session.find("result/0/time"));
  const auto wave = numbersOf<double>(session.find("result/0/source/wave"));
  ASSERT_EQ(wave.size(), time.size());
  for (std::size_t i = 0; i < time.size(); ++i) {
    EXPECT_NEAR(wave[i], 2.0 * time[i] * time[i], 1e-14);
  }
  EXPECT_FALSE(session.find("result/0/source/push"));
}

TEST(Session, SaysWhyARunDoesNotMoveTheMachine) {
  const TemporaryFolder folder;
  const auto model = std::make_shared<const model::Model>(buildModel(cantilever(1)));
  const auto source = recordState(*model, model->system().start(), folder.file("r.h5"), 2);
  Session own("{}", namesOf(*model)), other("{}", {"X"});
  own.addResult({"r", source, model}, true);
  other.addResult({"r", source, model}, true);
  EXPECT_EQ(jsonOf(own.find("results.json")).at(0).at("still"), "");
  EXPECT_EQ(jsonOf(other.find("results.json")).at(0).at("still"), "a run of another machine");
}

TEST(Session, HasNothingElse) {
  const TemporaryFolder folder;
  const auto model = std::make_shared<const model::Model>(buildModel(cantilever(1)));
  Session session("{}", namesOf(*model));
  session.addResult({"r", recordState(*model, model->system().start(), folder.file("r.h5")), model},
                    true);
  for (const char* name :
       {"", "scene", "../scene.json", "/etc/passwd", "result", "result/0", "result/1/time",
        "result/0/frames/1", "result/0/frames/-1", "result/0/frames/0/0", "result/0/channel/1",
        "result/0/channel/0x", "result/0/channel/", "result/0/field/none/0", "modes/0/shapes",
        "modes//frames", "result/0/time/"}) {
    EXPECT_FALSE(session.find(name)) << name;
  }
  EXPECT_EQ(session.find("modes.json")->bytes, "null");
}

TEST(Session, ModesAreThoseOfTheAnalysis) {
  const model::Model model = buildModel(cantilever(1));
  const analysis::OperatingState point = analysis::findOperatingPoint(model, {});
  analysis::ModeOptions options;
  options.count = 3;
  const analysis::ModeResult result = analysis::findModes(model, point.state, options);
  Session session("{}", {});
  session.setFirstModes(
      [&](const std::string& id) { return makeModeSet(id, model, point.state, result, {}); });
  const nlohmann::json json = jsonOf(session.find("modes.json"));
  ASSERT_EQ(json.at("modes").size(), 3u);
  const std::string set = json.at("set");
  const auto shapes = numbersOf<float>(session.find("modes/" + set + "/shapes"));
  const std::size_t nodes = model.system().nodes().size();
  ASSERT_EQ(shapes.size(), 3 * nodes * 12);
  for (int m = 0; m < 3; ++m) {
    EXPECT_EQ(json.at("modes")[m].at("eigenvalue")[1].get<double>(),
              result.modes[m].eigenvalue.imag());
    // All six freedoms of the tip are free in ground axes, which are its own at the start.
    const system::Node& tip = model.system().nodes()[2];
    for (int i = 0; i < 6; ++i) {
      const std::complex<double> expected = result.modes[m].shape[tip.firstUnknown + i];
      EXPECT_NEAR(shapes[(m * nodes + 2) * 12 + i], expected.real(), 1e-6);
      EXPECT_NEAR(shapes[(m * nodes + 2) * 12 + 6 + i], expected.imag(), 1e-6);
    }
  }
  EXPECT_EQ(numbersOf<float>(session.find("modes/" + set + "/frames")).size(), nodes * 7);
}

// More than one chunk of large records; only what is asked for is read.
TEST(Session, LongRunsComeInChunks) {
  const TemporaryFolder folder;
  results::ResultHead head;
  for (int i = 0; i < 5000; ++i) head.nodes.push_back("n" + std::to_string(i));
  results::ResultWriter writer(folder.file("r.h5"), head);
  std::vector<math::Frame<double>> frames(5001, math::Frame<double>::identity());
  constexpr int kRecords = 70;
  for (int i = 0; i < kRecords; ++i) {
    frames[5000].x[2] = i;
    writer.write(i, {}, frames);
  }
  writer.finish(true);
  Session session("{}", head.nodes);
  const auto source = std::make_shared<FileResult>(folder.file("r.h5"));
  session.addResult({"r", source, nullptr}, true);
  const std::size_t chunk = source->chunk();
  ASSERT_LT(chunk, 40u);
  const auto second = numbersOf<float>(session.find("result/0/frames/1"));
  ASSERT_EQ(second.size(), chunk * 5001 * 7);
  EXPECT_EQ(second[5000 * 7 + 2], static_cast<float>(chunk));
  const std::size_t whole = (kRecords - 1) / chunk;  // chunks before the last
  const auto last = numbersOf<float>(session.find("result/0/frames/" + std::to_string(whole)));
  EXPECT_EQ(last.size(), (kRecords - whole * chunk) * 5001 * 7);
  EXPECT_FALSE(session.find("result/0/frames/" + std::to_string(whole + 1)));
}

std::string unpack(const std::string& text) {
  std::string packed;
  unsigned bits = 0, count = 0;
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6 | static_cast<unsigned>(digits.find(c))) & 0xFFFFFF;
    count += 6;
    if (count >= 8) packed += static_cast<char>(bits >> (count -= 8) & 255);
  }
  std::string bytes(std::size_t{1} << 20, '\0');
  z_stream stream{};
  inflateInit2(&stream, MAX_WBITS + 16);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return bytes;
}

// RFC 4648, section 10.
TEST(Packing, Base64HasItsKnownValues) {
  EXPECT_EQ(toBase64(""), "");
  EXPECT_EQ(toBase64("f"), "Zg==");
  EXPECT_EQ(toBase64("fo"), "Zm8=");
  EXPECT_EQ(toBase64("foobar"), "Zm9vYmFy");
}

TEST(Report, HoldsEveryPieceOfData) {
  const TemporaryFolder folder;
  const auto model = std::make_shared<const model::Model>(buildModel(cantilever(1)));
  Session session("{\"title\": \"a\"}", namesOf(*model));
  session.addResult(
      {"r", recordState(*model, model->system().start(), folder.file("r.h5"), 20), model}, true);
  const std::string report = makeReport("<p><!-- DATA --></p>", session);
  EXPECT_TRUE(report.starts_with("<p><script type=\"text/plain\" data-name=\"scene.json\">"));
  EXPECT_TRUE(report.ends_with("</script>\n</p>"));
  for (const std::string& name : session.listNames()) {
    const std::string mark = "data-name=\"" + name + "\">";
    const std::size_t start = report.find(mark) + mark.size();
    ASSERT_GT(start, mark.size()) << name;
    EXPECT_EQ(unpack(report.substr(start, report.find('<', start) - start)),
              session.find(name)->bytes)
        << name;
  }
}

TEST(Report, ThinnedResultsKeepTheirEnds) {
  const TemporaryFolder folder;
  const model::Model model = buildModel(cantilever(1));
  const auto whole = recordState(model, model.system().start(), folder.file("r.h5"), 100);
  const ThinnedResult thinned(whole, 12);
  ASSERT_EQ(thinned.records(), 12u);
  EXPECT_EQ(thinned.times().front(), 0.0);
  EXPECT_EQ(thinned.times().back(), whole->times().back());
  const std::vector<double> y = thinned.readChannel(0);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(y[i], std::sin(thinned.times()[i]));
  const std::size_t record = (whole->nodes().size() + 1) * 7;
  EXPECT_EQ(thinned.readFrames(11, 1), whole->readFrames(99, 1));
  EXPECT_EQ(thinned.readFrames(0, 12).size(), 12 * record);
}

}  // namespace
}  // namespace flexloop::view
