// The memory that the program and the process of a black box share: a batch of calls and its answers.
//
// The box may write anything into it at any time. So the program computes all places and sizes itself
// and takes nothing from here but numbers, which it checks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "control/boxes/host/box_call.hpp"
#include "control/boxes/host/box_turns.hpp"

namespace flexloop::control {

class BoxRegion {
 public:
  static constexpr std::size_t kMostCalls = 256;  // of a batch
  static constexpr std::size_t kLongestText = 256;

  struct Call {
    BoxFunction function;
    double time;
    std::uint64_t answer;
  };
  struct Header {
    SharedTurn request, reply;                    // numbers of batches
    alignas(64) std::atomic<std::uint32_t> done;  // calls of the batch that are over
    std::uint32_t calls;
    std::uint64_t given, taken;           // bytes
    std::uint32_t threw;                  // not zero: an exception ended the batch
    std::array<char, kLongestText> text;  // of the exception
    std::array<Call, kMostCalls> call;
  };

  // Pages count only when they are used, so there is room for the largest memory from the start.
  explicit BoxRegion(const BoxSettings& settings);
  ~BoxRegion();
  BoxRegion(const BoxRegion&) = delete;
  BoxRegion& operator=(const BoxRegion&) = delete;

  bool isThere() const { return base_ != nullptr; }
  int error() const { return error_; }  // errno, if it is not there
  // Processes that are started from now on do not get it.
  void keepFromOthers() const;

  Header& header() const { return *static_cast<Header*>(base_); }
  std::span<double> numbers() const;
  std::span<unsigned char> memory() const;

 private:
  std::size_t numbers_;  // how many
  std::size_t bytes_;    // in all
  void* base_ = nullptr;
  int error_ = 0;
};

}  // namespace flexloop::control
