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

  Statistics data() const {
    return {reinterpret_cast<float*>(mean.get()), reinterpret_cast<float*>(variance.get())};
  }

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
/// workers' batches together (Peng et al., "MegDet", CVPR 2018). A rectification after it is done
/// along with it, whose backward finds out once more what passed; so is a sum that it goes into.
class BatchNormLayer final : public CudaLayer {
 public:
  explicit BatchNormLayer(const Site& site)
      : engine_(site.engine),
        memory_(site.memory),
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
        line_{by_channel(site), by_channel(site), by_channel(site)},
        gradient_sums_(engine_, channels_, 0),
        normal_sums_(engine_, channels_, 0),
        running_(std::make_shared<RunningStatistics>(engine_, channels_)),
        sums_over_batch_(site.memory, input_.geometry),
        values_(static_cast<float>(input_.geometry.batch * input_.geometry.space())) {
    site.output.layer = this;
    store_running(std::vector<float>(channels_, 0), std::vector<float>(channels_, 1));
  }

  bool rectify(const Bounds& bounds) override {
    bounds_ = bounds;
    return true;
  }
  bool join_sum() override {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      with_width<T>(input_.geometry, [&](auto width) {
        const std::size_t packs = value_.elements() / width;
        passed_ = reinterpret_cast<std::uint8_t*>(memory_.allocate(packs));
      });
    });
    return leaves_output_ = true;
  }
  void join_with(CudaLayer& other) override {
    joined_with_ = dynamic_cast<BatchNormLayer*>(&other);
    if (joined_with_ != nullptr) joined_with_->leaves_output_ = true;
  }
  void write_sum(const Tensor& added, const Bounds& bounds) override { normalise(&added, bounds); }

  void forward(const Pass& pass) override {
    running_->renewed->hold(engine_, Queue::kCompute);
    if (pass.mode == Mode::kEvaluation) {
      launch_items(engine_, channels_, draw_line(running_->data()));
    } else {
      go_by_batch();
      running_->renewed->record(engine_, Queue::kCompute);
    }
    if (!leaves_output_) normalise(nullptr, bounds_);
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

  void sum_statistics(Phase phase, const View& view) override {
    const WorkerSums sums(sums_ = view);
    sums.values() = values_;
    if (phase == Phase::kForward) {
      measure(false);
      const std::vector<float> mean = mean_.get(channels_), variance = variance_.get(channels_);
      for (int c = 0; c < channels_; ++c) {
        sums.first()[c] = values_ * mean[c];
        sums.second()[c] = values_ * (variance[c] + mean[c] * mean[c]);
      }
    } else {
      sum_gradients(false);
      tell(gradient_sums_, sums.first());
      tell(normal_sums_, sums.second());
    }
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    scale_gradient_ = site.parameter_gradient(0);
    shift_gradient_ = site.parameter_gradient(1);
    passes_on_ = site.inputs[0]->needs_gradient;
    gradient_line_ = {by_channel(site), by_channel(site)};
    if (passes_on_) input_gradient_ = site.input_gradient(0);
  }

  void rectify_gradient(const Tensor& by_output) override {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      sums_over_batch_.add_up(engine_,
                              BatchNormSumTerms<T>{input_.as<T>(), passed_, by_output.as<T>(),
                                                   output_gradient_.as<T>(), line_.mean});
    });
    has_added_up_ = true;
  }

  void backward() override {
    if (const View view = std::exchange(sums_, {}); view.has_data()) {
      const WorkerSums sums(view);
      hear(sums.first(), gradient_sums_);
      hear(sums.second(), normal_sums_);
      launch_items(engine_, channels_, draw_gradient_line(sums.values()));
    } else {
      sum_gradients(true);
    }
    if (passes_on_) differentiate();
  }

 private:
  float* by_channel(const Site& site) const {
    return reinterpret_cast<float*>(site.memory.allocate(std::size_t(channels_) * sizeof(float)));
  }

  Statistics batch() const { return {mean_.data(), variance_.data()}; }

  // What is done by channel, between the passes over all.
  DrawLine draw_line(const Statistics& statistics) const {
    return {line_, statistics, epsilon_, scale_, shift_};
  }
  RenewStatistics renew_running(float values) const {
    return {batch(), running_->data(), momentum_, values / std::max(1.0F, values - 1)};
  }
  DrawGradientLine draw_gradient_line(float values) const {
    return {gradient_line_, line_.slope,           variance_.data(),   epsilon_,
            1 / values,     gradient_sums_.data(), normal_sums_.data()};
  }

  void go_by_batch() {
    const View view = std::exchange(sums_, {});
    if (!view.has_data()) return measure(true);
    const WorkerSums sums(view);
    take_statistics(sums);
    launch_items(engine_, channels_, draw_line(batch()));
    launch_items(engine_, channels_, renew_running(sums.values()));
  }

  /// The batch's statistics, by which it then `goes`.
  void measure(bool goes) {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      sums_over_batch_.add_up(engine_, Moments<T>{input_.as<T>()});
    });
    launch_groups(engine_, channels_,
                  TotalStatistics{sums_over_batch_.parts(), sums_over_batch_.split(), batch(),
                                  draw_line(batch()), renew_running(values_), goes});
  }

  void normalise(const Tensor* added, const Bounds& bounds) {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      with_width<T>(input_.geometry, [&](auto width) {
        const ChannelWalk<width> walk(input_.geometry);
        const BatchNorm<T, width> norm{input_.as<T>(), value_.as<T>(), walk, line_, bounds};
        if (added == nullptr) {
          launch_items(engine_, walk.items(), norm);
        } else if (joined_with_ == nullptr) {
          launch_items(engine_, walk.items(),
                       BatchNormSum<T, width, false>{norm, added->as<T>(), {}, passed_});
        } else {
          launch_items(engine_, walk.items(),
                       BatchNormSum<T, width, true>{norm, joined_with_->input_.as<T>(),
                                                    joined_with_->line_, passed_});
        }
      });
    });
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

  /// Of this batch, by which it then `goes`; they are the parameters' gradients too.
  void sum_gradients(bool goes) {
    if (!std::exchange(has_added_up_, false)) add_up_gradients();
    launch_groups(
        engine_, channels_,
        TotalGradients{sums_over_batch_.parts(), sums_over_batch_.split().chunks(), shift_gradient_,
                       scale_gradient_, 1 / gradient_scale_, draw_gradient_line(values_), goes});
  }

  void add_up_gradients() {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      sums_over_batch_.add_up(
          engine_, BatchNormTerms<T>{input_.as<T>(), output_gradient_.as<T>(), line_, bounds_});
    });
  }

  void differentiate() {
    with_type(input_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      with_width<T>(input_.geometry, [&](auto width) {
        const ChannelWalk<width> walk(input_.geometry);
        launch_items(engine_, walk.items(),
                     BatchNormBackward<T, width>{input_.as<T>(), output_gradient_.as<T>(),
                                                 input_gradient_.target.as<T>(), walk, line_,
                                                 gradient_line_, bounds_, input_gradient_.adds});
      });
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
  WorkingMemory& memory_;
  int channels_;
  float epsilon_, momentum_, gradient_scale_;
  Tensor input_, value_;
  const float* scale_;
  const float* shift_;
  ByChannel mean_, variance_;
  Line line_;                              ///< of the last pass
  ByChannel gradient_sums_, normal_sums_;  ///< times gradient_scale_
  std::shared_ptr<RunningStatistics> running_;
  std::vector<float> visited_mean_, visited_variance_;  ///< a visitor may read them later
  ChannelSums sums_over_batch_;
  float values_;                           ///< of a channel in a batch
  Bounds bounds_;                          ///< of a rectification that follows
  bool leaves_output_ = false;             ///< to a sum that it joins
  std::uint8_t* passed_ = nullptr;         ///< the bounds of a sum that it writes
  BatchNormLayer* joined_with_ = nullptr;  ///< in such a one
  View sums_;  ///< over workers, for the next pass; without data where it is of the batch alone

  bool passes_on_ = false;
  Tensor output_gradient_;
  float* scale_gradient_ = nullptr;
  float* shift_gradient_ = nullptr;
  GradientLine gradient_line_{};
  bool has_added_up_ = false;  ///< what sum_gradients() is about
  Contribution input_gradient_;
};

}  // namespace

CudaLayerPointer make_batch_norm(const Site& site) {
  return std::make_unique<BatchNormLayer>(site);
}

}  // namespace tandem::cuda
