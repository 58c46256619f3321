#include "solve/time/spin_axes.hpp"

#include "solve/time/matrix_places.hpp"

namespace flexloop::solve {

using math::Mat3;

SpinAxes::SpinAxes(const system::System& system, const std::vector<RoundBody>& bodies,
                   const linalg::SparseMatrix& pattern) {
  for (const RoundBody& body : bodies) {
    Spin spin;
    bool isComplete = true;
    for (int k = 0; k < 2; ++k) {
      const int end = k == 0 ? body.end : 1 - body.end;
      spin.nodes[k] = body.hinge->node(body.element, end).value;
      const int first = system.nodes()[spin.nodes[k]].firstUnknown;
      if (k == 0) spin.first = first;
      // Towards what is held nothing is in the matrix.
      if (system.nodes()[spin.nodes[k]].count != 6) isComplete = false;
      for (int i = 0; i < 3 && isComplete; ++i) {
        for (int c = 0; c < 3; ++c) {
          const int place = findPlace(pattern, body.hinge->scalar(body.element, i).value, first + c);
          spin.gradients[k][3 * c + i] = place;
          isComplete = isComplete && place != kNoPlace;
        }
      }
    }
    if (isComplete) spins_.push_back(spin);
  }
  turns_.assign(spins_.size(), Mat3<double>::Identity());
}

// The gradients of the point of the hinge are ∓k R_Jᵀ R of both bodies, so that −G_NᵀG_B/k² is R_NᵀR_B of that time.
void SpinAxes::setTurns(const system::State& state, const std::vector<double>& values) {
  for (std::size_t s = 0; s < spins_.size(); ++s) {
    const Spin& spin = spins_[s];
    const Mat3<double> body = readBlock(values, spin.gradients[0]);
    const Mat3<double> neighbour = readBlock(values, spin.gradients[1]);
    const double square = neighbour.col(0).squaredNorm();
    if (square == 0.0) {
      turns_[s] = Mat3<double>::Identity();
      continue;
    }
    const Mat3<double>&R_B = state.frames[spin.nodes[0]].R, &R_N = state.frames[spin.nodes[1]].R;
    turns_[s] = body.transpose() * neighbour * (-1.0 / square) * (R_N.transpose() * R_B);
  }
}

void SpinAxes::turn(const Spin& spin, const Mat3<double>& Q, Eigen::VectorXd& x) {
  for (const int half : {spin.first, spin.first + 3}) {
    const math::Vec3<double> turned = Q * x.segment<3>(half);
    x.segment<3>(half) = turned;
  }
}

void SpinAxes::toFactors(Eigen::VectorXd& rhs) const {
  for (std::size_t s = 0; s < spins_.size(); ++s) turn(spins_[s], turns_[s], rhs);
}

void SpinAxes::fromFactors(Eigen::VectorXd& x) const {
  for (std::size_t s = 0; s < spins_.size(); ++s) turn(spins_[s], turns_[s].transpose(), x);
}

}  // namespace flexloop::solve
