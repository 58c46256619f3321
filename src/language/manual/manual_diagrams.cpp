#include "language/manual/manual_diagrams.hpp"

namespace flexloop::language {

const char* diagramsPage() {
  return R"(# diagrams

A diagram is a named group of blocks with ports. It is defined once and used many times: a use is an item of
section `blocks` and has the name of the diagram as its `type`.

## Definition

| key | value | default | meaning |
|---|---|---|---|
| `inputs` | names | none | input ports; blocks inside read them like signals |
| `outputs` | `{port: signal}`, or names | required | output ports and the signals of blocks inside that they are; a list gives ports with the names of the blocks |
| `parameters` | `{name: number}` | none | parameters with their defaults, for `= expression` inside; a parameter without a value must be given by every use |
| `blocks` | as in section `blocks` | required | the blocks inside; their type may be another diagram |

Expressions inside may use the parameters of the diagram and those of the model; the diagram's come first. A default may
use both. Blocks inside read the inputs and each other and nothing else: what they need from outside is an input.
Inputs, outputs and blocks of one diagram have different names; an output may be named like the block that it is.

## Use

| key | value | default | meaning |
|---|---|---|---|
| `type` | name from `diagrams` | required | the diagram |
| `inputs` | `{port: signal or number}` | none | what is connected to each input; all must be connected; `-` before a signal takes its negative, where the blocks that read it allow a sign |
| `parameters` | `{name: number}` | the defaults | other values of the diagram's parameters; expressions are those of the place of the use |

`axis1.torque` is the port `torque` of the use `axis1`. A diagram with one output also answers to plain `axis1`.
Signals inside, such as `axis1.error`, can be recorded; only ports can be connected.

```yaml
flexloop: 1
parameters: {stiffness: 20}
nodes: {arm1: [0, 0, 0], arm2: [1, 0, 0]}
bodies:
  arm1: {node: arm1, mass: 1, inertia: [0.1, 0.1, 0.1]}
  arm2: {node: arm2, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  hinge1: {type: hinge, between: [ground, arm1], axis: [0, 0, 1]}
  hinge2: {type: hinge, between: [ground, arm2], axis: [0, 0, 1]}
sensors:
  theta1: {measure: angle, joint: hinge1}
  theta2: {measure: angle, joint: hinge2}
diagrams:
  servo:
    inputs: [angle, reference]
    outputs: {torque: limited}
    parameters: {kp: 10, kd: 1, top: = 2*kp}
    blocks:
      error: {type: sum, inputs: [reference, -angle]}
      law: {type: pid, input: angle, reference: reference, kp: = kp, kd: = kd}
      limited: {type: saturation, input: law, lower: = -top, upper: = top}
blocks:
  ref: {type: step, at: 0.1, from: 0, to: 30 deg}
  axis1: {type: servo, inputs: {angle: theta1, reference: ref}, parameters: {kp: = stiffness}}
  axis2: {type: servo, inputs: {angle: theta2, reference: 0}}
actuators:
  motor1: {type: torque, joint: hinge1, input: axis1.torque}
  motor2: {type: torque, joint: hinge2, input: axis2}
outputs: [theta1, axis1.torque, axis1.error, axis2]
```
)";
}

}  // namespace flexloop::language
