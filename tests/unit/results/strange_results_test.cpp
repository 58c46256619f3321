// Result files that were not written by a run: from strangers, of other programs, or with lost bits. Each is refused
// with the names of the file and of what is wrong in it, and none reaches memory that is not its own.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "results/result_reader.hpp"
#include "results/result_writer.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::results {
namespace {

using testing::readWhole;
using testing::TemporaryFolder;

constexpr int kRecords = 3000;  // some chunks
constexpr const char* kOutput = "/outputs/angle";

void writeSample(const std::string& path, bool complete = true) {
  ResultHead head;
  head.version = "1.2.3";
  head.modelFile = "arm.yaml";
  head.modelText = "flexloop: 1\n";
  head.title = "arm";
  head.settings = "-p L=2\n";
  head.outputs = {"angle"};
  head.units = {"rad"};
  head.nodes = {"a", "b"};
  ResultWriter writer(path, head);
  const std::vector<math::Frame<double>> frames(3);
  for (int i = 0; i < kRecords; ++i) writer.write(0.1 * i, {2.0 * i}, frames);
  writer.finish(complete);
}

// Identifiers of HDF5 are left open within a test: the file is closed strongly.
class Tampering {
 public:
  explicit Tampering(const std::string& path) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    file_ = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
    H5Pclose(access);
  }
  ~Tampering() { H5Fclose(file_); }

