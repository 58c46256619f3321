// The cards of Nastran bulk data, whatever way their fields are written:
//   small field   columns of 8: name, 8 fields, continuation
//   large field   NAME* and columns of 16: 4 fields per line
//   free field    separated by commas
// A card continues on lines that begin with a blank field, + or *. Continuations follow their card directly.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "fem/mesh/mesh_builder.hpp"

namespace flexloop::fem {

struct NastranCard {
  std::string name;  // upper case, without *
  std::vector<std::string_view>
      fields;           // behind the name, continuations included; blank ones are empty
  std::string comment;  // the line of comment directly before it, without $
  FilePlace place;
};

class NastranCards {
 public:
  // Of one file; `text` must outlive it.
  NastranCards(std::string_view text, int file, MeshBuilder& builder);

  // Skips executive and case control up to BEGIN BULK, where there is one. The lines before it are given to `control`.
  bool skipControl(std::vector<std::string>& control);

  // The next card; false at the end, at ENDDATA, and after a failure.
  bool next(NastranCard& card);

 private:
  bool takeLine(std::string_view& line);  // without comment; empty ones are passed over
  bool addFields(std::string_view line, NastranCard& card);
  bool addColumns(std::string_view line, NastranCard& card);
  bool addFree(std::string_view line, NastranCard& card);
  static bool isContinuation(std::string_view line);
  std::string_view withoutTabs(std::string_view line);

  std::string_view text_;
  std::size_t at_ = 0;
  FilePlace place_;
  MeshBuilder& builder_;
  std::string_view peeked_;  // a line that was read and not used
  bool hasPeeked_ = false, isEnded_ = false;
  std::string comment_, peekedComment_;
  int commentLine_ = 0;
  std::string mark_;               // of the continuation that the last line announces
  std::deque<std::string> lines_;  // those with tabs, of the current card
};

}  // namespace flexloop::fem
