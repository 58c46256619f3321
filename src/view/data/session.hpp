// All data that a page shows, by the names of viewer/README.md. Results and sets of modes may be added while
// others read.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "view/data/content.hpp"
#include "view/data/fields.hpp"
#include "view/data/mode_set.hpp"
#include "view/data/part_shapes.hpp"
#include "view/data/result_source.hpp"

namespace flexloop::view {

// A run with the model that made it, where that is known.
struct ViewedResult {
  std::string name;
  std::shared_ptr<ResultSource> source;
  std::shared_ptr<const model::Model> model;  // may be null
};

class Session final : public ContentSource {
 public:
  explicit Session(std::string scene, std::vector<std::string> nodes)
      : scene_(std::move(scene)), nodes_(std::move(nodes)) {}

  // Whose parts the scene shows.
  void setModel(std::shared_ptr<const model::Model> model);
  // The id of the new one. Those that questions made give way to later ones.
  std::string addResult(ViewedResult result, bool isKept);
  // Makes the first modes when they are first asked for.
  void setFirstModes(std::function<std::optional<ModeSet>(const std::string& id)> make);
  std::string nextModesId();
  void addModes(const std::string& id, ModeSet set);

  std::optional<Content> find(const std::string& name) override;
  // One entry of results.json.
  std::string describeResult(const std::string& id);
  // The names of all data, for a report.
  std::vector<std::string> listNames();

 private:
  struct Entry {
    std::string id;
    ViewedResult result;
    Fields fields;
    PartShapes parts;
    bool isKept = false;
  };

  std::optional<Content> findInResult(const std::vector<std::string>& words);
  std::optional<Content> findInParts(const std::vector<std::string>& words) const;
  std::optional<Content> findInModes(const std::vector<std::string>& words);
  std::string listResults();
  std::string describe(const Entry& entry) const;
  bool hasFrames(const Entry& entry) const;
  bool hasParts(const Entry& entry) const;
  std::string tellWhyStill(const Entry& entry) const;
  static std::vector<std::string> sourcesOf(const Entry& entry);
  Entry* findEntry(const std::string& id);
  void makeFirstModes();

  std::string scene_;
  std::vector<std::string> nodes_;             // of the scene, without ground
  std::shared_ptr<const model::Model> model_;  // of the scene; may be null
  PartShapes parts_;                           // of it
  std::mutex mutex_;                           // HDF5 knows no threads
  std::deque<Entry> results_;
  int nextResult_ = 0;
  std::mutex firstModesMutex_;
  std::function<std::optional<ModeSet>(const std::string& id)> makeFirstModes_;
  std::string firstModes_;  // id; empty: none
  std::map<std::string, ModeSet> modes_;
  std::deque<std::string> modeOrder_;
  int nextModes_ = 0;
};

}  // namespace flexloop::view
