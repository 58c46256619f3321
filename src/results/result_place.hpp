// What happens to the results that a folder already holds when a run leaves its own there: nothing that cannot be
// computed again from its model is overwritten before something better is complete.
#pragma once

#include <string>

namespace flexloop::results {

// A result of a run that came to its end, or a file that cannot be read: nobody knows what it is worth.
bool isFinishedResult(const std::string& path);

// Whether it has records before this time [s], or cannot be read.
bool beginsBefore(const std::string& path, double time);

// Gives the file <folder>/result.h5 or result.h5.partial the first free name <folder>/result.part-N.h5, and returns it;
// empty if there is none, or if nothing was recorded in it.
std::string keepAside(const std::string& result, const std::string& file);

}  // namespace flexloop::results
