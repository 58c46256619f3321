#include "system/builder.hpp"

#include <algorithm>
#include <utility>

#include "system/gathering.hpp"
#include "system/registry.hpp"

namespace flexloop::system {
namespace {

std::string keyOf(const std::string& section, const std::string& name) {
  return section + "/" + name;
}

// Solves A u = twist for the node's unknowns; what the held freedoms forbid is dropped.
Eigen::VectorXd ratesOf(const Node& node, const Frame<double>& frame, const Vec6<double>& twist) {
  const Mat6<double> A = calcMap(node, frame);
  Eigen::VectorXd u(node.count);
  // The columns are orthonormal in the start configuration.
  for (int c = 0; c < node.count; ++c) u[c] = A.col(c).dot(twist);
  return u;
}

// What elements without scalars see of a state.
Motion makeMotion(const std::vector<Node>& nodes, const State& state) {
  Motion motion;
  motion.time = state.time;
  motion.history = state.history.data();
  motion.records = state.records.data();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeMotion& node = motion.nodes.emplace_back();
    node.frame = state.frames[i];
    const int first = nodes[i].firstUnknown;
    calcTwist(nodes[i], node.frame, state.rate.data() + first, state.acceleration.data() + first,
              node.twist, node.twistRate);
  }
  return motion;
}

}  // namespace

Builder::Builder(base::Diagnostics& diagnostics, const Registry* registry)
    : diagnostics_(diagnostics), registry_(registry) {
  addNode(kGroundName, Frame<double>::identity(), FreeSet::none());
}

void Builder::error(const base::Place& place, std::string message, std::string hint) {
  diagnostics_.addError(place, std::move(message), std::move(hint));
}

void Builder::declare(const Item& item) {
  items_[keyOf(item.section(), item.name())] = item;
}

const Item* Builder::findItem(const std::string& section, const std::string& name) const {
  const auto it = items_.find(keyOf(section, name));
  return it == items_.end() ? nullptr : &it->second;
}

std::string Builder::listTypes(std::string_view section, bool TypeFacts::*fact) const {
  return registry_ != nullptr ? registry_->listTypes(section, fact) : std::string();
}

NodeIndex Builder::addNode(const std::string& name, const Frame<double>& frame, FreeSet free,
                           const Vec6<double>& twist, std::optional<Formulation> formulation) {
  Node node = makeNode(name, frame, free, formulation.value_or(formulation_));
  node.firstUnknown = static_cast<int>(system_.kinds_.size());
  const NodeIndex index{static_cast<int>(system_.nodes_.size())};
  const Eigen::VectorXd rates = ratesOf(node, frame, twist);
  for (int i = 0; i < node.count; ++i) {
    system_.kinds_.push_back(Kind::kMotion);
    system_.rotation_.push_back(node.map == NodeMap::kBody ? i >= 3 : node.columns[i].rotation);
    values_.push_back(0.0);
    rates_.push_back(rates[i]);
  }
  system_.nodes_.push_back(std::move(node));
  if (!name.empty()) addNodeName(name, index);
  return index;
}

void Builder::addNodeRange(const std::string& prefix, NodeIndex first, int count) {
  system_.nodeNames_.addRange(prefix, first, count);
  for (int k = 1; k <= count; ++k) {
    system_.nodes_[first.value + k - 1].name = prefix + "." + std::to_string(k);
  }
}

void Builder::addPointReference(const std::string& beam, double fraction) {
  points_[beam].insert(fraction);
}

