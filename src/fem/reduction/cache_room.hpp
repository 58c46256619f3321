// How much room the cache of parts takes: $FLEXLOOP_CACHE_SIZE, 10 GB otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace flexloop::fem {

class PartCache;

// `500 MB`, `20GB`, `2e3 MB`: bytes, by powers of 1000. An empty text: the usual size.
base::Result<std::uint64_t> parseCacheSize(const std::string& text);
// Of $FLEXLOOP_CACHE_SIZE.
base::Result<std::uint64_t> findCacheSize();

// An entry is in use: it is not removed for an hour. False: there is none.
bool markUsed(const PartCache& cache, const std::string& key);

// Removes what has not been used for longest until the rest has room. What a program has used in the last hour stays, however
// large it is, since a model may be about to read it again. Also removed are what killed programs have left behind, and locks
// of entries that are gone.
void makeRoom(const PartCache& cache, std::uint64_t size);

}  // namespace flexloop::fem
