// What every command begins and ends with. Exceptions become outcomes here, at the one border where they end.
#pragma once

#include <exception>
#include <new>
#include <ostream>

#include "base/diagnostics.hpp"
#include "commands/commands.hpp"
#include "linalg/solvers/lazy_library.hpp"

namespace flexloop::commands {

template <class Action>
Outcome guard(const Console& console, const Action& action) {
  linalg::useOneBlasThread();
  try {
    return action();
  } catch (const base::InputError& error) {
    error.diagnostics().print(*console.errors);
    return Outcome::kBadInput;
  } catch (const std::bad_alloc&) {
    *console.errors << "error: not enough memory for this model\n";
  } catch (const std::exception& error) {
    *console.errors << "error: " << error.what() << '\n';
  }
  return Outcome::kFailed;
}

}  // namespace flexloop::commands
