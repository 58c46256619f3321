// Calls of functions of a black box (include/flexloop_block.h), in a form that can be made in this
// process or be sent to another one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace flexloop::control {

class BoxForm;  // box_code.hpp

struct BoxSettings {
  enum class Kind { kLibrary, kNonlinear };

  std::string name;    // of the block, for messages
  std::string path;    // of the shared library; a relative one is relative to the working directory
  std::string config;  // handed to block_create
  Kind kind = Kind::kLibrary;
  int inputs = 0, outputs = 0;
  int states = 0;       // of kNonlinear
  int indicators = 0;   // of kNonlinear: of its events
  double sample = 0.0;  // s, of kLibrary; 0: it is called at any time
  bool isolate =
      true;  // in a process of its own; otherwise called directly, without any protection
  double timeLimit = 5.0;  // s, of each call, if isolated
  // Bytes that the process of the box may allocate; 0: half the memory of the computer.
  std::uint64_t memoryLimit = 0;
  // What it is if it is no library with the functions of flexloop_block.h.
  std::shared_ptr<const BoxForm> form{};
};

enum class BoxFunction {
  kLoad,  // loads the library and finds its functions
  kCreate,
  kOutput,
  kSave,
  kRestore,
  kDerivative,
  kNonlinearOutput,
  kJacobian,
  // Of boxes with events, which no library of flexloop_block.h has.
  kInitialStates,
  kIndicators,
  kEvent,     // the states after it, then whether there is a next event and when
  kStepDone,  // whether it wants an event
  kDestroy,
  kUnload,
};

inline constexpr int kBoxFunctions = 14;

// As the vendor knows it.
const char* nameOf(BoxFunction function);

// A set of functions, as bits.
constexpr std::uint64_t bitOf(BoxFunction function) {
  return std::uint64_t{1} << static_cast<int>(function);
}

// Stands where a result is to be written and in the fences behind: a not-a-number that no
// computation gives, so that one knows what the box has written and what not.
inline constexpr std::uint64_t kUntouchedBits = 0x7ff8'666c'6578'6c70;
inline bool isUntouched(double cell) {
  return std::bit_cast<std::uint64_t>(cell) == kUntouchedBits;
}
inline void fillUntouched(std::span<double> cells) {
  std::fill(cells.begin(), cells.end(), std::bit_cast<double>(kUntouchedBits));
}

// Unused cells behind each result, to find a box that writes more than its model states.
inline constexpr int kFenceCells = 8;
// The same behind the buffer of block_save, in bytes.
inline constexpr std::size_t kFenceBytes = 64;
inline constexpr unsigned char kFenceByte = 0xa5;

// What a function writes: groups of numbers, one behind the other, each with its fence.
struct BoxGroups {
  int count = 0;
  std::array<int, 4> size{};  // without the fence

  int cells() const;
};
BoxGroups groupsOf(const BoxSettings& settings, BoxFunction function);
// Where each group is to be written.
std::array<double*, 4> placesOf(const BoxGroups& groups, double* outputs);

struct BoxCall {
  BoxFunction function = BoxFunction::kLoad;
  double time = 0.0;
  std::span<double> inputs{};   // x, then u
  std::span<double> outputs{};  // the groups, each with its fence
  // kSave: bytes needed; kLoad: the functions found (bitOf), kAlreadyLoaded, or 0 if the library
  // cannot be loaded and the memory of the batch has the reason.
  std::uint64_t answer = 0;
};

// How many numbers a function reads: x, then u.
int inputsOf(const BoxSettings& settings, BoxFunction function);

// Calls that are made one after the other, for which a process of its own is asked once.
struct BoxBatch {
  std::span<BoxCall> calls;
  std::span<const unsigned char> given{};  // what every kRestore restores
  // kSave: the buffer with its fence; kLoad: room for a message. One of them at most, as the last call.
  std::span<unsigned char> taken{};
};

// Bit of the answer to kLoad: this process had the library before.
inline constexpr std::uint64_t kAlreadyLoaded = std::uint64_t{1} << 32;

// The same: it has other ports or another period than the model says. The memory of the batch has the message, and a hint
// after a line break.
inline constexpr std::uint64_t kMismatch = std::uint64_t{1} << 33;

// How a batch ended.
struct BoxEnding {
  enum class Kind {
    kDone,
    kSignal,     // detail: which
    kTimeLimit,  // no answer in time
    kStopped,    // no answer while somebody wanted the program to stop
    kException,  // of C++; text: what it says
    kExit,       // the box ended its process; detail: the exit status
    kNoHost,     // there is no process for the box; detail: errno
  };
  Kind kind = Kind::kDone;
  int detail = 0;
  std::size_t call = 0;      // of the batch, in which it ended
  std::uint64_t memory = 0;  // bytes that the process of the box had used at its end
  std::string text{};
};

// Where a box lives. After an ending other than kDone it is never called again.
class BoxHost {
 public:
  virtual ~BoxHost() = default;
  virtual BoxEnding run(const BoxBatch& batch) = 0;
};

}  // namespace flexloop::control
