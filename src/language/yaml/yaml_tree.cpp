#include "language/yaml/yaml_tree.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "language/yaml/yaml_text.hpp"

namespace flexloop::language {
namespace {

// Models need five levels; the limit keeps every recursion over the tree short.
constexpr std::size_t kDeepestLevel = 60;

using YAML::anchor_t;
using YAML::Mark;
using Style = YAML::EmitterStyle::value;

// A list or map that is still open.
struct Frame {
  RawNode node;
  char opened = '\0';  // '[' or '{' if it was opened by such a sign
  bool hasKey = false;
  RawEntry entry;  // of a map: the key whose value comes next
};

class TreeMaker : public YAML::EventHandler {
 public:
  TreeMaker(std::string_view text, std::shared_ptr<const std::string> file, ErrorList& errors,
            bool lines)
      : text_(text), file_(std::move(file)), errors_(errors), lines_(lines) {}

  RawNode takeRoot() { return std::move(root_); }

  // The error at which the parser gave up.
  [[noreturn]] void stop(const YAML::ParserException& error) {
    const Mark& mark = error.mark;
    if (const std::optional<int> line = text_.findTab(mark.line)) {
      stop(placeOf(*line, 0), "a tab is used for indentation", "indent with spaces");
    }
    // What is not closed is best mended where it was opened, far above perhaps.
    const bool missesEnd = error.msg.find("flow not found") != std::string::npos;
    if (missesEnd && !open_.empty() && open_.back().opened != '\0') {
      const std::string sign(1, open_.back().opened);
      stop(open_.back().node.place, "the " + quote(sign) + " opened here is not closed",
           "a " + quote(sign == "[" ? "]" : "}") +
               ", a ',' or a space after a ':' is missing, or a text or expression that contains a "
               "colon or a comma needs quotes");
    }
    base::Failure failure = explainYamlError(error.msg, text_.at(mark.line, mark.column));
    stop(place(mark), failure.message, std::move(failure.hint));
  }

  base::Place placeOf(int line, int column) const {
    return lines_ ? base::Place{file_, line + 1, column + 1} : base::Place{file_, 0, 0};
  }

  [[noreturn]] void stop(const base::Place& place, const std::string& message, std::string hint) {
    errors_.add(place, message, std::move(hint));
    errors_.raise();
  }

