#include <algorithm>
#include <cmath>
#include <utility>

#include "real/cuda/layers/channel_sums.h"

namespace tandem::cuda {
namespace {

/// A float for each channel on the GPU.
class ByChannel {
 public:
  ByChannel(Engine& engine, int channels, float initial)
      : engine_(&engine),
        numbers_(engine.allocate(std::size_t(channels) * sizeof(float))),
        event_(engine.make_event()) {
    set(std::vector<float>(channels, initial));
  }

  float* data() const { return reinterpret_cast<float*>(numbers_.get()); }

  /// These two go after all that is queued, and wait.
  void set(const std::vector<float>& numbers) {
    engine_->copy_in(Queue::kCompute, numbers_.get(), numbers.data(),
                     numbers.size() * sizeof(float));
    wait();
  }
  std::vector<float> get(int channels) const {
    std::vector<float> numbers(channels);
    engine_->copy_out(Queue::kCompute, numbers.data(), numbers_.get(),
                      numbers.size() * sizeof(float));
    wait();
    return numbers;
  }

 private:
  void wait() const {
    event_->record(*engine_, Queue::kCompute);
    event_->wait();
  }

  Engine* engine_;
  Storage numbers_;
  std::unique_ptr<Event> event_;
};

/// What evaluation goes by; networks may have them in common, each with queues of its own.
struct RunningStatistics {
  RunningStatistics(Engine& engine, int channels)
      : mean(engine.allocate(std::size_t(channels) * sizeof(float))),
        variance(engine.allocate(std::size_t(channels) * sizeof(float))),
        renewed(engine.make_event()) {}

  float* mean_data() const { return reinterpret_cast<float*>(mean.get()); }
  float* variance_data() const { return reinterpret_cast<float*>(variance.get()); }

  Storage mean, variance;
  std::unique_ptr<Event> renewed;
};

/// What a channel's statistics are made of, as they come from and go to other workers: {values,
/// then two sums a channel}.
struct WorkerSums {
  explicit WorkerSums(View view) : numbers(view.floats()), channels((view.elements - 1) / 2) {}

  float& values() const { return numbers[0]; }
  std::span<float> first() const { return numbers.subspan(1, channels); }
  std::span<float> second() const { return numbers.subspan(1 + channels, channels); }

  std::span<float> numbers;
  std::size_t channels;
};

/// Batch normalisation of the batch alone or, where sum_statistics() goes before a pass, of all
/// workers' batches together (Peng et al., "MegDet", CVPR 2018).
class BatchNormLayer final : public CudaLayer {
 public:
  explicit BatchNormLayer(const Site& site)
      : engine_(site.engine),
        channels_(site.layer.output.channels),
        epsilon_(static_cast<float>(site.layer.options.epsilon)),
        momentum_(static_cast<float>(site.layer.options.momentum)),
        gradient_scale_(site.gradient_scale),
        input_(site.inputs[0]->value),
        value_(site.output.value = site.allocate(site.layer.output)),
        scale_(site.parameter(0)),
        shift_(site.parameter(1)),
        mean_(engine_, channels_, 0),
        variance_(engine_, channels_, 1),
        gradient_sums_(engine_, channels_, 0),
        normal_sums_(engine_, channels_, 0),
        running_(std::make_shared<RunningStatistics>(engine_, channels_)),
        sums_over_batch_(site.memory, input_.geometry),
        values_(static_cast<float>(input_.geometry.batch * input_.geometry.space())) {
    store_running(std::vector<float>(channels_, 0), std::vector<float>(channels_, 1));
  }

  void forward(const Pass& pass) override {
    if (pass.mode == Mode::kEvaluation) {
      running_->renewed->hold(engine_, Queue::kCompute);
      normalise(running_->mean_data(), running_->variance_data());
    } else if (const View view = std::exchange(sums_, {}); view.has_data()) {
      const WorkerSums sums(view);
      take_statistics(sums);
      normalise(mean_.data(), variance_.data());
      renew_running_statistics(sums.values());
    } else {
      measure();
      normalise(mean_.data(), variance_.data());
      renew_running_statistics(values_);
    }
  }

  void share_statistics(const CudaLayer& other) override {
    running_ = static_cast<const BatchNormLayer&>(other).running_;
  }

  void visit_state(StateVisitor& visitor, const std::string& name) override {
    running_->renewed->wait();
    visited_mean_ = load(running_->mean);
    visited_variance_ = load(running_->variance);
    visit_vector(visitor, name + ".mean", visited_mean_);
    visit_vector(visitor, name + ".variance", visited_variance_);
    store_running(visited_mean_, visited_variance_);
  }

  void sum_statistics(Phase phase, View view) override {
    const WorkerSums sums(sums_ = view);
    sums.values() = values_;
    if (phase == Phase::kForward) {
      measure();
      const std::vector<float> mean = mean_.get(channels_), variance = variance_.get(channels_);
      for (int c = 0; c < channels_; ++c) {
        sums.first()[c] = values_ * mean[c];
        sums.second()[c] = values_ * (variance[c] + mean[c] * mean[c]);
      }
    } else {
      sum_gradients();
      tell(gradient_sums_, sums.first());
      tell(normal_sums_, sums.second());
    }
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    scale_gradient_ = site.parameter_gradient(0);
    shift_gradient_ = site.parameter_gradient(1);
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) input_gradient_ = site.input_gradient(0);
  }

