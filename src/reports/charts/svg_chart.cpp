#include "reports/charts/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text_format.hpp"
#include "files/xml_text.hpp"
#include "reports/charts/chart_scale.hpp"
#include "reports/charts/chart_ticks.hpp"

namespace flexloop::reports {
namespace {

// In the units of the picture, which a screen shows as pixels.
constexpr double kWidth = 640.0, kHeight = 420.0;
constexpr double kLeft = 72.0, kRight = 20.0, kTop = 20.0, kBottom = 56.0, kTitleHeight = 24.0;
constexpr double kTick = 5.0, kShortTick = 3.0;
constexpr double kLetter = 7.6;                           // mean width of a letter of the legend
constexpr double kTitleSize = 15.0, kTitleLetter = 0.64;  // of its size
constexpr double kLegendRow = 19.0, kLegendSample = 30.0, kLegendGap = 8.0, kLegendInset = 12.0;
constexpr int kTicksOfY = 6, kTicksOfX = 8;
constexpr double kOverlap = 0.6;      // of fields, so that nothing shines through between them
constexpr double kStartRadius = 3.0;  // of the circle where a curve begins
constexpr int kMostInside = 6;        // rows of a legend inside the frame
constexpr int kLegendPlaces = 9;      // along a side of the frame
constexpr double kMargin = 0.05;      // of the range, above and below the curves

struct Pen {
  const char* color;
  const char* dashes;
};
// Told apart by the colour-blind and on paper without colours.
constexpr std::array<Pen, 6> kPens{{{"#1f5fa8", ""},
                                    {"#d9730d", "9 4"},
                                    {"#3f7d3a", "2.5 3"},
                                    {"#8a4f9e", "9 3 2.5 3"},
                                    {"#b3262e", "5 2.5"},
                                    {"#555555", "1.5 2"}}};

// With a minus sign as wide as the digits.
std::string withTrueMinus(const std::string& number) {
  return number.starts_with('-') ? "\u2212" + number.substr(1) : number;
}

// Letters, not bytes.
double lengthOf(const std::string& text) {
  return static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

struct Point {
  double x = 0.0, y = 0.0;
};

class Drawing {
 public:
  // `row`: of charts below each other.
  explicit Drawing(const Chart& chart, int row = 0)
      : chart_(chart),
        row_(row),
        frame_(row == 0 ? "frame" : "frame" + std::to_string(row + 1)),
        x_(makeScale(chart.x, chart.curves, &ChartCurve::x, chart.x.hasRoom ? kMargin : 0.0)),
        y_(makeScale(chart.y, chart.curves, &ChartCurve::y, kMargin)),
        top_(kTop + (chart.title.empty() ? 0.0 : kTitleHeight)) {}

  std::string draw() {
    open();
    drawCells();
    drawGrid();
    drawCurves();
    drawAxes();
    drawLegend();
    text_ += "</svg>\n";
    return text_;
  }

 private:
  double right() const {
    return kWidth - kRight - (isOutside() ? legendSize().x + kLegendInset : 0.0);
  }
  // A long legend would hide much wherever it is.
  bool isOutside() const { return legendRows() > kMostInside; }

  int legendRows() const {
    return static_cast<int>(std::count_if(chart_.curves.begin(), chart_.curves.end(),
                                          [](const ChartCurve& c) { return !c.name.empty(); }));
  }

  Point legendSize() const {
    double letters = 0.0;
    for (const ChartCurve& curve : chart_.curves) letters = std::max(letters, lengthOf(curve.name));
    return {kLegendSample + 3.0 * kLegendGap + kLetter * letters,
            kLegendRow * legendRows() + kLegendGap};
  }
  double bottom() const { return kHeight - kBottom; }
  double toX(double value) const { return kLeft + (right() - kLeft) * x_.at(value); }
  double toY(double value) const { return bottom() - (bottom() - top_) * y_.at(value); }

  void open() {
    text_ = base::formatText(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"%s width=\"%g\" height=\"%g\" viewBox=\"0 0 %g "
        "%g\" "
        "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"13\" "
        "fill=\"#222\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        row_ > 0 ? base::formatText(" y=\"%g\"", row_ * kHeight).c_str() : "", kWidth, kHeight,
        kWidth, kHeight);
    text_ += base::formatText(
        "<clipPath id=\"%s\"><rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/></clipPath>\n",
        frame_.c_str(), kLeft, top_, right() - kLeft, bottom() - top_);
    if (chart_.title.empty()) return;
    // A long one is centred in the picture, and smaller where it would not fit.
    const double room = kWidth - 2.0 * kRight, letters = kTitleLetter * lengthOf(chart_.title);
    const bool isLong = letters * kTitleSize > right() - kLeft;
    text_ += base::formatText(
        "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\" font-size=\"%.3g\" font-weight=\"bold\">",
        isLong ? 0.5 * kWidth : 0.5 * (kLeft + right()), kTop + 8.0,
        std::min(kTitleSize, room / letters));
    text_ += files::escapeXml(chart_.title) + "</text>\n";
  }

  void addLine(Point a, Point b) {
    text_ += base::formatText("<path d=\"M%.2f %.2fL%.2f %.2f\"/>\n", a.x, a.y, b.x, b.y);
  }

  void drawCells() {
    if (chart_.cells.empty()) return;
    text_ += "<g shape-rendering=\"crispEdges\" clip-path=\"url(#frame)\">\n";
    for (const ChartCell& cell : chart_.cells) {
      const Point from{toX(cell.x0), toY(cell.y1)}, to{toX(cell.x1), toY(cell.y0)};
      text_ += base::formatText(
          "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", from.x,
          from.y, to.x - from.x + kOverlap, to.y - from.y + kOverlap, cell.color.c_str());
    }
    text_ += "</g>\n";
  }

  void drawGrid() {
    text_ += "<g stroke=\"#e4e4e4\" stroke-width=\"0.8\">\n";
    for (const Tick& tick : x_.ticks(kTicksOfX)) {
      if (tick.label.empty()) continue;
      addLine({toX(tick.value), top_}, {toX(tick.value), bottom()});
    }
    for (const Tick& tick : y_.ticks(kTicksOfY)) {
      if (tick.label.empty()) continue;
      addLine({kLeft, toY(tick.value)}, {right(), toY(tick.value)});
    }
    text_ += "</g>\n<g stroke=\"#888\" stroke-width=\"0.8\" clip-path=\"url(#" + frame_ + ")\">\n";
    for (const double level : chart_.levels) {
      if (!y_.has(level)) continue;
      addLine({kLeft, toY(level)}, {right(), toY(level)});
      keepAway({kLeft, toY(level)}, {right(), toY(level)});
    }
    for (const double upright : chart_.uprights) {
      if (!x_.has(upright)) continue;
      addLine({toX(upright), top_}, {toX(upright), bottom()});
      keepAway({toX(upright), top_}, {toX(upright), bottom()});
    }
    text_ += "</g>\n";
  }

  void drawAxes() {
    text_ += base::formatText(
        "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#222\"/>\n",
        kLeft, top_, right() - kLeft, bottom() - top_);
    drawTicks();
    text_ += base::formatText("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">",
                              0.5 * (kLeft + right()), kHeight - 14.0);
    text_ += files::escapeXml(chart_.x.label) + "</text>\n";
    const double middle = 0.5 * (top_ + bottom());
    text_ += base::formatText(
        "<text transform=\"translate(20 %g) rotate(-90)\" text-anchor=\"middle\">", middle);
    text_ += files::escapeXml(chart_.y.label) + "</text>\n";
  }

  void drawTicks() {
    text_ += "<g stroke=\"#222\" stroke-width=\"0.9\">\n";
    for (const Tick& tick : x_.ticks(kTicksOfX)) {
      const double x = toX(tick.value), length = tick.label.empty() ? kShortTick : kTick;
      addLine({x, bottom()}, {x, bottom() - length});
    }
    for (const Tick& tick : y_.ticks(kTicksOfY)) {
      const double y = toY(tick.value), length = tick.label.empty() ? kShortTick : kTick;
      addLine({kLeft, y}, {kLeft + length, y});
    }
    text_ += "</g>\n<g font-size=\"12\" text-anchor=\"middle\">\n";
    for (const Tick& tick : x_.ticks(kTicksOfX)) addLabel(tick, {toX(tick.value), bottom() + 18.0});
    text_ += "</g>\n<g font-size=\"12\" text-anchor=\"end\">\n";
    for (const Tick& tick : y_.ticks(kTicksOfY))
      addLabel(tick, {kLeft - 7.0, toY(tick.value) + 4.2});
    text_ += "</g>\n";
  }

  void addLabel(const Tick& tick, Point at) {
    if (tick.label.empty()) return;
    std::string label = withTrueMinus(tick.label);
    if (!tick.exponent.empty()) {
      label += "<tspan dy=\"-5\" font-size=\"9\">" + withTrueMinus(tick.exponent) + "</tspan>";
    }
    text_ += base::formatText("<text x=\"%.2f\" y=\"%.2f\">%s</text>\n", at.x, at.y, label.c_str());
  }

  std::string strokeOf(std::size_t curve) const {
    const std::string& own = chart_.curves[curve].color;
    // When the colours begin anew they get other dashes.
    const char* color = own.empty() ? kPens[curve % kPens.size()].color : own.c_str();
    const char* dashes =
        own.empty() ? kPens[(curve + curve / kPens.size()) % kPens.size()].dashes : "";
    return base::formatText(
               "fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"",
               color) +
           (*dashes != '\0' ? base::formatText(" stroke-dasharray=\"%s\"", dashes) : "");
  }

  void drawCurves() {
    text_ += "<g clip-path=\"url(#" + frame_ + ")\">\n";
    for (std::size_t i = 0; i < chart_.curves.size(); ++i) {
      const std::string path = makePath(chart_.curves[i]);
      if (!path.empty()) text_ += "<path " + strokeOf(i) + " d=\"" + path + "\"/>\n";
      if (chart_.curves[i].marksStart) markStart(chart_.curves[i], kPens[i % kPens.size()].color);
    }
    text_ += "</g>\n";
  }

  void markStart(const ChartCurve& curve, const char* color) {
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (!x_.has(curve.x[i]) || !y_.has(curve.y[i])) continue;
      text_ += base::formatText(
          "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\" fill=\"white\" stroke=\"%s\" "
          "stroke-width=\"1.4\"/>\n",
          toX(curve.x[i]), toY(curve.y[i]), kStartRadius, color);
      return;
    }
  }

