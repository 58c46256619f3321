// Debian has fmt as a shared library only; its code is in its headers too.
#include <fmt/format-inl.h>
