/* One PID law, u = kp e + ki ∫e + kd e' with e = r − x and a constant r, in two forms:
 *   library    block_output with a memory that block_save and block_restore carry (trapezoidal rule for the integral)
 *   nonlinear  block_derivative and block_nonlinear_output with the integral as state
 * Inputs: x, its rate, r. Output: u. `config` holds the three gains. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flexloop_block.h"

typedef struct {
  double kp, ki, kd;
} Gains;

typedef struct {
  double time, error, integral;
  int running;
} Memory;

typedef struct {
  Gains gains;
  Memory memory;
} Pid;

FLEXLOOP_BLOCK_EXPORT void* block_create(const char* config) {
  Pid* pid = calloc(1, sizeof *pid);
  if (pid != NULL) sscanf(config, "%lf %lf %lf", &pid->gains.kp, &pid->gains.ki, &pid->gains.kd);
  return pid;
}

FLEXLOOP_BLOCK_EXPORT void block_destroy(void* block) { free(block); }

static double law(const Gains* gains, const double* u, double integral) {
  return gains->kp * (u[2] - u[0]) + gains->ki * integral - gains->kd * u[1];
}

FLEXLOOP_BLOCK_EXPORT void block_output(void* block, double t, const double* u, double* y) {
  Pid* pid = block;
  Memory* m = &pid->memory;
  const double error = u[2] - u[0];
  if (m->running) m->integral += 0.5 * (t - m->time) * (error + m->error);
  m->running = 1;
  m->time = t;
  m->error = error;
  y[0] = law(&pid->gains, u, m->integral);
}

FLEXLOOP_BLOCK_EXPORT size_t block_save(void* block, void* buffer, size_t capacity) {
  Pid* pid = block;
  if (capacity >= sizeof pid->memory) memcpy(buffer, &pid->memory, sizeof pid->memory);
  return sizeof pid->memory;
}

FLEXLOOP_BLOCK_EXPORT void block_restore(void* block, const void* buffer, size_t size) {
  Pid* pid = block;
  if (size == sizeof pid->memory) memcpy(&pid->memory, buffer, size);
}

FLEXLOOP_BLOCK_EXPORT void block_derivative(void* block, double t, const double* x, const double* u,
                                            double* dx) {
  (void)block;
  (void)t;
  (void)x;
  dx[0] = u[2] - u[0];
}

FLEXLOOP_BLOCK_EXPORT void block_nonlinear_output(void* block, double t, const double* x,
                                                  const double* u, double* y) {
  const Pid* pid = block;
  (void)t;
  y[0] = law(&pid->gains, u, x[0]);
}

FLEXLOOP_BLOCK_EXPORT void block_jacobian(void* block, double t, const double* x, const double* u,
                                          double* fx, double* fu, double* hx, double* hu) {
  const Pid* pid = block;
  (void)t;
  (void)x;
  (void)u;
  fx[0] = 0.0;
  fu[0] = -1.0;
  fu[1] = 0.0;
  fu[2] = 1.0;
  hx[0] = pid->gains.ki;
  hu[0] = -pid->gains.kp;
  hu[1] = -pid->gains.kd;
  hu[2] = pid->gains.kp;
}
