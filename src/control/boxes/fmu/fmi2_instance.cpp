#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "control/boxes/fmu/fmi2_functions.hpp"
#include "control/boxes/fmu/fmu_calls.hpp"
#include "control/boxes/fmu/fmu_instance.hpp"

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

class Fmi2Instance final : public FmuInstance {
 public:
  explicit Fmi2Instance(const FmuPlan& plan) : plan_(plan) {
    callbacks_ = {logFmi2, std::calloc, std::free, nullptr, &log_};
  }

  std::string find(void* library) override {
    FmuSymbols symbols(library);
    const bool isExchange = plan_.kind == FmuKind::kModelExchange;
    symbols.find(instantiate_, "fmi2Instantiate");
    symbols.find(free_, "fmi2FreeInstance");
    symbols.find(setup_, "fmi2SetupExperiment");
    symbols.find(enterInitialization_, "fmi2EnterInitializationMode");
    symbols.find(exitInitialization_, "fmi2ExitInitializationMode");
    symbols.find(reset_, "fmi2Reset");
    symbols.find(terminate_, "fmi2Terminate");
    symbols.find(getReal_, "fmi2GetReal");
    symbols.find(setReal_, "fmi2SetReal");
    symbols.find(getInteger_, "fmi2GetInteger");
    symbols.find(setInteger_, "fmi2SetInteger");
    symbols.find(getBoolean_, "fmi2GetBoolean");
    symbols.find(setBoolean_, "fmi2SetBoolean");
    symbols.find(setString_, "fmi2SetString");
    symbols.find(getState_, "fmi2GetFMUstate", plan_.canRestore);
    symbols.find(setState_, "fmi2SetFMUstate", plan_.canRestore);
    symbols.find(freeState_, "fmi2FreeFMUstate", plan_.canRestore);
    symbols.find(stateSize_, "fmi2SerializedFMUstateSize", plan_.canSerialize);
    symbols.find(serialize_, "fmi2SerializeFMUstate", plan_.canSerialize);
    symbols.find(deserialize_, "fmi2DeSerializeFMUstate", plan_.canSerialize);
    symbols.find(directional_, "fmi2GetDirectionalDerivative", plan_.hasDirectionalDerivatives);
    symbols.find(doStep_, "fmi2DoStep", !isExchange);
    symbols.find(getBooleanStatus_, "fmi2GetBooleanStatus", false);
    symbols.find(enterEventMode_, "fmi2EnterEventMode", isExchange);
    symbols.find(newDiscreteStates_, "fmi2NewDiscreteStates", isExchange);
    symbols.find(enterContinuousTime_, "fmi2EnterContinuousTimeMode", isExchange);
    symbols.find(completedStep_, "fmi2CompletedIntegratorStep", isExchange);
    symbols.find(setTime_, "fmi2SetTime", isExchange);
    symbols.find(setStates_, "fmi2SetContinuousStates", isExchange);
    symbols.find(getStates_, "fmi2GetContinuousStates", isExchange);
    symbols.find(getDerivatives_, "fmi2GetDerivatives", isExchange);
    symbols.find(getIndicators_, "fmi2GetEventIndicators", isExchange);
    return symbols.missing();
  }

  void instantiate() override {
    const std::string resources = "file://" + plan_.resources;
    const fmi2::Type type =
        plan_.kind == FmuKind::kModelExchange ? fmi2::kModelExchange : fmi2::kCoSimulation;
    component_ = instantiate_(plan_.instance.c_str(), type, plan_.token.c_str(), resources.c_str(),
                              &callbacks_, 0, 0);
    if (component_ != nullptr) return;
    log_.fail("fmi2Instantiate makes no instance",
              "does the GUID of its modelDescription.xml belong to its binary?");
  }
  void enterInitialization(double t) override {
    check("fmi2SetupExperiment", setup_(component_, 0, 0.0, t, 0, 0.0));
    check("fmi2EnterInitializationMode", enterInitialization_(component_));
  }
  void exitInitialization() override {
    check("fmi2ExitInitializationMode", exitInitialization_(component_));
  }
  void reset() override { check("fmi2Reset", reset_(component_)); }
  void destroy() override {
    if (component_ == nullptr) return;
    terminate_(component_);
    free_(component_);
    component_ = nullptr;
  }

  void setNumbers(FmuType type, References references, std::span<const double> values) override {
    const std::size_t count = references.size();
    if (type == FmuType::kFloat64) {
      return check("fmi2SetReal", setReal_(component_, references.data(), count, values.data()));
    }
    std::vector<int> whole(count);
    const bool isBoolean = type == FmuType::kBoolean;
    for (std::size_t k = 0; k < count; ++k) {
      whole[k] = isBoolean ? int{nearestWhole<bool>(values[k])} : nearestWhole<int>(values[k]);
    }
    auto* const set = isBoolean ? setBoolean_ : setInteger_;
    check(isBoolean ? "fmi2SetBoolean" : "fmi2SetInteger",
          set(component_, references.data(), count, whole.data()));
  }
  void getNumbers(FmuType type, References references, std::span<double> values) override {
    const std::size_t count = references.size();
    if (type == FmuType::kFloat64) {
      return check("fmi2GetReal", getReal_(component_, references.data(), count, values.data()));
    }
    std::vector<int> whole(count);
    const bool isBoolean = type == FmuType::kBoolean;
    auto* const get = isBoolean ? getBoolean_ : getInteger_;
    check(isBoolean ? "fmi2GetBoolean" : "fmi2GetInteger",
          get(component_, references.data(), count, whole.data()));
    std::copy(whole.begin(), whole.end(), values.begin());
  }
  void setText(std::uint32_t reference, const std::string& text) override {
    const char* value = text.c_str();
    check("fmi2SetString", setString_(component_, &reference, 1, &value));
  }

