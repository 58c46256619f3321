// Opening of the user's browser.
#pragma once

#include <memory>
#include <string>

namespace flexloop::view {

// Leads the browser to an address by a file that only this user can read: other users see the words of a command,
// and the address holds the token. The file is gone when this is.
class BrowserOpener {
 public:
  BrowserOpener() = default;
  ~BrowserOpener();
  BrowserOpener(const BrowserOpener&) = delete;
  BrowserOpener& operator=(const BrowserOpener&) = delete;

  // $BROWSER, or what the desktop takes. False if there is none.
  bool open(const std::string& address);

 private:
  std::string folder_;
};

// The program in $PATH; empty if there is none.
std::string findProgram(const std::string& name);

}  // namespace flexloop::view
