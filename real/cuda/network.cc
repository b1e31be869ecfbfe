#include "real/cuda/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <numeric>
#include <string>
#include <utility>

#include "core/training/device_layers.h"
#include "real/cuda/edges.h"
#include "real/cuda/layers/layer.h"

namespace tandem {
namespace cuda {
namespace {

/// Float16 has no numbers below 2^-24, and the gradients by a batch's mean loss are small ones:
/// they go their way as those of about the sum. A power of two, so that nothing is rounded by it.
float gradient_scale(Arithmetic arithmetic, std::size_t labels) {
  if (arithmetic != Arithmetic::kFloat16) return 1;
  return static_cast<float>(std::bit_floor(std::max<std::size_t>(labels, 1)));
}

/// Of a pass, for kernels that are recorded.
struct PassNumbers {
  std::uint64_t dropout_seed = 0;
  float gradient_factor = 1;  ///< as Network::scale_gradients()
};

class CudaNetwork final : public Network {
 public:
  CudaNetwork(const LayerGraph& graph, int batch_size, const View& parameters,
              const View& gradients, const CudaOptions& options)
      : runs_ahead_(options.runs_ahead),
        gradient_scale_(
            gradient_scale(options.arithmetic, std::size_t(batch_size) * graph.labels())),
        engine_(engine_of(parameters, options)),
        memory_(*engine_),
        parameters_(engine_, memory_, graph, parameters),
        gradients_(engine_, memory_, graph, gradients),
        labels_(*engine_, memory_, std::size_t(batch_size) * graph.labels() * sizeof(std::int32_t)),
        numbers_(*engine_, memory_, sizeof(PassNumbers)),
        begun_(engine_->make_event()),
        forward_done_(engine_->make_event()) {
    describe_layers(graph);
    const auto layers = graph.layers();
    const auto site = [&](int index) {
      Site result{.engine = *engine_,
                  .memory = memory_,
                  .layer = layers[index],
                  .index = index,
                  .batch_size = batch_size,
                  .inputs = {},
                  .output = activations_[index],
                  .parameters = parameters_,
                  .gradients = gradients_,
                  .labels = reinterpret_cast<const std::int32_t*>(labels_.device()),
                  .dtype = activation_dtype(options.arithmetic),
                  .layout = layout_for(options.arithmetic),
                  .gradient_scale = gradient_scale_};
      for (const int input : layers[index].inputs) result.inputs.push_back(&activations_[input]);
      return result;
    };
    guarded(0, [&] { prepare_input(site(0), graph.vocabulary() > 0); });
    for (int i = 1; i < count(); ++i) guarded(i, [&] { prepare_forward(site(i)); });
    if (!loss_) guarded(count() - 1, [&] { prepare_output(site(count() - 1)); });
    for (int i = count() - 1; i > 0; --i) guarded(i, [&] { prepare_backward(site(i)); });
    if (activations_[0].needs_gradient)
      guarded(0, [&] { input_gradient_.emplace(*engine_, memory_, activations_[0].gradient); });
    const auto* numbers = reinterpret_cast<const PassNumbers*>(numbers_.device());
    pass_.dropout_seed = &numbers->dropout_seed;
    gradient_factor_ = &numbers->gradient_factor;
    std::vector<int> order(count() - 1);
    std::iota(order.begin(), order.end(), 1);
    forward_ = divide(graph, order);
    std::ranges::reverse(order);
    backward_ = divide(graph, order);
  }

  std::shared_ptr<float[]> allocate_images(std::size_t count) override {
    const Storage memory = engine_->allocate_host(count * sizeof(float));
    auto* images = reinterpret_cast<float*>(memory.get());
    image_memory_.push_back({memory, {images, count}});
    return {memory, images};
  }

  void scale_gradients(float factor) override { next_.gradient_factor = factor; }

  void load(const Batch& batch, Mode mode, std::uint64_t dropout_seed) override {
    guarded(0, [&] {
      copy_in_images(batch.images);
      if (!batch.labels.empty()) labels_.copy_in(batch.labels);
      next_.dropout_seed = dropout_seed;
      numbers_.copy_in(std::span<const PassNumbers>(&next_, 1));
      // Parameters are written to when nobody reads those of the last pass any more.
      begun_->record(*engine_, Queue::kCompute);
      begun_->hold(*engine_, Queue::kUpload);
      finish_if_timed();
    });
    pass_.mode = mode;
    next_backward_ = count() - 1;
    // A pass that is recorded must have been done before: libraries allocate in the first.
    is_recorded_ = mode == Mode::kTraining && can_record_ && passes_++ > 0;
  }

