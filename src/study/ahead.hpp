// Values of a function at 0, 1, 2, …, made by several threads ahead of who takes them in order. The values do not
// depend on the number of threads if the function depends on its argument alone.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace flexloop::study {

template <class Value>
class Ahead {
 public:
  using Make = std::function<Value(int index)>;

  // With one thread, values are made where and when they are taken.
  Ahead(int count, int threads, Make make)
      : count_(count), window_(2 * threads), make_(std::move(make)) {
    if (threads < 2) return;
    for (int i = 0; i < std::min(threads, count); ++i) threads_.emplace_back([this] { work(); });
  }

  // Values on their way are finished, and no further ones begun.
  ~Ahead() {
    const std::lock_guard lock(mutex_);
    isEnded_ = true;
    changed_.notify_all();
  }

  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  // The next value, or the exception that came instead. While it is not there, `meanwhile` is called now and then.
  Value take(const std::function<void()>& meanwhile) {
    if (threads_.empty()) return make_(taken_++);
    std::unique_lock lock(mutex_);
    while (!done_.contains(taken_)) {
      if (changed_.wait_for(lock, kPatience) == std::cv_status::no_timeout) continue;
      lock.unlock();
      meanwhile();
      lock.lock();
    }
    Slot slot = std::move(done_.extract(taken_++).mapped());
    changed_.notify_all();
    lock.unlock();
    if (slot.error) std::rethrow_exception(slot.error);
    return std::move(*slot.value);
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{50};

  struct Slot {
    std::optional<Value> value;
    std::exception_ptr error;
  };

  Slot makeSlot(int index) const {
    try {
      return {make_(index), nullptr};
    } catch (...) {
      return {std::nullopt, std::current_exception()};
    }
  }

  // Not too far ahead: values of large models need memory.
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock,
                    [this] { return isEnded_ || next_ == count_ || next_ < taken_ + window_; });
      if (isEnded_ || next_ == count_) return;
      const int index = next_++;
      lock.unlock();
      Slot slot = makeSlot(index);
      lock.lock();
      done_.emplace(index, std::move(slot));
      changed_.notify_all();
    }
  }

  const int count_, window_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, Slot> done_;
  int next_ = 0, taken_ = 0;
  bool isEnded_ = false;
  std::vector<std::jthread> threads_;  // last, so that they end first
};

}  // namespace flexloop::study
