#include "files/hdf5_driver.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <span>

#include <hdf5.h>

#include "files/commit_file.hpp"

namespace flexloop::files {
namespace {

struct Reference {
  CommitFile* file;
};

struct Driver {
  H5FD_t head;  // of HDF5; must be the first member
  CommitFile* file;
};

Driver& driverOf(H5FD_t* head) {
  return *reinterpret_cast<Driver*>(head);
}
const Driver& driverOf(const H5FD_t* head) {
  return *reinterpret_cast<const Driver*>(head);
}

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* reference = static_cast<const Reference*>(H5Pget_driver_info(access));
  if (reference == nullptr) return nullptr;
  auto* driver = new (std::nothrow) Driver{{}, reference->file};
  return driver == nullptr ? nullptr : &driver->head;
}

herr_t close(H5FD_t* head) {
  delete &driverOf(head);
  return 0;
}

// Those of HDF5's own driver that decide where things are placed in the file.
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags == nullptr) return 0;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t endOfAddresses(const H5FD_t* head, H5FD_mem_t) {
  return driverOf(head).file->end();
}

herr_t setEndOfAddresses(H5FD_t* head, H5FD_mem_t, haddr_t end) {
  driverOf(head).file->setEnd(end);
  return 0;
}

haddr_t endOfFile(const H5FD_t* head, H5FD_mem_t) {
  return driverOf(head).file->size();
}

herr_t read(H5FD_t* head, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  return driverOf(head).file->read(address, {static_cast<char*>(buffer), size}) ? 0 : -1;
}

// Failures are kept by the file and asked for later: HDF5 does not recover from those of a driver.
herr_t write(H5FD_t* head, H5FD_mem_t kind, hid_t, haddr_t address, size_t size,
             const void* buffer) {
  CommitFile& file = *driverOf(head).file;
  const std::span<const char> bytes(static_cast<const char*>(buffer), size);
  try {
    if (kind == H5FD_MEM_DRAW) {
      file.writeData(address, bytes);
    } else {
      file.change(address, bytes);
    }
  } catch (const std::bad_alloc&) {
    return -1;
  }
  return 0;
}

hid_t registerDriver() {
  H5FD_class_t driver{};
  driver.name = "flexloop";
  driver.maxaddr = (haddr_t{1} << 62) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Reference);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = endOfAddresses;
  driver.set_eoa = setEndOfAddresses;
  driver.get_eof = endOfFile;
  driver.read = read;
  driver.write = write;
  constexpr H5FD_mem_t kLists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kLists), std::end(kLists), driver.fl_map);
  return H5FDregister(&driver);
}

}  // namespace

void useCommitFile(CommitFile& file, std::int64_t accessProperties) {
  static const hid_t driver = registerDriver();
  const Reference reference{&file};
  H5Pset_driver(accessProperties, driver, &reference);
}

}  // namespace flexloop::files
