#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/core/scenario/files.h"

namespace tandem {
namespace {

Scenario with_faults(const std::string& faults) {
  return load_text(kShort + "faults: " + faults + "\n").points.at(0);
}

std::string mistake(const std::string& faults) {
  return error_of(kShort + "faults: " + faults + "\n");
}

TEST(Faults, AreNoneByDefault) {
  const Scenario scenario = load_text(kShort).points.at(0);
  EXPECT_TRUE(scenario.faults.empty());
  EXPECT_FALSE(to_json(scenario).contains("faults"));
  EXPECT_TRUE(with_faults("{}").faults.empty());
}

TEST(Faults, CountTimesOrIterations) {
  const FaultsSpec faults =
      with_faults(
          "{slow: [{rank: 1, factor: 2, from: 3, until: 7}, {host: a, factor: 3, from: 20 ms}]}")
          .faults;
  EXPECT_TRUE(faults.slow[0].window.in_iterations);
  EXPECT_EQ(faults.slow[0].window.until, 7);
  EXPECT_FALSE(faults.slow[1].window.in_iterations);
  EXPECT_EQ(faults.slow[1].window.from, 0.02);
  EXPECT_EQ(faults.slow[1].window.until, kForever);
}

TEST(Faults, ReadBackFromTheirCanonicalForm) {
  const Scenario scenario = with_faults(
      "{repeats: 4, slow: [{rank: 1, factor: 2.5, from: 3}, {host: a, factor: 3, until: 20 ms}], "
      "compute: {distribution: weibull, shape: 3, each: kernel}, "
      "links: [{link: l, bandwidth_factor: 0.1, latency_factor: 3, from: 1 s, until: 2 s}], "
      "traffic: [{source: a, destination: b, rate: 1 Gbit/s}, {source: a, destination: b, flows: "
      "2, from: 1 s}, {source: a, destination: b, bytes: 1 MB, every: 3 ms, arrivals: poisson}], "
      "fail: [{rank: 0, at: 1.5 s}, {host: b, at: 2 s, back: 3 s}], recovery: {checkpoint_every: "
      "5, write: 1 s, detection: 2 s, restart: 3 s, read: 4 s, min_workers: 2}}");
  const nlohmann::json json = to_json(scenario);
  const Scenario back = load_text(json.dump()).points.at(0);
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.faults.repeats, 4);
  EXPECT_EQ(back.faults.traffic.size(), 3U);
  EXPECT_EQ(*back.faults.traffic[0].rate, 125e6);
  EXPECT_EQ(*back.faults.fail[1].back, 3);
  EXPECT_EQ(back.faults.recovery.read, 4);
}

TEST(Faults, AreSwept) {
  const ScenarioFile file =
      load_text(kShort +
                "faults: {compute: {distribution: lognormal, sigma: 0.1}}\nsweep: "
                "{faults.compute.sigma: [0.1, 0.4]}\n");
  EXPECT_EQ(file.points[1].faults.compute->sigma, 0.4);
  EXPECT_EQ(file.points[1].variant, "sigma=0.4");
}

TEST(Faults, MistakesAreOneLineThatSaysWhere) {
  EXPECT_EQ(mistake("{slow: [{factor: 2}]}"),
            "FILE:4:17: give faults.slow.host or faults.slow.rank, one of the two");
  EXPECT_EQ(mistake("{slow: {rank: 1}}"),
            "FILE:4:16: faults.slow is a map, but has to be a list of maps");
  EXPECT_EQ(mistake("{compute: {distribution: lognormal, shape: 2}}"),
            "FILE:4:52: faults.compute.shape is no parameter of lognormal; leave it out");
  EXPECT_EQ(mistake("{links: [{link: l, bandwidth_factor: 2, from: 3}]}"),
            "FILE:4:55: faults.links.from is '3', but has to be a time of at least 0 with its "
            "unit, such as 5 s");
  EXPECT_EQ(mistake("{links: [{link: l, bandwidth_factor: 2, from: inf}]}"),
            "FILE:4:55: faults.links.from is 'inf', but has to be 1e+30 s at most");
  EXPECT_EQ(mistake("{traffic: [{source: a, destination: b, flows: 2, every: 1 s}]}"),
            "FILE:4:65: faults.traffic.every belongs to bytes; leave it out");
  EXPECT_EQ(mistake("{fail: [{rank: 0, at: 2 s, back: 1 s}]}"),
            "FILE:4:42: faults.fail.back is '1 s', but has to be after faults.fail.at");
  EXPECT_EQ(mistake("{recovery: {write: 1 s}}"),
            "FILE:4:28: faults.recovery.write is the cost of a checkpoint, and none is written; "
            "give checkpoint_every too");
  EXPECT_EQ(mistake("{slow: [{rank: 0, factor: 1e308}]}"),
            "FILE:4:35: faults.slow.factor is '1e308', but has to be a number from 1e-06 to "
            "1000000");
  EXPECT_EQ(mistake("{links: [{link: l, bandwidth_factor: 1e-320}]}"),
            "FILE:4:46: faults.links.bandwidth_factor is '1e-320', but has to be a number from "
            "1e-06 to 1000000");
  EXPECT_EQ(mistake("{links: [{link: l, latency_factor: 0}]}"),
            "FILE:4:44: faults.links.latency_factor is '0', but has to be a number from 1e-06 to "
            "1000000");
  EXPECT_EQ(mistake("{compute: {distribution: lognormal, sigma: 3}}"),
            "FILE:4:52: faults.compute.sigma is '3', but has to be a number from 1e-06 to 2");
  EXPECT_EQ(mistake("{traffic: [{source: a, destination: b, flows: 2000}]}"),
            "FILE:4:55: faults.traffic.flows is 2000, but at most 1000 are possible; give fewer");
  EXPECT_EQ(mistake("{traffic: [{source: a, destination: b, bytes: inf, every: 1 s}]}"),
            "FILE:4:55: faults.traffic.bytes is 'inf', but at most 1000 TB are possible");
  EXPECT_EQ(mistake("{traffic: [{source: a, destination: b, bytes: 1 MB, every: inf}]}"),
            "FILE:4:68: faults.traffic.every is 'inf', but has to have an end; give flows or a "
            "later from");
  EXPECT_EQ(mistake("{repeats: 2000}"),
            "FILE:4:19: faults.repeats is 2000, but at most 1000 are possible; give fewer");
}

}  // namespace
}  // namespace tandem