std::vector<double> Builder::pointReferences(const std::string& beam) const {
  const auto it = points_.find(beam);
  if (it == points_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

Vec6<double> Builder::twist(NodeIndex index) const {
  const Node& node = system_.nodes_[index.value];
  const std::array<double, 6> none{};
  Vec6<double> twist, twistRate;
  calcTwist(node, node.start, rates_.data() + node.firstUnknown, none.data(), twist, twistRate);
  return twist;
}

NodeIndex Builder::node(const std::string& name, const base::Place& place) {
  const NodeIndex found = findNode(name);
  if (found.value >= 0) return found;
  error(place, "there is no node named '" + name + "'", system_.nodeNames_.suggest(name));
  return kGround;
}

NodeIndex Builder::node(const Item& item, std::string_view key) {
  return node(item.text(key), item.placeOf(key));
}

std::array<NodeIndex, 2> Builder::nodePair(const Item& item, std::string_view key) {
  const std::vector<std::string> names = item.names(key);
  return {node(names[0], item.placeOf(key)), node(names[1], item.placeOf(key))};
}

UnknownIndex Builder::addScalar(Kind kind, std::string name, std::string equation, double value,
                                double rate) {
  const UnknownIndex index{static_cast<int>(system_.kinds_.size())};
  system_.kinds_.push_back(kind);
  system_.rotation_.push_back(false);
  system_.scalars_.push_back({index, std::move(name), std::move(equation)});
  values_.push_back(value);
  rates_.push_back(rate);
  return index;
}

int Builder::addHistory(int count, double value) {
  const int offset = static_cast<int>(system_.start_.history.size());
  system_.start_.history.resize(offset + count, value);
  return offset;
}

int Builder::addRecord(std::vector<double> start) {
  system_.start_.records.push_back(std::move(start));
  return static_cast<int>(system_.start_.records.size()) - 1;
}

int Builder::addClock(const Clock& clock) {
  std::vector<Clock>& clocks = system_.clocks_;
  const auto found = std::find(clocks.begin(), clocks.end(), clock);
  if (found != clocks.end()) return static_cast<int>(found - clocks.begin());
  clocks.push_back(clock);
  return static_cast<int>(clocks.size()) - 1;
}

UnknownIndex Builder::signal(const std::string& name, const base::Place& place) {
  const auto [it, isNew] = signals_.try_emplace(name);
  if (isNew) {
    it->second = {addScalar(Kind::kSignal, "signal " + name, name), place, false};
    signalOrder_.push_back(name);
  }
  return it->second.unknown;
}

UnknownIndex Builder::signal(const Item& item, std::string_view key) {
  return signal(item.text(key), item.placeOf(key));
}

UnknownIndex Builder::defineSignal(const std::string& name, std::string equation, double start) {
  const UnknownIndex unknown = signal(name, {});
  signals_[name].defined = true;
  values_[unknown.value] = start;
  const auto scalar = std::lower_bound(
      system_.scalars_.begin(), system_.scalars_.end(), unknown,
      [](const ScalarUnknown& s, UnknownIndex u) { return s.index.value < u.value; });
  scalar->equation = std::move(equation);
  return unknown;
}

UnknownIndex Builder::findSignal(const std::string& name) const {
  const auto it = signals_.find(name);
  return it == signals_.end() ? UnknownIndex{} : it->second.unknown;
}

void Builder::addSignalName(const std::string& name, const std::string& signal) {
  const auto found = signals_.find(signal);
  if (found == signals_.end()) return;
  const Signal copy = found->second;
  if (signals_.try_emplace(name, copy).second) signalOrder_.push_back(name);
}

std::vector<Builder::OpenSignal> Builder::openSignals() const {
  std::vector<OpenSignal> open;
  for (const std::string& name : signalOrder_) {
    const Signal& signal = signals_.at(name);
    if (!signal.defined) open.push_back({name, signal.unknown, signal.place});
  }
  return open;
}

std::vector<std::string> Builder::signalNames() const {
  std::vector<std::string> names;
  for (const std::string& name : signalOrder_) {
    if (signals_.at(name).defined) names.push_back(name);
  }
  return names;
}

void Builder::addMeasure(const std::string& name, std::unique_ptr<Measure> measure) {
  measures_[name] = std::move(measure);
}

void Builder::attach(const std::string& section, const std::string& name, Attachment attachment) {
  attachments_[keyOf(section, name)] = attachment;
}

const Builder::Attachment* Builder::findAttachment(const std::string& section,
                                                   const std::string& name) const {
  const auto it = attachments_.find(keyOf(section, name));
  return it == attachments_.end() ? nullptr : &it->second;
}

System Builder::finish(std::map<std::string, std::unique_ptr<Measure>>& measures) {
  State& start = system_.start_;
  const int n = system_.unknowns();
  start.value = Eigen::Map<const Eigen::VectorXd>(values_.data(), n);
  start.rate = Eigen::Map<const Eigen::VectorXd>(rates_.data(), n);
  start.acceleration.setZero(n);
  start.algorithmic.setZero(n);
  for (const Node& node : system_.nodes_) start.frames.push_back(node.start);
  std::vector<double>& breaks = system_.breaks_;
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  system_.roles_ = findRoles(system_.sets_);
  if (const auto gatherings = findGatherings(system_); !gatherings.empty()) {
    renewLists(gatherings, makeMotion(system_.nodes_, start), 0.0, start);
  }
  measures = std::move(measures_);
  return std::move(system_);
}

}  // namespace flexloop::system
