#include "control/algebra/lookup_types.hpp"

#include <memory>
#include <utility>

#include "control/algebra/lookup.hpp"
#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "math/monotone_slopes.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::choice;
using system::Item;
using system::numbers;
using system::Parameter;
using system::withDefault;

namespace {

// At least two points, ascending; what is wrong is reported.
bool arePoints(const Item& item, const char* key, Builder& builder) {
  const std::vector<double> points = item.numbers(key);
  const std::string name = std::string("'") + key + "'";
  if (points.size() < 2) {
    fail(builder, item, key, name + " has fewer than two points");
    return false;
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i] > points[i - 1]) continue;
    fail(builder, item, key, name + " does not increase at entry " + std::to_string(i + 1));
    return false;
  }
  return true;
}

Axis axisOf(const Item& item, const char* key) {
  return {item.numbers(key), item.text("interpolation") != "linear",
          item.text("extrapolate") == "hold" ? Axis::Extrapolation::kHold
                                             : Axis::Extrapolation::kLinear};
}

void makeLookup(const Item& item, Builder& builder) {
  if (!arePoints(item, "x", builder)) return;
  const std::vector<double> x = item.numbers("x"), y = item.numbers("y");
  if (x.size() != y.size()) {
    return fail(
        builder, item, "y",
        "'x' has " + std::to_string(x.size()) + " entries, but 'y' has " + std::to_string(y.size()),
        "give one value for each point");
  }
  std::vector<double> slopes;
  if (item.text("interpolation") == "spline") slopes = calcSplineSlopes(x, y);
  if (item.text("interpolation") == "monotone") slopes = math::calcMonotoneSlopes(x, y);
  addBlock(item, std::make_unique<Lookup>(axisOf(item, "x"), y, std::move(slopes)),
           inputsOf(item, "input", builder), builder);
}

void makeLookup2(const Item& item, Builder& builder) {
  if (!arePoints(item, "x", builder) || !arePoints(item, "y", builder)) return;
  const std::vector<BlockInput> inputs = inputsOf(item, "inputs", builder);
  if (inputs.size() != 2) {
    return fail(builder, item, "inputs",
                "'inputs' has " + std::to_string(inputs.size()) + " signals",
                "two are needed: the first along 'x', the second along 'y'");
  }
  const Eigen::MatrixXd table = item.matrix("table");
  const std::size_t rows = item.numbers("x").size(), columns = item.numbers("y").size();
  if (table.rows() != static_cast<int>(rows) || table.cols() != static_cast<int>(columns)) {
    return fail(builder, item, "table",
                "the table has " + std::to_string(table.rows()) + " rows of " +
                    std::to_string(table.cols()) + " values",
                "it needs a row for each of the " + std::to_string(rows) +
                    " points of 'x', with a value for each of the " + std::to_string(columns) +
                    " points of 'y'");
  }
  addBlock(item,
           std::make_unique<Lookup2>(axisOf(item, "x"), axisOf(item, "y"), table,
                                     item.text("interpolation") == "spline"),
           inputs, builder);
}

Parameter points(const char* name, const char* doc) {
  return required(anyUnit(numbers(name, base::kDimensionless, doc)));
}

Parameter extrapolation() {
  return withDefault(
      choice("extrapolate", {"hold", "linear"},
             "beyond the ends: the value at the end, or a straight line with the slope at the end"),
      "hold");
}

void registerLookup1(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "lookup",
       .doc = "A function of one signal, given by its values at some points; `file` and `columns` "
              "take them from a file.",
       .parameters = {required(system::signal("input", base::kDimensionless, "the signal")),
                      points("x", "values of the input, increasing"),
                      points("y", "values of the output at these points"),
                      withDefault(
                          choice("interpolation", {"linear", "spline", "monotone"},
                                 "between the points: straight lines; the natural cubic spline, "
                                 "whose curvature is continuous; or monotone cubics, which rise "
                                 "and fall only where the values do (PCHIP)"),
                          "linear"),
                      extrapolation()},
       .make = makeLookup,
       .samples =
           {blockSample("  y: {type: lookup, input: p, x: [-40, 0, 40], y: [-1, 0.5, 3], "
                        "extrapolate: linear}\n"),
            blockSample("  y: {type: lookup, input: p, x: [-3, -1, 0.5, 2], y: [0, 1, 0.3, 0.8], "
                        "interpolation: spline}\n"),
            blockSample("  y: {type: lookup, input: p, x: [-3, -1, 0.5, 2], y: [0, 1, 1.3, 1.8], "
                        "interpolation: monotone, extrapolate: linear}\n")},
       .facts = {.passesJumps = true},
       .fileColumns = {"x", "y"}});
}

void registerLookup2(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "lookup2",
       .doc = "A function of two signals, given by its values on a grid.",
       .parameters = {required(system::signals("inputs", "the two signals, along x and along y")),
                      points("x", "values of the first input, increasing"),
                      points("y", "values of the second input, increasing"),
                      required(anyUnit(system::matrix("table",
                                                      "values of the output: one row for each "
                                                      "point of x, one column for each of y"))),
                      withDefault(choice("interpolation", {"linear", "spline"},
                                         "bilinear, or natural cubic splines in both directions"),
                                  "linear"),
                      extrapolation()},
       .make = makeLookup2,
       .samples =
           {blockSample("  y: {type: lookup2, inputs: [p, q], x: [-40, 40], y: [-40, 0, 40], "
                        "table: [[0, 1, 3], [2, -1, 0.5]], extrapolate: linear}\n"),
            blockSample("  y: {type: lookup2, inputs: [p, -q], x: [-2, 0, 1.5], y: [-3, 0.2, 2], "
                        "table: [[0, 1, 3], [2, -1, 0.5], [1, 1, 2]], interpolation: spline}\n")},
       .facts = {.passesJumps = true}});
}

}  // namespace

void registerLookups(system::Registry& registry) {
  registerLookup1(registry);
  registerLookup2(registry);
}

}  // namespace flexloop::control
