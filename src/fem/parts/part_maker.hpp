// Turns an item of `parts` into nodes, modal coordinates and an element.
#pragma once

#include <functional>
#include <string>

#include "system/item.hpp"

namespace flexloop::system {
class Builder;
}

namespace flexloop::fem {

// The name of a part among the files that a result keeps: no file can have it by chance.
std::string keptPartName(const std::string& part);

// Where it is not zero, the reduction of a part ends with std::runtime_error: parts are reduced while a model is read, before any
// analysis could ask for the user's wish to stop.
void heedStops(const volatile int* request);

// Told what is done of a reduction that takes place while a model is read, as a share and a word for the work at hand; at last
// once without a word. Empty: nobody is told.
using ReductionWatcher =
    std::function<void(const std::string& part, double share, const char* what)>;
void watchReductions(ReductionWatcher watcher);

// `kept` is the part as a result has kept it (reduced_file.hpp); null: there is none. It is used where it was reduced for the
// same request, whatever has become of the mesh.
void makePart(const system::Item& item, system::Builder& builder,
              const std::string* kept = nullptr);

}  // namespace flexloop::fem
