#include <memory>

#include "control/boxes/fmu/fmi3_functions.hpp"
#include "control/boxes/fmu/fmu_calls.hpp"
#include "control/boxes/fmu/fmu_instance.hpp"

namespace flexloop::control {
namespace {

extern "C" void logFmi3(void* environment, fmi3::Status status, fmi3::String,
                        fmi3::String message) {
  if (message != nullptr) static_cast<FmuLog*>(environment)->add(status, message);
}

// How variables of one type are set and read.
template <class T>
struct Access {
  fmi3::Get<T>* get = nullptr;
  fmi3::Set<T>* set = nullptr;
};

class Fmi3Instance final : public FmuInstance {
 public:
  explicit Fmi3Instance(const FmuPlan& plan) : plan_(plan) {}

  std::string find(void* library) override {
    FmuSymbols symbols(library);
    const bool isExchange = plan_.kind == FmuKind::kModelExchange;
    symbols.find(instantiateExchange_, "fmi3InstantiateModelExchange", isExchange);
    symbols.find(instantiateCoSimulation_, "fmi3InstantiateCoSimulation", !isExchange);
    symbols.find(free_, "fmi3FreeInstance");
    symbols.find(enterInitialization_, "fmi3EnterInitializationMode");
    symbols.find(exitInitialization_, "fmi3ExitInitializationMode");
    symbols.find(reset_, "fmi3Reset");
    symbols.find(terminate_, "fmi3Terminate");
    findAccess(symbols);
    symbols.find(setString_, "fmi3SetString", false);
    symbols.find(getState_, "fmi3GetFMUState", plan_.canRestore);
    symbols.find(setState_, "fmi3SetFMUState", plan_.canRestore);
    symbols.find(freeState_, "fmi3FreeFMUState", plan_.canRestore);
    symbols.find(stateSize_, "fmi3SerializedFMUStateSize", plan_.canSerialize);
    symbols.find(serialize_, "fmi3SerializeFMUState", plan_.canSerialize);
    symbols.find(deserialize_, "fmi3DeserializeFMUState", plan_.canSerialize);
    symbols.find(directional_, "fmi3GetDirectionalDerivative", plan_.hasDirectionalDerivatives);
    symbols.find(doStep_, "fmi3DoStep", !isExchange);
    symbols.find(enterEventMode_, "fmi3EnterEventMode", isExchange);
    symbols.find(updateDiscreteStates_, "fmi3UpdateDiscreteStates", isExchange);
    symbols.find(enterContinuousTime_, "fmi3EnterContinuousTimeMode", isExchange);
    symbols.find(completedStep_, "fmi3CompletedIntegratorStep", isExchange);
    symbols.find(setTime_, "fmi3SetTime", isExchange);
    symbols.find(setStates_, "fmi3SetContinuousStates", isExchange);
    symbols.find(getStates_, "fmi3GetContinuousStates", isExchange);
    symbols.find(getDerivatives_, "fmi3GetContinuousStateDerivatives", isExchange);
    symbols.find(getIndicators_, "fmi3GetEventIndicators", isExchange);
    return symbols.missing();
  }

  void instantiate() override {
    const char *name = plan_.instance.c_str(), *token = plan_.token.c_str();
    const std::string resources = plan_.resources + "/";
    if (plan_.kind == FmuKind::kModelExchange) {
      instance_ =
          instantiateExchange_(name, token, resources.c_str(), false, false, &log_, logFmi3);
    } else {
      instance_ = instantiateCoSimulation_(name, token, resources.c_str(), false, false, false,
                                           false, nullptr, 0, &log_, logFmi3, nullptr);
    }
    if (instance_ != nullptr) return;
    log_.fail("its instantiation makes no instance",
              "does the instantiation token of its modelDescription.xml belong to its binary?");
  }
  void enterInitialization(double t) override {
    check("fmi3EnterInitializationMode",
          enterInitialization_(instance_, false, 0.0, t, false, 0.0));
  }
  void exitInitialization() override {
    check("fmi3ExitInitializationMode", exitInitialization_(instance_));
  }
  void reset() override { check("fmi3Reset", reset_(instance_)); }
  void destroy() override {
    if (instance_ == nullptr) return;
    terminate_(instance_);
    free_(instance_);
    instance_ = nullptr;
  }

