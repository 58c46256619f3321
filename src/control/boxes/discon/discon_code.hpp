// A wind-turbine controller with the function
//
//     void DISCON(float* avrSWAP, int* aviFAIL, char* accINFILE, char* avcOUTNAME, char* avcMSG)
//
// as a black box. It has no functions for its memory, which lies in static variables: each instance has a copy of
// the library of its own, and an earlier memory is brought back by a fresh copy that is called with the same inputs up
// to there (37.8). In a process of its own this is done once for a memory that is wanted again and again, since the
// process stays there and is copied.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "control/boxes/discon/discon_records.hpp"
#include "control/boxes/discon/past_calls.hpp"
#include "control/boxes/host/box_code.hpp"
#include "control/boxes/host/process_copies.hpp"
#include "control/boxes/host/process_threads.hpp"

namespace flexloop::control {

struct DisconPlan {
  std::string name;                  // of the block
  std::string library;               // with its whole path
  std::string symbol;                // of the function
  std::string parametersFile;        // handed to the controller; may be empty
  std::vector<int> inputs, outputs;  // records, in the order of the ports
  int blades = 3;
  double sample = 0.0;   // [s]
  bool isAlone = false;  // in a process of its own
  // For its past calls [bytes]: days of a run.
  std::size_t room = std::size_t{256} << 20;
};

class DisconForm final : public BoxForm {
 public:
  explicit DisconForm(DisconPlan plan) : plan_(std::move(plan)) {}

  std::unique_ptr<BoxCode> makeCode() const override;
  const char* noun() const override { return "controller"; }
  double precision() const override { return std::numeric_limits<float>::epsilon(); }
  std::string placeOf(BoxFunction function) const override;
  base::Failure makeLoadFailure(const std::string& name, const std::string& reason) const override;

 private:
  DisconPlan plan_;
};

class DisconCode final : public BoxCode {
 public:
  explicit DisconCode(DisconPlan plan);
  ~DisconCode() override;
  void invoke(BoxCall& call, const BoxBatch& batch) override;

 private:
  using Function = void(float*, int*, const char*, const char*, char*);

  // The reason why there is no fresh copy; empty: there is one.
  std::string loadCopy();
  void unload();
  void output(const BoxCall& call);
  void step(float t, std::span<const float> u);
  void fillRecords(float t, std::span<const float> u, int status);
  void settleDemands();
  void finish();
  std::uint64_t save(std::span<unsigned char> room) const;
  void restore(std::span<const unsigned char> memory);
  void repeat(std::uint64_t last);
  void stayAt(std::uint64_t call);
  // Calls since this copy of the process was made, for the one that it was made of.
  std::vector<unsigned char> tellCalls() const;
  void learnCalls(ProcessCopies::News news);

  DisconPlan plan_;
  ThreadWatch threads_;
  void* library_ = nullptr;
  Function* function_ = nullptr;
  std::array<float, discon::kRecords + 1> swap_{};  // from 1
  bool isCollective_ = false;                       // it has set no pitch angles of single blades
  bool isRepeating_ = false;                        // calls that have been made before

  PastCalls past_;
  std::uint64_t now_ = 0;  // the last call; 0: not called yet
  float lastTime_ = 0.0F;
  std::vector<float> inputs_;  // of a call
  std::uint64_t origin_;       // distinguishes calls of this process from those of others

  ProcessCopies copies_;
  std::uint64_t stays_ = 0;  // the call after which the process of which this is a copy stays
  std::uint64_t lastRestored_ = 0;  // the call whose memory was wanted last
  std::uint64_t known_ = 0;         // calls that there were when this copy was made
};

}  // namespace flexloop::control
