"""What the figure of a network shows: places, links, and how much they are used."""

import json
import tempfile
import unittest
from pathlib import Path

from context import DATA
import style
from figure import draw, legend_texts, panel, table_rows
from figures import KINDS
from names import on_one_line
from results import ResultError


def only_panel(figure):
    (axes,) = [axes for axes in figure.axes if axes.get_title()]
    return axes


class TopologyTest(unittest.TestCase):
    def rows(self, result: Path = DATA, width: str = "double") -> list[dict]:
        return table_rows(draw("topology", result, width))

    def star(self, hosts: int, folder: str) -> Path:
        """Hosts on one switch, the last of which is a server."""
        names = [f"host-{number}" for number in range(hosts)]
        lines = [f"0,{name}_{way},{begin},{end},1000,{number},{number / 1000}" for number, name in enumerate(names)
                 for way, begin, end in (("UP", name, "switch 1"), ("DOWN", "switch 1", name))]
        (Path(folder) / "topology.csv").write_text("\n".join(["point,link,from,to,bytes_per_s,bytes,share", *lines]))
        point = {"scenario": {"algorithm": {"name": "parameter_server"}, "workers": hosts - 1, "model": "x"},
                 "environment": {"network": {"hosts": names}}}
        (Path(folder) / "run.json").write_text(json.dumps({"points": [point]}))
        return Path(folder)

    def test_a_row_a_line_with_its_share(self):
        rows = self.rows()
        self.assertEqual([(row["series"], row["x"], row["from"], row["to"]) for row in rows],
                         [("node-1 (0) - switch 1", "2", "20", "20"), ("node-2 (1) - switch 1", "2", "40", "40"),
                          ("node-3 (2) - switch 2", "2", "60", "60"), ("node-4 (3) - switch 2", "2", "0", "0"),
                          ("switch 1 - bus 3", "1", "", ""), ("switch 2 - bus 3", "1", "", ""), ("bus 3 - bus 3", "1", "90", "90")])
        self.assertEqual({(row["panel"], row["mark"], row["x_axis"]) for row in rows}, {("ZeRO-3, 4 workers, bert", "link", "links")})

    def test_the_more_is_used_the_wider_and_the_darker(self):
        axes = panel(draw("topology"), "ZeRO-3, 4 workers, bert")
        looks = {tuple(line.get_xdata()): (line.get_linewidth(), line.get_color()) for line in axes.get_lines() if len(line.get_xdata()) == 2}
        widths = [width for width, _ in sorted(looks.values())]
        self.assertEqual(widths, sorted(widths))
        loads = [(wide, colour) for _, colour, wide in KINDS["topology"]._LOADS]
        self.assertEqual(loads, sorted(loads, key=lambda load: load[0]))
        luminance = [sum(int(colour[i:i + 2], 16) * part for i, part in ((1, 0.3), (3, 0.59), (5, 0.11))) for _, colour in loads]
        self.assertEqual(luminance, sorted(luminance, reverse=True))
        self.assertTrue(all(before - after > 20 for before, after in zip(luminance, luminance[1:])), luminance)

    def test_marks_and_loads_are_named(self):
        self.assertEqual(legend_texts(draw("topology")),
                         ["carries nothing", "without a limit in common", "0 % to 20 % used", "20 % to 40 % used",
                          "40 % to 60 % used", "80 % to 100 % used", "host, by its worker", "switch", "bus"])
        self.assertEqual(on_one_line(panel(draw("topology"), "ZeRO-3, 4 workers, bert").get_xlabel()), "Busiest link: bus, 90.0 % of its capacity.")

    def test_more_than_the_capacity_is_explained(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(2, folder)
            rows = (result / "topology.csv").read_text()
            for share, said in (("1.0281", "102.8 % of its capacity, which is without the bursts that it lets through at once after a rest."),
                                ("1.0000000000000007", "100.0 % of its capacity.")):
                (result / "topology.csv").write_text(rows.replace("0.001", share))
                words = only_panel(draw("topology", result)).get_xlabel()
                self.assertEqual(" ".join(words.split()), f"Busiest link: host-1_UP, {said}")

    def test_less_than_nothing_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(2, folder)
            (result / "topology.csv").write_text((result / "topology.csv").read_text().replace("0.001", "-0.001"))
            with self.assertRaisesRegex(ResultError, "column 'share' is -0.001, but can't be below 0"):
                draw("topology", result)

    def test_of_links_used_as_much_the_one_that_tables_name_is_the_busiest(self):
        with tempfile.TemporaryDirectory() as folder:
            for hosts in (3, 1000):
                result = self.star(hosts, folder)
                rows = (result / "topology.csv").read_text().splitlines()
                (result / "topology.csv").write_text("\n".join([rows[0], *(f"{row.rpartition(',')[0]},0.5" for row in rows[1:])]))
                run = json.loads((result / "run.json").read_text())
                for named in ("host-1_DOWN", "host-1_UP"):
                    run["points"][0]["links"] = {"bottleneck": named}
                    (result / "run.json").write_text(json.dumps(run))
                    with self.subTest(hosts=hosts, named=named):
                        self.assertTrue(only_panel(draw("topology", result)).get_xlabel().startswith(f"Busiest link: {named}, "))
                        self.assertIn(named, [row["x_text"] for row in self.rows(result)])

    def test_of_many_hosts_like_ones_are_one(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(1000, folder)
            rows = self.rows(result, "single")
            words = only_panel(draw("topology", result)).get_xlabel()
        self.assertEqual([(row["series"], row["x"], row["to"]) for row in rows],
                         [("999 hosts - switch 1", "1998", "99.8"), ("host-999 (s0) - switch 1", "2", "99.9")])
        self.assertIn("1,000 hosts, 1 switch and 2,000 links in all", " ".join(words.split()))

    def test_no_two_places_lie_on_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            for width, hosts in (("single", 34), ("double", 70)):
                axes = only_panel(draw("topology", self.star(hosts, folder), width))
                places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.get_lines() if line.get_label() == "_place"]
                self.assertEqual(len(places), hosts + 1)
                self.assertEqual(len(set(places)), hosts + 1)

    def test_no_name_lies_on_the_words_below(self):
        with tempfile.TemporaryDirectory() as folder:
            for width in style.WIDTHS:
                for hosts in (2, 34, 70):  # level, upright, and in the narrow one drawn as one
                    figure = draw("topology", self.star(hosts, folder), width)
                    figure.draw_without_rendering()
                    axes = only_panel(figure)
                    words = axes.xaxis.label.get_window_extent()
                    self.assertEqual([text.get_text() for text in axes.texts if text.get_window_extent().overlaps(words)], [], (width, hosts))

    def test_no_name_of_places_drawn_as_one_lies_on_another_place(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(40, folder)
            # Leaves of four hosts each, and above them four kinds of spines.
            ends = [(f"host-{host}", f"leaf-{host // 4}", 1000) for host in range(40)]
            ends += [(f"leaf-{leaf}", f"spine-{kind}-{i}", kind) for leaf in range(10) for kind in (1, 2, 3, 4) for i in range(3)]
            rows = [f"0,{a}_{b},{a},{b},{width},1,0.001" for a, b, width in ends]
            (result / "topology.csv").write_text("\n".join(["point,link,from,to,bytes_per_s,bytes,share", *rows]))
            names = {}
            for width in style.WIDTHS:
                figure = draw("topology", result, width)
                figure.draw_without_rendering()
                axes = only_panel(figure)
                names[width] = {text.get_text() for text in axes.texts}
                places = [axes.transData.transform(line.get_xydata()[0]) for line in axes.get_lines() if line.get_label() == "_place"]
                for i, text in enumerate(axes.texts):
                    box = text.get_window_extent()
                    self.assertFalse(any(box.overlaps(other.get_window_extent()) for other in axes.texts[:i]), (width, text.get_text()))
                    self.assertFalse(any(box.contains(*place) for at, place in enumerate(places) if at != i), (width, text.get_text()))
        self.assertIn("\N{MULTIPLICATION SIGN}3", names["single"])

    def test_no_name_lies_on_the_ring_of_links_among_hosts_drawn_as_one(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(80, folder)
            # Each host on the next, and on others so far away that all of them are alike.
            rows = [f"0,l{host}-{step},host-{host},host-{(host + step) % 80},1000,1,0.5" for host in range(80) for step in (1, 9)]
            (result / "topology.csv").write_text("\n".join(["point,link,from,to,bytes_per_s,bytes,share", *rows]))
            (result / "run.json").write_text((result / "run.json").read_text().replace('"workers": 79', '"workers": 80'))
            for width in style.WIDTHS:
                figure = draw("topology", result, width)
                figure.draw_without_rendering()
                axes = only_panel(figure)
                (name,) = axes.texts
                (ring,) = [line for line in axes.get_lines() if line.get_label() == "_link"]
                self.assertEqual(name.get_text(), "80 hosts")
                lowest = axes.transData.transform(ring.get_xydata()[0])[1] - (ring.get_markersize() + ring.get_markeredgewidth()) / 2 * figure.dpi / 72
                self.assertGreater(lowest, name.get_window_extent().y1, width)
                self.assertFalse(name.get_window_extent().overlaps(axes.xaxis.label.get_window_extent()), width)

    def test_what_has_no_rows_is_spread_out(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(4, folder)
            ring = [f"0,link-{i},host-{i},host-{(i + 1) % 4},1000,1,0.001" for i in range(4)]
            (result / "topology.csv").write_text("\n".join(["point,link,from,to,bytes_per_s,bytes,share", *ring]))
            axes = only_panel(draw("topology", result))
        places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.get_lines() if line.get_label() == "_place"]
        apart = min(((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 for i, (ax, ay) in enumerate(places) for bx, by in places[:i])
        self.assertGreater(apart, 0.5)

    def test_folded_workers_are_what_is_to_blame(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(4, folder)
            (result / "topology.csv").unlink()
            with self.assertRaisesRegex(ResultError, "topology.csv: no such file"):
                draw("topology", result)
            run = json.loads((result / "run.json").read_text())
            run["points"][0]["environment"]["links_reason"] = "not recorded: workers are folded"
            (result / "run.json").write_text(json.dumps(run))
            with self.assertRaisesRegex(ResultError, "simulation.fold=false"):
                draw("topology", result)

    def test_many_hosts_are_what_is_to_blame(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.star(4, folder)
            run = json.loads((result / "run.json").read_text())
            reason = {"environment": {"topology_reason": "not recorded: the members take more than 1024 hosts"}}
            run["points"].append(run["points"][0] | reason)
            (result / "run.json").write_text(json.dumps(run))
            with self.assertRaisesRegex(ResultError, "run.json: the network between the hosts was not recorded: .* more than 1024 hosts; "):
                KINDS["topology"].draw([str(result)], "double", 2)
            (result / "topology.csv").unlink()
            with self.assertRaisesRegex(ResultError, "run.json: the network between the hosts was not recorded: .* more than 1024 hosts; "):
                draw("topology", result)


if __name__ == "__main__":
    unittest.main()
