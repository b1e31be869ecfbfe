"""What is read from result files, and the one-line message for each way they can be wrong."""

import copy
import json
import tempfile
import unittest
from pathlib import Path

from context import DATA, HERE, SUMMARY, edited
from results import FORMAT, BrokenFile, ResultError, Row, read_json_file, read_rows
from runs import read_points, read_spans
from series import read_series
from written import NotWritten, require_event


class ReadingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "summary.csv"

    def assert_refused(self, message: str, columns=("speedup",)):
        with self.assertRaises(ResultError) as caught:
            read_series([str(self.file)], list(columns))
        self.assertEqual(str(caught.exception), f"{self.file}{message}")

    def test_folder_and_file_read_alike(self):
        from_folder = read_rows([str(DATA)], "summary.csv", ["model"])
        from_file = read_rows([str(SUMMARY)], "summary.csv", ["model"])
        self.assertEqual(from_folder, from_file)
        self.assertEqual(len(from_file), 60)

    def test_a_result_of_a_newer_format_is_refused(self):
        folder = self.file.parent
        self.file.write_text(SUMMARY.read_text())
        for beside in ("run.json", "predicted/run.json", "measured/1/run.json"):
            run = folder / beside
            run.parent.mkdir(parents=True, exist_ok=True)
            for form in ({}, {"format": FORMAT}, []):
                run.write_text(json.dumps(form))
                self.assertEqual(len(read_rows([str(folder)], "summary.csv", ["model"])), 60)
            for found, problem in ((FORMAT + 1, f"this result has format {FORMAT + 1}, but this tandem reads none newer than {FORMAT}; "
                                                "take a newer tandem, or make the result again"),
                                   (-1, "format is -1, but has to be a whole number"), (1.5, "format is 1.5, but has to be a whole number"),
                                   ("1", 'format is "1", but has to be a whole number'), (None, "format is null, but has to be a whole number"),
                                   (True, "format is true, but has to be a whole number")):
                run.write_text(json.dumps({"format": found}))
                for result in (folder, self.file):
                    with self.assertRaises(ResultError) as caught:
                        read_rows([str(result)], "summary.csv", ["model"])
                    self.assertEqual(str(caught.exception), f"{run}: {problem}")
            run.unlink()

    def test_lines_are_counted_from_the_header(self):
        self.assertEqual(read_rows([str(SUMMARY)], "summary.csv", ["model"])[0].line, 2)

    def test_empty_cell_is_not_zero(self):
        row = read_rows([str(SUMMARY)], "summary.csv", ["loss"])[0]
        self.assertIsNone(row.number("loss"))

    def test_series_are_split_by_model_and_algorithm(self):
        models = read_series([str(DATA)], ["speedup"])
        self.assertEqual(list(models), ["alexnet", "resnet50", "resnet152", "vgg16", "inception_v3"])
        self.assertEqual([s.label for s in models["vgg16"]], ["parameter server", "ring all-reduce"])
        self.assertEqual(models["vgg16"][0].points("speedup")[0], [1, 2, 3, 4, 5, 6])

    def test_two_worlds_of_one_algorithm_are_two_series(self):
        self.file.write_text(SUMMARY.read_text().replace(",simulated,", ",real,"))
        models = read_series([str(DATA), str(self.file)], ["speedup"])
        self.assertEqual([s.label for s in models["vgg16"]],
                         ["parameter server, simulated", "ring all-reduce, simulated",
                          "parameter server, real", "ring all-reduce, real"])

    def labels_beside(self, *changes: tuple[str, str]) -> list[str]:
        """Of vgg16, drawn with a copy of it in which some texts are others."""
        text = SUMMARY.read_text()
        for old, new in changes:
            text = text.replace(old, new)
        self.file.write_text(text)
        return [s.label for s in read_series([str(DATA), str(self.file)], ["speedup"])["vgg16"]]

    def test_an_empty_trait_has_no_word(self):
        self.assertEqual(self.labels_beside((",sample_cluster,", ",,"))[::2],
                         ["parameter server, sample_cluster", "parameter server"])

    def test_scenarios_tell_series_apart_where_nothing_else_does(self):
        self.assertEqual(self.labels_beside(("\nsample,", "\ncompressed,"))[::2],
                         ["parameter server, sample", "parameter server, compressed"])
        self.assertEqual(self.labels_beside(("\nsample,", "\nother,"), (",simulated,", ",real,"))[::2],
                         ["parameter server, simulated", "parameter server, real"])

    def labels(self, *rows: str) -> list[str]:
        self.file.write_text("\n".join(["platform,device,batch_size,variant,model,algorithm,workers,speedup", *rows]))
        return [s.label for s in read_series([str(self.file)], ["speedup"])["vgg16"]]

    def test_what_differs_between_algorithms_only_is_told_too(self):
        self.assertEqual(self.labels("star,k80,32,,vgg16,ring,2,1", "racks,v100,64,,vgg16,parameter_server,2,1"),
                         ["ring all-reduce, star, batch size 32", "parameter server, racks, batch size 64"])
        self.assertEqual(self.labels("star,k80,32,,vgg16,ring,2,1", "star,k80,64,servers=2,vgg16,parameter_server,2,1"),
                         ["ring all-reduce, batch size 32", "parameter server, batch size 64, 2 servers"])

    def test_workers_that_take_more_kinds_of_devices_the_more_they_are_have_one_line(self):
        one, three = "mixed,k80,32,,vgg16,ring,1,1", "mixed,k80+v100,32,,vgg16,ring,3,1"
        self.assertEqual(self.labels(one, three), ["ring all-reduce"])
        self.assertEqual(self.labels(one, three, "mixed,t4,32,,vgg16,ring,1,1", "mixed,t4+v100,32,,vgg16,ring,3,1"),
                         ["ring all-reduce, K80 + V100", "ring all-reduce, T4 + V100"])
        self.assertEqual(self.labels(one, "mixed,k80+v100 x2,32,,vgg16,ring,3,1"), ["ring all-reduce, K80", "ring all-reduce, K80 + V100 x2"])
        self.assertEqual(self.labels(one, three.replace("mixed", "racks")), ["ring all-reduce, mixed", "ring all-reduce, racks"])
        self.assertEqual(self.labels(one, three.replace("k80+v100", "k800")), ["ring all-reduce, K80", "ring all-reduce, k800"])

    def test_results_that_one_algorithms_setting_tells_apart_have_all_their_lines(self):
        folders = [self.file.parent / name for name in ("one", "four")]
        for folder, servers in zip(folders, ("servers=1", "servers=4")):
            folder.mkdir()
            rows = [f"a,vgg16,{algorithm},{n},{n},{variant}" for algorithm, variant in (("ring", ""), ("parameter_server", servers)) for n in (1, 2)]
            (folder / "summary.csv").write_text("\n".join(["scenario,model,algorithm,workers,speedup,variant", *rows]))
        shown = read_series([str(folder) for folder in folders], ["speedup"])["vgg16"]
        self.assertEqual({one.label: list(one.rows) for one in shown},
                         {"ring all-reduce, one": [1, 2], "parameter server, 1 server": [1, 2],
                          "ring all-reduce, four": [1, 2], "parameter server, 4 servers": [1, 2]})

    def test_missing_file(self):
        with self.assertRaisesRegex(ResultError, "^/nowhere/summary.csv: no such file; a result is"):
            read_rows(["/nowhere/summary.csv"], "summary.csv", ["model"])

    def test_missing_column(self):
        edited(SUMMARY, self.file, (",speedup,", ",speed_up,"))
        self.assert_refused(":1: column 'speedup' is missing")

    def test_not_a_number(self):
        edited(SUMMARY, self.file, (",0.399144091,", ",fast,"))
        self.assert_refused(":3: column 'speedup' 'fast' is not a number")

    def test_not_a_finite_number(self):
        edited(SUMMARY, self.file, (",0.399144091,", ",nan,"))
        self.assert_refused(":3: column 'speedup' 'nan' is not a number")

    def test_beyond_all_that_can_be_drawn(self):
        edited(SUMMARY, self.file, (",0.399144091,", ",1e308,"))
        self.assert_refused(":3: column 'speedup' 1e+308 is more than anything that is measured")
        edited(SUMMARY, self.file, ("parameter_server,2,", f"parameter_server,{10**30},"))
        self.assert_refused(f":3: column 'workers' is {10**30}, which is more than any result has")

    def test_less_than_nothing(self):
        edited(SUMMARY, self.file, (",2.3441815,", ",-2.3441815,"))
        self.assert_refused(":2: column 'iteration_s' is -2.34418, but can't be below 0", ["iteration_s"])
        for column in ("compute_s", "speedup_low", "bytes", "sent_bytes_per_worker", "packets_sent", "sent_packets", "bytes_per_s"):
            with self.assertRaises(BrokenFile):
                Row(self.file, 2, {column: "-1"}).number(column)
        for cells in ({"begin_s": "-1"}, {"error_percent": "-1"}, {"loss": "-1"}, {"compute_s": "-1", "cause": "slow devices"}):
            self.assertEqual(Row(self.file, 2, cells).number(next(iter(cells))), -1)

    def test_points_that_are_not_those_of_the_rows(self):
        self.file.write_text("scenario,workers\nmine,1\nmine,2\nmine,4\n")
        run = self.file.with_name("run.json")
        for name, workers, problem in (("mine", (1, 2, 4), None), ("other", (1, 2), None),
                                       ("mine", (1, 4), f"{run}: has 2 points, but {self.file} 3 rows; make the result again"),
                                       ("mine", (1, 4, 2), f"{run}: point 2 has 4 workers, but {self.file}:3 2; make the result again")):
            run.write_text(json.dumps({"points": [{"scenario": {"name": name, "algorithm": {"name": "none"}, "workers": n, "model": "x"}} for n in workers]}))
            if problem is None:
                self.assertEqual(len(read_points(str(self.file.parent))), len(workers))
                continue
            with self.assertRaises(ResultError) as caught:
                read_points(str(self.file.parent))
            self.assertEqual(str(caught.exception), problem)

    def test_workers_must_be_whole(self):
        edited(SUMMARY, self.file, ("parameter_server,2,", "parameter_server,2.5,"))
        self.assert_refused(":3: column 'workers' '2.5' is not a whole number above 0")

    def test_empty_model(self):
        edited(SUMMARY, self.file, (",alexnet,", ",,"))
        self.assert_refused(":2: column 'model' is empty")

    def test_figure_measured_nowhere(self):
        edited(SUMMARY, self.file)
        self.assert_refused(": column 'loss' is empty in every row", columns=["loss"])

    def test_the_same_point_twice(self):
        edited(SUMMARY, self.file, ("parameter_server,2,", "parameter_server,1,"))
        self.assert_refused(f":3: column 'workers' repeats 1 of {self.file}:2 for parameter server")

    def test_no_rows(self):
        self.file.write_text(SUMMARY.read_text().splitlines()[0] + "\n")
        self.assert_refused(": column 'model' has no rows")

    def test_cut_off_line(self):
        self.file.write_text(SUMMARY.read_text()[:-60])
        with self.assertRaisesRegex(ResultError, rf"^{self.file}:61: column '\w+' is missing from this line$"):
            read_series([str(self.file)], ["speedup"])

    def test_too_many_cells(self):
        edited(SUMMARY, self.file, ("\nsample,", "\nsample,sample,"))
        with self.assertRaisesRegex(ResultError, rf"^{self.file}:2: more cells than columns"):
            read_series([str(self.file)], ["speedup"])

    def test_not_text(self):
        self.file.write_bytes(b"\xff\xfe\x00\x01")
        with self.assertRaisesRegex(ResultError, rf"^{self.file}: not a CSV file: it holds bytes that are no UTF-8$"):
            read_series([str(self.file)], ["speedup"])

    def test_a_count_of_thousands_of_digits(self):
        edited(SUMMARY, self.file, ("parameter_server,1,", f"parameter_server,{'9' * 5000},"))
        self.assert_refused(f":2: column 'workers' is {'9' * 57}..., which is more than any result has")


