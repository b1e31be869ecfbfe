// The arithmetic of kernels, place by place, and that of groups of lanes with several of them, as a
// GPU has: here a thread each.

#include <gtest/gtest.h>

#include <barrier>
#include <random>
#include <set>
#include <thread>

#include "real/cuda/kernels/works.h"

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

TEST(Lanes, AddUpPlanes) {
  const Geometry geometry{3, 4, 5, 6, Layout::kPlain};
  const Numbers x = numbers(geometry.elements());
  constexpr int kChunks = 4;
  expect_same(geometry.channels, [&](const auto& run, Numbers& out) {
    std::vector<Sums> parts(geometry.channels * kChunks);
    run(geometry.channels * kChunks,
        PlaneSums<Value<float>>{{x.data()}, geometry, kChunks, parts.data()});
    run(geometry.channels, TotalSums{parts.data(), kChunks, out.data(), nullptr, 0.5F});
  });
}

TEST(Sums, AreTheSameOfBothLayouts) {
  const Geometry plain{3, 4, 5, 7, Layout::kPlain};
  Geometry last = plain;
  last.layout = Layout::kChannelsLast;
  const Numbers x = numbers(plain.elements());
  Numbers moved(x.size()), expected(plain.channels), of_planes(plain.channels),
      of_columns(plain.channels);
  for (int i = 0; i < plain.elements(); ++i) {
    moved[last.place(plain.position(i))] = x[i];
    expected[plain.channel(i)] += x[i];
  }
  for (const int chunks : {1, 3, 16}) {  // of columns 16 leaves some chunks empty
    std::vector<Sums> parts(plain.channels * chunks);
    do_alone(plain.channels * chunks,
             PlaneSums<Value<float>>{{x.data()}, plain, chunks, parts.data()});
    do_alone(plain.channels, TotalSums{parts.data(), chunks, of_planes.data()});
    const ColumnSums<Value<float>> columns{
        {moved.data()}, last.batch * last.space(), last.channels, chunks, parts.data()};
    for (int item = 0; item < last.channels * chunks; ++item) columns(item);
    do_alone(plain.channels, TotalSums{parts.data(), chunks, of_columns.data()});
    expect_near(of_planes, expected);
    expect_near(of_columns, expected);
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
