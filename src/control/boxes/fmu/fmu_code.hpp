// An FMU as a black box (docs/theory/37_foreign_models.md): what the calls of a box mean for it.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "control/boxes/fmu/fmu_file.hpp"
#include "control/boxes/fmu/fmu_instance.hpp"
#include "control/boxes/fmu/fmu_plan.hpp"
#include "control/boxes/fmu/fmu_ports.hpp"
#include "control/boxes/host/box_code.hpp"
#include "control/boxes/host/process_threads.hpp"

namespace flexloop::control {

class FmuForm final : public BoxForm {
 public:
  // The folder has what the plan names.
  FmuForm(FmuPlan plan, std::shared_ptr<const ScratchFolder> folder)
      : plan_(std::move(plan)), folder_(std::move(folder)) {}

  std::unique_ptr<BoxCode> makeCode() const override;
  const char* noun() const override { return "FMU"; }
  std::string placeOf(BoxFunction function) const override;
  base::Failure makeLoadFailure(const std::string& name, const std::string& reason) const override;
  void cleanUp() const override { folder_->remove(); }

 private:
  FmuPlan plan_;
  std::shared_ptr<const ScratchFolder> folder_;
};

class FmuCode final : public BoxCode {
 public:
  explicit FmuCode(FmuPlan plan);
  ~FmuCode() override;
  void invoke(BoxCall& call, const BoxBatch& batch) override;

 private:
  void load(BoxCall& call, std::span<unsigned char> message);
  void create();
  void setStarts();
  void setStart(const FmuStart& start);
  void settleEvents();  // event iteration, then continuous time
  // An FMU may ask to end the simulation: what it gives at that time is the last.
  void noteEnd(double t);
  void checkEnd(double t) const;

  void output(const BoxCall& call);
  // (37.4): time, states and inputs, set only where they have changed.
  void place(const BoxCall& call);
  void calcJacobian(const BoxCall& call);
  void calcColumn(std::uint32_t known, int count, int element);
  void makeFresh();
  // Whether the first event is an initialization with the inputs there.
  bool beginsAnew(const BoxCall& call);
  void makeEvent(const BoxCall& call);

  std::uint64_t save(std::span<unsigned char> room);
  void restore(std::span<const unsigned char> memory);
  std::uint64_t keepState(void* state);
  void dropOldest();

  FmuPlan plan_;
  BoxSettings sizes_;
  std::unique_ptr<FmuInstance> instance_;
  FmuPorts inputs_, outputs_;
  ThreadWatch threads_;
  void* library_ = nullptr;

  // When it has asked to end; infinite: it has not.
  double end_ = std::numeric_limits<double>::infinity();
  // Whether it has been initialized with its inputs; of co-simulation, up to when it has been stepped.
  bool hasBegun_ = false;
  double time_ = 0.0;

  // Of model exchange.
  std::vector<double> placed_;  // the last point; empty: none
  std::vector<std::uint32_t> unknowns_;
  std::vector<double> column_, seed_;
  FmuInstance::Update update_;

  // States that the FMU cannot write as bytes are kept here and named by number.
  struct Kept {
    void* state;
    std::uint64_t lastUse;
  };
  std::map<std::uint64_t, Kept> kept_;
  std::uint64_t nextState_ = 1, uses_ = 0;
  std::uint64_t origin_;  // distinguishes states of this process from those of others
  std::vector<unsigned char> bytes_;
};

}  // namespace flexloop::control
