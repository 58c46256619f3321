#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "control/boxes/fmu/fmi2_functions.hpp"
#include "control/boxes/fmu/fmi_instance.hpp"

namespace flexloop::control {
namespace {

extern "C" void logFmi2(void* environment, fmi2::String, fmi2::Status status, fmi2::String,
                        fmi2::String message, ...) {
  std::array<char, 512> text{};
  va_list arguments;
  va_start(arguments, message);
  if (message != nullptr) std::vsnprintf(text.data(), text.size(), message, arguments);
  va_end(arguments);
  static_cast<FmuLog*>(environment)->add(status, text.data());
}

class Fmi2Instance final : public FmiInstance {
 public:
  explicit Fmi2Instance(const FmuPlan& plan) : FmiInstance(plan) {
    callbacks_ = {logFmi2, std::calloc, std::free, nullptr, &log_};
  }

  void instantiate() override {
    const std::string resources = "file://" + plan_.resources;
    const fmi2::Type type = isExchange() ? fmi2::kModelExchange : fmi2::kCoSimulation;
    instance_ = instantiate_(plan_.instance.c_str(), type, plan_.token.c_str(), resources.c_str(),
                             &callbacks_, 0, 0);
    if (instance_ != nullptr) return;
    log_.fail("fmi2Instantiate makes no instance",
              "does the GUID of its modelDescription.xml belong to its binary?");
  }
  void enterConfiguration() override {}
  void exitConfiguration() override {}
  void enterInitialization(double t) override {
    check("SetupExperiment", setup_(instance_, 0, 0.0, t, 0, 0.0));
    check("EnterInitializationMode", enterInitialization_(instance_));
  }

  void setNumbers(FmuType type, References references, std::span<const double> values) override {
    const std::size_t count = references.size();
    if (type == FmuType::kFloat64) {
      return check("SetReal", setReal_(instance_, references.data(), count, values.data()));
    }
    std::vector<int> whole(count);
    const bool isBoolean = type == FmuType::kBoolean;
    for (std::size_t k = 0; k < count; ++k) {
      whole[k] = isBoolean ? int{nearestWhole<bool>(values[k])} : nearestWhole<int>(values[k]);
    }
    auto* const set = isBoolean ? setBoolean_ : setInteger_;
    check(isBoolean ? "SetBoolean" : "SetInteger",
          set(instance_, references.data(), count, whole.data()));
  }
  void getNumbers(FmuType type, References references, std::span<double> values) override {
    const std::size_t count = references.size();
    if (type == FmuType::kFloat64) {
      return check("GetReal", getReal_(instance_, references.data(), count, values.data()));
    }
    std::vector<int> whole(count);
    const bool isBoolean = type == FmuType::kBoolean;
    auto* const get = isBoolean ? getBoolean_ : getInteger_;
    check(isBoolean ? "GetBoolean" : "GetInteger",
          get(instance_, references.data(), count, whole.data()));
    std::copy(whole.begin(), whole.end(), values.begin());
  }
  void setText(std::uint32_t reference, const std::string& text) override {
    const char* value = text.c_str();
    check("SetString", setString_(instance_, &reference, 1, &value));
  }

  void doStep(double t, double step) override {
    const fmi2::Status status = doStep_(instance_, t, step, plan_.canRestore ? 0 : 1);
    if (status == static_cast<int>(FmuStatus::kDiscard) && isTerminated()) {
      isOver_ = hasReached(t + step, step);
      if (isOver_) return;
      log_.failAtEnd();
    }
    check("DoStep", status);
  }

  void getDirectionalDerivative(References unknowns, std::uint32_t known,
                                std::span<const double> seed, std::span<double> result) override {
    check("GetDirectionalDerivative", directional_(instance_, unknowns.data(), unknowns.size(),
                                                   &known, 1, seed.data(), result.data()));
  }
  Update updateDiscreteStates() override {
    fmi2::EventInfo info{};
    check("NewDiscreteStates", newDiscreteStates_(instance_, &info));
    isOver_ = isOver_ || info.terminateSimulation != 0;
    Update update{.isAgain = info.newDiscreteStatesNeeded != 0};
    if (info.nextEventTimeDefined != 0) update.nextTime = info.nextEventTime;
    return update;
  }
  bool completeStep() override {
    fmi2::Boolean wantsEvent = 0, isOver = 0;
    check("CompletedIntegratorStep",
          completedStep_(instance_, plan_.canRestore ? 0 : 1, &wantsEvent, &isOver));
    isOver_ = isOver != 0;
    return wantsEvent != 0;
  }

 private:
  void findOwn(FmuSymbols& symbols) override {
    symbols.find(instantiate_, "Instantiate");
    symbols.find(setup_, "SetupExperiment");
    symbols.find(enterInitialization_, "EnterInitializationMode");
    symbols.find(getReal_, "GetReal");
    symbols.find(setReal_, "SetReal");
    symbols.find(getInteger_, "GetInteger");
    symbols.find(setInteger_, "SetInteger");
    symbols.find(getBoolean_, "GetBoolean");
    symbols.find(setBoolean_, "SetBoolean");
    symbols.find(setString_, "SetString");
    symbols.find(directional_, "GetDirectionalDerivative", plan_.hasDirectionalDerivatives);
    symbols.find(doStep_, "DoStep", !isExchange());
    symbols.find(getBooleanStatus_, "GetBooleanStatus", false);
    symbols.find(getRealStatus_, "GetRealStatus", false);
    symbols.find(newDiscreteStates_, "NewDiscreteStates", isExchange());
    symbols.find(completedStep_, "CompletedIntegratorStep", isExchange());
  }

  // Whether a step was discarded because the FMU wants to end, and whether it has done it all.
  bool isTerminated() {
    constexpr int kTerminated = 3;
    fmi2::Boolean value = 0;
    return getBooleanStatus_ != nullptr && getBooleanStatus_(instance_, kTerminated, &value) == 0 &&
           value != 0;
  }
  bool hasReached(double end, double step) {
    constexpr int kLastSuccessfulTime = 2;
    constexpr double kThere = 1e-6;  // of the step
    double last = 0.0;
    return getRealStatus_ != nullptr &&
           getRealStatus_(instance_, kLastSuccessfulTime, &last) == 0 &&
           std::abs(last - end) <= kThere * step;
  }

  fmi2::Callbacks callbacks_{};
  fmi2::Instantiate* instantiate_ = nullptr;
  fmi2::SetupExperiment* setup_ = nullptr;
  fmi::Plain* enterInitialization_ = nullptr;
  fmi2::Get<double>* getReal_ = nullptr;
  fmi2::Set<double>* setReal_ = nullptr;
  fmi2::Get<int>*getInteger_ = nullptr, *getBoolean_ = nullptr;
  fmi2::Set<int>*setInteger_ = nullptr, *setBoolean_ = nullptr;
  fmi2::Set<fmi2::String>* setString_ = nullptr;
  fmi2::DirectionalDerivative* directional_ = nullptr;
  fmi2::NewDiscreteStates* newDiscreteStates_ = nullptr;
  fmi2::CompletedStep* completedStep_ = nullptr;
  fmi2::DoStep* doStep_ = nullptr;
  fmi2::GetBooleanStatus* getBooleanStatus_ = nullptr;
  fmi2::GetRealStatus* getRealStatus_ = nullptr;
};

}  // namespace

std::unique_ptr<FmuInstance> makeFmi2Instance(const FmuPlan& plan) {
  return std::make_unique<Fmi2Instance>(plan);
}

}  // namespace flexloop::control
