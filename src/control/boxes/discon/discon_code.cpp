#include "control/boxes/discon/discon_code.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

#include <dlfcn.h>

namespace flexloop::control {
namespace {

namespace fs = std::filesystem;

constexpr int kLongestMessage = 1024;
constexpr std::uint64_t kWorthACopy = 100;  // calls
// Stands in demands before the first call: a not-a-number that no controller computes.
constexpr std::uint32_t kUnset = 0x7fc0'666cU;

bool isUnset(float value) {
  return std::bit_cast<std::uint32_t>(value) == kUnset;
}

struct MemoryHead {
  std::uint64_t origin, call;
};

void printNote(const std::string& controller, float t, const std::string& text) {
  std::fprintf(stderr, "note: controller '%s' at t = %g s: %s\n", controller.c_str(), t,
               text.c_str());
}

}  // namespace

std::unique_ptr<BoxCode> DisconForm::makeCode() const {
  return std::make_unique<DisconCode>(plan_);
}

std::string DisconForm::placeOf(BoxFunction function) const {
  if (function == BoxFunction::kLoad) return " in the loading of its library";
  if (function == BoxFunction::kRestore) return " in calls that repeat earlier ones";
  if (function == BoxFunction::kDestroy) return " in its last call";
  return " in " + plan_.symbol;
}

base::Failure DisconForm::makeLoadFailure(const std::string& name,
                                          const std::string& reason) const {
  return {"controller '" + name + "': '" + plan_.library + "' cannot be used: " + reason,
          "it must be a shared library for this computer that exports "
          "DISCON(float*, int*, char*, char*, char*)"};
}

DisconCode::DisconCode(DisconPlan plan)
    : plan_(std::move(plan)), past_(plan_.inputs.size(), plan_.room), inputs_(plan_.inputs.size()) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  origin_ = static_cast<std::uint64_t>(now) * 1000003U + static_cast<std::uint64_t>(getpid());
}

DisconCode::~DisconCode() = default;

void DisconCode::invoke(BoxCall& call, const BoxBatch& batch) {
  switch (call.function) {
    case BoxFunction::kLoad: {
      const std::string reason = loadCopy();
      call.answer = 0;
      if (reason.empty()) {
        call.answer = bitOf(BoxFunction::kLoad) | bitOf(BoxFunction::kOutput) |
                      bitOf(BoxFunction::kSave) | bitOf(BoxFunction::kRestore) |
                      bitOf(BoxFunction::kDestroy);
      }
      const std::size_t length = std::min(reason.size(), batch.taken.size() - 1);
      std::memcpy(batch.taken.data(), reason.data(), length);
      batch.taken[length] = 0;
      return;
    }
    case BoxFunction::kOutput:
      return output(call);
    case BoxFunction::kSave:
      call.answer = save(batch.taken.first(batch.taken.size() - kFenceBytes));
      return;
    case BoxFunction::kRestore:
      return restore(batch.given);
    case BoxFunction::kDestroy:
      return finish();
    case BoxFunction::kUnload:
      return unload();
    default:
      return;  // never asked of a controller
  }
}

// A name of its own each time, so that the loader cannot take an earlier copy for it.
std::string DisconCode::loadCopy() {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  std::string copy = ((error ? fs::path("/tmp") : place) / "flexloop_discon_XXXXXX").string();
  const int file = mkstemp(copy.data());
  if (file < 0) return std::string("no temporary file can be made: ") + std::strerror(errno);
  close(file);
  fs::copy_file(plan_.library, copy, fs::copy_options::overwrite_existing, error);
  std::string reason;
  if (error) reason = "it cannot be copied: " + error.message();
  threads_.begin();
  if (reason.empty()) library_ = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (reason.empty() && library_ == nullptr) {
    const char* why = dlerror();
    reason = why != nullptr ? why : "unknown reason";
    if (reason.starts_with(copy + ": ")) reason.erase(0, copy.size() + 2);
  }
  unlink(copy.c_str());
  if (!reason.empty()) return reason;
  function_ = reinterpret_cast<Function*>(dlsym(library_, plan_.symbol.c_str()));
  if (function_ == nullptr) return "it has no function " + plan_.symbol;
  swap_.fill(0.0F);
  for (const DisconRecord& demand : disconOutputs()) {
    swap_[demand.first] = std::bit_cast<float>(kUnset);
  }
  now_ = 0;
  return {};
}

void DisconCode::unload() {
  if (library_ != nullptr && !threads_.hasNew()) dlclose(library_);
  library_ = nullptr;
}

void DisconCode::fillRecords(float t, std::span<const float> u, int status) {
  swap_[discon::kStatus] = static_cast<float>(status);
  swap_[discon::kTime] = t;
  swap_[discon::kInterval] = static_cast<float>(plan_.sample);
  swap_[discon::kIndividualPitch] = 1.0F;
  swap_[discon::kMessageLength] = static_cast<float>(kLongestMessage);
  swap_[discon::kFileLength] = static_cast<float>(plan_.parametersFile.size() + 1);
  swap_[discon::kNameLength] = static_cast<float>(plan_.name.size() + 1);
  swap_[discon::kNameRoom] = static_cast<float>(plan_.name.size() + 1);
  swap_[discon::kBlades] = static_cast<float>(plan_.blades);
  swap_[discon::kLogRecord] = static_cast<float>(discon::kRecords);
  for (std::size_t k = 0; k < u.size(); ++k) swap_[plan_.inputs[k]] = u[k];
}

// What the first call has not set is zero from then on; pitch angles of single blades are those of all.
void DisconCode::settleDemands() {
  isCollective_ =
      isUnset(swap_[discon::kDemandedPitch1]) && !isUnset(swap_[discon::kDemandedPitch]);
  for (const DisconRecord& demand : disconOutputs()) {
    float& value = swap_[demand.first];
    if (isUnset(value)) value = 0.0F;
  }
}