  void setNumbers(FmuType type, References references, std::span<const double> values) override {
    switch (type) {
      case FmuType::kFloat64:
        return check("fmi3SetFloat64", float64_.set(instance_, references.data(), references.size(),
                                                    values.data(), values.size()));
      case FmuType::kFloat32:
        return set(float32_, references, values);
      case FmuType::kInt8:
        return set(int8_, references, values);
      case FmuType::kUInt8:
        return set(uint8_, references, values);
      case FmuType::kInt16:
        return set(int16_, references, values);
      case FmuType::kUInt16:
        return set(uint16_, references, values);
      case FmuType::kInt32:
        return set(int32_, references, values);
      case FmuType::kUInt32:
        return set(uint32_, references, values);
      case FmuType::kInt64:
      case FmuType::kEnumeration:
        return set(int64_, references, values);
      case FmuType::kUInt64:
        return set(uint64_, references, values);
      case FmuType::kBoolean:
        return set(boolean_, references, values);
      default:
        return;
    }
  }
  void getNumbers(FmuType type, References references, std::span<double> values) override {
    switch (type) {
      case FmuType::kFloat64:
        return check("fmi3GetFloat64", float64_.get(instance_, references.data(), references.size(),
                                                    values.data(), values.size()));
      case FmuType::kFloat32:
        return get(float32_, references, values);
      case FmuType::kInt8:
        return get(int8_, references, values);
      case FmuType::kUInt8:
        return get(uint8_, references, values);
      case FmuType::kInt16:
        return get(int16_, references, values);
      case FmuType::kUInt16:
        return get(uint16_, references, values);
      case FmuType::kInt32:
        return get(int32_, references, values);
      case FmuType::kUInt32:
        return get(uint32_, references, values);
      case FmuType::kInt64:
      case FmuType::kEnumeration:
        return get(int64_, references, values);
      case FmuType::kUInt64:
        return get(uint64_, references, values);
      case FmuType::kBoolean:
        return get(boolean_, references, values);
      default:
        return;
    }
  }
  void setText(std::uint32_t reference, const std::string& text) override {
    if (setString_ == nullptr) log_.fail("it has no function fmi3SetString");
    const char* value = text.c_str();
    check("fmi3SetString", setString_(instance_, &reference, 1, &value, 1));
  }

  void doStep(double t, double step) override {
    bool needsEvent = false, isOver = false, isEarly = false;
    double last = t;
    check("fmi3DoStep",
          doStep_(instance_, t, step, !plan_.canRestore, &needsEvent, &isOver, &isEarly, &last));
    if (isOver) log_.failAtEnd();
    if (isEarly) log_.fail("it returned early from a step, which was not allowed to it");
  }

  void setTime(double t) override { check("fmi3SetTime", setTime_(instance_, t)); }
  void setStates(std::span<const double> x) override {
    check("fmi3SetContinuousStates", setStates_(instance_, x.data(), x.size()));
  }
  void getStates(std::span<double> x) override {
    check("fmi3GetContinuousStates", getStates_(instance_, x.data(), x.size()));
  }
  void getDerivatives(std::span<double> dx) override {
    check("fmi3GetContinuousStateDerivatives", getDerivatives_(instance_, dx.data(), dx.size()));
  }
  void getIndicators(std::span<double> z) override {
    check("fmi3GetEventIndicators", getIndicators_(instance_, z.data(), z.size()));
  }
  void getDirectionalDerivative(References unknowns, std::uint32_t known,
                                std::span<double> result) override {
    const double one = 1.0;
    check("fmi3GetDirectionalDerivative",
          directional_(instance_, unknowns.data(), unknowns.size(), &known, 1, &one, 1,
                       result.data(), result.size()));
  }
  void enterEventMode() override { check("fmi3EnterEventMode", enterEventMode_(instance_)); }
  Update updateDiscreteStates() override {
    bool isAgain = false, isOver = false, nominals = false, states = false, hasNext = false;
    double next = 0.0;
    check("fmi3UpdateDiscreteStates",
          updateDiscreteStates_(instance_, &isAgain, &isOver, &nominals, &states, &hasNext, &next));
    if (isOver) log_.failAtEnd();
    return {isAgain, hasNext ? std::optional(next) : std::nullopt};
  }
  void enterContinuousTime() override {
    check("fmi3EnterContinuousTimeMode", enterContinuousTime_(instance_));
  }
  bool completeStep() override {
    bool wantsEvent = false, isOver = false;
    check("fmi3CompletedIntegratorStep",
          completedStep_(instance_, !plan_.canRestore, &wantsEvent, &isOver));
    if (isOver) log_.failAtEnd();
    return wantsEvent;
  }

  void* getState() override {
    void* state = nullptr;
    check("fmi3GetFMUState", getState_(instance_, &state));
    return state;
  }
  void setState(void* state) override { check("fmi3SetFMUState", setState_(instance_, state)); }
  void freeState(void* state) override { check("fmi3FreeFMUState", freeState_(instance_, &state)); }
  void serialize(void* state, std::vector<unsigned char>& bytes) override {
    std::size_t size = 0;
    check("fmi3SerializedFMUStateSize", stateSize_(instance_, state, &size));
    bytes.resize(size);
    check("fmi3SerializeFMUState", serialize_(instance_, state, bytes.data(), size));
  }
  void* deserialize(std::span<const unsigned char> bytes) override {
    void* state = nullptr;
    check("fmi3DeserializeFMUState", deserialize_(instance_, bytes.data(), bytes.size(), &state));
    return state;
  }

