// The page of the manual about diagrams, which are no types of the registry. A part of manual.hpp.
#pragma once

namespace flexloop::language {

const char* diagramsPage();  // Markdown

}  // namespace flexloop::language
