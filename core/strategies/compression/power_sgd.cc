#include "core/strategies/compression/power_sgd.h"

#include <Eigen/Core>
#include <algorithm>

#include "core/base/random.h"

namespace tandem {
namespace {

using Tensor = PowerSgdExchange::Tensor;
using Layout = PowerSgdExchange::Layout;
using Factor = Eigen::Map<Eigen::MatrixXf>;
using Gradient = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

Layout layout_of(const LayerGraph& graph, const Bucket& bucket, std::size_t rank) {
  Layout layout;
  for (const Layer& layer : graph.layers()) {
    for (const ParameterTensor& parameter : layer.parameters) {
      if (parameter.offset < bucket.offset || parameter.offset >= bucket.offset + bucket.elements) {
        continue;
      }
      Tensor tensor{.offset = parameter.offset, .rows = parameter.elements, .left = layout.left};
      const std::size_t columns = std::max<std::size_t>(parameter.fan_in, 1);
      const std::size_t rows = parameter.elements / columns;
      const bool is_matrix = parameter.name == "weight";
      if (is_matrix && rank * (rows + columns) < parameter.elements) {
        tensor.rows = rows;
        tensor.columns = columns;
        tensor.right = layout.right;
        layout.right += rank * columns;
        layout.left += rank * rows;
        layout.matrix_elements += static_cast<double>(parameter.elements);
      } else {
        layout.left += parameter.elements;
      }
      layout.tensors.push_back(tensor);
    }
  }
  return layout;
}

std::size_t rank_of(const Scenario& scenario) {
  return static_cast<std::size_t>(scenario.algorithm.compression.rank);
}

/// Gram and Schmidt, each column three times, so that one which hardly differs from those before it
/// ends orthogonal too. A column of zeros becomes another direction, or its Q would be 0 for ever.
void orthogonalize(Factor& factor) {
  for (Eigen::Index i = 0; i < factor.cols(); ++i) {
    auto column = factor.col(i);
    for (int time = 0; time < 3; ++time) {
      for (Eigen::Index k = 0; k < i; ++k) column -= factor.col(k).dot(column) * factor.col(k);
      const float norm = column.norm();
      if (norm > 0) {
        column /= norm;
      } else {
        column = Eigen::VectorXf::Unit(factor.rows(), i);
      }
    }
  }
}

}  // namespace

PowerSgdExchange::PowerSgdExchange(Replica& replica, std::vector<Bucket> buckets)
    : replica_(replica),
      buckets_(std::move(buckets)),
      in_flight_(buckets_.size()),
      error_(replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32)) {
  constexpr std::uint64_t kFactorStream = std::uint64_t{1} << 33U;
  RandomStream random(replica.scenario.seed, kFactorStream);
  for (const Bucket& bucket : buckets_) {
    const Layout& layout =
        layouts_.emplace_back(layout_of(replica.graph, bucket, rank_of(replica.scenario)));
    left_.push_back(replica.worker.allocate(layout.left, DType::kFloat32));
    right_.push_back(replica.worker.allocate(layout.right, DType::kFloat32));
    if (!right_.back().view().has_data()) continue;
    for (float& number : right_.back().view().floats()) number = random.near_normal();
  }
}

std::vector<CollectiveUse> PowerSgdExchange::collectives(const Scenario& scenario,
                                                         const LayerGraph& graph,
                                                         const Bucket& bucket) {
  const Layout layout = layout_of(graph, bucket, rank_of(scenario));
  std::vector<CollectiveUse> uses = {all_reduce_use(scenario, layout.left, DType::kFloat32)};
  if (layout.right > 0) uses.push_back(all_reduce_use(scenario, layout.right, DType::kFloat32));
  return uses;
}

template <typename Body>
void PowerSgdExchange::for_each_tensor(const Layout& layout, const Body& body) {
  const double flops =
      2.0 * static_cast<double>(rank_of(replica_.scenario)) * layout.matrix_elements;
  run_compression(replica_.worker, flops, 3 * sizeof(float) * layout.matrix_elements, [&] {
    if (!error_.view().has_data()) return;
    for (const Tensor& tensor : layout.tensors) body(tensor);
  });
}

void PowerSgdExchange::start(std::size_t index) {
  const auto rank = static_cast<Eigen::Index>(rank_of(replica_.scenario));
  const View left = left_[index].view();
  for_each_tensor(layouts_[index], [&](const Tensor& tensor) {
    float* gradient = replica_.gradients.view().floats().data() + tensor.offset;
    float* first = left.floats().data() + tensor.left;
    if (tensor.columns == 0) {
      std::copy_n(gradient, tensor.rows, first);
      return;
    }
    Gradient m(error_.view().floats().data() + tensor.offset, tensor.rows, tensor.columns);
    Factor p(first, tensor.rows, rank);
    const Factor q(right_[index].view().floats().data() + tensor.right, tensor.columns, rank);
    m += Gradient(gradient, tensor.rows, tensor.columns);  // M = gradient + error
    p.noalias() = m * q;
  });
  in_flight_[index] = start_collective(
      replica_.worker, all_reduce_use(replica_.scenario, left.elements, left.dtype), left);
}

void PowerSgdExchange::finish(std::size_t index) {
  const auto rank = static_cast<Eigen::Index>(rank_of(replica_.scenario));
  const View left = left_[index].view();
  const View right = right_[index].view();
  const auto m_of = [&](const Tensor& t) {
    return Gradient(error_.view().floats().data() + t.offset, t.rows, t.columns);
  };
  const auto p_of = [&](const Tensor& t) {
    return Factor(left.floats().data() + t.left, t.rows, rank);
  };
  const auto q_of = [&](const Tensor& t) {
    return Factor(right.floats().data() + t.right, t.columns, rank);
  };
  replica_.worker.wait(in_flight_[index]);
  for_each_tensor(layouts_[index], [&](const Tensor& tensor) {
    if (tensor.columns == 0) return;
    Factor p = p_of(tensor);
    orthogonalize(p);
    q_of(tensor).noalias() = m_of(tensor).transpose() * p;
  });
  if (right.elements > 0) {
    Handle summed = start_collective(
        replica_.worker, all_reduce_use(replica_.scenario, right.elements, right.dtype), right);
    replica_.worker.wait(summed);
  }
  for_each_tensor(layouts_[index], [&](const Tensor& tensor) {
    float* gradient = replica_.gradients.view().floats().data() + tensor.offset;
    if (tensor.columns == 0) {
      std::copy_n(left.floats().data() + tensor.left, tensor.rows, gradient);
      return;
    }
    Gradient sum(gradient, tensor.rows, tensor.columns);
    sum.noalias() = p_of(tensor) * q_of(tensor).transpose();
    m_of(tensor) -= sum / static_cast<float>(replica_.scenario.workers);
  });
}

void PowerSgdExchange::visit_state(StateVisitor& visitor) {
  visit_own(visitor, "power_sgd.error", error_.view());
  for (std::size_t i = 0; i < right_.size(); ++i)
    visit_own(visitor, "power_sgd.right-" + std::to_string(i), right_[i].view());
}

}  // namespace tandem
