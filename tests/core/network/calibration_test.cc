// What messages cost: the lines through samples, and the file that keeps them.

#include "core/network/calibration.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tandem {
namespace {

/// Of sizes 1, 2, 4, ... up to 16 MiB.
std::vector<MessageSample> samples_of(const std::function<Seconds(double bytes)>& time) {
  std::vector<MessageSample> samples;
  for (std::size_t bytes = 1; bytes <= 1U << 24U; bytes *= 2) {
    const Seconds seconds = time(static_cast<double>(bytes));
    samples.push_back({bytes, seconds, 0.99 * seconds, 1.01 * seconds});
  }
  return samples;
}

TEST(MessageCosts, OneLineIsFoundToBeOne) {
  const MessageCosts costs =
      fit_message_costs(samples_of([](double bytes) { return 20e-6 + bytes / 1.2e9; }));
  ASSERT_EQ(costs.segments().size(), 1U);
  EXPECT_NEAR(costs.latency(5), 20e-6, 1e-10);
  EXPECT_NEAR(1 / costs.seconds_per_byte(1 << 20), 1.2e9, 1e4);
  EXPECT_NEAR(costs.segments()[0].residual, 0, 1e-6);
}

TEST(MessageCosts, AKneeBetweenProtocolsIsFound) {
  const MessageCosts costs = fit_message_costs(samples_of(
      [](double bytes) { return bytes <= 65536 ? 20e-6 + bytes / 2e9 : 90e-6 + bytes / 1e9; }));
  ASSERT_EQ(costs.segments().size(), 2U);
  EXPECT_EQ(costs.segments()[0].bytes, 65536U);
  EXPECT_NEAR(costs.time(1000), 20e-6 + 1000 / 2e9, 1e-9);
  EXPECT_NEAR(costs.time(1 << 20), 90e-6 + (1 << 20) / 1e9, 1e-7);
  EXPECT_NEAR(costs.time(1 << 30), 90e-6 + (1 << 30) / 1e9, 1e-4);  // beyond all samples
}

TEST(MessageCosts, OneOddSampleAmongLargeMessagesDoesNotSpoilTheLatency) {
  auto samples = samples_of([](double bytes) { return 20e-6 + bytes / 1.2e9; });
  samples.back().seconds *= 1.3;
  const MessageCosts costs = fit_message_costs(samples);
  EXPECT_NEAR(costs.latency(1), 20e-6, 2e-6);
  EXPECT_GT(costs.segments().back().residual, 0.01);
}

TEST(MessageCosts, NoisySmallMessagesDoNotTakeTheLineOfLargeOnes) {
  auto samples =
      samples_of([](double bytes) { return bytes <= 4096 ? 30e-6 : bytes / 1e9 - 3e-6; });
  for (std::size_t i = 0; i < 13; ++i) {
    samples[i].seconds *= i % 2 == 0 ? 1.4 : 0.6;
    samples[i].low = 15e-6;
    samples[i].high = 45e-6;
  }
  const MessageCosts costs = fit_message_costs(samples);
  EXPECT_NEAR(costs.time(1 << 24), (1 << 24) / 1e9, 1e-3 * (1 << 24) / 1e9);
  EXPECT_NEAR(costs.latency(1 << 14), -3e-6, 1e-6);
}

TEST(MessageCosts, NoMessageTakesLessThanNothing) {
  const MessageCosts costs = fit_message_costs(
      {{1000, 1e-6, 1e-6, 1e-6}, {10'000, 20e-6, 20e-6, 20e-6}, {100'000, 400e-6, 4e-4, 4e-4}});
  EXPECT_EQ(costs.latency(1000), 0);
  // t = b x with weights 1 / t^2: b = sum(x / t) / sum(x^2 / t^2), x / t = 1e9, 5e8 and 2.5e8.
  EXPECT_NEAR(1 / costs.seconds_per_byte(1000), (1e18 + 25e16 + 6.25e16) / (1e9 + 5e8 + 2.5e8), 1);
}

// The line of the two largest, which are precise, is at -92 us where the scattered one is.
TEST(MessageCosts, NoLargerMessageTakesLessThanNothing) {
  const auto precise = [](std::size_t bytes, Seconds seconds) {
    return MessageSample{bytes, seconds, seconds, seconds};
  };
  const MessageCosts costs = fit_message_costs({precise(1, 30e-6),
                                                precise(1024, 30e-6),
                                                precise(4096, 30e-6),
                                                {8192, 8e-6, 2e-6, 5e-4},
                                                precise(1 << 20, (1 << 20) / 1e9 - 100e-6),
                                                precise(1 << 21, (1 << 21) / 1e9 - 100e-6)});
  ASSERT_EQ(costs.segments().size(), 2U);
  EXPECT_NEAR(costs.time(8192), 2e-6, 1e-12);
  EXPECT_NEAR(costs.time(1 << 21), 2e-3, 0.06e-3);
}

// What passes at once is more than 4096 B, and less than the 16384 B that were measured next.
TEST(MessageCosts, BetweenTwoLinesNoMessageTakesLessThanASmallerOne) {
  std::vector<MessageSample> samples;
  for (const std::size_t bytes : {1, 64, 4096}) samples.push_back({bytes, 30e-6, 29e-6, 31e-6});
  for (const std::size_t bytes : {1 << 14, 1 << 16, 1 << 18, 1 << 20}) {
    const Seconds seconds = 30e-6 + (static_cast<double>(bytes) - 12e3) / 1e8;
    samples.push_back({bytes, seconds, 0.999 * seconds, 1.001 * seconds});
  }
  const MessageCosts costs = fit_message_costs(samples);
  ASSERT_EQ(costs.segments().size(), 2U);
  EXPECT_NEAR(costs.segments()[0].bytes, 11'900, 20);
  for (std::size_t bytes = 1; bytes < 1 << 14; bytes += 100)
    EXPECT_GE(costs.time(bytes), 28.9e-6) << bytes;
}

// As where a connection slept while others had the processors.
TEST(MessageCosts, OfSamplesOfABusyMachineNoneIsBelowTheQuickest) {
  std::vector<MessageSample> samples = {
      {1, 21e-6, 20e-6, 21e-3},   {2, 9e-3, 21e-6, 22e-3},    {4, 30e-6, 20e-6, 12e-3},
      {8, 21e-3, 8e-3, 25e-3},    {16, 22e-6, 21e-6, 23e-6},  {32, 4e-3, 1e-3, 9e-3},
      {64, 90e-6, 40e-6, 21e-3},  {128, 23e-6, 22e-6, 24e-6}, {256, 15e-3, 25e-6, 2e-2},
      {512, 20e-3, 19e-3, 21e-3}, {1024, 30e-6, 29e-6, 8e-3}, {2048, 40e-6, 39e-6, 41e-6}};
  const MessageCosts costs = fit_message_costs(samples);
  for (const MessageCosts::Segment& segment : costs.segments())
    EXPECT_GE(segment.seconds_per_byte, 0);
  for (std::size_t bytes = 1; bytes <= 4096; ++bytes)
    EXPECT_GE(costs.time(bytes), bytes > costs.segments()[0].bytes ? 19.9e-6 : 0) << bytes;
}

TEST(MessageCosts, BeyondALinkNoByteIsFasterThanIt) {
  const MessageCosts costs({{1000, 60e-6, 1e-9, 0}, {1'000'000, 40e-6, 12e-9, 0}});
  const MessageCosts left = costs.beyond({.latency = 50e-6, .bandwidth = 1e8});
  EXPECT_NEAR(left.latency(1000), 10e-6, 1e-12);
  EXPECT_EQ(left.seconds_per_byte(1000), 0);
  EXPECT_NEAR(left.latency(1001), -10e-6, 1e-12);
  EXPECT_NEAR(left.seconds_per_byte(1001), 2e-9, 1e-15);
  EXPECT_EQ(MessageCosts().time(1000), 0);
}

// The line of larger messages, as steep as the link, says nothing of those that pass at once.
TEST(MessageCosts, BeyondABurstsSizeASteepLineIsNotThatOfSmallMessages) {
  const MessageCosts costs({{16'384, 60e-6, 0, 0}, {16'777'216, -200e-6, 10e-9, 0}});
  const MessageCosts left = costs.beyond({.latency = 50e-6, .bandwidth = 1e8, .burst = 26'000});
  EXPECT_NEAR(left.time(20'000), 10e-6, 1e-12);
  EXPECT_NEAR(left.time(26'001), 10e-6, 1e-12);
}

// 20,000 B pass at once, and were measured so: these take what was measured, and what comes after
// them what is left of it when the link has taken its time for the rest.
TEST(MessageCosts, BeyondALinkWithABurstAreTwoLines) {
  const MessageCosts costs({{100'000, 60e-6, 1e-9, 0}, {1'000'000, -140e-6, 10e-9, 0}});
  const MessageCosts left = costs.beyond({.latency = 50e-6, .bandwidth = 1e8, .burst = 20'000});
  ASSERT_EQ(left.segments().size(), 3U);
  EXPECT_NEAR(left.time(20'000), 10e-6, 1e-12);
  EXPECT_NEAR(left.least_seconds_per_byte(20'000), 1e-9, 1e-15);
  EXPECT_NEAR(left.time(100'000), 10e-6 + 200e-6, 1e-12);
  EXPECT_NEAR(left.least_seconds_per_byte(1'000'000), 1e-9, 1e-15);
  EXPECT_NEAR(left.time(1'000'000), 10e-6, 1e-12);
}

// 12 ns a byte between 20,000 and 100,000 B, and 10 of larger ones, which is what the link takes.
TEST(MessageCosts, BeyondABurstNoSizeIsSlowerByTheByteThanTheLargest) {
  const MessageCosts costs(
      {{20'000, 60e-6, 0, 0}, {100'000, -200e-6, 12e-9, 0}, {1'000'000, -140e-6, 10e-9, 0}});
  const MessageCosts left = costs.beyond({.latency = 50e-6, .bandwidth = 1e8, .burst = 20'000});
  EXPECT_NEAR(left.seconds_per_byte(90'000), 0, 1e-15);
  EXPECT_NEAR(left.time(60'000), -200e-6 + 60'000 * 12e-9 - 60'000 * 10e-9 + 200e-6 - 50e-6, 1e-12);
}

TEST(MessageCosts, OfSeveralJobsTheMediansCount) {
  const auto job = [](Seconds small, Seconds large) {
    return std::vector<MessageSample>{
        {.bytes = 1, .seconds = small, .low = small / 2, .high = 2 * small},
        {.bytes = 1000, .seconds = large, .low = large, .high = large}};
  };
  const std::vector<MessageSample> medians = medians_of({job(3, 10), job(1, 30), job(2, 20)});
  ASSERT_EQ(medians.size(), 2);
  EXPECT_EQ(medians[0].bytes, 1);
  EXPECT_EQ(medians[0].seconds, 2);
  EXPECT_EQ(medians[0].low, 1);
  EXPECT_EQ(medians[0].high, 4);
  EXPECT_EQ(medians[1].bytes, 1000);
  EXPECT_EQ(medians[1].seconds, 20);
}

TEST(Calibration, TellsWhichFitsArePoor) {
  Calibration calibration;
  calibration.messages = MessageCosts({{.bytes = 512, .latency = 1e-5, .residual = 0.62},
                                       {.bytes = 32768, .latency = 1e-5, .residual = 0.1},
                                       {.bytes = 1 << 20, .latency = 1e-5, .residual = 0.999}});
  EXPECT_EQ(calibration.doubts(),
            (std::vector<std::string>{
                "the fit of messages of up to 512 bytes is 62 % off what was measured, in the root "
                "mean square",
                "the fit of messages of more than 32768 bytes is 100 % off what was measured, in "
                "the root mean square"}));
  calibration.messages = MessageCosts({{.bytes = 512, .latency = 1e-5, .residual = 0.2}});
  EXPECT_TRUE(calibration.doubts().empty());
  calibration.in_memory = MessageCosts({{.bytes = 512, .latency = 1e-5, .residual = 0.6}});
  EXPECT_EQ(calibration.doubts(),
            std::vector<std::string>{"the fit of all-reduces in a host's memory is 60 % off what "
                                     "was measured, in the root mean square"});
}

// The file has two digits, and who reads it has to doubt what who wrote it did.
TEST(Calibration, DoubtsAFitByTheResidualThatItsFileHas) {
  Calibration calibration;
  calibration.messages = MessageCosts({{.bytes = 512, .latency = 1e-5, .residual = 0.5003}});
  EXPECT_TRUE(calibration.doubts().empty());
  calibration.messages = MessageCosts({{.bytes = 512, .latency = 1e-5, .residual = 0.506}});
  EXPECT_EQ(calibration.doubts().size(), 1U);
}

TEST(Calibration, TellsWhereSamplesAreFarApart) {
  Calibration calibration{.source = "x",
                          .messages = {},
                          .in_memory = {},
                          .one_way = {},
                          .exchange = {},
                          .all_reduce = {}};
  calibration.exchange = {{1, 1e-4, 5e-5, 4e-4}, {2, 1e-4, 2.1e-5, 2.1e-2}, {4, 1e-4, 1e-5, 2e-4}};
  calibration.all_reduce = {{256, 2e-3, 2e-3, 2e-3}, {512, 1e-4, 1e-4, 1e-4}};
  EXPECT_EQ(calibration.doubts(),
            (std::vector<std::string>{
                "the quartiles of 2 of 3 sizes of messages are more than 10 times apart, at the "
                "most those of 2 bytes, 2.1e-05 s and 0.021 s",
                "all-reduces in a host's memory of 256 bytes took 0.002 s, but those of 512 bytes "
                "0.0001 s"}));
  EXPECT_THAT(calibration.text(),
              testing::HasSubstr("\n# Doubtful: the quartiles of 2 of 3 sizes"));
  calibration.exchange = {{1, 1e-4, 5e-5, 4e-4}};
  calibration.all_reduce.clear();
  EXPECT_TRUE(calibration.doubts().empty());
  EXPECT_THAT(calibration.text(), testing::Not(testing::HasSubstr("Doubtful")));
}

TEST(Calibration, MessagesDifferByTheirQuartiles) {
  Calibration calibration;
  EXPECT_TRUE(calibration.spread_up_to(100).empty());
  for (const auto& [bytes, high] : {std::pair{1, 2e-5}, {10, 8e-5}, {100, 4e-5}, {1000, 1.0}})
    calibration.exchange.push_back(
        {.bytes = static_cast<std::size_t>(bytes), .seconds = 1.5e-5, .low = 1e-5, .high = high});
  RandomStream drawn(1), expected(1);
  EXPECT_EQ(calibration.spread_up_to(100).draw(drawn),
            Spread::log_normal_of_quartiles(4).draw(expected));
  for (MessageSample& sample : calibration.exchange) sample.high = sample.low;
  EXPECT_TRUE(calibration.spread_up_to(100).empty());
}

// 4 us and 0.5 ns a byte of 12 us and 1.5 ns.
TEST(Calibration, WhatTheSenderIsNotBusyWithOfOneWayTheReceiverIs) {
  Calibration calibration;
  calibration.messages = MessageCosts({{.bytes = 1000, .latency = 2e-5, .seconds_per_byte = 4e-9},
                                       {.bytes = 9000, .latency = 1e-3}});
  BusyEnds busy = calibration.busy_up_to(1000);
  EXPECT_DOUBLE_EQ(busy.sender, 1e-5);
  EXPECT_DOUBLE_EQ(busy.receiver, 1e-5);
  EXPECT_DOUBLE_EQ(busy.sender_per_byte, 2e-9);
  EXPECT_DOUBLE_EQ(busy.receiver_per_byte, 2e-9);
  for (const std::size_t bytes : {0, 1000, 9000}) {
    const double all = bytes < 9000 ? static_cast<double>(bytes) : 1e9;
    const Seconds sent = 4e-6 + all * 0.5e-9, arrived = 12e-6 + all * 1.5e-9;
    calibration.sending.push_back({.bytes = bytes, .seconds = sent, .low = sent, .high = sent});
    calibration.one_way.push_back(
        {.bytes = bytes, .seconds = arrived, .low = arrived, .high = arrived});
  }
  // What takes longer one way than was measured of sending says nothing of both.
  calibration.one_way[2].bytes = 4000;
  busy = calibration.busy_up_to(5000);
  EXPECT_NEAR(busy.sender, 4e-6, 1e-12);
  EXPECT_NEAR(busy.receiver, 8e-6, 1e-12);
  EXPECT_NEAR(busy.sender_per_byte, 0.5e-9, 1e-15);
  EXPECT_NEAR(busy.receiver_per_byte, 1e-9, 1e-15);
}

std::vector<MessageSample> on_line(const std::vector<std::size_t>& sizes, Seconds latency,
                                   double seconds_per_byte) {
  std::vector<MessageSample> samples;
  for (const std::size_t bytes : sizes) {
    const Seconds time = latency + static_cast<double>(bytes) * seconds_per_byte;
    samples.push_back({.bytes = bytes, .seconds = time, .low = time, .high = time});
  }
  return samples;
}

TEST(Calibration, FitsWhatIsSentUnaskedToOneWayAndLargerMessagesToBothWays) {
  Calibration calibration;
  calibration.one_way = on_line({1, 1000, 2000, 4000}, 1, 0);
  calibration.exchange = on_line({1, 1000, 2000, 4000, 8000}, 2, 0);
  calibration.eager_bytes = 2000;
  std::vector<Seconds> fitted;
  for (const MessageSample& sample : calibration.samples_to_fit()) fitted.push_back(sample.seconds);
  EXPECT_THAT(fitted, testing::ElementsAre(1, 1, 1, 2, 2));
  calibration.eager_bytes = 1'000'000;
  EXPECT_EQ(calibration.samples_to_fit().size(), 5);
  calibration.eager_bytes = 0;
  EXPECT_EQ(calibration.samples_to_fit().front().seconds, 2);
}

TEST(Calibration, DoubtsWhatScattersOfAnyKind) {
  for (std::vector<MessageSample> Calibration::*kind :
       {&Calibration::exchange, &Calibration::one_way, &Calibration::sending,
        &Calibration::one_way_sharing, &Calibration::one_way_asleep, &Calibration::pairs,
        &Calibration::all_reduce}) {
    Calibration calibration;
    (calibration.*kind).push_back({.bytes = 1, .seconds = 2e-5, .low = 1e-5, .high = 9e-5});
    EXPECT_TRUE(calibration.doubts().empty());
    (calibration.*kind).front().high = 11e-5;
    EXPECT_EQ(calibration.doubts().size(), 1);
  }
}

// 6.4 us of 64 B are the median of what three sizes take longer; the fourth is none of small ones.
TEST(Calibration, SmallMessagesTakeLongerOnOneProcessorAndToASleeper) {
  const std::vector<std::size_t> sizes{1, 64, 512, 65'536};
  Calibration calibration;
  EXPECT_EQ(calibration.polling_slice(), 0);
  EXPECT_EQ(calibration.waking(), 0);
  calibration.one_way = on_line(sizes, 1e-5, 0);
  calibration.one_way_sharing = on_line(sizes, 1e-5, 1e-7);
  EXPECT_NEAR(calibration.polling_slice(), 6.4e-6, 1e-12);
  EXPECT_EQ(calibration.waking(), 0);
  std::swap(calibration.one_way_sharing, calibration.one_way_asleep);
  EXPECT_EQ(calibration.polling_slice(), 0);
  EXPECT_NEAR(calibration.waking(), 6.4e-6, 1e-12);
  std::swap(calibration.one_way, calibration.one_way_asleep);
  EXPECT_EQ(calibration.waking(), 0);
}

// Of two messages of 8 KiB the second misses 6384 of the 10,000 bytes' worth of tokens, for 638.4
// us; of larger ones none passes at once, and of smaller ones both do.
TEST(Calibration, ShapersAreAsLateAsTheSecondOfAPairIsBeyondItsTokens) {
  const NominalLink link{.bandwidth = 1e7, .burst = 10'000};
  Calibration calibration;
  calibration.messages = MessageCosts({{16'384, 1, 1, 0}});  // samples alone count
  calibration.one_way = on_line({1, 4096, 8192, 16'384}, 2e-5, 1e-9);
  EXPECT_EQ(calibration.shaper_lateness(link), 0);
  const Seconds beside = 2e-5 + 8192e-9 + 2e-5 + 1e-9;
  calibration.pairs = {{4096, 9, 9, 9}, {8192, beside + 638.4e-6 + 30e-6, 1, 1}, {16'384, 9, 9, 9}};
  EXPECT_NEAR(calibration.shaper_lateness(link), 30e-6, 1e-12);
  EXPECT_EQ(calibration.shaper_lateness({.bandwidth = 1e7, .burst = 0}), 0);
  const std::vector<MessageSample> one_way =
      std::exchange(calibration.one_way, on_line({1, 4096}, 2e-5, 1e-9));
  EXPECT_EQ(calibration.shaper_lateness(link), 0);
  calibration.one_way = one_way;
  calibration.pairs[1].seconds -= 50e-6;
  EXPECT_EQ(calibration.shaper_lateness(link), 0);
  calibration.pairs = {{4096, 9, 9, 9}};
  EXPECT_EQ(calibration.shaper_lateness(link), 0);
}

TEST(Calibration, OnOneProcessorBothEndsTakeTheirTimeForEachByte) {
  const std::vector<std::size_t> sizes{0, 1000, 2000};
  Calibration calibration;
  calibration.sending = on_line(sizes, 1e-5, 1e-9);
  calibration.one_way = on_line(sizes, 1e-5, 3e-9);
  EXPECT_NEAR(calibration.busy_up_to(5000).sharing_receiver_per_byte, 2e-9, 1e-15);
  calibration.one_way_sharing = on_line(sizes, 1e-5, 4e-9);
  EXPECT_NEAR(calibration.busy_up_to(5000).sharing_receiver_per_byte, 3e-9, 1e-15);
  EXPECT_NEAR(calibration.busy_up_to(5000).receiver_per_byte, 2e-9, 1e-15);
  calibration.one_way_sharing = on_line(sizes, 1e-5, 2e-9);
  EXPECT_NEAR(calibration.busy_up_to(5000).sharing_receiver_per_byte, 2e-9, 1e-15);
}

// What larger ones take apart, 9 ns for each byte more, is no reason to take less of it together.
TEST(Calibration, WhatSharingAddsIsToWhatMessagesOfTheSameSizesTakeApart) {
  Calibration calibration;
  calibration.sending = on_line({0, 1000, 2000}, 1e-5, 1e-9);
  calibration.one_way = {{0, 10e-6, 1, 1}, {1000, 13e-6, 1, 1}, {2000, 22e-6, 1, 1}};
  calibration.one_way_sharing = on_line({0, 1000}, 1e-5, 4e-9);
  const BusyEnds busy = calibration.busy_up_to(5000);
  EXPECT_NEAR(busy.sharing_receiver_per_byte - busy.receiver_per_byte, 1e-9, 1e-15);
}

// A line that meets the axis right of 0, as where a burst passes, has no latency below nothing.
TEST(Calibration, WritesBytesThatPassAtOnceInPlaceOfANegativeLatency) {
  const auto file = std::filesystem::path(testing::TempDir()) /
                    fmt::format("calibration_at_once_{}.yaml", getpid());
  Calibration made{.source = "x",
                   .messages = {},
                   .in_memory = {},
                   .one_way = {},
                   .exchange = {},
                   .all_reduce = {}};
  made.messages = MessageCosts({{100'000, 6e-5, 1e-9, 0.02}, {1'000'000, -9.6e-4, 1e-8, 0.01}});
  EXPECT_THAT(made.text(), testing::HasSubstr("{bytes: 1000000, latency_s: 0.00000e+00, "
                                              "seconds_per_byte: 1.00000e-08, at_once_bytes: "
                                              "96000, residual_percent: 1}"));
  write_file_atomically(file, made.text());
  EXPECT_NEAR(Calibration::load(file).messages.time(200'000), 1.04e-3, 1e-9);
  std::filesystem::remove(file);
}

TEST(Calibration, IsReadAsItWasWritten) {
  const auto file = std::filesystem::path(testing::TempDir()) / "calibration_read.yaml";
  Calibration made;
  made.source = "Measured here.";
  made.messages = MessageCosts({{100, 1e-5, 1e-9, 0.02}, {1000, 3e-5, 2e-9, 0.01}});
  made.adding_bandwidth = 5e9;
  made.eager_bytes = 65'536;
  made.train_bytes = 14'480;
  made.window_bytes = 58'000;
  made.exchange = {{1, 1.1e-5, 1e-5, 1.3e-5}};
  made.sending = {{1, 5e-6, 4e-6, 6e-6}};
  made.one_way_sharing = {{1, 1.6e-5, 1.5e-5, 1.7e-5}};
  made.one_way_asleep = {{1, 2e-5, 1.5e-5, 3e-5}};
  made.pairs = {{1, 3e-5, 2e-5, 4e-5}};
  made.in_memory = MessageCosts({{1000, 2e-6, 3e-11, 0.02}});
  made.compute_lost = 0.75;
  made.all_reduce = {{256, 2.1e-6, 2e-6, 2.3e-6}};
  write_file_atomically(file, made.text());
  const Calibration read = Calibration::load(file);
  EXPECT_EQ(read.source, made.source);
  EXPECT_EQ(read.adding_bandwidth, 5e9);
  EXPECT_EQ(read.eager_bytes, 65'536U);
  EXPECT_EQ(read.train_bytes, 14'480U);
  EXPECT_EQ(read.window_bytes, 58'000U);
  ASSERT_EQ(read.messages.segments().size(), 2U);
  EXPECT_EQ(read.messages.time(500), made.messages.time(500));
  EXPECT_EQ(read.exchange.size(), 1U);
  EXPECT_EQ(read.sending.size(), 1U);
  EXPECT_EQ(read.one_way_sharing.size(), 1U);
  EXPECT_EQ(read.one_way_asleep.size(), 1U);
  EXPECT_EQ(read.pairs.size(), 1U);
  EXPECT_EQ(read.in_memory.time(500), made.in_memory.time(500));
  EXPECT_EQ(read.compute_lost, 0.75);
  EXPECT_EQ(read.all_reduce.size(), 1U);
  EXPECT_EQ(read.text(), made.text());
}

TEST(Calibration, OfNothingButItsSourceIsReadAsItWasWritten) {
  const auto file = std::filesystem::path(testing::TempDir()) / "calibration_least.yaml";
  write_file_atomically(file, "source: x\n");
  const Calibration least = Calibration::load(file);
  write_file_atomically(file, least.text());
  EXPECT_EQ(Calibration::load(file).text(), least.text());
}

// As the line through noisy samples may have it.
TEST(Calibration, WhereALineIsBelowNothingItIsReadAsItWasWritten) {
  const auto file = std::filesystem::path(testing::TempDir()) /
                    fmt::format("calibration_below_{}.yaml", getpid());
  write_file_atomically(
      file,
      "source: x\nmessages:\n  - {bytes: 99, latency_s: -6, seconds_per_byte: 1}\n"
      "exchange:\n  - {bytes: 2, seconds: 1, low: 1, high: 1, fitted: 0}\n");
  const Calibration read = Calibration::load(file);
  ASSERT_LT(read.messages.time(2), 0);
  write_file_atomically(file, read.text());
  EXPECT_EQ(Calibration::load(file).text(), read.text());
  std::filesystem::remove(file);
}

TEST(Calibration, AMistakeIsNamedWithItsPlace) {
  const auto file = std::filesystem::path(testing::TempDir()) / "calibration_bad.yaml";
  const auto error_of = [&](const std::string& text) -> std::string {
    write_file_atomically(file, text);
    try {
      Calibration::load(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of("source: a\nmessage: []\n"),
              testing::HasSubstr(":2:1: unknown key 'message'; did you mean 'messages'?"));
  EXPECT_THAT(error_of("source: a\nmessages:\n  - {bytes: 9, latency_s: 0, seconds_per_byte: 0}\n"
                       "  - {bytes: 8, latency_s: 0, seconds_per_byte: 0}\n"),
              testing::HasSubstr(":4:5: 'bytes' must grow"));
  EXPECT_THAT(error_of("source: a\nsending:\n  - {bytes: 9, seconds: 1, low: 1, high: 1}\n"
                       "  - {bytes: 9, seconds: 1, low: 1, high: 1}\n"),
              testing::HasSubstr(":4:5: 'bytes' must grow"));
  EXPECT_THAT(
      error_of("source: a\nmessages:\n  - {bytes: 9, latency_s: 0, seconds_per_byte: -1}\n"),
      testing::HasSubstr("'seconds_per_byte' is -1; it must not be negative"));
  EXPECT_THAT(
      error_of("source: a\nmessages:\n  - {bytes: 9, latency_s: -1, seconds_per_byte: 0.1}\n"),
      testing::HasSubstr(":3:5: messages of 9 bytes would take no time, or less"));
  EXPECT_THAT(error_of("source: a\npairs:\n  - {bytes: 9, seconds: 1, low: 2, high: 1}\n"),
              testing::HasSubstr(":3:5: the median is not between the quartiles"));
  EXPECT_THAT(error_of("source: a\ntrain_bytes: 1448\ntrain_bytes: 2896\n"),
              testing::HasSubstr(":3:1: 'train_bytes' is given twice; keep one"));
  EXPECT_THAT(error_of("source: a\ntrain_bytes:\nwindow_bytes: 1\n"),
              testing::HasSubstr(":2:1: 'train_bytes' has no value"));
  EXPECT_THAT(error_of("source: a\nwindow_bytes: 1\n"),
              testing::HasSubstr(":2:15: 'window_bytes' is a segment, 1448, at least, or 0"));
  EXPECT_THAT(error_of(""), testing::HasSubstr(":1:1: must be a map"));
  for (const char* key : {"eager_bytes", "train_bytes", "window_bytes"})
    EXPECT_THAT(error_of(std::string("source: a\n") + key + ": 1e30\n"),
                testing::HasSubstr(" is 1e+30; it must be a number of bytes from 0 to 1e+18"));
  EXPECT_THAT(
      error_of("source: a\nmessages:\n  - {bytes: 1e19, latency_s: 0, seconds_per_byte: 0}\n"),
      testing::HasSubstr("'bytes' is 1e+19; it must be a number of bytes from 1 to 1e+18"));
}

}  // namespace
}  // namespace tandem
