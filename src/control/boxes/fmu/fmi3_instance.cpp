#include <memory>

#include "control/boxes/fmu/fmi3_functions.hpp"
#include "control/boxes/fmu/fmi_instance.hpp"

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
  std::string getName{}, setName{};  // for messages
};

class Fmi3Instance final : public FmiInstance {
 public:
  explicit Fmi3Instance(const FmuPlan& plan) : FmiInstance(plan) {}

  void instantiate() override {
    const char *name = plan_.instance.c_str(), *token = plan_.token.c_str();
    const std::string resources = plan_.resources + "/";
    if (isExchange()) {
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
  void enterConfiguration() override {
    check("EnterConfigurationMode", enterConfiguration_(instance_));
  }
  void exitConfiguration() override {
    check("ExitConfigurationMode", exitConfiguration_(instance_));
  }
  void enterInitialization(double t) override {
    check("EnterInitializationMode", enterInitialization_(instance_, false, 0.0, t, false, 0.0));
  }
  void setNumbers(FmuType type, References references, std::span<const double> values) override {
    switch (type) {
      case FmuType::kFloat64:
        return check("SetFloat64", float64_.set(instance_, references.data(), references.size(),
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
        return check("GetFloat64", float64_.get(instance_, references.data(), references.size(),
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
    check("SetString", setString_(instance_, &reference, 1, &value, 1));
  }

  void doStep(double t, double step) override {
    bool needsEvent = false, isOver = false, isEarly = false;
    double last = t;
    check("DoStep",
          doStep_(instance_, t, step, !plan_.canRestore, &needsEvent, &isOver, &isEarly, &last));
    isOver_ = isOver;
    if (isEarly && !isOver) log_.fail("it returned early from a step, which was not allowed to it");
  }

  void getDirectionalDerivative(References unknowns, std::uint32_t known,
                                std::span<const double> seed, std::span<double> result) override {
    check("GetDirectionalDerivative",
          directional_(instance_, unknowns.data(), unknowns.size(), &known, 1, seed.data(),
                       seed.size(), result.data(), result.size()));
  }
  Update updateDiscreteStates() override {
    bool isAgain = false, isOver = false, nominals = false, states = false, hasNext = false;
    double next = 0.0;
    check("UpdateDiscreteStates",
          updateDiscreteStates_(instance_, &isAgain, &isOver, &nominals, &states, &hasNext, &next));
    isOver_ = isOver_ || isOver;
    return {isAgain, hasNext ? std::optional(next) : std::nullopt};
  }
  bool completeStep() override {
    bool wantsEvent = false, isOver = false;
    check("CompletedIntegratorStep",
          completedStep_(instance_, !plan_.canRestore, &wantsEvent, &isOver));
    isOver_ = isOver;
    return wantsEvent;
  }

 private:
  void findOwn(FmuSymbols& symbols) override {
    symbols.find(instantiateExchange_, "InstantiateModelExchange", isExchange());
    symbols.find(instantiateCoSimulation_, "InstantiateCoSimulation", !isExchange());
    symbols.find(enterConfiguration_, "EnterConfigurationMode", !plan_.structure.empty());
    symbols.find(exitConfiguration_, "ExitConfigurationMode", !plan_.structure.empty());
    symbols.find(enterInitialization_, "EnterInitializationMode");
    findAccess(symbols);
    symbols.find(setString_, "SetString", false);
    symbols.find(directional_, "GetDirectionalDerivative", plan_.hasDirectionalDerivatives);
    symbols.find(doStep_, "DoStep", !isExchange());
    symbols.find(updateDiscreteStates_, "UpdateDiscreteStates", isExchange());
    symbols.find(completedStep_, "CompletedIntegratorStep", isExchange());
  }

  // Only the types of its ports must be there.
  bool uses(FmuType type) const {
    const auto is = [&](const FmuPort& port) { return port.type == type; };
    const auto isOfStart = [&](const FmuStart& start) { return is(start.port); };
    return std::any_of(plan_.inputs.begin(), plan_.inputs.end(), is) ||
           std::any_of(plan_.outputs.begin(), plan_.outputs.end(), is) ||
           std::any_of(plan_.structure.begin(), plan_.structure.end(), isOfStart) ||
           std::any_of(plan_.starts.begin(), plan_.starts.end(), isOfStart);
  }

  void findAccess(FmuSymbols& symbols) {
    const auto find = [&](auto& access, FmuType type) {
      const std::string name = type == FmuType::kEnumeration ? "Int64" : nameOf(type);
      access.getName = "Get" + name;
      access.setName = "Set" + name;
      symbols.find(access.get, access.getName, uses(type));
      symbols.find(access.set, access.setName, uses(type));
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
    check(access.setName.c_str(),
          access.set(instance_, references.data(), references.size(), typed.get(), values.size()));
  }
  template <class T>
  void get(const Access<T>& access, References references, std::span<double> values) {
    const auto typed = std::make_unique<T[]>(values.size());
    check(access.getName.c_str(),
          access.get(instance_, references.data(), references.size(), typed.get(), values.size()));
    std::copy_n(typed.get(), values.size(), values.begin());
  }

  fmi3::InstantiateExchange* instantiateExchange_ = nullptr;
  fmi3::InstantiateCoSimulation* instantiateCoSimulation_ = nullptr;
  fmi::Plain *enterConfiguration_ = nullptr, *exitConfiguration_ = nullptr;
  fmi3::EnterInitialization* enterInitialization_ = nullptr;
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
  fmi3::DirectionalDerivative* directional_ = nullptr;
  fmi3::UpdateDiscreteStates* updateDiscreteStates_ = nullptr;
  fmi3::CompletedStep* completedStep_ = nullptr;
  fmi3::DoStep* doStep_ = nullptr;
};

}  // namespace

std::unique_ptr<FmuInstance> makeFmi3Instance(const FmuPlan& plan) {
  return std::make_unique<Fmi3Instance>(plan);
}

}  // namespace flexloop::control