  std::string makePath(const ChartCurve& curve) {
    std::string path;
    bool draws = false;
    const std::size_t count = std::min(curve.x.size(), curve.y.size());
    for (std::size_t i = 0; i < count; ++i) {
      const bool there = x_.has(curve.x[i]) && y_.has(curve.y[i]);
      if (there) {
        const Point at{toX(curve.x[i]), toY(curve.y[i])};
        path += base::formatText("%c%.2f %.2f", draws ? 'L' : 'M', at.x, at.y);
        keepAway(draws ? drawn_.back() : at, at);
      }
      draws = there;
    }
    return path;
  }

  // Points along a line, so that a legend finds it between its ends too.
  void keepAway(Point from, Point to) {
    const double length = std::min(std::hypot(to.x - from.x, to.y - from.y), kWidth + kHeight);
    const int pieces = static_cast<int>(length / kLegendGap) + 1;
    for (int i = 1; i <= pieces; ++i) {
      const double part = static_cast<double>(i) / pieces;
      drawn_.push_back({from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)});
    }
  }

  void drawLegend() {
    if (legendRows() == 0) return;
    const Point size = legendSize();
    const Point at = isOutside() ? Point{right() + kLegendInset, top_} : placeLegend(size);
    text_ += base::formatText(
        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"white\" "
        "fill-opacity=\"0.9\" stroke=\"#bbb\" stroke-width=\"0.8\"/>\n",
        at.x, at.y, size.x, size.y);
    double y = at.y + 0.5 * (kLegendRow + kLegendGap);
    for (std::size_t i = 0; i < chart_.curves.size(); ++i) {
      const std::string& name = chart_.curves[i].name;
      if (name.empty()) continue;
      const double x = at.x + kLegendGap;
      text_ += base::formatText("<path %s d=\"M%.2f %.2fh%g\"/>\n", strokeOf(i).c_str(), x, y,
                                kLegendSample);
      text_ +=
          base::formatText("<text x=\"%.2f\" y=\"%.2f\" font-size=\"12.5\">%s</text>\n",
                           x + kLegendSample + kLegendGap, y + 4.3, files::escapeXml(name).c_str());
      y += kLegendRow;
    }
  }