  void backward() override {
    float values = values_;
    if (const View view = std::exchange(sums_, {}); view.has_data()) {
      const WorkerSums sums(view);
      values = sums.values();
      hear(sums.first(), gradient_sums_);
      hear(sums.second(), normal_sums_);
    } else {
      sum_gradients();
    }
    if (passes_on_) differentiate(1 / values);
  }

 private:
  Statistics statistics(const float* mean, const float* variance) const {
    return {mean, variance, epsilon_};
  }
  Statistics statistics() const { return statistics(mean_.data(), variance_.data()); }

  // The mean first, and then the squares of what is left: nothing cancels.
  void measure() {
    const float share = 1 / values_;
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      sums_over_batch_.add_up(engine_, Value<T>{input_.as<T>()});
      sums_over_batch_.leave(engine_, mean_.data(), nullptr, share);
      sums_over_batch_.add_up(engine_, SquaredDeviation<T>{input_.as<T>(), mean_.data()});
      sums_over_batch_.leave(engine_, variance_.data(), nullptr, share);
    });
  }

  void normalise(const float* mean, const float* variance) {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_items(engine_, value_.elements(),
                   BatchNorm<T>{input_.as<T>(), value_.as<T>(), input_.geometry,
                                statistics(mean, variance), scale_, shift_});
    });
  }

  void renew_running_statistics(float values) {
    running_->renewed->hold(engine_, Queue::kCompute);
    launch_items(
        engine_, channels_,
        RenewStatistics{mean_.data(), variance_.data(), running_->mean_data(),
                        running_->variance_data(), momentum_, values / std::max(1.0F, values - 1)});
    running_->renewed->record(engine_, Queue::kCompute);
  }

  void take_statistics(const WorkerSums& sums) {
    std::vector<float> mean(channels_), variance(channels_);
    for (int c = 0; c < channels_; ++c) {
      mean[c] = sums.first()[c] / sums.values();
      variance[c] = std::max(0.0F, sums.second()[c] / sums.values() - mean[c] * mean[c]);
    }
    mean_.set(mean);
    variance_.set(variance);
  }

  /// Of this batch; they are the parameters' gradients too.
  void sum_gradients() {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      sums_over_batch_.add_up(
          engine_, BatchNormTerms<T>{input_.as<T>(), output_gradient_.as<T>(), statistics()});
    });
    sums_over_batch_.leave(engine_, gradient_sums_.data(), normal_sums_.data());
    sums_over_batch_.leave(engine_, shift_gradient_, scale_gradient_, 1 / gradient_scale_);
  }

  void differentiate(float share) {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_items(engine_, input_.elements(),
                   BatchNormBackward<T>{input_.as<T>(), output_gradient_.as<T>(),
                                        input_gradient_.target.as<T>(), input_.geometry,
                                        statistics(), scale_, gradient_sums_.data(),
                                        normal_sums_.data(), share, input_gradient_.adds});
    });
  }

  // Workers tell each other gradients as they are.
  void tell(const ByChannel& sums, std::span<float> numbers) const {
    const std::vector<float> scaled = sums.get(channels_);
    for (int c = 0; c < channels_; ++c) numbers[c] = scaled[c] / gradient_scale_;
  }
  void hear(std::span<const float> numbers, ByChannel& sums) const {
    std::vector<float> scaled(numbers.begin(), numbers.end());
    for (float& number : scaled) number *= gradient_scale_;
    sums.set(scaled);
  }

  std::vector<float> load(const Storage& memory) const {
    std::vector<float> numbers(channels_);
    engine_.copy_out(Queue::kCompute, numbers.data(), memory.get(), numbers.size() * sizeof(float));
    wait_for_running();
    return numbers;
  }

  void store_running(const std::vector<float>& mean, const std::vector<float>& variance) const {
    const std::size_t bytes = mean.size() * sizeof(float);
    engine_.copy_in(Queue::kCompute, running_->mean.get(), mean.data(), bytes);
    engine_.copy_in(Queue::kCompute, running_->variance.get(), variance.data(), bytes);
    wait_for_running();
  }

  void wait_for_running() const {
    running_->renewed->record(engine_, Queue::kCompute);
    running_->renewed->wait();
  }

  Engine& engine_;
  int channels_;
  float epsilon_, momentum_, gradient_scale_;
  Tensor input_, value_;
  const float* scale_;
  const float* shift_;
  ByChannel mean_, variance_;
  ByChannel gradient_sums_, normal_sums_;  ///< times gradient_scale_
  std::shared_ptr<RunningStatistics> running_;
  std::vector<float> visited_mean_, visited_variance_;  ///< a visitor may read them later
  ChannelSums sums_over_batch_;
  float values_;  ///< of a channel in a batch
  View sums_;     ///< over workers, for the next pass; without data where it is of the batch alone

  bool passes_on_ = false;
  Tensor output_gradient_;
  float* scale_gradient_ = nullptr;
  float* shift_gradient_ = nullptr;
  Contribution input_gradient_;
};

}  // namespace

CudaLayerPointer make_batch_norm(const Site& site) {
  return std::make_unique<BatchNormLayer>(site);
}

}  // namespace tandem::cuda
