// What every command begins and ends with. Exceptions become outcomes here, at the one border where they end.
#pragma once

#include <exception>
#include <new>
#include <ostream>

#include "api/commands.hpp"
#include "base/diagnostics.hpp"
#include "linalg/lazy_library.hpp"

namespace flexloop::api {

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
  } catch (const std::exception& trouble) {
    *console.errors << "error: " << trouble.what() << '\n';
  }
  return Outcome::kOtherTrouble;
}

}  // namespace flexloop::api
