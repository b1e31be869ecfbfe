// The arithmetic of kernels, place by place, and that of groups of lanes with several of them, as a
// GPU has: here a thread each.

#include <gtest/gtest.h>

#include <barrier>
#include <random>
#include <set>
#include <thread>

#include "real/cuda/kernels/updates.h"
#include "real/cuda/kernels/works.h"
#include "tests/real/cuda/wild_numbers.h"

namespace tandem::cuda {
namespace {

TEST(RandomStream, SkipsAsManyAsItWouldDraw) {
  for (const int count : {0, 1, 1000}) {
    RandomStream drawn(7, 3), skipped(7, 3);
    for (int i = 0; i < count; ++i) drawn.next();
    skipped.skip(count);
    EXPECT_EQ(drawn.next(), skipped.next()) << count;
  }
}

TEST(Geometry, EveryPlaceHasAPositionOfItsOwn) {
  for (const Layout layout : {Layout::kPlain, Layout::kChannelsLast}) {
    const Geometry geometry{2, 3, 4, 5, layout};
    std::set<int> plain;
    for (int place = 0; place < geometry.elements(); ++place) {
      const Position p = geometry.position(place);
      EXPECT_EQ(geometry.place(p), place);
      EXPECT_EQ(geometry.channel(place), p.channel);
      plain.insert(geometry.plain().place(p));
    }
    EXPECT_EQ(plain.size(), geometry.elements());
  }
}

TEST(ChannelWalk, ComesToEveryElementOnceByItsChannel) {
  constexpr int kWidth = 4;
  for (const Geometry& geometry :
       {Geometry{5, 12, 4, 6, Layout::kPlain}, Geometry{1, 3, 2, 2, Layout::kPlain},
        Geometry{3, 12, 70, 30, Layout::kChannelsLast}, Geometry{1, 8, 1, 1, Layout::kPlain}}) {
    const ChannelWalk<kWidth> walk(geometry);
    std::vector<int> visits(geometry.elements());
    for (int item = 0; item < walk.items(); ++item) {
      walk.each(item, [&](int place, int) {
        for (int i = 0; i < kWidth; ++i) {
          ++visits[place + i];
          EXPECT_EQ(walk.channels(item).index(i), geometry.channel(place + i));
        }
      });
    }
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), geometry.elements());
  }
}

TEST(Windows, HaveTheInputsThatAreInThem) {
  for (const int kernel : {1, 2, 3, 5}) {
    for (const int stride : {1, 2, 3}) {
      for (int padding = 0; padding <= kernel / 2; ++padding) {
        const Windows windows{kernel, stride, padding};
        constexpr int kInputs = 11, kWindows = 5;
        for (int window = 0; window < kWindows; ++window) {
          const auto inputs = windows.inputs_of(window, kInputs);
          for (int input = 0; input < kInputs; ++input) {
            const auto back = windows.windows_of(input, kWindows);
            const int reach = input - (window * stride - padding);
            const bool is_in = reach >= 0 && reach < kernel;
            EXPECT_EQ(is_in, inputs.begin <= input && input < inputs.end);
            EXPECT_EQ(is_in, back.begin <= window && window < back.end);
          }
        }
      }
    }
  }
}

constexpr int kLanes = 5;  // no divisor of what follows

/// As a block of a GPU: all lanes meet at each reduction.
class ThreadLanes {
 public:
  struct Shared {
    std::barrier<> meeting{kLanes};
    std::array<double, kLanes> parts{};
  };
  ThreadLanes(Shared& shared, int index) : shared_(shared), index_(index) {}

  int index() const { return index_; }
  int count() const { return kLanes; }
  template <typename T>
  T sum(T value) {
    return reduce(value, [](T a, T b) { return a + b; });
  }
  template <typename T>
  T max(T value) {
    return reduce(value, [](T a, T b) { return a > b ? a : b; });
  }
  template <int N>
  void sum_columns(float (&numbers)[N], int columns) {
    for (float& number : numbers) {
      for (int column = 0; column < columns; ++column) {
        const bool is_in = index_ % columns == column;
        const float all = sum(is_in ? number : 0);
        if (is_in && index_ < columns) number = all;
      }
    }
  }

 private:
  template <typename T, typename Join>
  T reduce(T value, Join join) {
    shared_.meeting.arrive_and_wait();
    shared_.parts[index_] = value;
    shared_.meeting.arrive_and_wait();
    T all = static_cast<T>(shared_.parts[0]);
    for (int lane = 1; lane < kLanes; ++lane) all = join(all, static_cast<T>(shared_.parts[lane]));
    return all;
  }

