// A process that stays as it is while copies of it go on, for code whose memory cannot be saved: what it remembers is then there as
// often as it is wanted, at the cost of a fork. For processes with one thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace flexloop::control {

class ProcessCopies {
 public:
  using News = std::span<const unsigned char>;

  // Returns true in a copy, and once more in another one whenever one has gone back; the process itself stays, and learns what
  // the copies have to tell. It ends as a copy does that ends by itself. False: there is no copy, and the process goes on itself.
  bool stay(const std::function<void(News)>& learn);

  // Whether this is a copy.
  bool canGoBack() const { return note_ >= 0; }
  // Ends this copy; the news must not be empty.
  [[noreturn]] void goBack(News news) const;

 private:
  int note_ = -1;  // a file in memory; where a copy leaves its news
  int depth_ = 0;  // copies of copies
};

}  // namespace flexloop::control
