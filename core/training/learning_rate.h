#pragma once

#include "core/scenario/scenario.h"

namespace tandem {

/// The learning rate of an optimizer step, counted from 0. Linear scaling multiplies it by the
/// growth of the mini-batch, workers times passes a step, and warm-up steps lead there in a
/// straight line from the rate without scaling, or from 0 where there is none (Goyal et al.,
/// "Accurate, large minibatch SGD: training ImageNet in 1 hour", 2017, section 2). After the
/// warm-up it stays, falls by a factor every so many steps, or follows half a cosine to its minimum
/// at the last step (Loshchilov and Hutter, "SGDR", ICLR 2017, without restarts). Requires
/// schedule.steps > 0 for cosine.
double learning_rate(const Scenario& scenario, int step);

}  // namespace tandem