  void setAttribute(const char* where, const char* name, hid_t type, std::vector<hsize_t> shape) {
    const hid_t object = H5Oopen(file_, where, H5P_DEFAULT);
    H5Adelete(object, name);
    const hid_t space =
        shape.empty() ? H5Screate(H5S_SCALAR)
                      : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<char> bytes(
        H5Tget_size(type) * static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), 'A');
    if (H5Tis_variable_str(type) <= 0) H5Awrite(attribute, type, bytes.data());
    H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(object);
  }
  // In chunks if there are any; nothing is written to it.
  void setTable(const char* name, hid_t type, std::vector<hsize_t> shape, hsize_t chunk = 0,
                const std::function<void(hid_t)>& change = {}) {
    H5Ldelete(file_, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    std::vector<hsize_t> chunks(shape.size(), 1);
    chunks.front() = chunk;
    if (chunk > 0) H5Pset_chunk(properties, static_cast<int>(chunks.size()), chunks.data());
    if (change) change(properties);
    H5Dclose(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
    H5Sclose(space);
  }
  void remove(const char* name) { H5Ldelete(file_, name, H5P_DEFAULT); }
  void removeAttribute(const char* name) { H5Adelete(file_, name); }
  hid_t id() const { return file_; }

 private:
  hid_t file_;
};

hid_t makeText(std::size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

struct Strange {
  const char* what;
  const char* named;  // in the message
  std::function<void(Tampering&)> make;
};

std::vector<Strange> makeAttributes() {
  std::vector<Strange> all;
  for (const char* name : {"program", "version", "model", "title", "settings", "format"}) {
    all.push_back({"array of texts", name,
                   [=](Tampering& t) { t.setAttribute("/", name, makeText(60), {1000}); }});
    all.push_back({"variable text", name,
                   [=](Tampering& t) { t.setAttribute("/", name, makeText(H5T_VARIABLE), {}); }});
    all.push_back({"numbers", name,
                   [=](Tampering& t) { t.setAttribute("/", name, H5T_NATIVE_DOUBLE, {4000}); }});
    all.push_back(
        {"number", name, [=](Tampering& t) { t.setAttribute("/", name, H5T_NATIVE_DOUBLE, {}); }});
  }
  all.push_back({"64 bytes", "complete",
                 [](Tampering& t) { t.setAttribute("/", "complete", H5T_STD_U8LE, {64}); }});
  all.push_back({"text", "complete",
                 [](Tampering& t) { t.setAttribute("/", "complete", makeText(5000), {}); }});
  all.push_back({"neither 0 nor 1", "complete",
                 [](Tampering& t) { t.setAttribute("/", "complete", H5T_STD_U8LE, {}); }});
  all.push_back({"wide", "complete",
                 [](Tampering& t) { t.setAttribute("/", "complete", H5T_STD_I64LE, {}); }});
  all.push_back({"units of an output", "unit",
                 [](Tampering& t) { t.setAttribute(kOutput, "unit", makeText(60), {100}); }});
  return all;
}

std::vector<Strange> makeTables() {
  constexpr hsize_t kHuge = hsize_t{1} << 40;
  std::vector<Strange> all;
  for (const char* name : {"/time", kOutput, "/nodes/position", "/nodes/rotation"}) {
    const std::vector<std::pair<const char*, std::function<void(Tampering&)>>> ways = {
        {"missing", [=](Tampering& t) { t.remove(name); }},
        {"integers", [=](Tampering& t) { t.setTable(name, H5T_STD_I64LE, {kRecords}); }},
        {"texts", [=](Tampering& t) { t.setTable(name, makeText(8), {kRecords}); }},
        {"single precision", [=](Tampering& t) { t.setTable(name, H5T_IEEE_F32LE, {kRecords}); }},
        {"huge", [=](Tampering& t) { t.setTable(name, H5T_IEEE_F64LE, {kHuge}, 1024); }},
        {"overflowing",
         [=](Tampering& t) {
           t.setTable(name, H5T_IEEE_F64LE, {hsize_t{1} << 33, hsize_t{1} << 31}, 16);
         }},
        {"wide",
         [=](Tampering& t) {
           t.setTable(name, H5T_IEEE_F64LE, {kRecords, 5, 3}, 16);
         }},
        {"other dimensions",
         [=](Tampering& t) {
           t.setTable(name, H5T_IEEE_F64LE, {kRecords, 2, 3, 4}, 16);
         }},
        {"a group",
         [=](Tampering& t) {
           t.remove(name);
           H5Gclose(H5Gcreate2(t.id(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
         }},
        {"of another file",
         [=](Tampering& t) {
           t.remove(name);
           H5Lcreate_external("other.h5", "/time", t.id(), name, H5P_DEFAULT, H5P_DEFAULT);
         }},
        {"a link",
         [=](Tampering& t) {
           t.remove(name);
           H5Lcreate_soft("/outputs", t.id(), name, H5P_DEFAULT, H5P_DEFAULT);
         }},
        {"bytes of another file",
         [=](Tampering& t) {
           t.setTable(name, H5T_IEEE_F64LE, {kRecords}, 0, [](hid_t properties) {
             H5Pset_external(properties, "/etc/passwd", 0, kRecords * sizeof(double));
           });
         }},
        {"packed", [=](Tampering& t) {
           t.setTable(name, H5T_IEEE_F64LE, {kRecords}, 1024,
                      [](hid_t properties) { H5Pset_deflate(properties, 9); });
         }}};
    for (const auto& [what, make] : ways) {
      const bool isOutputLess = name == kOutput && what == ways.front().first;
      if (!isOutputLess) all.push_back({what, name, make});
    }
  }
  for (const char* name : {"/model", "/nodes/names"}) {
    all.push_back({"missing", name, [=](Tampering& t) { t.remove(name); }});
    all.push_back({"variable texts", name,
                   [=](Tampering& t) { t.setTable(name, makeText(H5T_VARIABLE), {1}); }});
    all.push_back({"numbers", name, [=](Tampering& t) { t.setTable(name, H5T_IEEE_F64LE, {2}); }});
    all.push_back({"huge", name, [=](Tampering& t) {
                     t.setTable(name, makeText(1 << 20), {hsize_t{1} << 30}, 64);
                   }});
    all.push_back({"in two dimensions", name, [=](Tampering& t) {
                     t.setTable(name, makeText(4), {2, 2});
                   }});
  }
  all.push_back(
      {"a table", "/outputs", [](Tampering& t) { t.setTable("/outputs", H5T_IEEE_F64LE, {3}); }});
  return all;
}

void expectRefusals(const std::vector<Strange>& files) {
  const TemporaryFolder folder;
  const std::string good = folder.file("good.h5"), path = folder.file("strange.h5");
  writeSample(good);
  for (const Strange& strange : files) {
    SCOPED_TRACE(std::string(strange.named) + ": " + strange.what);
    std::filesystem::copy_file(good, path, std::filesystem::copy_options::overwrite_existing);
    {
      Tampering tampering(path);
      strange.make(tampering);
    }
    try {
      readResult(path);
      ADD_FAILURE() << "it was read";
    } catch (const std::runtime_error& refusal) {
      const std::string text = refusal.what();
      EXPECT_NE(text.find(path), std::string::npos) << text;
      EXPECT_NE(text.find(strange.named), std::string::npos) << text;
    }
  }
}

TEST(StrangeResult, AttributesOfOtherKindsAndSizesAreRefused) {
  expectRefusals(makeAttributes());
}

TEST(StrangeResult, TablesOfOtherKindsSizesAndPlacesAreRefused) {
  expectRefusals(makeTables());
}

TEST(StrangeResult, ResultsOfEarlierVersionsHaveNoFilesButTheirModel) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.h5");
  writeSample(path);
  ASSERT_TRUE(ResultFile(path).readFiles());
  Tampering(path).remove("/files");
  EXPECT_FALSE(ResultFile(path).readFiles());
  EXPECT_EQ(readResult(path).modelText, "flexloop: 1\n");
}

bool isSame(const Result& a, const Result& b) {
  return a.complete == b.complete && a.version == b.version && a.modelFile == b.modelFile &&
         a.modelText == b.modelText && a.title == b.title && a.settings == b.settings &&
         a.time == b.time && a.outputs == b.outputs && a.units == b.units && a.values == b.values &&
         a.nodes == b.nodes && a.positions == b.positions && a.rotations == b.rotations;
}

// Some bits are used by nobody; the others are noticed.
TEST(StrangeResult, LostBitsNeverChangeWhatIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.h5");
  writeSample(path);
  const Result whole = readResult(path);
  const std::string bytes = readWhole(path);
  std::mt19937 random(26);
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string damaged = bytes;
    // Half of them in the first part, where the structure of the file is.
    const std::size_t end = i % 2 == 0 ? std::min<std::size_t>(bytes.size(), 8192) : bytes.size();
    const std::size_t at = random() % end;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    folder.write("r.h5", damaged);
    try {
      EXPECT_TRUE(isSame(readResult(path), whole)) << "byte " << at;
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace flexloop::results
