// What of a file is left out: said once for what is the same in many places, with the first of them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "language/convert/xml_source.hpp"

namespace flexloop::language {

class LeftOut {
 public:
  void add(const XmlSource& xml, const pugi::xml_node& node, const std::string& what);
  // As FILE:LINE: WHAT.
  std::vector<std::string> notes(const std::string& file) const;

 private:
  std::vector<std::pair<std::string, std::pair<int, int>>> left_;  // what: first line, count
  std::map<std::string, std::size_t> placeOf_;                     // in left_
};

}  // namespace flexloop::language
