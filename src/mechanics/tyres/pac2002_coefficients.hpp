// The numbers of a PAC2002 tyre by the names that tyre files use. A new one is one word here.
#pragma once

#include <array>
#include <string_view>

namespace flexloop::mechanics::pac2002 {

// Formatting moves the lines of a long macro at every run.
// clang-format off
#define FLEXLOOP_PAC2002(X) \
  X(FNOMIN) X(UNLOADED_RADIUS) X(VERTICAL_STIFFNESS) X(VERTICAL_DAMPING) X(BREFF) X(DREFF) \
  X(FREFF) X(LONGVL) X(FZMIN) X(FZMAX) X(KPUMIN) X(KPUMAX) X(ALPMIN) X(ALPMAX) X(CAMMIN) \
  X(CAMMAX) X(LFZO) X(LCX) X(LMUX) X(LEX) X(LKX) X(LHX) X(LVX) X(LGAX) X(LCY) X(LMUY) X(LEY) \
  X(LKY) X(LHY) X(LVY) X(LGAY) X(LTR) X(LRES) X(LGAZ) X(LXAL) X(LYKA) X(LVYKA) X(LS) \
  X(LSGKP) X(LSGAL) X(LMX) X(LVMX) X(LMY) X(PCX1) X(PDX1) X(PDX2) X(PDX3) X(PEX1) X(PEX2) \
  X(PEX3) X(PEX4) X(PKX1) X(PKX2) X(PKX3) X(PHX1) X(PHX2) X(PVX1) X(PVX2) X(RBX1) X(RBX2) \
  X(RCX1) X(REX1) X(REX2) X(RHX1) X(PTX1) X(PTX2) X(PTX3) X(QSX1) X(QSX2) X(QSX3) X(PCY1) \
  X(PDY1) X(PDY2) X(PDY3) X(PEY1) X(PEY2) X(PEY3) X(PEY4) X(PKY1) X(PKY2) X(PKY3) X(PHY1) \
  X(PHY2) X(PHY3) X(PVY1) X(PVY2) X(PVY3) X(PVY4) X(RBY1) X(RBY2) X(RBY3) X(RCY1) X(REY1) \
  X(REY2) X(RHY1) X(RHY2) X(RVY1) X(RVY2) X(RVY3) X(RVY4) X(RVY5) X(RVY6) X(PTY1) X(PTY2) \
  X(QSY1) X(QSY2) X(QSY3) X(QSY4) X(QBZ1) X(QBZ2) X(QBZ3) X(QBZ4) X(QBZ5) X(QBZ9) X(QBZ10) \
  X(QCZ1) X(QDZ1) X(QDZ2) X(QDZ3) X(QDZ4) X(QDZ6) X(QDZ7) X(QDZ8) X(QDZ9) X(QEZ1) X(QEZ2) \
  X(QEZ3) X(QEZ4) X(QEZ5) X(QHZ1) X(QHZ2) X(QHZ3) X(QHZ4) X(SSZ1) X(SSZ2) X(SSZ3) X(SSZ4)
// clang-format on

enum Name {
#define FLEXLOOP_NAME(name) name,
  FLEXLOOP_PAC2002(FLEXLOOP_NAME)
#undef FLEXLOOP_NAME
      kCount
};

inline constexpr std::array<std::string_view, kCount> kNames{
#define FLEXLOOP_TEXT(name) #name,
    FLEXLOOP_PAC2002(FLEXLOOP_TEXT)
#undef FLEXLOOP_TEXT
};

#undef FLEXLOOP_PAC2002

// Without these a tyre has no load, or no force.
inline constexpr std::array kRequired{FNOMIN,
                                      UNLOADED_RADIUS,
                                      VERTICAL_STIFFNESS,
                                      PCX1,
                                      PDX1,
                                      PKX1,
                                      PCY1,
                                      PDY1,
                                      PKY1,
                                      PKY2,
                                      QBZ1,
                                      QCZ1,
                                      QDZ1};
// Factors that are one unless stated.
inline constexpr Name kFirstFactor = LFZO, kLastFactor = LMY;

constexpr bool isFactor(int name) {
  return name >= kFirstFactor && name <= kLastFactor;
}
// Ranges and the reference speed have no value unless stated.
constexpr bool isRange(int name) {
  return name >= LONGVL && name <= CAMMAX;
}

}  // namespace flexloop::mechanics::pac2002
