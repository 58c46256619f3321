#include "commands/console.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <ostream>

#include "api/failed.hpp"
#include "base/diagnostics.hpp"
#include "linalg/solvers/lazy_library.hpp"

namespace flexloop::commands {

void Console::print(const std::vector<std::string>& lines) const {
  if (quiet) return;
  for (const std::string& line : lines) *text << line << '\n';
}

void Console::warn(const std::vector<std::string>& notes) const {
  if (quiet) return;
  for (const std::string& note : notes) *errors << "warning: " << note << '\n';
}

void Console::warn(const std::string& what, const std::string& hint) const {
  warn({what + "\n  hint: " + hint});
}

int guard(const Console& console, const std::function<void()>& action) {
  linalg::useOneBlasThread();
  base::FailureKind kind = base::FailureKind::kOther;
  try {
    action();
    return 0;
  } catch (const base::InputError& error) {
    error.diagnostics().print(*console.errors);
    kind = base::FailureKind::kInput;
  } catch (const api::Failed& failed) {
    *console.errors << failed.text();
    kind = failed.failure().kind;
  } catch (const std::bad_alloc&) {
    *console.errors << "error: not enough memory for this model\n";
  } catch (const std::exception& error) {
    *console.errors << "error: " << error.what() << '\n';
  }
  return static_cast<int>(kind);
}

void reject(const std::string& message, const std::string& hint) {
  throw base::InputError({}, message, hint);
}

int choose(const char* option, const std::string& word, const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  reject(std::string(option) + ": there is no '" + word + "'", "known: " + all);
}

}  // namespace flexloop::commands
