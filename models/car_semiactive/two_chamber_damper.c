/* A two-chamber hydraulic damper with a current-controlled valve, as a manufacturer would ship it: states and equations of
 * the README, with their derivatives. Built by make; by hand:
 *     cc -shared -fPIC -O2 -o libtwo_chamber_damper.so two_chamber_damper.c -lm
 *
 * Inputs:  extension l [m], its rate v [m/s], commanded current [A].
 * States:  pressures of the rebound and the compression chamber [Pa], current in the valve [A].
 * Outputs: tension of the damper [N], the states. */
#include <math.h>
#include <string.h>

#include "flexloop_block.h"

static const double kPiston = 1.01788e-3, kRod = 3.80133e-4;               /* areas [m2] */
static const double kAnnulus = 1.01788e-3 - 3.80133e-4;
static const double kReboundVolume = 1.25e-4, kCompressionVolume = 1.6e-4; /* at l = 0 [m3] */
static const double kBulk = 1.0e9;                                         /* [Pa] */
static const double kGasPressure = 6.0e5, kGasVolume = 1.5e-4, kGasExponent = 1.4;
static const double kBleed = 2.6e-8, kMain = 2.4e-10;                      /* of the valve */
static const double kOpens = 1.0e5, kOpensMost = 4.5e6;                    /* [Pa] at the least and the most current */
static const double kLeast = 0.3, kMost = 1.6;                             /* [A] */
static const double kPistonCheck = 2.0e-6, kBaseCheck = 3.2e-6;
static const double kPistonLeak = 1e-3, kBaseLeak = 1e-4;
static const double kSmooth = 2.0e4;                                       /* of the square root [Pa] */
static const double kAir = 101325.0, kFriction = 20.0, kFrictionSpeed = 0.01, kLag = 0.010;

/* A flow and its slope by the pressure. */
typedef struct { double q, slope; } Flow;

static Flow bleed(double coefficient, double p) {
  const double size = fabs(p) + kSmooth, root = sqrt(size);
  const Flow flow = {coefficient * p / root, coefficient * (1.0 - 0.5 * fabs(p) / size) / root};
  return flow;
}

/* Open forwards; backwards it leaks. */
static Flow check(double coefficient, double leak, double p) {
  return bleed(p > 0.0 ? coefficient : leak * coefficient, p);
}

typedef struct {
  double reserve, reserveSlope;        /* pressure, by l */
  double reboundRate, compressionRate; /* β/V */
  Flow bleed, piston, base;
  double main, mainSlope, opensSlope;  /* flow, by pressure, and by the current */
} Damper;

static Damper at(const double* x, const double* u) {
  Damper d;
  const double l = u[0], current = fmin(fmax(x[2], kLeast), kMost);
  const double perAmpere = (kOpensMost - kOpens) / (kMost - kLeast);
  const double gas = kGasVolume + kRod * l;
  d.reserve = kGasPressure * pow(kGasVolume / gas, kGasExponent);
  d.reserveSlope = -kGasExponent * d.reserve * kRod / gas;
  d.reboundRate = kBulk / (kReboundVolume - kAnnulus * l);
  d.compressionRate = kBulk / (kCompressionVolume + kPiston * l);
  d.bleed = bleed(kBleed, x[0] - d.reserve);
  d.piston = check(kPistonCheck, kPistonLeak, x[1] - x[0]);
  d.base = check(kBaseCheck, kBaseLeak, d.reserve - x[1]);
  const double over = x[0] - d.reserve - kOpens - perAmpere * (current - kLeast);
  d.mainSlope = over > 0.0 ? kMain : 0.0;
  d.main = d.mainSlope * over;
  d.opensSlope = x[2] > kLeast && x[2] < kMost ? perAmpere : 0.0;
  return d;
}

FLEXLOOP_BLOCK_EXPORT void block_derivative(void* block, double t, const double* x, const double* u,
                                            double* dx) {
  const Damper d = at(x, u);
  (void)block;
  (void)t;
  dx[0] = d.reboundRate * (kAnnulus * u[1] + d.piston.q - d.bleed.q - d.main);
  dx[1] = d.compressionRate * (-kPiston * u[1] - d.piston.q + d.base.q);
  dx[2] = (u[2] - x[2]) / kLag;
}

FLEXLOOP_BLOCK_EXPORT void block_nonlinear_output(void* block, double t, const double* x, const double* u,
                                                  double* y) {
  (void)block;
  (void)t;
  /* The push of the gas at rest belongs to the preload of the spring. */
  y[0] = (x[0] - kAir) * kAnnulus - (x[1] - kAir) * kPiston + (kGasPressure - kAir) * kRod +
         kFriction * tanh(u[1] / kFrictionSpeed);
  memcpy(y + 1, x, 3 * sizeof *x);
}

FLEXLOOP_BLOCK_EXPORT void block_jacobian(void* block, double t, const double* x, const double* u,
                                          double* fx, double* fu, double* hx, double* hu) {
  const Damper d = at(x, u);
  const double out = d.bleed.slope + d.mainSlope; /* of the rebound chamber, by its pressure */
  double dx[3];
  block_derivative(block, t, x, u, dx);
  memset(fx, 0, 9 * sizeof *fx);
  memset(fu, 0, 9 * sizeof *fu);
  memset(hx, 0, 12 * sizeof *hx);
  memset(hu, 0, 12 * sizeof *hu);
  fx[0] = -d.reboundRate * (d.piston.slope + out);
  fx[1] = d.reboundRate * d.piston.slope;
  fx[2] = d.reboundRate * d.mainSlope * d.opensSlope;
  fx[3] = d.compressionRate * d.piston.slope;
  fx[4] = -d.compressionRate * (d.piston.slope + d.base.slope);
  fx[8] = -1.0 / kLag;
  fu[0] = d.reboundRate * (out * d.reserveSlope + kAnnulus / kBulk * dx[0]);
  fu[1] = d.reboundRate * kAnnulus;
  fu[3] = d.compressionRate * (d.base.slope * d.reserveSlope - kPiston / kBulk * dx[1]);
  fu[4] = -d.compressionRate * kPiston;
  fu[8] = 1.0 / kLag;
  const double slow = tanh(u[1] / kFrictionSpeed);
  hx[0] = kAnnulus;
  hx[1] = -kPiston;
  hu[1] = kFriction / kFrictionSpeed * (1.0 - slow * slow);
  hx[3] = hx[7] = hx[11] = 1.0;
}
