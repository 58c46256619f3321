// The reference problems that peers were measured on, as models in the model language. Newton's relative
// tolerance is 1e-6, as theirs was.
#pragma once

#include <string>

namespace flexloop::bench {

// P1: a beam pendulum (1 m, square 10 mm, E = 2.1 GPa) that falls from the horizontal; 2 s.
std::string makeBeamPendulum(int elements, int order, const std::string& step = "1 ms");

// A stiffer one, of 21 GPa: as beams, and as a flexible part, a solid block reduced to the two ends and so many modes. Of the softer
// one a part bends by more than small deformation allows.
std::string makeStiffBeamPendulum(int elements);
std::string makePartPendulum(int modes);

// P2: a chain of rigid links of 0.1 m and 1 kg that falls from the horizontal; 1 s. All hinge axes
// are y (planar), or turned by ±30° about the chain in turn (spatial).
enum class ChainAxes { kPlanar, kSpatial };
std::string makeRigidChain(int links, ChainAxes axes);

// P3: the heavy top; 2 s.
std::string makeHeavyTop(const std::string& formulation);

// P4: the beam pendulum with a controller of 50 blocks between sensors at its hinge and its tip and a
// motor at its hinge.
std::string makeControlledPendulum(int elements);

// P5: a block diagram alone, in loops of ten blocks of which four have states; 1 s.
std::string makeDiagram(int blocks);

// A cantilever of 1 m with an acceleration loop at its tip, for its modes.
std::string makeCantilever(int elements);

}  // namespace flexloop::bench
