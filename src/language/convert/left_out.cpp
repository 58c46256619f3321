#include "language/convert/left_out.hpp"

#include <algorithm>

namespace flexloop::language {

namespace {

constexpr std::size_t kMostNotes = 1000;

}  // namespace

void LeftOut::add(const XmlSource& xml, const pugi::xml_node& node, const std::string& what) {
  const auto known = placeOf_.find(what);
  if (known != placeOf_.end()) {
    ++left_[known->second].second.second;
  } else if (node.type() == pugi::node_element && left_.size() < kMostNotes) {
    placeOf_[what] = left_.size();
    left_.push_back({what, {xml.lineOf(node), 1}});
  }
}

std::vector<std::string> LeftOut::notes(const std::string& file) const {
  std::vector<std::string> notes;
  for (const auto& [what, places] : left_) {
    std::string note = file + ":" + std::to_string(places.first) + ": " + what;
    if (places.second > 1) {
      note += " (" + std::to_string(places.second) + " times; the first is here)";
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace flexloop::language