  void OnDocumentStart(const Mark& mark) override {
    if (++documents_ > 1) {
      stop(place(mark), "a second document starts here",
           "a model file is a single document; remove '---'");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const Mark& mark, anchor_t anchor) override {
    refuseAnchor(mark, anchor);
    add({place(mark), std::monostate()});
  }

  void OnAlias(const Mark& mark, anchor_t) override { refuseAnchor(mark, 1); }

  void OnScalar(const Mark& mark, const std::string& tag, anchor_t anchor,
                const std::string& value) override {
    refuseAnchor(mark, anchor);
    refuseTag(mark, tag);
    if (tag == "!" && !text_.isClosed(mark.line, mark.column)) {
      stop(place(mark), "this quoted text is not closed", "add the closing quote");
    }
    add({place(mark), RawScalar{value, tag == "!"}});
  }

  void OnSequenceStart(const Mark& mark, const std::string& tag, anchor_t anchor,
                       Style style) override {
    push(mark, tag, anchor, {place(mark), RawList()}, style == YAML::EmitterStyle::Flow ? '[' : 0);
  }

  void OnMapStart(const Mark& mark, const std::string& tag, anchor_t anchor, Style style) override {
    push(mark, tag, anchor, {place(mark), RawMap()}, style == YAML::EmitterStyle::Flow ? '{' : 0);
  }

  void OnSequenceEnd() override { pop(); }

  void OnMapEnd() override {
    removeRepeated(std::get<RawMap>(open_.back().node.data));
    pop();
  }

 private:
  base::Place place(const Mark& mark) const { return placeOf(mark.line, mark.column); }

  void refuseAnchor(const Mark& mark, anchor_t anchor) {
    if (anchor == 0) return;
    stop(place(mark), "anchors (&) and aliases (*) are not part of the model language",
         "use a parameter and '= expression'; put a text that starts with & or * in quotes");
  }

  void refuseTag(const Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    stop(place(mark), "the tag " + quote(tag) + " is not part of the model language",
         "remove it, or put a text that starts with ! in quotes");
  }

  void push(const Mark& mark, const std::string& tag, anchor_t anchor, RawNode node, char opened) {
    refuseAnchor(mark, anchor);
    refuseTag(mark, tag);
    if (open_.size() >= kDeepestLevel) {
      stop(place(mark), "lists and maps are nested too deeply", "no model needs that many levels");
    }
    open_.push_back({std::move(node), opened, false, {}});
  }

  void pop() {
    RawNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(RawNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = open_.back();
    if (RawList* list = std::get_if<RawList>(&frame.node.data)) {
      list->push_back(std::move(node));
    } else if (!frame.hasKey) {
      setKey(frame, node);
    } else {
      frame.entry.value = std::move(node);
      frame.hasKey = false;
      std::get<RawMap>(frame.node.data).push_back(std::move(frame.entry));
    }
  }

  void setKey(Frame& frame, const RawNode& node) {
    const RawScalar* key = node.scalar();
    if (key == nullptr || key->text.empty()) {
      stop(node.place, "expected a name", "write entries as 'name: value'");
    }
    frame.entry = {key->text, node.place, {}};
    frame.hasKey = true;
  }

  // The path of the map that ends now, such as `nodes.A`.
  std::string pathOfOpen() const {
    std::string path;
    for (const Frame& frame : open_) {
      if (frame.hasKey) path += frame.entry.key + ".";
    }
    return path;
  }

  void removeRepeated(RawMap& map) {
    std::unordered_map<std::string_view, int> lines;
    std::vector<std::size_t> repeated;
    // A section that is given twice is reported but kept, so that its names are known.
    const bool isRoot = open_.size() == 1;
    for (std::size_t i = 0; i < map.size(); ++i) {
      const auto [first, isNew] = lines.try_emplace(map[i].key, map[i].place.line);
      if (isNew) continue;
      if (!isRoot || map[i].value.map() == nullptr) repeated.push_back(i);
      errors_.add(
          map[i].place, quote(pathOfOpen() + map[i].key) + " is given twice",
          first->second == 0 ? "" : "the first is in line " + std::to_string(first->second));
    }
    for (; !repeated.empty(); repeated.pop_back()) {
      map.erase(map.begin() + static_cast<std::ptrdiff_t>(repeated.back()));
    }
  }

  YamlText text_;
  std::shared_ptr<const std::string> file_;
  ErrorList& errors_;
  bool lines_;
  int documents_ = 0;
  std::vector<Frame> open_;
  RawNode root_;
};

}  // namespace

const RawEntry* findEntry(const RawMap& map, std::string_view key) {
  const auto at =
      std::find_if(map.begin(), map.end(), [&](const RawEntry& entry) { return entry.key == key; });
  return at == map.end() ? nullptr : &*at;
}

RawEntry* findEntry(RawMap& map, std::string_view key) {
  return const_cast<RawEntry*>(findEntry(std::as_const(map), key));
}

RawNode parseYaml(const std::string& text, std::shared_ptr<const std::string> file,
                  ErrorList& errors, bool lines) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const bool marked = text.starts_with(kByteOrderMark);
  const std::string plain = marked ? text.substr(kByteOrderMark.size()) : text;
  TreeMaker maker(plain, std::move(file), errors, lines);
  if (const std::optional<int> line = YamlText(plain).findBinary()) {
    maker.stop(maker.placeOf(*line, 0), "this is not UTF-8 text",
               "a model is a plain text file; save it in UTF-8");
  }
  try {
    std::istringstream stream(plain);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(maker)) {
    }
  } catch (const YAML::ParserException& error) {
    maker.stop(error);
  }
  return maker.takeRoot();
}

}  // namespace flexloop::language
