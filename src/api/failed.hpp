// Thrown where a caller asked for a result and there is none to give.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/model.hpp"

namespace flexloop::api {

class Failed : public std::exception {
 public:
  explicit Failed(base::Failure failure);
  // Where a motion that nothing determines is to blame, whatever the numerics complain of, it is named instead.
  Failed(base::Failure failure, const model::Model& model);

  const base::Failure& failure() const { return content_->failure; }
  // The mistake in the model that is to blame; empty if none is known.
  const std::string& cause() const { return content_->cause; }
  // The cause or else the failure, with hint, for people; empty for a failure without a message.
  std::string text() const;
  const char* what() const noexcept override { return content_->failure.message.c_str(); }

 private:
  struct Content {
    base::Failure failure;
    std::string cause;
  };
  std::shared_ptr<const Content> content_;  // copying an exception must not throw
};

inline void throwIfAny(const std::optional<base::Failure>& failure) {
  if (failure) throw Failed(*failure);
}

}  // namespace flexloop::api
