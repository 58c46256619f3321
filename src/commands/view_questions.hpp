// The questions that a page asks the running program (viewer/README.md), answered as the commands of the same name
// would.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commands/viewed_files.hpp"
#include "view/server/server.hpp"

namespace flexloop::commands {

class ViewQuestions final : public view::Questions {
 public:
  // About the model of the file, which must outlive this, as must the session.
  ViewQuestions(const ViewedFile& file, view::Session& session);

  std::optional<Answer> answer(const std::string& what, const std::string& question) override;
  void stop() override { stopRequest_ = 1; }

 private:
  using Json = nlohmann::json;

  // The model with the changed numbers of the question.
  api::ModelSource changedSource(const Json& question) const;
  void checkPath(const std::string& path) const;

  std::string answerModes(const Json& question);
  std::string answerRun(const Json& question);
  std::string answerSweep(const Json& question);
  std::string answerFrf(const Json& question);

  const ViewedFile& file_;
  view::Session& session_;
  std::vector<view::Changeable> changeables_;
  volatile int stopRequest_ = 0;
  int runs_ = 0;
};

}  // namespace flexloop::commands