class JsonTest(unittest.TestCase):
    def test_what_is_wrong_is_told_without_python(self):
        deep = "is nested too deeply; nothing that tandem writes is: make the result again"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.json"
            for text, problem in ((b"[" * 100_000, deep), (b"[" * 100_000 + b"]" * 100_000, deep), (b'{"a":' * 65 + b"1" + b"}" * 65, deep),
                                  (b"9" * 5000, "not JSON: it holds a number that none of a result is"),
                                  (b"9" * 309, "not JSON: it holds a number that none of a result is"),
                                  (b"[NaN]", "not JSON: it holds a number that none of a result is"),
                                  (b"[-1e999]", "not JSON: it holds a number that none of a result is"),
                                  (rb'["\ud800"]', "not JSON: it holds text that is no Unicode"),
                                  (rb'{"a \uDE80 \ud83d": 1}', "not JSON: it holds text that is no Unicode"),
                                  (b"[\xff]", "not JSON: it holds bytes that are no UTF-8")):
                file.write_bytes(text)
                with self.assertRaises(ResultError) as caught:
                    read_json_file(file)
                self.assertEqual(str(caught.exception), f"{file}: {problem}", text[:20])
            file.write_bytes(b'{"a":' * 64 + b"1" + b"}" * 64)
            self.assertIsInstance(read_json_file(file), dict)
            file.write_bytes(rb'["\ud83d\ude80", "\\ud800", -1e308, 1e-999, -' + b"9" * 308 + b"]")
            self.assertEqual(read_json_file(file), ["\N{ROCKET}", "\\ud800", -1e308, 0, 1 - 10**308])