  void prefetch(std::span<const float> images) override {
    if (!runs_ahead_ || !stays(images)) return;
    guarded(0, [&] {
      if (!ahead_) ahead_.emplace(*engine_, memory_, images.size_bytes());
      ahead_->begin(images);
    });
  }

  void forward(int layer) override {
    if (!layers_[layer]) return;
    guarded(layer, [&] {
      if (parameters_.has_any(layer)) parameters_.fetch(layer, *begun_);
      if (!is_recorded_) {
        parameters_.widen(layer, layer);
        enqueue_forward(layer);
      } else if (const auto part = std::ranges::find(forward_, layer, &Stretch::end);
                 part != forward_.end()) {
        launch_forward(*part);
      }
      if (layer == count() - 1) forward_done_->record(*engine_, Queue::kCompute);
      finish_if_timed();
    });
  }

  void backward(int layer) override {
    if (is_recorded_) {
      for (Stretch& stretch : backward_) {
        if (stretch.begin == next_backward_) launch_backward(stretch);
      }
    } else {
      const int last = runs_ahead_ && !sums_statistics_ ? 1 : layer;
      for (; next_backward_ >= last; --next_backward_) {
        guarded(next_backward_, [&] {
          enqueue_backward(next_backward_);
          gradients_.narrow(next_backward_, next_backward_, gradient_factor_);
          gradient_passed(next_backward_);
        });
      }
    }
    if (!layers_[layer] || !activations_[layer].needs_gradient) return;
    guarded(layer, [&] {
      if (gradients_.has_any(layer)) gradients_.await(layer, gradient_ready_[layer]);
      finish_if_timed();
    });
  }

  // From then on layers wait for numbers of the host.
  void sum_statistics(int layer, Phase phase, View sums) override {
    sums_statistics_ = true;
    can_record_ = false;
    // A layer's own parameters are not needed before forward().
    guarded(layer, [&] { layers_[layer]->sum_statistics(phase, sums); });
  }

  void share_statistics(const Network& other) override {
    const auto& layers = static_cast<const CudaNetwork&>(other).layers_;
    for (std::size_t i = 1; i < layers_.size(); ++i) layers_[i]->share_statistics(*layers[i]);
  }

  void visit_state(StateVisitor& visitor) override {
    for (int i = 1; i < count(); ++i) {
      if (layers_[i]) guarded(i, [&] { layers_[i]->visit_state(visitor, names_[i]); });
    }
  }

  void copy_output(std::span<float> output) const override {
    guarded(count() - 1, [&] { output_->copy_out(output); });
  }

  void load_output_gradient(std::span<const float> gradient) override {
    guarded(count() - 1, [&] { output_gradient_->copy_in(gradient, gradient_scale_); });
  }

  void copy_input_gradient(std::span<float> gradient) const override {
    guarded(0, [&] { input_gradient_->copy_out(gradient, 1 / gradient_scale_); });
  }

  double loss() const override {
    double loss = 0;
    guarded(count() - 1, [&] {
      forward_done_->wait();
      loss = loss_->loss();
    });
    return loss;
  }

  int correct() const override {
    int correct = 0;
    guarded(count() - 1, [&] {
      forward_done_->wait();
      correct = loss_->correct();
    });
    return correct;
  }

 private:
  int count() const { return static_cast<int>(names_.size()); }

  /// That of the arenas' copies on the GPU, where they have some: then all that a rank does there
  /// is in the same queues.
  static std::shared_ptr<Engine> engine_of(const View& parameters, const CudaOptions& options) {
    if (const CudaMirror* mirror = CudaMirror::of(parameters)) return mirror->engine();
    return make_engine(options.device, options.arithmetic);
  }

  static Layout layout_for(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::kFloat32 ? Layout::kPlain : Layout::kChannelsLast;
  }