  void doStep(double t, double step) override {
    const fmi2::Status status = doStep_(component_, t, step, plan_.canRestore ? 0 : 1);
    if (status == static_cast<int>(FmuStatus::kDiscard) && isTerminated()) log_.failAtEnd();
    check("fmi2DoStep", status);
  }

  void setTime(double t) override { check("fmi2SetTime", setTime_(component_, t)); }
  void setStates(std::span<const double> x) override {
    check("fmi2SetContinuousStates", setStates_(component_, x.data(), x.size()));
  }
  void getStates(std::span<double> x) override {
    check("fmi2GetContinuousStates", getStates_(component_, x.data(), x.size()));
  }
  void getDerivatives(std::span<double> dx) override {
    check("fmi2GetDerivatives", getDerivatives_(component_, dx.data(), dx.size()));
  }
  void getIndicators(std::span<double> z) override {
    check("fmi2GetEventIndicators", getIndicators_(component_, z.data(), z.size()));
  }
  void getDirectionalDerivative(References unknowns, std::uint32_t known,
                                std::span<double> result) override {
    const double one = 1.0;
    check("fmi2GetDirectionalDerivative", directional_(component_, unknowns.data(), unknowns.size(),
                                                       &known, 1, &one, result.data()));
  }
  void enterEventMode() override { check("fmi2EnterEventMode", enterEventMode_(component_)); }
  Update updateDiscreteStates() override {
    fmi2::EventInfo info{};
    check("fmi2NewDiscreteStates", newDiscreteStates_(component_, &info));
    if (info.terminateSimulation != 0) log_.failAtEnd();
    Update update{.isAgain = info.newDiscreteStatesNeeded != 0};
    if (info.nextEventTimeDefined != 0) update.nextTime = info.nextEventTime;
    return update;
  }
  void enterContinuousTime() override {
    check("fmi2EnterContinuousTimeMode", enterContinuousTime_(component_));
  }
  bool completeStep() override {
    fmi2::Boolean wantsEvent = 0, isOver = 0;
    check("fmi2CompletedIntegratorStep",
          completedStep_(component_, plan_.canRestore ? 0 : 1, &wantsEvent, &isOver));
    if (isOver != 0) log_.failAtEnd();
    return wantsEvent != 0;
  }

  void* getState() override {
    void* state = nullptr;
    check("fmi2GetFMUstate", getState_(component_, &state));
    return state;
  }
  void setState(void* state) override { check("fmi2SetFMUstate", setState_(component_, state)); }
  void freeState(void* state) override {
    check("fmi2FreeFMUstate", freeState_(component_, &state));
  }
  void serialize(void* state, std::vector<unsigned char>& bytes) override {
    std::size_t size = 0;
    check("fmi2SerializedFMUstateSize", stateSize_(component_, state, &size));
    bytes.resize(size);
    check("fmi2SerializeFMUstate",
          serialize_(component_, state, reinterpret_cast<char*>(bytes.data()), size));
  }
  void* deserialize(std::span<const unsigned char> bytes) override {
    void* state = nullptr;
    check("fmi2DeSerializeFMUstate",
          deserialize_(component_, reinterpret_cast<const char*>(bytes.data()), bytes.size(),
                       &state));
    return state;
  }

 private:
  void check(const char* function, fmi2::Status status) { log_.check(function, status); }

  // Whether a step was discarded because the FMU wants to end.
  bool isTerminated() {
    constexpr int kTerminated = 3;
    fmi2::Boolean value = 0;
    return getBooleanStatus_ != nullptr &&
           getBooleanStatus_(component_, kTerminated, &value) == 0 && value != 0;
  }

  const FmuPlan& plan_;
  FmuLog log_;
  fmi2::Callbacks callbacks_{};
  fmi2::Component component_ = nullptr;

  fmi2::Instantiate* instantiate_ = nullptr;
  fmi2::FreeInstance* free_ = nullptr;
  fmi2::SetupExperiment* setup_ = nullptr;
  fmi2::Plain *enterInitialization_ = nullptr, *exitInitialization_ = nullptr, *reset_ = nullptr,
              *terminate_ = nullptr, *enterEventMode_ = nullptr, *enterContinuousTime_ = nullptr;
  fmi2::Get<double>* getReal_ = nullptr;
  fmi2::Set<double>* setReal_ = nullptr;
  fmi2::Get<int>*getInteger_ = nullptr, *getBoolean_ = nullptr;
  fmi2::Set<int>*setInteger_ = nullptr, *setBoolean_ = nullptr;
  fmi2::Set<fmi2::String>* setString_ = nullptr;
  fmi2::GetState *getState_ = nullptr, *freeState_ = nullptr;
  fmi2::SetState* setState_ = nullptr;
  fmi2::StateSize* stateSize_ = nullptr;
  fmi2::SerializeState* serialize_ = nullptr;
  fmi2::DeserializeState* deserialize_ = nullptr;
  fmi2::DirectionalDerivative* directional_ = nullptr;
  fmi2::NewDiscreteStates* newDiscreteStates_ = nullptr;
  fmi2::CompletedStep* completedStep_ = nullptr;
  fmi2::SetTime* setTime_ = nullptr;
  fmi2::SetNumbers* setStates_ = nullptr;
  fmi2::GetNumbers *getStates_ = nullptr, *getDerivatives_ = nullptr, *getIndicators_ = nullptr;
  fmi2::DoStep* doStep_ = nullptr;
  fmi2::GetBooleanStatus* getBooleanStatus_ = nullptr;
};

}  // namespace

std::unique_ptr<FmuInstance> makeFmi2Instance(const FmuPlan& plan) {
  return std::make_unique<Fmi2Instance>(plan);
}

}  // namespace flexloop::control
