"""What the figures of bytes and packets show."""

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from context import HERE, SUMMARY, edited
from figure import draw, legend_texts, lines, panel, table_rows
from figures import KINDS
from results import ResultError


JOB = HERE / "reference" / "results" / "job"


class TrafficTest(unittest.TestCase):
    def test_rates_of_each_member_over_time(self):
        figure = draw("traffic", JOB)
        self.assertEqual([axes.get_title() for axes in figure.axes if axes.get_title()],
                         ["bytes sent", "bytes received", "packets sent", "packets received"])
        shown = lines(panel(figure, "bytes sent"))
        self.assertEqual(list(shown), ["workers 0 to 2 (alike)", "server 0"])
        self.assertEqual(len({line.get_color() for axes in figure.axes for line in axes.get_lines()}), 2)
        told = {row["series"]: row["to"] for row in table_rows(figure) if row["panel"] == "bytes sent"}
        self.assertEqual(list(told), ["worker 0", "worker 1", "worker 2", "server 0"])
        times, rates = shown["server 0"]
        self.assertEqual([round(time) for time in times[:3]], [0, 50, 100])
        self.assertEqual([round(rate) for rate in rates[:3]], [240, 480, 240])  # MB/s: 12 and 24 MB in 50 ms
        self.assertEqual(panel(figure, "packets received").get_ylabel(), "thousand packets/s")
        # What is sent and received has one scale.
        self.assertEqual(panel(figure, "bytes sent").get_ylim(), panel(figure, "bytes received").get_ylim())

    def without_last(self, columns: int):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(JOB / "run.json", folder)
            rows = (JOB / "traffic.csv").read_text(encoding="utf-8").splitlines()
            Path(folder, "traffic.csv").write_text("\n".join(
                [rows[0], *(",".join([*row.split(",")[:-columns], *[""] * columns]) for row in rows[1:])]))
            return draw("traffic", Path(folder))

    def test_curves_that_lie_on_each_other_are_one(self):
        def named(*sent: float, workers: int) -> list[str]:
            with tempfile.TemporaryDirectory() as folder:
                point = {"scenario": {"algorithm": {"name": "x"}, "workers": workers, "model": "x"}}
                Path(folder, "run.json").write_text(json.dumps({"points": [point]}))
                rows = [f"0,{rank},{i},1,{i},{i + 1},{1e6 if i else each},1e6,," for rank, each in enumerate(sent) for i in (0, 1)]
                header = "point,rank,iteration,iterations,begin_s,end_s,sent_bytes,received_bytes,sent_packets,received_packets"
                Path(folder, "traffic.csv").write_text("\n".join([header, *rows]))
                return legend_texts(draw("traffic", Path(folder)))

        self.assertEqual(named(1e6, 2e6, 1e6, workers=3), ["workers 0 and 2 (alike)", "worker 1"])
        self.assertEqual(named(1e6, 1.001e6, 2e6, 1e6, workers=4), ["workers 0, 1 and 3 (alike)", "worker 2"])
        self.assertEqual(named(1e6, 1.1e6, 1e6, 1e6, workers=2), ["worker 0", "worker 1", "servers 0 and 1 (alike)"])

    def of_stretches(self, *stretches: tuple[float, float]):
        """The curve of one member that sends 3 MB in each of these, in seconds and MB/s."""
        with tempfile.TemporaryDirectory() as folder:
            point = {"scenario": {"algorithm": {"name": "ring"}, "workers": 1, "model": "x"}}
            Path(folder, "run.json").write_text(json.dumps({"points": [point]}))
            rows = [f"0,0,{i},1,{begin},{end},3e6,3e6,," for i, (begin, end) in enumerate(stretches)]
            Path(folder, "traffic.csv").write_text("\n".join(["point,rank,iteration,iterations,begin_s,end_s,sent_bytes,received_bytes,"
                                                             "sent_packets,received_packets", *rows]))
            figure = draw("traffic", Path(folder))
            curve = lines(panel(figure, "bytes sent"))["worker 0"]
        table = [(float(row["x"]), float(row["to"])) for row in table_rows(figure) if row["panel"] == "bytes sent"]
        for told, drawn in zip(table, zip(*curve), strict=True):
            for one, other in zip(told, drawn):
                self.assertAlmostEqual(one, other, places=6)
        return table

    def test_between_a_stretch_and_the_next_nothing_is_sent(self):
        curve = self.of_stretches((1, 3), (4, 5), (5, 6.5))
        self.assertEqual(curve, [(0, 1.5), (2, 0), (3, 3), (4, 2), (5.5, 2)])

    def test_where_accuracy_is_tested_within_a_stretch_nothing_is_sent(self):
        # Of 8 iterations of a quarter of a second the first stretch has 6, with two tests of a second among them.
        with tempfile.TemporaryDirectory() as folder:
            point = {"scenario": {"algorithm": {"name": "ring"}, "workers": 1, "model": "x"}}
            Path(folder, "run.json").write_text(json.dumps({"points": [point, point]}))
            header = "point,rank,iteration,iterations,begin_s,end_s,sent_bytes,received_bytes,sent_packets,received_packets"
            Path(folder, "traffic.csv").write_text(f"{header}\n1,0,0,6,0,3.5,6e6,6e6,,\n1,0,6,2,4.5,5,2e6,2e6,,")
            times = [f"{point},{i},{seconds}" for point, seconds in ((0, 0.1), (1, 0.25)) for i in range(8)]
            tests = [f"{point},{i},0.5" for point, iterations in ((0, (1, 5)), (1, (2, 4, 6, 8))) for i in iterations]

            def curve() -> list[tuple]:
                x, y = lines(panel(draw("traffic", Path(folder)), "bytes sent"))["worker 0"]
                return [(round(time, 9), round(rate, 9)) for time, rate in zip(x, y)]

            unknown = [(0, 1.714285714), (3.5, 0), (4.5, 4), (5, 4)]
            self.assertEqual(curve(), unknown)
            Path(folder, "iterations.csv").write_text("\n".join(["point,iteration,iteration_s", *times]))
            self.assertEqual(curve(), unknown)
            Path(folder, "accuracy.csv").write_text("\n".join(["point,iteration,accuracy", *tests]))
            self.assertEqual(curve(), [(0, 4), (0.5, 0), (1.5, 4), (2, 0), (3, 4), (3.5, 0), (4.5, 4), (5, 4)])
            old = [time.split(",", 1)[1] for time in times]
            Path(folder, "iterations.csv").write_text("\n".join(["iteration,iteration_s", *old]))
            self.assertEqual(curve(), unknown)

    def test_the_area_under_a_curve_is_what_was_sent(self):
        for stretches in ([(0, 2), (3, 4), (9, 10)], [(0, 2), (2.001, 4), (4.002, 5)], [(0, 2), (1.5, 4), (4, 5)]):
            with self.subTest(stretches):
                curve = self.of_stretches(*stretches)
                self.assertAlmostEqual(sum((end - begin) * rate for (begin, rate), (end, _) in zip(curve, curve[1:])), 9, places=6)

    def test_where_nothing_was_counted_there_is_no_figure(self):
        with self.assertRaisesRegex(ResultError, "traffic.csv: says nothing of bytes or packets of point 1"):
            self.without_last(4)

    def test_a_measurement_knows_no_packets(self):
        figure = self.without_last(2)
        self.assertEqual([axes.get_title() for axes in figure.axes if axes.get_title()], ["bytes sent", "bytes received"])

    def test_what_is_sent_and_received_has_one_unit(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(JOB / "run.json", folder)
            rows = [row.split(",") for row in (JOB / "traffic.csv").read_text(encoding="utf-8").splitlines()]
            at = rows[0].index("received_bytes")
            for row in rows[1:]:
                row[at] = str(float(row[at]) / 1e3)
            Path(folder, "traffic.csv").write_text("\n".join(map(",".join, rows)))
            figure = draw("traffic", Path(folder))
        sent, received = panel(figure, "bytes sent"), panel(figure, "bytes received")
        self.assertEqual(sent.get_ylim(), received.get_ylim())
        self.assertAlmostEqual(lines(received)["server 0"][1][0], 0.48)  # of 480 MB/s
        self.assertTrue(sent.get_ylabel().startswith("MB"))

    def test_a_row_that_ends_before_it_begins_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(JOB / "run.json", folder)
            rows = [row.split(",") for row in (JOB / "traffic.csv").read_text(encoding="utf-8").splitlines()]
            begin, end = (rows[0].index(column) for column in ("begin_s", "end_s"))
            rows[1][begin], rows[1][end] = rows[1][end], rows[1][begin]
            Path(folder, "traffic.csv").write_text("\n".join(map(",".join, rows)))
            with self.assertRaisesRegex(ResultError, "traffic.csv:2: column 'end_s' is [0-9.]+, before its begin_s, "):
                draw("traffic", Path(folder))

    def test_a_row_without_its_time_is_refused(self):
        for column in ("rank", "begin_s"):
            with tempfile.TemporaryDirectory() as folder, self.subTest(column):
                shutil.copy(JOB / "run.json", folder)
                rows = [row.split(",") for row in (JOB / "traffic.csv").read_text(encoding="utf-8").splitlines()]
                rows[1][rows[0].index(column)] = ""
                Path(folder, "traffic.csv").write_text("\n".join(map(",".join, rows)))
                with self.assertRaisesRegex(ResultError, f"traffic.csv:2: column '{column}' is empty"):
                    draw("traffic", Path(folder))

    def test_a_point_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(JOB / "run.json", folder)
            file = edited(JOB / "traffic.csv", Path(folder) / "traffic.csv", ("\n0,", "\n7,"))
            with self.assertRaisesRegex(ResultError, f"{file}:2: column 'point' is 7, but run.json has 2 points, counted from 0"):
                draw("traffic", Path(folder))


class VolumeTest(unittest.TestCase):
    def test_workers_and_servers(self):
        axes = panel(draw("volume"), "VGG-16")
        shown = lines(axes)
        self.assertEqual(set(shown), {"ring all-reduce: a worker", "parameter server: a worker",
                                      "parameter server: all servers"})
        # The model, 553,430,176 bytes, goes to each of up to 6 workers.
        self.assertEqual(shown["parameter server: all servers"],
                         ([1, 2, 3, 4, 5, 6], [n * 0.553430176 for n in range(1, 7)]))
        self.assertEqual(shown["ring all-reduce: a worker"][1][:2], [0, 0.553430176])
        self.assertEqual(axes.get_ylabel(), "sent per iteration (GB)")

    def test_a_label_looks_the_same_in_all_panels(self):
        rows = [f"{model},ring,{n},1,1e6,{bucket}" for model, buckets in (("vgg16", ("bucket=1 MB", "bucket=25 MB")), ("alexnet", ("bucket=25 MB", "bucket=4 MB")))
                for bucket in buckets for n in (1, 2)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            file.write_text("\n".join(["model,algorithm,workers,iterations,sent_bytes_per_worker,variant", *rows]))
            figure = draw("volume", file)
        looks = [{line.get_label(): (line.get_color(), line.get_marker()) for line in panel(figure, model).get_lines()} for model in ("VGG-16", "AlexNet")]
        label = "ring all-reduce, 25 MB buckets: a worker"
        self.assertEqual(looks[0][label], looks[1][label])
        self.assertEqual(len(set(looks[0].values()) | set(looks[1].values())), 3)

    def test_a_result_without_a_server(self):
        with tempfile.TemporaryDirectory() as folder:
            file = edited(SUMMARY, Path(folder) / "summary.csv", ("server_sent_bytes", "other"))
            shown = lines(panel(draw("volume", file), "VGG-16"))
        self.assertEqual(set(shown), {"ring all-reduce: a worker", "parameter server: a worker"})

    def test_workers_that_grow_by_factors_have_logarithmic_axes(self):
        def drawn(server: bool):
            rows = [f"vgg16,parameter_server,{n},1,{int(n > 1) * 1e6},{n * 1e6 if server else ''}" for n in (1, 4, 16, 64)]
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "summary.csv"
                file.write_text("\n".join(["model,algorithm,workers,iterations,sent_bytes_per_worker,server_sent_bytes", *rows]))
                figure = draw("volume", file)
            return figure, panel(figure, "VGG-16")

        figure, axes = drawn(server=True)
        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "symlog"))
        self.assertEqual([row["to"] for row in table_rows(figure)], ["0", "1", "1", "1", "1", "4", "16", "64"])
        figure.draw_without_rendering()
        # What is 0 is at the bottom, with its name and as far from 1 as can be seen.
        self.assertEqual([tick.get_text() for tick in axes.get_yticklabels()], ["0", "10\u2070", "10\u00b9"])
        heights = [axes.transAxes.inverted().transform(axes.transData.transform((1, y)))[1] for y in (0, 1, 64)]
        self.assertAlmostEqual(heights[0], 0)
        self.assertGreater(heights[1], 0.1)
        self.assertLess(heights[2], 1)
        self.assertEqual([text.get_text() for text in figure.texts], ["Below its least power of ten an axis is linear."])
        # Where all send about the same, powers of ten would be too far apart.
        _, axes = drawn(server=False)
        self.assertEqual((axes.get_xscale(), axes.get_yscale(), axes.get_ylim()[0]), ("log", "linear", 0))