  void describe_layers(const LayerGraph& graph) {
    const auto layers = graph.layers();
    activations_.resize(layers.size());
    layers_.resize(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      names_.push_back(layers[i].name);
      activations_[i].made_by = layers[i].kind;
      activations_[i].needs_gradient = layers[i].needs_gradient;
      activations_[i].readers = static_cast<int>(boost::out_degree(i, graph.dag()));
      for (const int input : layers[i].inputs) {
        Activation& read = activations_[input];
        read.reader_before_last = std::exchange(read.last_reader, static_cast<int>(i));
      }
      gradient_ready_.push_back(layers[i].parameters.empty() ? nullptr : engine_->make_event());
    }
  }

  /// What CUDA reports may be of an earlier layer's work, which was only queued when it was asked
  /// for.
  template <typename Body>
  void guarded(int layer, const Body& body) const {
    try {
      engine_->bind_thread();
      body();
    } catch (const CallFailed& error) {
      throw RunError(fmt::format("layer '{}' ({}): {}", names_[layer],
                                 to_string(activations_[layer].made_by), error.what()));
    } catch (const InputError& error) {
      throw InputError(fmt::format("layer '{}' ({}): {}", names_[layer],
                                   to_string(activations_[layer].made_by), error.what()));
    }
  }

  void prepare_input(Site site, bool takes_tokens) {
    if (takes_tokens) site.dtype = DType::kFloat32;
    activations_[0].value = site.allocate(site.layer.output);
    input_.emplace(*engine_, memory_, activations_[0].value);
  }

  void prepare_forward(const Site& site) {
    if (site.layer.kind == LayerKind::kSoftmaxLoss) {
      auto loss = make_softmax_loss(site);
      loss_ = loss.get();
      layers_[site.index] = std::move(loss);
    } else {
      layers_[site.index] = make_layer(site);
    }
  }

  /// Of a stage: its output, and the gradient by it.
  void prepare_output(const Site& site) {
    output_.emplace(*engine_, memory_, site.output.value);
    site.output.gradient = site.output.value;
    site.output.gradient_lease = memory_.lease(site.output.value.bytes());
    site.output.gradient.data = site.output.gradient_lease.get();
    output_gradient_.emplace(*engine_, memory_, site.output.gradient);
  }

  void prepare_backward(const Site& site) {
    if (!site.output.needs_gradient) return;
    layers_[site.index]->prepare_backward(site);
    site.output.gradient_lease.reset();  // free for the layers before this one
  }

  /// Whether the images are in memory of allocate_images().
  bool stays(std::span<const float> images) {
    std::erase_if(image_memory_, [](const ImageMemory& memory) { return memory.owner.expired(); });
    return std::ranges::any_of(image_memory_, [&](const ImageMemory& memory) {
      return images.data() >= memory.images.data() &&
             images.data() + images.size() <= memory.images.data() + memory.images.size();
    });
  }

  void copy_in_images(std::span<const float> images) {
    if (ahead_ && ahead_->give(images, *input_)) return;
    stays(images) ? input_->copy_in_directly(images) : input_->copy_in(images);
  }

  void enqueue_forward(int layer) {
    parameters_.copy_from_arena(layer);
    layers_[layer]->forward(pass_);
  }

  /// Passes are recorded in parts: so that a part begins where the parameters of later layers are
  /// still on their way, and gradients of the last layers leave while those of the first are
  /// computed.
  struct Stretch {
    int begin, end;  ///< its layers in the order of the pass
    std::unique_ptr<Recording> recording = nullptr;
  };

  /// Cuts a pass over layers in this order where enough parameters have come together.
  static std::vector<Stretch> divide(const LayerGraph& graph, const std::vector<int>& order) {
    constexpr std::size_t kParts = 8;
    constexpr std::size_t kFewestElements = 1 << 20;
    const std::size_t enough = std::max(kFewestElements, graph.parameter_elements() / kParts);
    std::vector<Stretch> stretches;
    std::size_t elements = 0;
    int begin = order.front();
    for (std::size_t i = 0; i < order.size(); ++i) {
      elements += graph.layers()[order[i]].parameter_elements;
      if (elements < enough && i + 1 < order.size()) continue;
      stretches.push_back({begin, order[i]});
      if (i + 1 < order.size()) begin = order[i + 1];
      elements = 0;
    }
    return stretches;
  }

  void launch_forward(Stretch& stretch) {
    repeat(stretch.recording, [&] {
      parameters_.widen(stretch.begin, stretch.end);
      for (int i = stretch.begin; i <= stretch.end; ++i) guarded(i, [&] { enqueue_forward(i); });
    });
  }

