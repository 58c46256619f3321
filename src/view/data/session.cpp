#include "view/data/session.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analysis/records/even_grid.hpp"
#include "analysis/records/spectrum.hpp"
#include "base/json.hpp"
#include "view/data/json_vectors.hpp"
#include "view/scene/driving_signals.hpp"

namespace flexloop::view {
namespace {

constexpr std::size_t kMostAnswers = 12;  // of runs, and of sets of modes, that are remembered

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> words{""};
  for (const char c : name) {
    if (c == '/') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// Nothing for what is no plain number below the limit.
std::optional<std::size_t> readIndex(const std::string& text, std::size_t limit) {
  std::size_t index = 0;
  const char* last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, index);
  if (status != std::errc() || end != last || index >= limit) return std::nullopt;
  return index;
}

struct Chunk {
  std::size_t first = 0, count = 0;
};

std::optional<Chunk> readChunk(const std::string& text, const ResultSource& source) {
  const std::size_t size = source.chunk();
  const auto index = readIndex(text, (source.records() + size - 1) / size);
  if (!index) return std::nullopt;
  return Chunk{*index * size, std::min(size, source.records() - *index * size)};
}

// Frequencies, then amplitudes; none where the record is too short or not finite.
std::vector<double> calcChannelSpectrum(const ResultSource& source, std::size_t channel) {
  constexpr std::size_t kFewest = 8;
  const std::vector<double> values = source.readChannel(channel);
  const bool isFinite =
      std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  if (source.records() < kFewest || !isFinite) return {};
  const analysis::EvenGrid grid = analysis::chooseGrid(source.times());
  const analysis::Spectrum spectrum =
      analysis::calcSpectrum(analysis::resample(grid, source.times(), values), grid.interval, {});
  std::vector<double> both = spectrum.frequency;
  both.insert(both.end(), spectrum.amplitude.begin(), spectrum.amplitude.end());
  return both;
}

}  // namespace

void Session::setModel(std::shared_ptr<const model::Model> model) {
  model_ = std::move(model);
  parts_ = model_ != nullptr ? PartShapes(*model_) : PartShapes();
}

std::string Session::addResult(ViewedResult result, bool isKept) {
  const std::scoped_lock lock(mutex_);
  const std::string id = std::to_string(nextResult_++);
  const model::Model* model = result.model.get();
  PartShapes parts = model != nullptr ? PartShapes(*model) : PartShapes();
  results_.push_back({id, std::move(result), Fields(model), std::move(parts), isKept});
  const auto isAnswer = [](const Entry& entry) { return !entry.isKept; };
  if (std::count_if(results_.begin(), results_.end(), isAnswer) >
      static_cast<std::ptrdiff_t>(kMostAnswers)) {
    results_.erase(std::find_if(results_.begin(), results_.end(), isAnswer));
  }
  return id;
}

void Session::setFirstModes(std::function<std::optional<ModeSet>(const std::string& id)> make) {
  makeFirstModes_ = std::move(make);
}

std::string Session::nextModesId() {
  const std::scoped_lock lock(mutex_);
  return std::to_string(nextModes_++);
}

void Session::addModes(const std::string& id, ModeSet set) {
  const std::scoped_lock lock(mutex_);
  modes_[id] = std::move(set);
  modeOrder_.push_back(id);
  if (modeOrder_.size() <= kMostAnswers) return;
  const auto oldest = std::find_if(modeOrder_.begin(), modeOrder_.end(),
                                   [&](const std::string& other) { return other != firstModes_; });
  modes_.erase(*oldest);
  modeOrder_.erase(oldest);
}

// Outside of the other lock: frames are read while modes are computed.
void Session::makeFirstModes() {
  const std::scoped_lock lock(firstModesMutex_);
  if (!makeFirstModes_) return;
  const auto make = std::exchange(makeFirstModes_, nullptr);
  const std::string id = nextModesId();
  std::optional<ModeSet> set = make(id);
  if (!set) return;
  addModes(id, std::move(*set));
  const std::scoped_lock dataLock(mutex_);
  firstModes_ = id;
}

std::optional<Content> Session::find(const std::string& name) {
  if (name == "scene.json") return Content{scene_, kJsonType};
  if (name == "modes.json") makeFirstModes();
  const std::scoped_lock lock(mutex_);
  if (name == "results.json") return Content{listResults(), kJsonType};
  if (name == "modes.json") {
    return Content{firstModes_.empty() ? "null" : modes_.at(firstModes_).json, kJsonType};
  }
  const std::vector<std::string> words = split(name);
  if (words.front() == "result") return findInResult(words);
  if (words.front() == "modes") return findInModes(words);
  if (words.front() == "part") return findInParts(words);
  return std::nullopt;
}

std::optional<Content> Session::findInParts(const std::vector<std::string>& words) const {
  const auto part = words.size() == 3 ? readIndex(words[1], parts_.parts().size()) : std::nullopt;
  if (!part) return std::nullopt;
  std::optional<std::string> bytes = parts_.findBytes(*part, words[2]);
  return bytes ? std::optional(Content{std::move(*bytes)}) : std::nullopt;
}

std::optional<Content> Session::findInResult(const std::vector<std::string>& words) {
  Entry* entry = words.size() >= 3 ? findEntry(words[1]) : nullptr;
  if (entry == nullptr) return std::nullopt;
  const ResultSource& source = *entry->result.source;
  const std::string& what = words[2];
  if (words.size() == 3 && what == "time") return Content{toBytes(source.times())};
  if (words.size() == 4 && (what == "channel" || what == "spectrum")) {
    const auto channel = readIndex(words[3], source.channels().size());
    if (!channel) return std::nullopt;
    return Content{toBytes(what == "channel" ? source.readChannel(*channel)
                                             : calcChannelSpectrum(source.whole(), *channel))};
  }
  if (words.size() == 4 && what == "source" && entry->result.model != nullptr) {
    const auto values = calcSource(*entry->result.model, words[3], source.times());
    return values ? std::optional(Content{toBytes(*values)}) : std::nullopt;
  }
  const auto chunk = readChunk(words.back(), source);
  if (!chunk || !hasFrames(*entry)) return std::nullopt;
  if (words.size() == 4 && what == "frames") {
    return Content{toFloatBytes(source.readFrames(chunk->first, chunk->count))};
  }
  if (words.size() == 4 && what == "parts" && hasParts(*entry)) {
    return Content{toFloatBytes(entry->parts.calcCoordinates(source, chunk->first, chunk->count))};
  }
  if (words.size() != 5 || what != "field") return std::nullopt;
  const auto values = entry->fields.calc(words[3], source, chunk->first, chunk->count);
  if (!values) return std::nullopt;
  return Content{toBytes(*values)};
}

std::optional<Content> Session::findInModes(const std::vector<std::string>& words) {
  const auto set = words.size() == 3 ? modes_.find(words[1]) : modes_.end();
  if (set == modes_.end()) return std::nullopt;
  if (words[2] == "frames") return Content{toBytes(set->second.frames)};
  if (words[2] == "shapes") return Content{toBytes(set->second.shapes)};
  if (words[2] == "parts") return Content{toBytes(set->second.parts)};
  return std::nullopt;
}

Session::Entry* Session::findEntry(const std::string& id) {
  for (Entry& entry : results_) {
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

std::vector<std::string> Session::listNames() {
  std::vector<std::string> names{"scene.json", "results.json", "modes.json"};
  const std::vector<std::string> parts = parts_.listNames();
  names.insert(names.end(), parts.begin(), parts.end());
  makeFirstModes();
  const std::scoped_lock lock(mutex_);
  for (const Entry& entry : results_) {
    const ResultSource& source = *entry.result.source;
    const std::string start = "result/" + entry.id + "/";
    names.push_back(start + "time");
    for (std::size_t i = 0; i < source.channels().size(); ++i) {
      names.push_back(start + "channel/" + std::to_string(i));
      names.push_back(start + "spectrum/" + std::to_string(i));
    }
    for (const std::string& name : sourcesOf(entry)) names.push_back(start + "source/" + name);
    if (!hasFrames(entry)) continue;
    for (std::size_t chunk = 0; chunk * source.chunk() < source.records(); ++chunk) {
      names.push_back(start + "frames/" + std::to_string(chunk));
      if (hasParts(entry)) names.push_back(start + "parts/" + std::to_string(chunk));
      for (const Field& field : entry.fields.list(source)) {
        names.push_back(start + "field/" + field.name + "/" + std::to_string(chunk));
      }
    }
  }
  for (const auto& [id, set] : modes_) {
    names.push_back("modes/" + id + "/frames");
    names.push_back("modes/" + id + "/shapes");
    names.push_back("modes/" + id + "/parts");
  }
  return names;
}

std::string Session::describeResult(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const Entry* entry = findEntry(id);
  return entry != nullptr ? describe(*entry) : "null";
}

std::string Session::listResults() {
  std::string list;
  for (Entry& entry : results_) {
    entry.result.source->refresh();
    list += (list.empty() ? "" : ",") + describe(entry);
  }
  return "[" + list + "]";
}

// Frames of another machine cannot move this one.
bool Session::hasFrames(const Entry& entry) const {
  const std::vector<std::string>& nodes = entry.result.source->nodes();
  return !nodes.empty() && nodes == nodes_;
}

// Those of a run with other shapes cannot be drawn with ours.
bool Session::hasParts(const Entry& entry) const {
  return parts_.coordinates() > 0 && entry.parts.coordinates() == parts_.coordinates() &&
         hasFrames(entry) && entry.parts.isRecorded(*entry.result.source);
}

std::vector<std::string> Session::sourcesOf(const Entry& entry) {
  const model::Model* model = entry.result.model.get();
  return model != nullptr ? listDrivingSources(*model) : std::vector<std::string>();
}

// Why the run does not move the machine; empty if it does.
std::string Session::tellWhyStill(const Entry& entry) const {
  if (hasFrames(entry)) return {};
  if (!entry.result.source->nodes().empty()) return "a run of another machine";
  return "the run has no frames; run with record: {frames: true}";
}

std::string Session::describe(const Entry& entry) const {
  const ResultSource& source = *entry.result.source;
  Json channels = Json::array(), fields = Json::array();
  for (std::size_t i = 0; i < source.channels().size(); ++i) {
    channels.push_back({{"name", source.channels()[i]}, {"unit", source.units()[i]}});
  }
  if (hasFrames(entry)) {
    for (const Field& field : entry.fields.list(source)) {
      fields.push_back({{"name", field.name},
                        {"unit", field.unit},
                        {"label", field.label},
                        {"on", field.isOfSegments ? "segments" : "nodes"}});
    }
  }
  if (hasParts(entry) && parts_.hasStress()) {
    fields.push_back({{"name", "von_mises"},
                      {"unit", "Pa"},
                      {"label", "von Mises stress of parts"},
                      {"on", "parts"}});
  }
  return Json{{"id", entry.id},
              {"name", entry.result.name},
              {"records", source.records()},
              {"channels", std::move(channels)},
              {"frames", hasFrames(entry)},
              {"parts", hasParts(entry)},
              {"still", tellWhyStill(entry)},
              {"sources", sourcesOf(entry)},
              {"chunk", source.chunk()},
              {"complete", source.isComplete()},
              {"growing", source.isGrowing()},
              {"verdict", source.end().verdict},
              {"health", source.end().health},
              {"message", source.end().message},
              {"fields", std::move(fields)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace flexloop::view
