#include "control/sampled/sample_partials.hpp"

#include <algorithm>
#include <functional>

#include "control/boxes/slope_search.hpp"

namespace flexloop::control {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

using Function = std::function<VectorXd(const VectorXd&)>;

MatrixXd differentiate(const Function& f, VectorXd at, int rows) {
  MatrixXd J(rows, at.size());
  for (int column = 0; column < at.size(); ++column) {
    const double middle = at[column];
    const Slopes slopes = calcSlopes(middle, rows, [&](double value, std::span<double> results) {
      at[column] = value;
      const VectorXd found = f(at);
      std::copy(found.begin(), found.end(), results.begin());
    });
    at[column] = middle;
    J.col(column) = Eigen::Map<const VectorXd>(slopes.values.data(), rows);
  }
  return J;
}

VectorXd join(const std::vector<double>& memory, const std::vector<double>& inputs) {
  VectorXd all(memory.size() + inputs.size());
  std::copy(memory.begin(), memory.end(), all.begin());
  std::copy(inputs.begin(), inputs.end(), all.begin() + static_cast<std::ptrdiff_t>(memory.size()));
  return all;
}

// A block that forgets what it did.
class Instant {
 public:
  Instant(const Block& block, double time) : block_(block), time_(time), size_(block.size()) {}

  VectorXd sample(VectorXd all) const {
    block_.sample(read(all), {all.data(), nullptr});
    return all.head(size_.memory);
  }
  VectorXd update(VectorXd all) const {
    block_.updateSample(read(all), {all.data(), nullptr});
    return all.head(size_.memory);
  }
  VectorXd calcOutputs(const VectorXd& memory) const {
    VectorXd y(size_.outputs);
    const std::vector<double> inputs(size_.inputs, 0.0);
    block_.calc({time_, {}, inputs, memory.data(), nullptr, {}, {y.data(), y.data() + y.size()}});
    return y;
  }

 private:
  BlockPorts<double> read(const VectorXd& all) const {
    const double* inputs = all.data() + size_.memory;
    return {time_, {}, {inputs, inputs + size_.inputs}, all.data(), nullptr, {}, {}};
  }

  const Block& block_;
  double time_;
  BlockSize size_;
};

}  // namespace

SamplePartials calcSamplePartials(const Block& block, double time,
                                  const std::vector<double>& inputs, std::vector<double> memory) {
  const Instant instant(block, time);
  const int rows = static_cast<int>(memory.size());
  const auto store = [&](const VectorXd& next) { memory.assign(next.begin(), next.end()); };
  store(instant.sample(join(memory, inputs)));
  store(instant.update(join(memory, inputs)));
  SamplePartials partials;
  const VectorXd before = join(memory, inputs);
  partials.sample =
      differentiate([&](const VectorXd& all) { return instant.sample(all); }, before, rows);
  store(instant.sample(before));
  partials.update = differentiate([&](const VectorXd& all) { return instant.update(all); },
                                  join(memory, inputs), rows);
  partials.output = differentiate([&](const VectorXd& all) { return instant.calcOutputs(all); },
                                  join(memory, {}), block.size().outputs);
  return partials;
}

}  // namespace flexloop::control
