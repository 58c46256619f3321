#include "files/zip_writer.hpp"

#include <limits>
#include <stdexcept>
#include <zlib.h>

namespace flexloop::files {
namespace {

// The records of APPNOTE.TXT, the specification of ZIP: little-endian numbers of two and four bytes.
constexpr std::uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEnd = 0x06054b50;
constexpr unsigned kVersion = 20, kMadeOnUnix = 3U << 8U, kUtf8 = 1U << 11U, kDeflated = 8;
constexpr unsigned kFirstDay = (1U << 5U) | 1U;  // 1 January 1980, before which there are no dates
constexpr std::uint32_t kPlainFile = 0100644U << 16U;
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();

class Record {
 public:
  Record& two(unsigned value) { return put(value, 2); }
  Record& four(std::uint64_t value) { return put(value, 4); }
  Record& text(std::string_view value) {
    bytes_.append(value);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::uint64_t value, int count) {
    for (int k = 0; k < count; ++k) bytes_ += static_cast<char>((value >> (8 * k)) & 0xffU);
    return *this;
  }
  std::string bytes_;
};

// Without the header and the checksum that zlib would add.
std::string deflateBytes(std::string_view bytes) {
  z_stream stream{};
  constexpr int kRaw = -15, kMemory = 8;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("there is not enough memory to pack an archive");
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  // zlib does not change what it reads, but has no const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("a file could not be packed");
  return packed;
}

}  // namespace

void ZipWriter::add(const std::string& name, std::string_view bytes) {
  constexpr std::size_t kMostFiles = 65'000;
  if (bytes.size() > kMostBytes / 2 || written_ + bytes.size() > kMostBytes / 2 ||
      files_ == kMostFiles) {
    throw std::runtime_error("'" + name + "' is too large for a ZIP archive");
  }
  const std::string packed = deflateBytes(bytes);
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  // Both headers have this in common.
  Record common;
  common.two(kVersion).two(kUtf8).two(kDeflated).two(0).two(kFirstDay);
  common.four(sum).four(packed.size()).four(bytes.size());
  common.two(static_cast<unsigned>(name.size())).two(0);
  directory_ += Record()
                    .four(kCentralHeader)
                    .two(kMadeOnUnix | kVersion)
                    .text(common.bytes())
                    .two(0)
                    .two(0)
                    .two(0)
                    .four(kPlainFile)
                    .four(written_)
                    .text(name)
                    .bytes();
  const std::string header = Record().four(kLocalHeader).text(common.bytes()).text(name).bytes();
  file_.write(header);
  file_.write(packed);
  written_ += header.size() + packed.size();
  ++files_;
}

void ZipWriter::close() {
  file_.write(directory_);
  file_.write(Record()
                  .four(kEnd)
                  .two(0)
                  .two(0)
                  .two(files_)
                  .two(files_)
                  .four(directory_.size())
                  .four(written_)
                  .two(0)
                  .bytes());
  file_.close();
}

}  // namespace flexloop::files
