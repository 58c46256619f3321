// The binary kinds of number_table.hpp.
#pragma once

#include <string>

#include "files/number_table.hpp"

namespace flexloop::files {

base::Result<NumberTable> readMatTable(const std::string& bytes, const std::string& variable);
base::Result<NumberTable> readHdf5Table(const std::string& bytes, const std::string& variable);

}  // namespace flexloop::files
