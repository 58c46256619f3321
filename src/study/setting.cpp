#include "study/setting.hpp"

namespace flexloop::study {

base::Failure toFailure(const base::InputError& error) {
  base::Failure failure;
  for (const base::Diagnostic& mistake : error.diagnostics().errors()) {
    failure.message += (failure.message.empty() ? "" : "; ") + mistake.message;
  }
  return failure;
}

}  // namespace flexloop::study
