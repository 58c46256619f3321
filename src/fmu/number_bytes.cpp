#include "fmu/number_bytes.hpp"

#include <cstring>

namespace flexloop::fmu {
namespace {

constexpr const char* kHead = "flexloop state 1\n";

void putNumbers(const std::vector<double>& numbers, std::string& bytes) {
  bytes += std::to_string(numbers.size()) + "\n";
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
}

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  std::string takeLine() {
    const std::size_t end = bytes_.find('\n', next_);
    if (end == std::string::npos) throw std::runtime_error("no line");
    std::string line = bytes_.substr(next_, end - next_);
    next_ = end + 1;
    return line;
  }
  std::size_t takeCount() {
    const std::string line = takeLine();
    std::size_t used = 0;
    const unsigned long long count = std::stoull(line, &used);
    if (used != line.size() || count > bytes_.size()) throw std::runtime_error("no count");
    return count;
  }
  std::vector<double> takeNumbers() {
    std::vector<double> numbers(takeCount());
    const std::size_t size = numbers.size() * sizeof(double);
    if (size > bytes_.size() - next_) throw std::runtime_error("too short");
    if (size > 0) std::memcpy(numbers.data(), bytes_.data() + next_, size);
    next_ += size;
    return numbers;
  }
  bool isDone() const { return next_ == bytes_.size(); }

 private:
  const std::string& bytes_;
  std::size_t next_ = 0;
};

}  // namespace

base::Failure describeStrangeState() {
  return {"these bytes are not a state of this FMU",
          "they are those that the FMU has serialised, whole, and of the same FMU"};
}

std::string writeNamed(const std::string& token, const results::NamedNumbers& numbers) {
  std::string bytes = kHead + token + "\n" + std::to_string(numbers.names.size()) + "\n";
  for (const std::string& name : numbers.names) bytes += name + "\n";
  putNumbers(numbers.sizes, bytes);
  putNumbers(numbers.numbers, bytes);
  return bytes;
}

base::Result<results::NamedNumbers> readNamed(const std::string& token, const std::string& bytes) {
  try {
    Reader read(bytes);
    if (read.takeLine() + "\n" != kHead || read.takeLine() != token) return describeStrangeState();
    results::NamedNumbers numbers;
    numbers.names.resize(read.takeCount());
    for (std::string& name : numbers.names) name = read.takeLine();
    numbers.sizes = read.takeNumbers();
    numbers.numbers = read.takeNumbers();
    if (!read.isDone()) return describeStrangeState();
    return numbers;
  } catch (const std::exception&) {
    return describeStrangeState();
  }
}

}  // namespace flexloop::fmu
