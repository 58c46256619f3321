// Workspaces of an object that is const to its users and may be asked by several threads at once, or again in the middle of
// an answer: each caller borrows one. Another one is made only where all are in use, so that nothing is allocated later.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace flexloop::base {

template <class Workspace>
class WorkspacePool {
 public:
  // A workspace for as long as it lives; the pool has to outlive it. What is in it is of an earlier use.
  class Loan {
   public:
    explicit Loan(WorkspacePool& pool) : pool_(&pool), workspace_(pool.take()) {}
    ~Loan() {
      if (workspace_ != nullptr) pool_->giveBack(std::move(workspace_));
    }
    Loan(Loan&&) = default;
    Loan& operator=(Loan&&) = delete;

    Workspace& operator*() const { return *workspace_; }
    Workspace* operator->() const { return workspace_.get(); }

   private:
    WorkspacePool* pool_;
    std::unique_ptr<Workspace> workspace_;
  };

  [[nodiscard]] Loan borrow() { return Loan(*this); }

 private:
  std::unique_ptr<Workspace> take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) {
      auto made = std::make_unique<Workspace>();
      idle_.reserve(count_ + 1);  // that it can come back without an allocation
      ++count_;
      return made;
    }
    std::unique_ptr<Workspace> workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }

  void giveBack(std::unique_ptr<Workspace> workspace) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
  std::size_t count_ = 0;
};

}  // namespace flexloop::base