class AccuracyTest(unittest.TestCase):
    FILE = HERE / "reference" / "results" / "accuracy" / "accuracy.csv"

    def test_over_iterations_time_and_bytes(self):
        figure = draw("accuracy", self.FILE)
        panels = {axes.get_xlabel(): lines(axes) for axes in figure.axes if axes.get_title()}
        self.assertEqual(list(panels), ["iterations", "time (s)", "sent by all members (GB)"])
        for shown in panels.values():
            self.assertEqual(list(shown), ["ring all-reduce", "pairwise averaging, 1 pass"])
        self.assertEqual([shown["ring all-reduce"][0][-1] for shown in panels.values()], [1000, 20, 8])

    def test_two_results_of_one_algorithm_have_their_folders_names(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name / "accuracy.csv" for name in ("seed_1", "seed_2")]
            for file in files:
                file.parent.mkdir()
                shutil.copy(self.FILE, file)
            figure = KINDS["accuracy"].draw([str(file.parent) for file in files], "double")
        self.assertEqual(legend_texts(figure)[:2], ["ring all-reduce, seed_1", "pairwise averaging, 1 pass, seed_1"])

    def swept(self, header: str, rows: list[str], points: list[str]) -> dict:
        """The lines over iterations of a sweep."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "accuracy.csv").write_text("\n".join([header, *rows]))
            Path(folder, "summary.csv").write_text("\n".join(["world,platform,device,dataset,algorithm,model,batch_size,workers,variant", *points]))
            return lines(panel(draw("accuracy", Path(folder)), "MNIST CNN"))

    def test_points_that_only_the_summary_tells_apart_are_lines_each(self):
        header = "point,algorithm,model,batch_size,workers,variant,iteration,time_s,images,accuracy,sent_bytes"
        rows = [f"{point},ring,mnist_cnn,8,2,,{iteration},{iteration},64,{0.5 + 0.25 * point},1" for point in (0, 1) for iteration in (2, 4, 5)]
        for other, first, second in (("star,v100,mnist", "K80", "V100"), ("star,k80,fashion_mnist", "MNIST", "Fashion-MNIST"),
                                     ("racks,k80,mnist", "star", "racks")):
            points = [f"simulated,{traits},ring,mnist_cnn,8,2," for traits in ("star,k80,mnist", other)]
            self.assertEqual(self.swept(header, rows, points), {f"ring all-reduce, {first}": ([2, 4, 5], [50] * 3),
                                                                f"ring all-reduce, {second}": ([2, 4, 5], [75] * 3)})

    def test_points_of_an_older_table_that_nothing_tells_apart_are_refused(self):
        header = "algorithm,model,batch_size,workers,variant,iteration,time_s,images,accuracy,sent_bytes"
        rows = [f"ring,mnist_cnn,8,2,,{iteration},{iteration},64,0.5,1" for iteration in (2, 4, 2, 4)]
        points = [f"simulated,star,{device},mnist,ring,mnist_cnn,8,2," for device in ("k80", "v100")]
        with self.assertRaisesRegex(ResultError, "accuracy.csv:4: column 'iteration' repeats 2 of .*accuracy.csv:2, and nothing says"):
            self.swept(header, rows, points)

    def test_where_bytes_are_not_known_there_is_no_panel(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = [row.split(",") for row in self.FILE.read_text(encoding="utf-8").splitlines()]
            at = rows[0].index("sent_bytes")
            file = Path(folder) / "accuracy.csv"
            file.write_text("\n".join(",".join("" if n and i == at else cell for i, cell in enumerate(row)) for n, row in enumerate(rows)))
            figure = draw("accuracy", file)
        self.assertEqual([axes.get_xlabel() for axes in figure.axes if axes.get_title()], ["iterations", "time (s)"])


class AccuracyTrafficTest(unittest.TestCase):
    def drawn(self, *points: tuple[str, int, str, str]):
        """A figure of (algorithm, workers, bytes sent by a worker, accuracy)."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            rows = [f"mnist_cnn,{algorithm},{workers},{sent},,{accuracy}"
                    for algorithm, workers, sent, accuracy in points]
            file.write_text("\n".join(
                ["model,algorithm,workers,sent_bytes_per_worker,server_sent_bytes,accuracy", *rows]))
            return panel(draw("accuracy_traffic", file), "MNIST CNN")

    def test_a_line_a_number_of_workers_over_what_all_sent(self):
        axes = self.drawn(("pairwise_averaging_2", 2, "2e6", "0.75"), ("pairwise_averaging_1", 2, "1e6", "0.5"),
                          ("pairwise_averaging_all", 3, "2e6", "0.25"))
        self.assertEqual(lines(axes), {"pairwise averaging, 2 workers": ([2, 4], [50, 75]),
                                       "pairwise averaging, all passes, 3 workers": ([6], [25])})
        self.assertEqual([text.get_text() for text in axes.texts], ["1 pass", "2"])
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("sent by all members in timed iterations (MB)", "accuracy (%)"))

    def result(self, folder: str, tested: list[str]) -> str:
        """Of 10 timed iterations, and 5 before them; accuracy was tested of these algorithms, twice each."""
        algorithms = ["sgp", "ring", "local_sgd_2", "local_sgd_4", "ad_psgd"]
        rows = [f"mnist_cnn,{algorithm},2,8,1e7,,0.5" for algorithm in algorithms]
        header = "model,algorithm,workers,batch_size,sent_bytes_per_worker,server_sent_bytes,accuracy"
        Path(folder, "summary.csv").write_text("\n".join([header, *rows]))
        rows = [f"{point},{algorithm},mnist_cnn,8,2,,{iteration},1,8,0.5,{iteration * 2e6}"
                for point, algorithm in enumerate(algorithms) if algorithm in tested for iteration in (10, 15)]
        header = "point,algorithm,model,batch_size,workers,variant,iteration,time_s,images,accuracy,sent_bytes"
        Path(folder, "accuracy.csv").write_text("\n".join([header, *rows]))
        return folder

    def test_bytes_are_counted_as_in_the_figure_of_accuracy(self):
        for tested, sent, axis in ((["sgp", "ring", "local_sgd_2", "local_sgd_4", "ad_psgd"], 30, "sent by all members (MB)"),
                                   (["ring"], 20, "sent by all members in timed iterations (MB)")):
            with tempfile.TemporaryDirectory() as folder:
                axes = panel(draw("accuracy_traffic", Path(self.result(folder, tested))), "MNIST CNN")
            self.assertEqual(({x for xs, _ in lines(axes).values() for x in xs}, axes.get_xlabel()), ({sent}, axis))

    def test_bytes_of_another_scenario_are_nobodys(self):
        with tempfile.TemporaryDirectory() as folder:
            algorithms = ["sgp", "ring", "local_sgd_2", "local_sgd_4", "ad_psgd"]
            file = Path(self.result(folder, algorithms), "accuracy.csv")
            file.write_text(file.read_text().replace(",mnist_cnn,8,", ",mnist_cnn,16,"))
            axes = panel(draw("accuracy_traffic", Path(folder)), "MNIST CNN")
        self.assertEqual(axes.get_xlabel(), "sent by all members in timed iterations (MB)")

    def test_a_series_looks_as_in_the_figure_of_accuracy(self):
        for tested, both in ((["sgp", "ring", "local_sgd_2", "local_sgd_4", "ad_psgd"], {"SGP", "ring all-reduce", "AD-PSGD"}),
                             (["ad_psgd"], {"AD-PSGD"}), (["local_sgd_4", "ad_psgd", "sgp"], {"SGP", "AD-PSGD"})):
            with self.subTest(tested=tested), tempfile.TemporaryDirectory() as folder:
                result = Path(self.result(folder, tested))
                if "local_sgd_2" not in tested:
                    edited(result / "summary.csv", result / "summary.csv", ("local_sgd_2,2,8,1e7,,0.5", "local_sgd_2,2,8,1e7,,"))
                colours = [{line.get_label(): line.get_color() for axes in draw(kind, result).axes for line in axes.get_lines()}
                           for kind in ("accuracy", "accuracy_traffic")]
                self.assertLessEqual(both, colours[0].keys() & colours[1].keys())
                self.assertEqual({label: colours[0][label] for label in both}, {label: colours[1][label] for label in both})

    def test_of_more_series_than_there_are_looks_those_that_are_drawn_differ(self):
        # An algorithm with a look of its own leaves those of others free.
        for algorithms, drawn in (([f"other_{i}" for i in range(60)], (0, 49)), (["ring", *(f"other_{i}" for i in range(1, 48))], (0, 47))):
            with self.subTest(first=algorithms[0]), tempfile.TemporaryDirectory() as folder:
                header = "model,algorithm,workers,batch_size,sent_bytes_per_worker,server_sent_bytes,accuracy"
                Path(folder, "summary.csv").write_text("\n".join([header, *(f"mnist_cnn,{name},2,8,1e7,,0.5" for name in algorithms)]))
                rows = [f"{i},{algorithms[i]},mnist_cnn,8,2,,{iteration},1,8,0.5,{iteration}" for i in drawn for iteration in (10, 15)]
                header = "point,algorithm,model,batch_size,workers,variant,iteration,time_s,images,accuracy,sent_bytes"
                Path(folder, "accuracy.csv").write_text("\n".join([header, *rows]))
                figure = draw("accuracy", Path(folder))
                looks = {(line.get_color(), line.get_marker(), str(line.get_linestyle())) for axes in figure.axes for line in axes.get_lines()}
                self.assertEqual(len(looks), 2)

    def test_series_of_tables_in_one_folder_differ(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("a.csv", "b.csv")]
            for file, platform in zip(files, ("x", "y")):
                file.write_text(f"model,algorithm,workers,accuracy,sent_bytes_per_worker,server_sent_bytes,platform\n"
                                f"mnist_cnn,ring,2,0.5,1e7,,{platform}\nmnist_cnn,ring,3,0.6,2e7,,{platform}")
            figure = KINDS["accuracy_traffic"].draw(list(map(str, files)), "single")
        drawn = [line for axes in figure.axes for line in axes.get_lines() if len(line.get_xdata())]
        self.assertEqual(len({(line.get_color(), line.get_marker()) for line in drawn}), 4)

    def test_the_legend_shows_a_line_only_where_one_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            figure = draw("accuracy_traffic", Path(self.result(folder, ["ring"])))
        (legend,) = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
        self.assertEqual([handle.get_linestyle() for handle in legend.get_lines()].count("None"), 3)
        self.assertEqual(len(legend.get_lines()), 4)

    def test_the_table_has_the_variants(self):
        rows = table_rows(draw("accuracy_traffic"))
        self.assertEqual({row["x_text"] for row in rows}, {""})
        axes = self.drawn(("pairwise_averaging_2", 2, "2e6", "0.75"), ("pairwise_averaging_all", 2, "3e6", "0.5"))
        self.assertEqual([row["x_text"] for row in table_rows(axes.figure)], ["2 passes", "all passes"])

    def test_numbers_say_what_they_count(self):
        axes = self.drawn(("local_sgd_4", 2, "2e6", "0.75"), ("local_sgd_16", 2, "1e6", "0.5"), ("zero_3", 2, "8e6", "0.25"))
        self.assertEqual([text.get_text() for text in axes.texts], ["4 local steps", "16"])
        self.assertEqual(legend_texts(axes.figure), ["local SGD", "ZeRO-3"])
        self.assertEqual([row["x_text"] for row in table_rows(axes.figure)], ["4 local steps", "16 local steps", "ZeRO-3"])
        axes = self.drawn(("zero_1", 2, "2e6", "0.75"), ("zero_3", 2, "1e6", "0.5"))
        self.assertEqual([text.get_text() for text in axes.texts], ["ZeRO-1", "3"])

    def test_the_legend_is_no_more_than_a_fourth_of_the_figure(self):
        algorithms = ["none", "ring", "parameter_server", "zero_3", "local_sgd_4", "pairwise_averaging_2", "elastic_averaging_8", "sgp", "ad_psgd"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            rows = [f"mnist_cnn,{algorithm},{1 if algorithm == 'none' else 2},1e6,,0.5" for algorithm in algorithms]
            file.write_text("\n".join(["model,algorithm,workers,sent_bytes_per_worker,server_sent_bytes,accuracy", *rows]))
            figure = draw("accuracy_traffic", file, "single")
        figure.draw_without_rendering()
        (legend,) = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
        self.assertLess(legend.get_window_extent().height, 0.25 * figure.bbox.height)

    def swept(self, *rows: str):
        """Of passes 1, 2 and 10 of pairwise averaging."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "summary.csv"
            file.write_text("\n".join(["model,algorithm,workers,server_sent_bytes,batch_size,sent_bytes_per_worker,accuracy",
                                       *(f"mnist_cnn,pairwise_averaging_{row}" for row in rows)]))
            return panel(draw("accuracy_traffic", file), "MNIST CNN")

    def test_batch_sizes_are_lines_each_in_the_order_of_the_passes(self):
        axes = self.swept("10,2,,8,3e6,0.75", "1,2,,8,1e6,0.25", "2,2,,8,2e6,0.5", "1,2,,16,1e6,0.75", "2,2,,16,2e6,1")
        self.assertEqual(lines(axes), {"pairwise averaging, batch size 8": ([2, 4, 6], [25, 50, 75]),
                                       "pairwise averaging, batch size 16": ([2, 4], [75, 100])})
        with self.assertRaisesRegex(ResultError, "summary.csv:3: column 'algorithm' repeats pairwise_averaging_1 of .*:2 for pairwise averaging, 1 pass"):
            self.swept("1,2,,8,1e6,0.25", "1,2,,8,2e6,0.5")

    def test_what_sends_nothing_is_at_0(self):
        axes = self.drawn(("none", 1, "0", "0.5"), ("ring", 3, "1e6", "0.5"))
        self.assertEqual(lines(axes), {"single worker": ([0], [50]), "ring all-reduce": ([3], [50])})
        self.assertEqual(axes.get_xlim()[0], 0)

    def test_points_without_traffic_or_accuracy_are_left_out(self):
        axes = self.drawn(("none", 1, "", "0.5"), ("ring", 2, "1e6", ""), ("ring", 3, "1e6", "0.5"))
        self.assertEqual(list(lines(axes)), ["ring all-reduce"])


if __name__ == "__main__":
    unittest.main()
