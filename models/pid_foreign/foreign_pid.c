/* A PID controller as an FMU of FMI 2.0 for both kinds: z' = r − x, u = kp (r − x) + ki z − kd v.
 * Value references: kp 0, ki 1, kd 2, x 3, v 4, r 5, z 6, its derivative 7, u 8. */
#include <stdlib.h>
#include <string.h>

enum { KP, KI, KD, X, V, R, Z, DZ, U, COUNT };

typedef struct {
  void* logger;
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void* finished;
  void* environment;
} Callbacks;

typedef struct {
  double value[COUNT];
  void (*release)(void*);
} Pid;

typedef struct {
  int needed, terminate, nominals, values, hasNext;
  double next;
} EventInfo;

static void update(Pid* p) {
  double* a = p->value;
  a[DZ] = a[R] - a[X];
  a[U] = a[KP] * a[DZ] + a[KI] * a[Z] - a[KD] * a[V];
}

void* fmi2Instantiate(const char* name, int type, const char* guid, const char* resources,
                      const Callbacks* callbacks, int visible, int loggingOn) {
  if (strcmp(guid, "{flexloop-foreign-pid}") != 0) return NULL;
  Pid* p = callbacks->allocate(1, sizeof *p);
  p->release = callbacks->release;
  p->value[KP] = 1;
  (void)name, (void)type, (void)resources, (void)visible, (void)loggingOn;
  return p;
}
void fmi2FreeInstance(void* c) { ((Pid*)c)->release(c); }
int fmi2SetupExperiment(void* c, int a, double b, double d, int e, double f) {
  (void)c, (void)a, (void)b, (void)d, (void)e, (void)f;
  return 0;
}
static int nothing(void* c) {
  update(c);
  return 0;
}
int fmi2EnterInitializationMode(void* c) { return nothing(c); }
int fmi2ExitInitializationMode(void* c) { return nothing(c); }
int fmi2Terminate(void* c) { return nothing(c); }
int fmi2EnterEventMode(void* c) { return nothing(c); }
int fmi2EnterContinuousTimeMode(void* c) { return nothing(c); }
int fmi2Reset(void* c) {
  memset(((Pid*)c)->value, 0, sizeof ((Pid*)c)->value);
  ((Pid*)c)->value[KP] = 1;
  return 0;
}

int fmi2SetReal(void* c, const unsigned* r, size_t n, const double* values) {
  for (size_t k = 0; k < n; ++k) ((Pid*)c)->value[r[k]] = values[k];
  return 0;
}
int fmi2GetReal(void* c, const unsigned* r, size_t n, double* values) {
  update(c);
  for (size_t k = 0; k < n; ++k) values[k] = ((Pid*)c)->value[r[k]];
  return 0;
}
/* It has no variables of other types. */
int fmi2GetInteger(void* c, const unsigned* r, size_t n, int* v) { return (void)c, (void)r, (void)v, n > 0 ? 3 : 0; }
int fmi2SetInteger(void* c, const unsigned* r, size_t n, const int* v) { return (void)c, (void)r, (void)v, n > 0 ? 3 : 0; }
int fmi2GetBoolean(void* c, const unsigned* r, size_t n, int* v) { return (void)c, (void)r, (void)v, n > 0 ? 3 : 0; }
int fmi2SetBoolean(void* c, const unsigned* r, size_t n, const int* v) { return (void)c, (void)r, (void)v, n > 0 ? 3 : 0; }
int fmi2SetString(void* c, const unsigned* r, size_t n, const char* const* v) { return (void)c, (void)r, (void)v, n > 0 ? 3 : 0; }

/* The state is the list of its values. */
int fmi2GetFMUstate(void* c, void** state) {
  if (*state == NULL) *state = malloc(sizeof(Pid));
  memcpy(*state, c, sizeof(Pid));
  return 0;
}
int fmi2SetFMUstate(void* c, void* state) {
  memcpy(((Pid*)c)->value, ((Pid*)state)->value, sizeof ((Pid*)c)->value);
  return 0;
}
int fmi2FreeFMUstate(void* c, void** state) {
  free(*state);
  *state = NULL;
  (void)c;
  return 0;
}
int fmi2SerializedFMUstateSize(void* c, void* state, size_t* size) {
  *size = sizeof ((Pid*)c)->value;
  (void)state;
  return 0;
}
int fmi2SerializeFMUstate(void* c, void* state, char* bytes, size_t size) {
  memcpy(bytes, ((Pid*)state)->value, size);
  (void)c;
  return 0;
}
int fmi2DeSerializeFMUstate(void* c, const char* bytes, size_t size, void** state) {
  fmi2GetFMUstate(c, state);
  memcpy(((Pid*)*state)->value, bytes, size);
  return 0;
}

int fmi2NewDiscreteStates(void* c, EventInfo* info) {
  memset(info, 0, sizeof *info);
  (void)c;
  return 0;
}
int fmi2CompletedIntegratorStep(void* c, int noSet, int* event, int* terminate) {
  *event = *terminate = 0;
  (void)c, (void)noSet;
  return 0;
}
int fmi2SetTime(void* c, double t) {
  (void)c, (void)t;
  return 0;
}
int fmi2SetContinuousStates(void* c, const double* x, size_t n) {
  if (n == 1) ((Pid*)c)->value[Z] = x[0];
  return 0;
}
int fmi2GetContinuousStates(void* c, double* x, size_t n) {
  if (n == 1) x[0] = ((Pid*)c)->value[Z];
  return 0;
}
int fmi2GetDerivatives(void* c, double* dx, size_t n) {
  update(c);
  if (n == 1) dx[0] = ((Pid*)c)->value[DZ];
  return 0;
}
int fmi2GetEventIndicators(void* c, double* z, size_t n) {
  (void)c, (void)z, (void)n;
  return 0;
}

/* With its inputs held, the integral grows evenly. */
int fmi2DoStep(void* c, double t, double step, int noSet) {
  Pid* p = c;
  update(p);
  p->value[Z] += step * p->value[DZ];
  (void)t, (void)noSet;
  return 0;
}
