"""What people read for the programs' names, and that figures and pages have no others."""

import re
import unittest

import context
import names


class NamesTest(unittest.TestCase):
    def assert_read(self, read, **expected: str) -> None:
        self.assertEqual({name: read(name) for name in expected}, expected)

    def test_results_are_called_by_what_tells_them_apart(self):
        self.assertEqual(names.apart(["results/one", "results/two"]), ["one", "two"])
        self.assertEqual(names.apart(["a/measured", "b/measured", "b/predicted"]), ["a/measured", "b/measured", "b/predicted"])
        self.assertEqual(names.apart(["a", "a/"]), ["a", "a"])

    def test_algorithms(self):
        self.assert_read(names.algorithm, ring="ring all-reduce", none="single worker", zero_2="ZeRO-2", parameter_server="parameter server",
                         stale_ps="stale synchronous parameter server", halving_doubling="halving-doubling all-reduce",
                         recursive_doubling="recursive doubling all-reduce", linear="linear all-reduce", binomial_tree="binomial tree all-reduce",
                         local_sgd_8_outer="local SGD, 8 local steps, outer optimizer", pairwise_averaging_1="pairwise averaging, 1 pass",
                         pairwise_averaging_all="pairwise averaging, all passes", pipeline="pipeline", pipeline_4="pipeline, 4 stages")
        self.assertEqual(names.algorithm("parameter_server, servers=2"), "parameter server, 2 servers")

    def test_variants(self):
        self.assert_read(names.variant, ring="", zero_2="ZeRO-2", local_sgd_4="4 local steps", pairwise_averaging_1="1 pass",
                         local_sgd_8_outer="8 local steps, outer optimizer", elastic_averaging_2="2 local steps", pipeline_4="4 stages")

    def test_settings(self):
        for text, words in (("servers=2, staleness=3", "2 servers, staleness 3"), ("servers=1", "1 server"), ("", ""),
                            ("compression=top_k ratio=0.1, bucket=25 MB", "top-k compression, ratio 0.1, 25 MB buckets"),
                            ("overlap=false, early_pull=true", "no overlap, early pull"),
                            ("star bandwidth=10 Gbit/s latency=5 us hosts=12",
                             "star, bandwidth 10 Gbit/s, latency 5 \N{MICRO SIGN}s, 12 hosts")):
            self.assertEqual(names.settings(text), words)

    def test_operations(self):
        self.assert_read(names.operation, message="message", ring="ring all-reduce", ring_all_gather="ring all-gather",
                         ring_reduce_scatter="ring reduce-scatter", pairwise_all_to_all="pairwise all-to-all")

    def test_a_users_own_names_stay(self):
        self.assert_read(names.model, my_net_2="my_net_2")
        for column in ("platform", "device", "dataset", "scenario"):
            self.assertEqual(names.cell(column, "my_own x_1"), "my_own x_1")

    def test_devices_of_workers_that_differ(self):
        self.assertEqual(names.cell("device", "v100+k80 x2"), "V100 + K80 x2")

    def test_every_device_has_a_name(self):
        devices = [file.stem for file in (context.ANALYSIS.parent / "platforms" / "devices").glob("*.yaml")]
        self.assertGreater(len(devices), 5)
        self.assertEqual([device for device in devices if re.search("_|^[a-z]\\d", names.device(device)) and device != "n1_standard_32"], [])


if __name__ == "__main__":
    unittest.main()
