/* The C interface of a black box: what a vendor ships so that Flexloop can run a controller whose
 * source it never sees.
 *
 * A box is a shared library that defines some of the functions below:
 *
 *     gcc -shared -fPIC -o libvendor.so vendor.c
 *
 * For a block of `type: library` only block_output must be there; for one of `type: nonlinear`,
 * block_nonlinear_output, and block_derivative if it has states. All others may be absent.
 *
 * Rules for every function:
 *   - It returns. It does not call exit() or abort(), lets no C++ exception out, and does not wait
 *     for anything: a call that takes longer than the block's time limit ends the run.
 *   - It writes all entries of its results, each a finite number, and nothing beyond them.
 *   - All memory of a block is behind the pointer that block_create returned, none of it in static
 *     variables: a model may have several blocks of one library.
 *   - The same calls give the same numbers: no clocks, no random numbers without a seed of its own.
 *   - Calls of one block come one after the other, never two at once.
 *
 * A box runs in a process of its own, unless the model trusts it (isolate: false). Its standard input is
 * empty, and what it prints goes to standard error.
 *
 * Numbers are SI, times are in seconds.
 */
#ifndef FLEXLOOP_BLOCK_H
#define FLEXLOOP_BLOCK_H

#include <stddef.h>

/* Seen from outside even if the library is compiled with -fvisibility=hidden. */
#define FLEXLOOP_BLOCK_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- any box ---- */

/* Called once, before everything else. `config` is the text of the model's `config:`, "" if there
 * is none; it is gone after the call. What is returned is handed to all other functions as `block`.
 * It may be NULL if the box has no memory, and it is NULL if this function is absent. */
FLEXLOOP_BLOCK_EXPORT void* block_create(const char* config);

/* Called once at the end, unless the box has crashed or has not answered. */
FLEXLOOP_BLOCK_EXPORT void block_destroy(void* block);

/* ---- type: library ---- */

/* The outputs y from the inputs u at time t, in the order of the model's `inputs:` and `outputs:`.
 * Advances the memory of the box: t grows from call to call, unless block_restore has turned the
 * memory back. */
FLEXLOOP_BLOCK_EXPORT void block_output(void* block, double t, const double* u, double* y);

/* Copies the whole memory of the box to `buffer`, which has room for `capacity` bytes, and returns
 * how many bytes it needs. If these are more than `capacity`, the content of the buffer does not
 * matter: the call is repeated with a larger one. The bytes must stay valid as long as the box
 * does, so they hold no pointers to what may be freed. */
FLEXLOOP_BLOCK_EXPORT size_t block_save(void* block, void* buffer, size_t capacity);

/* Makes the memory what it was when block_save wrote these bytes. With block_save and block_restore
 * a step can be repeated, and small changes of the inputs show the gains of the box, so that it
 * takes part in modes, stability and frequency responses. */
FLEXLOOP_BLOCK_EXPORT void block_restore(void* block, const void* buffer, size_t size);

/* Facts about the block that the model is checked against when the library is loaded. Each may be absent. */
extern FLEXLOOP_BLOCK_EXPORT const int block_input_count, block_output_count;
extern FLEXLOOP_BLOCK_EXPORT const char block_input_names[], block_output_names[]; /* for messages: "speed, torque" */
extern FLEXLOOP_BLOCK_EXPORT const double block_sample; /* the period for which the code is made [s] */

/* ---- type: nonlinear ----
 *
 * Flexloop integrates the n states x together with the machine; m inputs u, p outputs y:
 *
 *     dx/dt = f(t, x, u)
 *         y = h(t, x, u)
 *
 * The functions are called at trial values and in no order of time: they depend on their arguments
 * and on what block_create has made, and they remember nothing. */

/* dx = f(t, x, u), n numbers. */
FLEXLOOP_BLOCK_EXPORT void block_derivative(void* block, double t, const double* x, const double* u,
                                            double* dx);

/* y = h(t, x, u), p numbers. */
FLEXLOOP_BLOCK_EXPORT void block_nonlinear_output(void* block, double t, const double* x,
                                                  const double* u, double* y);

/* The partial derivatives, row by row:
 *
 *     fx[i*n + j] = df_i/dx_j   n rows, n columns
 *     fu[i*m + j] = df_i/du_j   n rows, m columns
 *     hx[i*n + j] = dh_i/dx_j   p rows, n columns
 *     hu[i*m + j] = dh_i/du_j   p rows, m columns
 *
 * Without this function they are found by differences, which are slower and less accurate. */
FLEXLOOP_BLOCK_EXPORT void block_jacobian(void* block, double t, const double* x, const double* u,
                                          double* fx, double* fu, double* hx, double* hu);

#ifdef __cplusplus
}
#endif

#endif