class TraceTest(unittest.TestCase):
    """What tests/core/record/traced_point_test.cc has explain refuse, figures refuse in the same words."""

    ABSURD = [-2, 2.5, 1e300, 2**64, None, "2", True, []]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.point = {"scenario": {"algorithm": {"name": "none"}, "workers": 2, "model": "x"}}
        self.event = {"ph": "X", "tid": 2, "name": "send", "ts": 1e6, "dur": 5e5, "args": {"point": 0, "rank": 1, "bytes": 8, "message": 7}}

    def read(self) -> list:
        (self.folder / "run.json").write_text(json.dumps({"points": [self.point]}))
        (self.folder / "trace.json").write_text(json.dumps({"traceEvents": [self.event]}))
        return read_spans(str(self.folder))

    def assert_odd(self, file: str, what: str):
        with self.assertRaises(ResultError) as caught:
            self.read()
        self.assertEqual(str(caught.exception), f"{self.folder}/{file}: not as this tandem writes it; make the result again ({what})")

    def test_what_was_written(self):
        (span,) = self.read()
        self.assertEqual((span.rank, span.lane, span.name, span.begin, span.end), (1, 2, "send", 1, 1.5))
        self.event["tid"] = 5
        self.assertEqual(self.read()[0].lane, 2)

    def test_numbers_that_there_are_not(self):
        for name in ("tid", "point", "rank", "bytes", "peer", "iteration", "position", "order", "message", "tag", "asked_position",
                     "priority", "asked_order", "collective", "round", "slice"):
            place = self.event if name == "tid" else self.event["args"]
            whole = dict(place)
            for absurd in self.ABSURD:
                place[name] = absurd
                self.assert_odd("trace.json", f"{name}: it can't be {json.dumps(absurd)}")
            place.clear()
            place.update(whole)

    def test_other_values_that_there_are_not(self):
        for name, absurd in (("latency", "1"), ("alone", None), ("phase", 3), ("from_any", 1), ("unasked", "no"), ("task", 1), ("task", [5, 0, 0]),
                             ("task", [1, 0]), ("asked_task", [1, -1, 0])):
            self.event["args"][name] = absurd
            with self.assertRaisesRegex(ResultError, rf"trace.json: not as this tandem writes it; make the result again \({name}: it can't be "):
                self.read()
            del self.event["args"][name]
        for name, absurd in (("name", 3), ("ts", True), ("dur", -1), ("ts", 2e100), ("ts", -2e100)):
            whole = dict(self.event)
            self.event[name] = absurd
            self.assert_odd("trace.json", f"{name}: it can't be {json.dumps(absurd)}")
            self.event = whole
        self.event = self.event | {"ts": 10**300}
        self.assert_odd("trace.json", f"ts: it can't be 1{'0' * 56}...")
        with self.assertRaises(NotWritten):  # of what is more than any number that is no whole one
            require_event(self.event | {"ts": 10**400})
        self.event["ts"] = 0
        self.event["name"] = [9] * 1000
        self.assert_odd("trace.json", f"name: it can't be {json.dumps([9] * 1000)[:57]}...")

    def test_members_that_there_are_not(self):
        self.event["args"]["rank"] = 2
        self.assert_odd("trace.json", "rank: it can't be 2")
        self.point["scenario"]["algorithm"] = {"name": "parameter_server", "servers": 1}
        self.assertEqual(self.read()[0].rank, 2)
        self.point["environment"] = {"recorded_workers": 1}
        self.assert_odd("trace.json", "rank: it can't be 2")
        for absurd in (0, 3, "1", None, True):
            self.point["environment"] = {"recorded_workers": absurd}
            self.assert_odd("run.json", f"recorded_workers: it can't be {json.dumps(absurd)}")
        del self.point["environment"]
        for absurd in self.ABSURD:
            self.point["scenario"]["algorithm"]["servers"] = absurd
            self.assert_odd("run.json", f"servers: it can't be {json.dumps(absurd)}")

    def test_networks_that_nothing_could_go_over(self):
        network = {"hosts": ["a", "b"], "links": {"wire": 1e9}, "routes": [[0, 1, ["wire"], 1e-5], [1, 0, []]]}
        self.point["environment"] = {"network": network}
        self.assertEqual(len(self.read()), 1)
        for name, value, what in (("routes", [[0, 1, ["other"]]], 'routes: there is no link "other"'), ("routes", [[-1, 1, []]], "routes: it can't be -1"),
                                  ("routes", [[0, 1]], "routes: it can't be [0, 1]"), ("routes", 1, "routes: it can't be 1"),
                                  ("routes", [[0, 1, [], "far"]], 'routes: it can\'t be "far"'),
                                  ("links", {"wire": 0}, "links: wire can't carry 0 bytes/s"), ("links", {"wire": "fast"}, 'links: it can\'t be "fast"'),
                                  ("links", {"wire": 10**300}, f"links: it can't be 1{'0' * 56}..."),
                                  ("hosts", [1], "hosts: it can't be [1]")):
            self.point["environment"] = {"network": network | {name: value}}
            self.assert_odd("run.json", what)
        self.point["environment"] = {"network": 1}
        self.assert_odd("run.json", "network: it can't be 1")

    def test_explain_takes_and_refuses_the_same(self):
        lines = (HERE.parent / "core" / "record" / "odd_traces.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertGreater(len(lines), 200)
        point, event = self.point, self.event
        network = {"hosts": ["a", "b"], "links": {"wire": 1e9}, "routes": [[0, 1, ["wire"], 1e-5]]}
        for line in lines:
            with self.subTest(line):
                self.point, self.event = copy.deepcopy(point), copy.deepcopy(event)
                environment = self.point["environment"] = {"network": copy.deepcopy(network)}
                places = {"event": self.event, "args": self.event["args"], "point": self.point, "environment": environment, "network": environment["network"]}
                odd = json.loads(line)
                places[odd["in"]].pop(odd["name"], None)
                if "value" in odd:
                    places[odd["in"]][odd["name"]] = odd["value"]
                try:
                    fits = len(self.read()) == 1
                except ResultError:
                    fits = False
                self.assertEqual(fits, odd["fits"])

    def test_workers_that_there_are_not(self):
        for workers in (0, True, "2"):
            self.point["scenario"]["workers"] = workers
            with self.assertRaisesRegex(ResultError, "run.json: point 1 has no scenario with an algorithm, a model and workers"):
                self.read()

    def test_a_trace_without_events(self):
        self.read()
        for broken in ("{}", '{"traceEvents": null}'):
            (self.folder / "trace.json").write_text(broken)
            with self.assertRaisesRegex(ResultError, "trace.json: has no list of events, as a result's has; make the result again"):
                read_spans(str(self.folder))


if __name__ == "__main__":
    unittest.main()
