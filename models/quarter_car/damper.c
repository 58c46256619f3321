/* A two-chamber hydraulic damper with a current-controlled valve, as a manufacturer would ship it: states and equations
 * of the README, nothing else. Built by make to libdamper.so; by hand: cc -shared -fPIC -O2 -o libdamper.so damper.c -lm
 *
 * Inputs:  extension l [m], its rate v [m/s], commanded current [A].
 * States:  pressures of the rebound and the compression chamber [Pa], current in the valve [A].
 * Output:  tension of the damper [N]. */
#include <math.h>

#include "flexloop_block.h"

static const double kPiston = 1.01788e-3, kRod = 3.80133e-4;             /* areas [m2] */
static const double kReboundVolume = 1.25e-4, kCompressionVolume = 1.6e-4; /* at l = 0 [m3] */
static const double kBulk = 1.0e9;                                       /* [Pa] */
static const double kGasPressure = 6.0e5, kGasVolume = 1.5e-4, kGasExponent = 1.4;
static const double kBleed = 2.6e-8, kMain = 2.4e-10;                    /* of the valve */
static const double kPistonCheck = 2.0e-6, kBaseCheck = 3.2e-6;
static const double kPistonLeak = 1e-3, kBaseLeak = 1e-4;
static const double kSmooth = 2.0e4;                                     /* of the square root [Pa] */
static const double kAir = 101325.0, kFriction = 20.0, kFrictionSpeed = 0.01, kLag = 0.010;

static double root(double p) { return p / sqrt(fabs(p) + kSmooth); }

static double checkValve(double coefficient, double leak, double p) {
  return coefficient * root(p) * (p > 0.0 ? 1.0 : leak);
}

static double reservePressure(double l) {
  return kGasPressure * pow(kGasVolume / (kGasVolume + kRod * l), kGasExponent);
}

static double openingPressure(double current) {
  const double i = fmin(fmax(current, 0.3), 1.6);
  return 1.0e5 + (4.5e6 - 1.0e5) * (i - 0.3) / 1.3;
}

FLEXLOOP_BLOCK_EXPORT void block_derivative(void* memory, double t, const double* x, const double* u,
                                            double* dx) {
  const double rebound = x[0], compression = x[1], current = x[2];
  const double l = u[0], v = u[1], command = u[2];
  const double annulus = kPiston - kRod;
  const double reserve = reservePressure(l);
  const double over = rebound - reserve - openingPressure(current);
  const double valve = kBleed * root(rebound - reserve) + kMain * fmax(0.0, over);
  const double piston = checkValve(kPistonCheck, kPistonLeak, compression - rebound);
  const double base = checkValve(kBaseCheck, kBaseLeak, reserve - compression);
  (void)memory;
  (void)t;
  dx[0] = kBulk / (kReboundVolume - annulus * l) * (annulus * v + piston - valve);
  dx[1] = kBulk / (kCompressionVolume + kPiston * l) * (-kPiston * v - piston + base);
  dx[2] = (command - current) / kLag;
}

FLEXLOOP_BLOCK_EXPORT void block_nonlinear_output(void* memory, double t, const double* x,
                                                  const double* u, double* y) {
  const double annulus = kPiston - kRod;
  (void)memory;
  (void)t;
  /* The push of the gas at rest belongs to the preload of the spring. */
  y[0] = (x[0] - kAir) * annulus - (x[1] - kAir) * kPiston + (kGasPressure - kAir) * kRod +
         kFriction * tanh(u[1] / kFrictionSpeed);
}