  void launch_backward(Stretch& stretch) {
    guarded(stretch.begin, [&] {
      repeat(stretch.recording, [&] {
        for (int i = stretch.begin; i >= stretch.end; --i) guarded(i, [&] { enqueue_backward(i); });
        gradients_.narrow(stretch.end, stretch.begin, gradient_factor_);
      });
      for (int i = stretch.begin; i >= stretch.end; --i) gradient_passed(i);
    });
    next_backward_ = stretch.end - 1;
  }

  /// Does what `work` queues, and records it where it was not.
  template <typename Work>
  void repeat(std::unique_ptr<Recording>& recording, const Work& work) {
    if (!recording) {
      engine_->begin_recording();
      try {
        work();
      } catch (...) {
        engine_->drop_recording();
        throw;
      }
      recording = engine_->end_recording();
    }
    engine_->launch(*recording);
  }

  void enqueue_backward(int layer) {
    if (!layers_[layer] || !activations_[layer].needs_gradient) return;
    layers_[layer]->backward();
    gradients_.copy_to_arena(layer);
  }

  void gradient_passed(int layer) {
    if (gradient_ready_[layer]) gradient_ready_[layer]->record(*engine_, Queue::kCompute);
  }

  void finish_if_timed() {
    if (runs_ahead_) return;
    begun_->record(*engine_, Queue::kCompute);
    begun_->wait();
  }

  bool runs_ahead_;
  float gradient_scale_;
  std::shared_ptr<Engine> engine_;  // before all that lives on it
  WorkingMemory memory_;
  DeviceArena parameters_, gradients_;
  Staged labels_, numbers_;
  PassNumbers next_;
  const float* gradient_factor_ = nullptr;  ///< of this pass, on the GPU
  std::unique_ptr<Event> begun_, forward_done_;
  std::vector<std::shared_ptr<Event>> gradient_ready_;  ///< by layer; null without parameters
  std::vector<std::string> names_;
  std::deque<Activation> activations_;  ///< what each layer makes
  std::vector<CudaLayerPointer> layers_;
  LossLayer* loss_ = nullptr;  ///< the last of layers_, but of a stage that has none
  struct ImageMemory {
    std::weak_ptr<std::byte> owner;
    std::span<const float> images;
  };
  std::vector<ImageMemory> image_memory_;
  std::optional<ImagesAhead> ahead_;
  std::optional<Edge> input_, input_gradient_;
  std::optional<Edge> output_, output_gradient_;  ///< of such a stage
  Pass pass_;
  int next_backward_ = 0;  ///< of this pass, all after it are queued
  int passes_ = 0;         ///< of training
  bool sums_statistics_ = false;
  /// Whether training passes may be recorded: parameters lie in the same memory each time.
  bool can_record_ = runs_ahead_ && engine_->records() && parameters_.is_resident();
  bool is_recorded_ = false;  ///< this pass
  std::vector<Stretch> forward_, backward_;
};

}  // namespace
}  // namespace cuda

namespace {

void require_gpu(const CudaOptions& options) {
  std::string reason;
  const int devices = cuda::device_count(&reason);
  if (devices == 0) {
    throw InputError(
        fmt::format("device cuda: there is no GPU that CUDA can use here ({}); run "
                    "without --device cuda to compute on the CPU",
                    reason));
  }
  if (options.device < 0 || options.device >= devices) {
    throw InputError(
        fmt::format("device cuda: there is no GPU {}, only {} of them", options.device, devices));
  }
}

}  // namespace

NetworkFactory cuda_network(const CudaOptions& options) {
  require_gpu(options);
  return [options](const LayerGraph& graph, int batch_size, const View& parameters,
                   const View& gradients) {
    check_trainable(graph);
    return std::make_unique<cuda::CudaNetwork>(graph, batch_size, parameters, gradients, options);
  };
}

MakeMirror cuda_mirrors(const CudaOptions& options) {
  require_gpu(options);
  const std::shared_ptr<cuda::Engine> engine =
      cuda::make_engine(options.device, options.arithmetic);
  return [engine, waits = !options.runs_ahead](const View& host) {
    return std::make_shared<cuda::CudaMirror>(engine, host, waits);
  };
}

}  // namespace tandem