  Shared& shared_;
  int index_;
};

struct OneLane {
  int index() const { return 0; }
  int count() const { return 1; }
  template <typename T>
  T sum(T value) const {
    return value;
  }
  template <typename T>
  T max(T value) const {
    return value;
  }
  template <int N>
  void sum_columns(float (&)[N], int) const {}
};

template <typename Work>
void do_alone(int groups, const Work& work) {
  OneLane lanes;
  for (int group = 0; group < groups; ++group) work(group, lanes);
}

template <typename Work>
void do_together(int groups, const Work& work) {
  ThreadLanes::Shared shared;
  std::vector<std::jthread> threads;
  for (int lane = 0; lane < kLanes; ++lane) {
    threads.emplace_back([&, lane] {
      ThreadLanes lanes(shared, lane);
      for (int group = 0; group < groups; ++group) work(group, lanes);
    });
  }
}

using Numbers = std::vector<float>;

Numbers numbers(std::size_t count) {
  std::mt19937 engine(static_cast<unsigned>(count));
  std::normal_distribution<float> normal(0.5F, 2);
  Numbers result(count);
  for (float& number : result) number = normal(engine);
  return result;
}

void expect_near(const Numbers& actual, const Numbers& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-5 * (1 + std::abs(expected[i]))) << i;
  }
}

/// What `run(do, out)` leaves in `out` is the same with one lane and with several.
template <typename Run>
void expect_same(std::size_t elements, const Run& run) {
  Numbers alone(elements), together(elements);
  run([](int groups, const auto& work) { do_alone(groups, work); }, alone);
  run([](int groups, const auto& work) { do_together(groups, work); }, together);
  expect_near(together, alone);
}

constexpr int kRows = 7, kColumns = 13;

/// A tensor for each way to add up its channels: by planes or columns, in stretches or one by one.
constexpr Geometry kSummed[] = {
    {3, 4, 5, 7, Layout::kPlain},          {3, 4, 5, 8, Layout::kPlain},
    {3, 5, 2, 7, Layout::kChannelsLast},   {1, 8, 4, 9, Layout::kChannelsLast},
    {2, 300, 3, 3, Layout::kChannelsLast}, {7, 12, 1, 1, Layout::kPlain}};

/// Makes parts of a term's sums in chunks of `length` values.
template <int W, typename Term, typename Run>
std::vector<Sums> parts_of(const Term& term, const Geometry& geometry, int length, const Run& run) {
  const Split values{geometry.batch * geometry.space(), length};
  std::vector<Sums> parts(geometry.channels * values.chunks());
  if (geometry.has_planes()) {
    run(geometry.channels * values.chunks(),
        PlaneSums<Term, W>{term, geometry, {values.total / W, length / W}, parts.data()});
  } else {
    const ColumnSums<Term, W> columns{term, geometry.channels, values, parts.data()};
    run(values.chunks() * columns.bands(), columns);
  }
  return parts;
}

/// Calls `body` with each of them and a width that it has.
template <typename Body>
void for_each_summed(const Body& body) {
  for (const Geometry& geometry : kSummed) {
    body(geometry, std::integral_constant<int, 1>());
    if (geometry.run() % 4 == 0) body(geometry, std::integral_constant<int, 4>());
  }
}

TEST(Sums, AreThoseOfEachChannelWithAnyLanes) {
  for_each_summed([](const Geometry& geometry, auto width) {
    const Numbers x = numbers(geometry.elements());
    Numbers expected(geometry.channels);
    for (int i = 0; i < geometry.elements(); ++i) expected[geometry.channel(i)] += 0.5F * x[i];
    for (const int length : {4, 12, 200}) {
      const auto sum_up = [&](const auto& run, Numbers& out) {
        const auto parts = parts_of<width>(Value<float>{x.data()}, geometry, length, run);
        const int chunks = static_cast<int>(parts.size()) / geometry.channels;
        run(geometry.channels, TotalSums{parts.data(), chunks, out.data(), nullptr, 0.5F});
      };
      Numbers alone(geometry.channels);
      sum_up([](int groups, const auto& work) { do_alone(groups, work); }, alone);
      expect_near(alone, expected);
      expect_same(geometry.channels, sum_up);
    }
  });
}

