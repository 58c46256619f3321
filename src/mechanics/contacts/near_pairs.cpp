#include "mechanics/contacts/near_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace flexloop::mechanics {
namespace {

using Cell = std::array<std::int64_t, 3>;

struct Place {
  Cell cell;
  int ball;

  auto operator<=>(const Place&) const = default;
};

// Cells beyond the range of a number are one; what is far apart is recognised by its distance.
constexpr double kMostCells = 1e15;

std::vector<Place> sortIntoCells(const std::vector<Ball>& balls, double width) {
  math::Vec3<double> corner = balls.front().centre;
  for (const Ball& ball : balls) corner = corner.cwiseMin(ball.centre);
  std::vector<Place> places(balls.size());
  for (std::size_t i = 0; i < balls.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double cells = (balls[i].centre[k] - corner[k]) / width;
      places[i].cell[k] = static_cast<std::int64_t>(std::min(cells, kMostCells));
    }
    places[i].ball = static_cast<int>(i);
  }
  std::sort(places.begin(), places.end());
  return places;
}

bool areNear(const Ball& a, const Ball& b, double margin) {
  return (a.centre - b.centre).norm() < a.radius + b.radius + margin;
}

}  // namespace

std::vector<std::array<int, 2>> findNearPairs(const std::vector<Ball>& balls, double margin) {
  std::vector<std::array<int, 2>> pairs;
  if (balls.size() < 2) return pairs;
  double largest = 0.0;
  for (const Ball& ball : balls) largest = std::max(largest, ball.radius);
  const std::vector<Place> places = sortIntoCells(balls, 2.0 * largest + margin);
  const auto addIfNear = [&](const Place& a, const Place& b) {
    if (!areNear(balls[a.ball], balls[b.ball], margin)) return;
    pairs.push_back({std::min(a.ball, b.ball), std::max(a.ball, b.ball)});
  };
  const auto isBefore = [](const Place& place, const Cell& cell) { return place.cell < cell; };
  for (auto first = places.begin(); first != places.end(); ++first) {
    // Cells of one column follow each other. Of those behind the own one, each pair of neighbours is met once.
    for (std::int64_t x = 0; x <= 1; ++x) {
      for (std::int64_t y = x == 0 ? 0 : -1; y <= 1; ++y) {
        const bool isOwn = x == 0 && y == 0;
        const Cell& own = first->cell;
        const Cell begin{own[0] + x, own[1] + y, own[2] - 1};
        const Cell end{own[0] + x, own[1] + y, own[2] + 2};
        auto other =
            isOwn ? first + 1 : std::lower_bound(places.begin(), places.end(), begin, isBefore);
        for (; other != places.end() && other->cell < end; ++other) addIfNear(*first, *other);
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace flexloop::mechanics
