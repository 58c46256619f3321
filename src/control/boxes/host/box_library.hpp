// The shared library of a black box, with the functions of flexloop_block.h.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "control/boxes/host/box_code.hpp"
#include "control/boxes/host/process_threads.hpp"

namespace flexloop::control {

class BoxLibrary final : public BoxCode {
 public:
  explicit BoxLibrary(const BoxSettings& settings);

  void invoke(BoxCall& call, const BoxBatch& batch) override;

 private:
  void load(BoxCall& call, std::span<unsigned char> message);
  // What the library says of itself and the model says otherwise; empty: nothing.
  std::string findMismatch() const;
  void restore(std::span<const unsigned char> memory);
  template <class Function>
  Function* find(BoxFunction function) const;

  std::string path_, config_;
  int inputs_, outputs_, states_;
  double sample_;
  std::array<BoxGroups, kBoxFunctions> groups_;
  std::array<void*, kBoxFunctions> symbols_{};  // null: absent
  ThreadWatch threads_;
  void* library_ = nullptr;
  void* block_ = nullptr;
  std::vector<unsigned char> restored_;
};

}  // namespace flexloop::control
