#include "language/manual/plain_page.hpp"

#include <algorithm>
#include <vector>

namespace flexloop::language {
namespace {

// Characters, not bytes: the bytes that continue a character of UTF-8 begin with the bits 10.
std::size_t widthOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Of `[text](address)` and `![text](address)` at `at`, where the address ends; or npos.
std::size_t findLinkEnd(std::string_view line, std::size_t at, std::string& text) {
  const std::size_t open = line[at] == '!' ? at + 1 : at;
  if (open >= line.size() || line[open] != '[') return std::string_view::npos;
  const std::size_t middle = line.find("](", open);
  if (middle == std::string_view::npos) return middle;
  const std::size_t end = line.find(')', middle);
  if (end != std::string_view::npos) text += line.substr(open + 1, middle - open - 1);
  return end;
}

// Without the marks inside of a line; what is between backticks stays as it is.
std::string stripMarks(std::string_view line) {
  std::string text;
  bool isCode = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') {
      isCode = !isCode;
    } else if (!isCode && line.substr(i).starts_with("**")) {
      ++i;
    } else if (line.substr(i).starts_with("\\|")) {
      text += line[++i];
    } else if (const std::size_t end = isCode ? std::string_view::npos : findLinkEnd(line, i, text);
               end != std::string_view::npos) {
      i = end;
    } else {
      text += line[i];
    }
  }
  return text;
}

class PlainPage {
 public:
  explicit PlainPage(std::size_t width) : width_(width) {}

  void add(std::string_view line) {
    if (line.starts_with("```")) {
      finish();
      isCode_ = !isCode_;
    } else if (isCode_) {
      text_ += line.empty() ? "\n" : "    " + std::string(line) + "\n";
    } else if (line.starts_with("|")) {
      finishParagraph();
      addRow(line);
    } else if (line.starts_with("#")) {
      finish();
      const std::string heading = stripMarks(trim(line.substr(line.find_first_not_of('#'))));
      text_ += heading + "\n" + std::string(widthOf(heading), '-') + "\n";
    } else {
      finishTable();
      addProse(line);
    }
  }

  std::string take() {
    finish();
    return std::move(text_);
  }

 private:
  void finish() {
    finishParagraph();
    finishTable();
  }

  void addProse(std::string_view line) {
    const std::string_view content = trim(line);
    const bool isItem = content.starts_with("* ") || content.starts_with("- ");
    if (content.empty() || isItem) finishParagraph();
    if (content.empty()) {
      text_ += "\n";
      return;
    }
    if (isItem) indent_ = 2;
    paragraph_ += (paragraph_.empty() ? "" : " ") + std::string(content);
  }

  void finishParagraph() {
    if (!paragraph_.empty()) text_ += wrap(stripMarks(paragraph_), indent_, 0) + "\n";
    paragraph_.clear();
    indent_ = 0;
  }

  // The first line begins at the column `used`, further ones are indented.
  std::string wrap(const std::string& words, std::size_t indent, std::size_t used) const {
    std::string text;
    std::size_t column = used;
    std::size_t at = 0;
    while (at < words.size()) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      const std::string word = words.substr(at, end - at);
      at = end + 1;
      if (word.empty()) continue;
      const bool isFirst = text.empty();
      if (!isFirst && column + 1 + widthOf(word) > width_) {
        text += "\n" + std::string(indent, ' ');
        column = indent;
      } else if (!isFirst) {
        text += " ";
        ++column;
      }
      text += word;
      column += widthOf(word);
    }
    return text;
  }

  void addRow(std::string_view line) {
    std::vector<std::string> cells;
    std::size_t start = 1;
    for (std::size_t i = 1; i < line.size(); ++i) {
      if (line[i] != '|' || line[i - 1] == '\\') continue;
      cells.push_back(stripMarks(trim(line.substr(start, i - start))));
      start = i + 1;
    }
    const bool isRule =
        !cells.empty() && std::all_of(cells.begin(), cells.end(), [](const auto& cell) {
          return cell.find_first_not_of("-:") == std::string::npos && !cell.empty();
        });
    if (!isRule) rows_.push_back(cells);
  }

  void finishTable() {
    std::vector<std::size_t> widths;
    for (const auto& cells : rows_) {
      widths.resize(std::max(widths.size(), cells.size()));
      for (std::size_t i = 0; i < cells.size(); ++i)
        widths[i] = std::max(widths[i], widthOf(cells[i]));
    }
    std::size_t lastStart = kMargin;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i)
      lastStart += widths[i] + (widths[i] > 0 ? 2 : 0);
    // Columns while there is room for the last one, which holds the sentences; else a paragraph for each row.
    const bool fits = lastStart <= width_ * 2 / 3;
    for (const auto& cells : rows_) {
      if (fits) {
        addColumns(cells, widths, lastStart);
      } else if (&cells != &rows_.front()) {
        addStacked(cells);
      }
    }
    rows_.clear();
  }

  void addColumns(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                  std::size_t lastStart) {
    std::string row(kMargin, ' ');
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      if (widths[i] > 0) row += cells[i] + std::string(widths[i] - widthOf(cells[i]) + 2, ' ');
    }
    if (!cells.empty()) row += wrap(cells.back(), lastStart, lastStart);
    row.erase(row.find_last_not_of(' ') + 1);
    if (!row.empty()) text_ += row + "\n";
  }

  // The first cell with what the middle ones say, each but the first with the head of its column; below it the last.
  void addStacked(const std::vector<std::string>& cells) {
    constexpr std::size_t kIndent = kMargin + 4;
    std::string line = cells.front();
    for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
      if (cells[i].empty()) continue;
      line += i == 1 ? ": " + cells[i] : "; " + rows_.front()[i] + ": " + cells[i];
    }
    text_ += std::string(kMargin, ' ') + wrap(line, kIndent, kMargin) + "\n";
    if (cells.size() > 1 && !cells.back().empty()) {
      text_ += std::string(kIndent, ' ') + wrap(cells.back(), kIndent, kIndent) + "\n";
    }
  }

  static constexpr std::size_t kMargin = 2;
  std::size_t width_;
  std::string text_;
  std::string paragraph_;
  std::size_t indent_ = 0;
  std::vector<std::vector<std::string>> rows_;
  bool isCode_ = false;
};

}  // namespace

std::string makePlainPage(std::string_view markdown, std::size_t width) {
  PlainPage page(width);
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    page.add(markdown.substr(0, end));
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  return page.take();
}

}  // namespace flexloop::language