TEST(Statistics, LoseNothingToALargeMean) {
  for_each_summed([](const Geometry& geometry, auto width) {
    Numbers x = numbers(geometry.elements());
    std::vector<double> mean(geometry.channels), variance(geometry.channels);
    const double count = geometry.batch * geometry.space();
    for (int i = 0; i < geometry.elements(); ++i) {
      x[i] = 1000 + 0.5F * x[i];
      mean[geometry.channel(i)] += x[i] / count;
    }
    for (int i = 0; i < geometry.elements(); ++i) {
      const double deviation = x[i] - mean[geometry.channel(i)];
      variance[geometry.channel(i)] += deviation * deviation / count;
    }
    for (const int length : {4, 12, 200}) {
      Numbers means(geometry.channels), variances(geometry.channels);
      const auto measure = [](int groups, const auto& work) { do_together(groups, work); };
      const auto parts = parts_of<width>(Moments<float>{x.data()}, geometry, length, measure);
      const Split split{static_cast<int>(count), length};
      measure(
          geometry.channels,
          TotalStatistics{parts.data(), split, {means.data(), variances.data()}, {}, {}, false});
      for (int c = 0; c < geometry.channels; ++c) {
        EXPECT_NEAR(means[c], mean[c], 1e-4);
        EXPECT_NEAR(variances[c], variance[c], 1e-4 * variance[c]);
      }
    }
  });
}

/// By launches as the mirror's, but in stretches of `length`.
template <typename Do>
SquareWords words_of(const Numbers& x, int length, const Do& run) {
  SquareWords words{};
  const Split stretches{static_cast<int>(x.size()), length};
  run(stretches.chunks(), AddSquares<float>{x.data(), stretches, words.data()});
  CarrySums{words.data()}(0);
  return words;
}

TEST(Squares, HaveTheWordsOfTheHostWithAnyLanesAndStretches) {
  for (const Numbers& x : {wild_numbers(1), wild_numbers(70'003), near_numbers(70'003),
                           Numbers(70'003, 0x1.fffffep127F), Numbers(70'003, 0x1p-149F)}) {
    SquareWords expected{};
    add_squares(x, SquareSum(expected));
    EXPECT_GT(square_sum(expected), 0);
    for (const int length : {97, 9973, LaneSquares::kMost}) {
      EXPECT_EQ(words_of(x, length, [](int n, const auto& work) { do_alone(n, work); }), expected);
      if (length < 9973) continue;  // lanes that meet often take long
      EXPECT_EQ(words_of(x, length, [](int n, const auto& work) { do_together(n, work); }),
                expected);
    }
  }
}

/// A LAMB step over tensors from 1 to some thousand elements, of a slice that begins in one.
struct LambStep {
  Numbers first, second, weights;
  std::vector<std::int64_t> sums;
  bool operator==(const LambStep&) const = default;
};