  // Where the box hides the fewest points of curves: a corner of the frame if possible.
  Point placeLegend(Point size) const {
    const double left = kLeft + kLegendInset, right = this->right() - kLegendInset - size.x;
    const double top = top_ + kLegendInset, bottom = this->bottom() - kLegendInset - size.y;
    std::vector<Point> places{{right, top}, {right, bottom}, {left, bottom}, {left, top}};
    for (int i = 0; i < kLegendPlaces; ++i) {
      for (int k = 0; k < kLegendPlaces; ++k) {
        const double a = static_cast<double>(i) / (kLegendPlaces - 1);
        const double b = static_cast<double>(k) / (kLegendPlaces - 1);
        places.push_back({right + a * (left - right), top + b * (bottom - top)});
      }
    }
    const auto hidden = [&](Point place) {
      return std::count_if(drawn_.begin(), drawn_.end(), [&](Point p) {
        return p.x > place.x - kLegendGap && p.x < place.x + size.x + kLegendGap &&
               p.y > place.y - kLegendGap && p.y < place.y + size.y + kLegendGap;
      });
    };
    return *std::min_element(places.begin(), places.end(),
                             [&](Point a, Point b) { return hidden(a) < hidden(b); });
  }

  const Chart& chart_;
  int row_;
  std::string frame_;  // the name of what cuts the curves
  ChartScale x_, y_;
  double top_;
  std::string text_;
  std::vector<Point> drawn_;  // where a legend would be in the way
};

}  // namespace

std::string drawSvg(const Chart& chart) {
  return Drawing(chart).draw();
}

std::string drawSvgColumn(const std::vector<Chart>& charts) {
  std::string text =
      base::formatText("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\">\n",
                       kWidth, static_cast<double>(charts.size()) * kHeight);
  int row = 0;
  for (const Chart& chart : charts) text += Drawing(chart, row++).draw();
  return text + "</svg>\n";
}

}  // namespace flexloop::reports
