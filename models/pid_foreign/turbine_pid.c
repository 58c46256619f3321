/* The same controller behind the interface of wind turbines: the error is the wind speed (record 27), the velocity the
 * speed of the generator (record 20), and the force the demanded torque (record 47). Gains are in its file. */
#include <stdio.h>
#include <string.h>

static float kp, ki, kd, integral;

void DISCON(float* swap, int* fail, const char* file, const char* name, char* message) {
  const int status = (int)swap[0];
  const float error = swap[26], velocity = swap[19], interval = swap[2];
  static float last;
  *fail = 0;
  if (status == 0) {
    FILE* f = fopen(file, "r");
    if (f == NULL || fscanf(f, "%f %f %f", &kp, &ki, &kd) != 3) {
      *fail = -1;
      strcpy(message, "its file must have three gains");
    }
    if (f != NULL) fclose(f);
  } else if (status > 0) {
    integral += interval * last;
  }
  last = error;
  swap[46] = kp * error + ki * integral - kd * velocity;
  (void)name;
}