void DisconCode::step(float t, std::span<const float> u) {
  const bool isFirst = now_ == 0;
  fillRecords(t, u, isFirst ? 0 : 1);
  int fail = 0;
  std::array<char, kLongestMessage + 1> message{};
  function_(swap_.data() + 1, &fail, plan_.parametersFile.c_str(), plan_.name.c_str(),
            message.data());
  message.back() = 0;
  std::string text(message.data());
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  if (fail < 0) {
    throw std::runtime_error(text.empty() ? "it reports a failure without a message" : text);
  }
  if (fail > 0 && !isRepeating_ && !text.empty()) {
    printNote(plan_.name, t, text);
  }
  if (isFirst) settleDemands();
  if (isCollective_) {
    for (int blade = 0; blade < 3; ++blade) {
      swap_[discon::kDemandedPitch1 + blade] = swap_[discon::kDemandedPitch];
    }
  }
}

void DisconCode::output(const BoxCall& call) {
  std::transform(call.inputs.begin(), call.inputs.end(), inputs_.begin(),
                 [](double number) { return static_cast<float>(number); });
  lastTime_ = static_cast<float>(call.time);
  step(lastTime_, inputs_);
  now_ = past_.add(now_, call.time, call.inputs.data());
  if (now_ == past_.mostKept() + 1) {
    printNote(plan_.name, lastTime_,
              "the calls so far fill the room that is kept for them; the run goes on, but nothing "
              "can return to a later time, as modes and linearisations there do");
  }
  for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
    call.outputs[k] = swap_[plan_.outputs[k]];
  }
}

void DisconCode::finish() {
  if (now_ == 0) return;
  fillRecords(lastTime_, {}, -1);
  int fail = 0;
  std::array<char, kLongestMessage + 1> message{};
  function_(swap_.data() + 1, &fail, plan_.parametersFile.c_str(), plan_.name.c_str(),
            message.data());
}

std::uint64_t DisconCode::save(std::span<unsigned char> room) const {
  const MemoryHead head{now_ == 0 ? 0 : origin_, now_};
  if (room.size() >= sizeof head) std::memcpy(room.data(), &head, sizeof head);
  return sizeof head;
}

void DisconCode::restore(std::span<const unsigned char> memory) {
  MemoryHead head{};
  if (memory.size() == sizeof head) std::memcpy(&head, memory.data(), sizeof head);
  if (head.call > past_.count() || (head.call > 0 && head.origin != origin_)) {
    throw std::runtime_error(
        "its memory is gone\na controller of this kind cannot continue a run from a file");
  }
  if (!past_.isKept(head.call)) {
    throw std::runtime_error("its memory is gone: only its first " +
                             std::to_string(past_.mostKept()) +
                             " calls are kept, to be repeated\nask for modes and linearisations "
                             "at an earlier time, or call it less often");
  }
  if (copies_.canGoBack() && head.call == stays_) copies_.goBack(tellCalls());
  repeat(head.call);
  if (head.call == lastRestored_) stayAt(head.call);
  lastRestored_ = head.call;
}

// (37.8)
void DisconCode::repeat(std::uint64_t last) {
  unload();
  if (const std::string reason = loadCopy(); !reason.empty()) throw std::runtime_error(reason);
  isRepeating_ = true;
  for (const std::uint64_t call : past_.pathTo(last)) {
    past_.copyInputs(call, inputs_);
    lastTime_ = past_.time(call);
    step(lastTime_, inputs_);
    now_ = call;
  }
  isRepeating_ = false;
}

// Where it takes longer to repeat the calls than to copy the process.
void DisconCode::stayAt(std::uint64_t call) {
  if (!plan_.isAlone || call < kWorthACopy || hasThreads()) return;
  if (!copies_.stay([this](ProcessCopies::News news) { learnCalls(news); })) return;
  stays_ = call;
  known_ = past_.count();
}

// How many there are, how many of them are kept, and of each of these its parent, its time and its inputs.
std::vector<unsigned char> DisconCode::tellCalls() const {
  std::vector<unsigned char> news;
  const auto add = [&](const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    news.insert(news.end(), bytes, bytes + size);
  };
  std::uint64_t kept = known_;
  while (kept < past_.count() && past_.isKept(kept + 1)) ++kept;
  const std::array<std::uint64_t, 2> counts{past_.count() - known_, kept - known_};
  add(counts.data(), sizeof counts);
  std::vector<float> u(plan_.inputs.size());
  for (std::uint64_t call = known_ + 1; call <= kept; ++call) {
    const std::uint64_t parent = past_.parent(call);
    const float time = past_.time(call);
    past_.copyInputs(call, u);
    add(&parent, sizeof parent);
    add(&time, sizeof time);
    add(u.data(), u.size() * sizeof(float));
  }
  return news;
}

void DisconCode::learnCalls(ProcessCopies::News news) {
  const auto take = [&](void* data, std::size_t size) {
    std::memcpy(data, news.data(), size);
    news = news.subspan(size);
  };
  std::array<std::uint64_t, 2> counts{};
  take(counts.data(), sizeof counts);
  std::vector<float> numbers(plan_.inputs.size());
  for (std::uint64_t k = 0; k < counts[0]; ++k) {
    std::uint64_t parent = 0;
    float time = 0.0F;
    if (k < counts[1]) {
      take(&parent, sizeof parent);
      take(&time, sizeof time);
      take(numbers.data(), numbers.size() * sizeof(float));
    }
    const std::vector<double> u(numbers.begin(), numbers.end());
    past_.add(parent, time, u.data());
  }
}

}  // namespace flexloop::control
