// Charts: ticks that people would choose, and pictures that a viewer can read.
#include "reports/charts/svg_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reports/charts/chart_ticks.hpp"

namespace flexloop::reports {
namespace {

std::string labelsOf(const std::vector<Tick>& ticks) {
  std::string text;
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    text += (text.empty() ? "" : " ") + tick.label;
    if (!tick.exponent.empty()) text += "^" + tick.exponent;
  }
  return text;
}

int countOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

double frameWidth(const std::string& svg) {
  const std::string start = "<clipPath id=\"frame\"><rect x=\"72\" y=\"20\" width=\"";
  return std::stod(svg.substr(svg.find(start) + start.size()));
}

Chart makeChart() {
  return {.title = "",
          .x = {.label = "time [s]"},
          .y = {.label = "height [m]"},
          .curves = {{.name = "tip", .x = {0, 1, 2}, .y = {0, 1, 0.5}},
                     {.name = "elbow", .x = {0, 1, 2}, .y = {0, -1, 2}}},
          .levels = {}};
}

TEST(ChartTicks, LinearTicksAreRound) {
  EXPECT_EQ(labelsOf(makeLinearTicks(0.0, 1.0, 5)), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(labelsOf(makeLinearTicks(-0.03, 10.2, 5)), "0 5 10");
  EXPECT_EQ(labelsOf(makeLinearTicks(-3.0, 2.0, 6)), "-3 -2 -1 0 1 2");
  EXPECT_EQ(labelsOf(makeLinearTicks(0.9951, 1.0012, 4)), "0.996 0.998 1.000");
  EXPECT_EQ(labelsOf(makeLinearTicks(0.0, 3e7, 3)), "0 1e+07 2e+07 3e+07");
}

TEST(ChartTicks, UnitsAreDoubledUntilTheyAreFew) {
  EXPECT_EQ(labelsOf(makeUnitTicks(-190.0, 10.0, 6, 45.0)), "-180 -135 -90 -45 0");
  EXPECT_EQ(labelsOf(makeUnitTicks(-500.0, 30.0, 6, 45.0)), "-450 -360 -270 -180 -90 0");
  EXPECT_EQ(labelsOf(makeUnitTicks(-3.0, 3.0, 6, 45.0)), "0");
}

TEST(ChartTicks, WideLogarithmicTicksArePowersOfTen) {
  const std::vector<Tick> ticks = makeLogarithmicTicks(1e-2, 1e2);
  EXPECT_EQ(labelsOf(ticks), "10^-2 10^-1 10^0 10^1 10^2");
  EXPECT_EQ(ticks.size(), 5u + 4u * 8u);  // 2 to 9 in each of four decades
  EXPECT_EQ(labelsOf(makeLogarithmicTicks(1e-12, 1e12)),
            "10^-12 10^-9 10^-6 10^-3 10^0 10^3 10^6 10^9 10^12");
}

TEST(ChartTicks, NarrowLogarithmicTicksArePlainNumbers) {
  EXPECT_EQ(labelsOf(makeLogarithmicTicks(0.3, 12.0)), "0.5 1 2 5 10");
}

TEST(SvgChart, ScalesCurvesIntoTheFrame) {
  const std::string svg = drawSvg(makeChart());
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  // The frame is 72 to 620 by 20 to 364; y has 5 % of 3 m of room below −1 and above 2, so that 0
  // stands at 364 − 344 · 1.15/3.3.
  EXPECT_NE(svg.find("d=\"M72.00 244.12L346.00 139.88"), std::string::npos) << svg;
  for (const char* text : {">tip<", ">elbow<", ">time [s]<", ">height [m]<", "stroke-dasharray"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(SvgChart, TextsAreEscaped) {
  Chart chart = makeChart();
  chart.title = "a < b & c > d";
  EXPECT_NE(drawSvg(chart).find("a &lt; b &amp; c &gt; d"), std::string::npos);
}

TEST(SvgChart, WhatIsNoNumberInterruptsACurve) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Chart chart = makeChart();
  chart.curves = {{.name = "", .x = {0, 1, 2, 3, 4, 5}, .y = {1, 2, nan, 3, infinity, 1}}};
  const std::string svg = drawSvg(chart);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  const std::size_t curve = svg.find("stroke-linejoin");
  ASSERT_NE(curve, std::string::npos);
  const std::string path = svg.substr(curve, svg.find("/>", curve) - curve);
  EXPECT_EQ(countOf(path, "M"), 3) << path;
  EXPECT_EQ(countOf(path, "L"), 1) << path;
}

TEST(SvgChart, NegativeValuesHaveNoPlaceOnALogarithmicAxis) {
  Chart chart = makeChart();
  chart.y.logarithmic = true;
  const std::string svg = drawSvg(chart);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(SvgChart, NothingToDrawIsStillAPicture) {
  for (const bool logarithmic : {false, true}) {
    Chart chart = makeChart();
    chart.x.logarithmic = chart.y.logarithmic = logarithmic;
    chart.curves.clear();
    EXPECT_EQ(drawSvg(chart).find("nan"), std::string::npos);
    chart.curves = {{.name = "constant", .x = {1, 2}, .y = {5, 5}}};
    EXPECT_EQ(drawSvg(chart).find("nan"), std::string::npos);
    chart.curves = {{.name = "point", .x = {1}, .y = {5}}};
    EXPECT_EQ(drawSvg(chart).find("nan"), std::string::npos);
  }
}

TEST(SvgChart, ValuesFarOutsideStayReadable) {
  Chart chart = makeChart();
  chart.curves[0].y = {0.0, 1e300, 1.0};
  chart.y.from = 0.0;
  chart.y.to = 1.2;
  const std::string svg = drawSvg(chart);
  EXPECT_NE(svg.find("-34036.00"), std::string::npos) << svg;  // 100 frames above the lower edge
}

// The legend is the only box with a transparent ground.
double legendPlace(const std::string& svg, const char* key) {
  const std::size_t end = svg.find("fill-opacity"), start = svg.rfind("<rect", end);
  const std::size_t at = svg.find(std::string(key) + "=\"", start) + std::string(key).size() + 2;
  return std::stod(svg.substr(at));
}

TEST(SvgChart, TheLegendStandsWhereTheCurvesAreNot) {
  Chart chart = makeChart();
  chart.curves = {{.name = "up", .x = {}, .y = {}}};
  for (int i = 0; i <= 100; ++i) {
    chart.curves[0].x.push_back(i);
    chart.curves[0].y.push_back(i);
  }
  const std::string rising = drawSvg(chart);
  EXPECT_GT(legendPlace(rising, " x"), 346.0);       // right
  EXPECT_GT(legendPlace(rising, " y"), 192.0);       // below
  chart.curves[0].x = chart.curves[0].y = {0, 100};  // the same line by its ends
  EXPECT_EQ(legendPlace(drawSvg(chart), " y"), legendPlace(rising, " y"));
  std::reverse(chart.curves[0].y.begin(), chart.curves[0].y.end());
  const std::string falling = drawSvg(chart);
  EXPECT_GT(legendPlace(falling, " x"), 346.0);
  EXPECT_LT(legendPlace(falling, " y"), 192.0);
}

// 15 points high by default; 200 letters have 600 points.
TEST(SvgChart, LongTitlesAreSmaller) {
  Chart chart = makeChart();
  chart.title = "short";
  EXPECT_NE(drawSvg(chart).find("font-size=\"15\" font-weight"), std::string::npos);
  chart.title = std::string(200, 'm');
  EXPECT_NE(drawSvg(chart).find("font-size=\"4.69\" font-weight"), std::string::npos);
}

TEST(SvgChart, LongLegendsStandBesideTheFrame) {
  Chart chart = makeChart();
  const double inside = frameWidth(drawSvg(chart));
  chart.curves.resize(7, chart.curves.front());
  for (ChartCurve& curve : chart.curves) curve.name = "mode";
  EXPECT_LT(frameWidth(drawSvg(chart)), inside - 80.0);
}

TEST(SvgChart, StartsAndUprightsAreDrawn) {
  Chart chart = makeChart();
  EXPECT_EQ(countOf(drawSvg(chart), "<circle"), 0);
  chart.curves[1].marksStart = true;
  chart.curves[1].x[0] = std::numeric_limits<double>::quiet_NaN();  // the first that is there
  const int lines = countOf(drawSvg(chart), "<path");
  chart.uprights = {1.0};
  EXPECT_EQ(countOf(drawSvg(chart), "<path"), lines + 1);
  EXPECT_EQ(countOf(drawSvg(chart), "<circle"), 1);
}

}  // namespace
}  // namespace flexloop::reports
