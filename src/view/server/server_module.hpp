// The web server from its module, flexloop_server.so beside the program or in ../lib/flexloop: the library that it uses
// brings OpenSSL along, which no other command should wait for (docs/decisions/0020).
#pragma once

#include <memory>
#include <string_view>

#include "view/server/server.hpp"

namespace flexloop::view {

// As Server's constructor. Throws std::runtime_error, too, if the module is not there.
std::unique_ptr<Server> loadServer(std::string_view page, ContentSource& source,
                                   Questions& questions, const ServerOptions& options = {});

}  // namespace flexloop::view