 private:
  void check(const char* function, fmi3::Status status) { log_.check(function, status); }

  // Only the types of its ports must be there.
  bool uses(FmuType type) const {
    const auto is = [&](const FmuPort& port) { return port.type == type; };
    return std::any_of(plan_.inputs.begin(), plan_.inputs.end(), is) ||
           std::any_of(plan_.outputs.begin(), plan_.outputs.end(), is) ||
           std::any_of(plan_.starts.begin(), plan_.starts.end(),
                       [&](const FmuStart& start) { return is(start.port); });
  }

  void findAccess(FmuSymbols& symbols) {
    const auto find = [&](auto& access, FmuType type) {
      const std::string name = type == FmuType::kEnumeration ? "Int64" : nameOf(type);
      symbols.find(access.get, ("fmi3Get" + name).c_str(), uses(type));
      symbols.find(access.set, ("fmi3Set" + name).c_str(), uses(type));
    };
    find(float64_, FmuType::kFloat64);
    find(float32_, FmuType::kFloat32);
    find(int8_, FmuType::kInt8);
    find(uint8_, FmuType::kUInt8);
    find(int16_, FmuType::kInt16);
    find(uint16_, FmuType::kUInt16);
    find(int32_, FmuType::kInt32);
    find(uint32_, FmuType::kUInt32);
    find(int64_, FmuType::kInt64);
    find(int64_, FmuType::kEnumeration);
    find(uint64_, FmuType::kUInt64);
    find(boolean_, FmuType::kBoolean);
  }

  template <class T>
  void set(const Access<T>& access, References references, std::span<const double> values) {
    const auto typed = std::make_unique<T[]>(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) typed[k] = nearestWhole<T>(values[k]);
    check("a function fmi3Set",
          access.set(instance_, references.data(), references.size(), typed.get(), values.size()));
  }
  template <class T>
  void get(const Access<T>& access, References references, std::span<double> values) {
    const auto typed = std::make_unique<T[]>(values.size());
    check("a function fmi3Get",
          access.get(instance_, references.data(), references.size(), typed.get(), values.size()));
    std::copy_n(typed.get(), values.size(), values.begin());
  }

  const FmuPlan& plan_;
  FmuLog log_;
  fmi3::Instance instance_ = nullptr;

  fmi3::InstantiateExchange* instantiateExchange_ = nullptr;
  fmi3::InstantiateCoSimulation* instantiateCoSimulation_ = nullptr;
  fmi3::FreeInstance* free_ = nullptr;
  fmi3::EnterInitialization* enterInitialization_ = nullptr;
  fmi3::Plain *exitInitialization_ = nullptr, *reset_ = nullptr, *terminate_ = nullptr,
              *enterEventMode_ = nullptr, *enterContinuousTime_ = nullptr;
  Access<double> float64_;
  Access<float> float32_;
  Access<std::int8_t> int8_;
  Access<std::uint8_t> uint8_;
  Access<std::int16_t> int16_;
  Access<std::uint16_t> uint16_;
  Access<std::int32_t> int32_;
  Access<std::uint32_t> uint32_;
  Access<std::int64_t> int64_;
  Access<std::uint64_t> uint64_;
  Access<bool> boolean_;
  fmi3::Set<fmi3::String>* setString_ = nullptr;
  fmi3::GetState *getState_ = nullptr, *freeState_ = nullptr;
  fmi3::SetState* setState_ = nullptr;
  fmi3::StateSize* stateSize_ = nullptr;
  fmi3::SerializeState* serialize_ = nullptr;
  fmi3::DeserializeState* deserialize_ = nullptr;
  fmi3::DirectionalDerivative* directional_ = nullptr;
  fmi3::UpdateDiscreteStates* updateDiscreteStates_ = nullptr;
  fmi3::CompletedStep* completedStep_ = nullptr;
  fmi3::SetTime* setTime_ = nullptr;
  fmi3::SetNumbers* setStates_ = nullptr;
  fmi3::GetNumbers *getStates_ = nullptr, *getDerivatives_ = nullptr, *getIndicators_ = nullptr;
  fmi3::DoStep* doStep_ = nullptr;
};

}  // namespace

std::unique_ptr<FmuInstance> makeFmi3Instance(const FmuPlan& plan) {
  return std::make_unique<Fmi3Instance>(plan);
}

}  // namespace flexloop::control
