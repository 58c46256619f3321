// A text in XML, with the lines of what is in it.
#pragma once

#include <memory>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "language/error_list.hpp"

namespace flexloop::language {

class XmlSource {
 public:
  // Throws base::InputError for what is no XML.
  XmlSource(const std::string& text, const std::string& file);

  pugi::xml_node root() const { return document_.document_element(); }
  int lineOf(const pugi::xml_node& node) const;
  base::Place placeOf(const pugi::xml_node& node) const { return {file_, lineOf(node), 0}; }
  const std::string& file() const { return *file_; }

  // Numbers between blanks. A mistake is reported, and gives `usual`.
  double readNumber(const pugi::xml_node& node, const char* attribute, double usual,
                    ErrorList& errors) const;
  Eigen::Vector3d readVector(const pugi::xml_node& node, const char* attribute,
                             const Eigen::Vector3d& usual, ErrorList& errors) const;
  std::vector<double> readNumbers(const pugi::xml_node& node, const char* attribute,
                                  ErrorList& errors) const;

 private:
  std::shared_ptr<const std::string> file_;
  std::vector<std::size_t> starts_;  // of the lines
  pugi::xml_document document_;
};

}  // namespace flexloop::language