template <typename Do>
LambStep lamb_step(int length, const Do& run) {
  constexpr int kElements = 9000;
  const std::vector<TensorPart> parts = {{100, 3}, {150, 0}, {151, 2}, {5000, 1}, {20'000, 4}};
  const Lamb rule({.name = "lamb", .weight_decay = 0.1}, {3, 0.01});
  const Numbers gradient = near_numbers(kElements + 1);
  LambStep step{near_numbers(kElements), Numbers(kElements, 0.5F), numbers(kElements), {}};
  step.sums.resize(10 * kSquareSumWords);
  const TensorStretches stretches{parts.data(), 5, 120, {kElements, length}};
  run(stretches.split.chunks(),
      MeasureTensors<Lamb, float>{rule, stretches, step.weights.data(), gradient.data(),
                                  step.first.data(), step.second.data(), 0.5F, step.sums.data()});
  for (int i = 0; i < 10; ++i) CarrySums{step.sums.data()}(i);
  Numbers ratios(5);
  for (int i = 0; i < 5; ++i) TrustRatios{step.sums.data(), ratios.data()}(i);
  run(stretches.split.chunks(),
      UpdateTensors<Lamb, float>{rule, stretches, ratios.data(), step.weights.data(),
                                 step.first.data(), step.second.data(), nullptr});
  return step;
}

/// The same, tensor by tensor.
LambStep expected_lamb_step() {
  constexpr int kElements = 9000;
  const std::vector<std::pair<int, int>> tensors = {{30, 0}, {31, 2}, {4880, 1}, {kElements, 4}};
  const Lamb rule({.name = "lamb", .weight_decay = 0.1}, {3, 0.01});
  const Numbers gradient = near_numbers(kElements + 1);
  LambStep step{near_numbers(kElements), Numbers(kElements, 0.5F), numbers(kElements), {}};
  step.sums.resize(10 * kSquareSumWords);
  int begin = 0;
  for (const auto& [end, tensor] : tensors) {
    Numbers direction;
    for (int i = begin; i < end; ++i) {
      direction.push_back(
          rule.direction(step.weights[i], 0.5F * gradient[i], step.first[i], step.second[i]));
    }
    std::int64_t* sums = step.sums.data() + std::size_t{2} * tensor * kSquareSumWords;
    const SquareSum of_weights(sums, kSquareSumWords);
    const SquareSum of_direction(sums + kSquareSumWords, kSquareSumWords);
    add_squares(std::span(step.weights).subspan(begin, end - begin), of_weights);
    add_squares(direction, of_direction);
    const float ratio = trust_ratio(square_sum(of_weights), square_sum(of_direction));
    EXPECT_NE(ratio, 1);
    for (int i = begin; i < end; ++i)
      step.weights[i] = rule(step.weights[i], step.first[i], step.second[i], ratio);
    begin = end;
  }
  return step;
}

TEST(Tensors, AreMeasuredAndUpdatedByThemselvesWithAnyLanesAndStretches) {
  const LambStep expected = expected_lamb_step();
  for (const int length : {97, 1999, LaneSquares::kMost}) {
    EXPECT_EQ(lamb_step(length, [](int n, const auto& work) { do_alone(n, work); }), expected);
    if (length < 1999) continue;
    EXPECT_EQ(lamb_step(length, [](int n, const auto& work) { do_together(n, work); }), expected);
  }
}

TEST(Squares, AreOfStretchesThatNoLaneCanNotHold) {
  for (const int elements : {1, 2047, 2048, 2049, 1 << 22, std::numeric_limits<int>::max()}) {
    const Split split = split_for_squares(elements);
    EXPECT_LE(split.length, LaneSquares::kMost);
    EXPECT_EQ(std::int64_t{split.begin(split.chunks() - 1)} + split.count(split.chunks() - 1),
              elements);
  }
}

TEST(Lanes, NormaliseRowsTogether) {
  const Numbers x = numbers(kRows * kColumns), dy = numbers(kRows * kColumns + 1);
  const Numbers scale = numbers(kColumns), shift = numbers(kColumns + 1);
  Numbers mean(kRows), inverse(kRows);
  expect_same(x.size(), [&](const auto& run, Numbers& out) {
    run(kRows, LayerNorm<float>{x.data(), out.data(), kColumns, 1e-5F, scale.data(), shift.data(),
                                mean.data(), inverse.data()});
  });
  expect_same(x.size(), [&](const auto& run, Numbers& out) {
    out = x;
    run(kRows, LayerNormBackward<float>{x.data(), dy.data(), out.data(), kColumns, scale.data(),
                                        mean.data(), inverse.data(), true});
  });
}

TEST(Lanes, TakeSoftmaxesInPlace) {
  constexpr int kPositions = 11;
  const Numbers scores = numbers(2 * kPositions * kPositions);
  expect_same(scores.size(), [&](const auto& run, Numbers& out) {
    out = scores;
    run(2 * kPositions, CausalSoftmax<float>{out.data(), out.data(), kPositions});
  });
  expect_same(scores.size(), [&](const auto& run, Numbers& out) {
    out = numbers(scores.size() + 1);
    out.resize(scores.size());
    run(2 * kPositions, SoftmaxBackward<float>{scores.data(), out.data(), out.data(), kPositions});
  });
}

TEST(Lanes, TellTheLossTogether) {
  const Numbers logits = numbers(kRows * kColumns);
  std::vector<std::int32_t> labels(kRows);
  for (int row = 0; row < kRows; ++row) labels[row] = row == 2 ? kNoLabel : 5 * row % kColumns;
  const auto best = std::max_element(logits.begin(), logits.begin() + kColumns);
  labels[0] = static_cast<std::int32_t>(best - logits.begin());
  expect_same(kRows * kColumns + 3, [&](const auto& run, Numbers& out) {
    std::vector<LossSums> rows(kRows);
    LossSums total;
    run(kRows, SoftmaxLoss<float>{logits.data(), labels.data(), kColumns, out.data(), rows.data()});
    run(1, TotalLoss{rows.data(), kRows, &total});
    EXPECT_EQ(total.samples, kRows - 1);
    EXPECT_GE(total.correct, 1);
    out[out.size() - 3] = static_cast<float>(total.loss);
    out[out.size() - 2] = static_cast<float>(total.samples);
    out[out.size() - 1] = static_cast<float>(total.correct);
  });
}

}  // namespace
}  // namespace tandem::cuda
