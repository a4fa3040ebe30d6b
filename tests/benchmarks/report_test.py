# SPDX-License-Identifier: Apache-2.0
"""python3 -B -m unittest discover -s tests/benchmarks -p '*_test.py'"""
import json
import tempfile
import unittest
import xml.dom.minidom
from pathlib import Path

import report

HAND, OURS = 'hand-written loop', 'RetryOn: Retry.call'


def run(contender, *nanos, benchmark='engine.EngineBenchmark.call', params=None, **counters):
    others = {name: {'score': sum(values), 'rawData': [values]} for name, values in counters.items()}
    others['gc.alloc.rate.norm'] = {'score': 40, 'rawData': [[40]]}
    return {'benchmark': 'dev.retryon.benchmarks.' + benchmark, 'vmVersion': '17.0.1', 'vmName': 'OpenJDK',
            'params': params or {'call': 'SUCCEED', 'contender': contender},
            'primaryMetric': {'rawData': [list(nanos)]}, 'secondaryMetrics': others}


def outcome(name, ratio):
    def figures(label, ours, times, size):
        return {'label': label, 'ours': ours, 'time': 10 * times, 'ratio': times, 'bytes': size, 'times': [], 'ratios': []}
    return {'id': name, 'title': 'Calls & retries', 'unit': 'ns', 'bytes': 'B/call',
            'figures': [figures('limit', False, 1, 40), figures('RetryOn', True, ratio, 50)]}


class ReportTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.docs, report.RECORDS = report.RECORDS, Path(self.folder.name)
        self.addCleanup(setattr, report, 'RECORDS', self.docs)

    def record(self, name, taken, rounds, *outcomes):
        where = {'cores': 2, 'processor': 'Some <Processor>', 'system': 'Linux', 'jdk': '17.0.1', 'vendor': 'Some'}
        record = {'taken': taken, 'rounds': rounds, 'machine': where, 'versions': {}, 'outcomes': list(outcomes)}
        report.write(name, record)
        return record

    def test_ratios_are_computed_within_a_round_and_their_median_counts(self):
        rounds = [[run('HAND', 10), run('RETRY_ON', 30)], [run('HAND', 20), run('RETRY_ON', 40)],
                  [run('HAND', 40), run('RETRY_ON', 44)]]
        limit, ours = report.outcomes(rounds)[0]['figures']
        self.assertEqual((limit['label'], limit['ratio'], limit['ours']), (HAND, 1, False))
        self.assertEqual((ours['label'], ours['ratios'], ours['ratio'], ours['time'], ours['bytes']),
                         (OURS, [3, 2, 1.1], 2, 40, 40))

    def test_the_time_is_the_lower_quartile_of_the_periods(self):
        self.assertEqual(report.lower_quartile([9, 1, 2, 3, 4, 5, 6]), 2)
        self.assertEqual(report.lower_quartile([7, 5]), 5)

    def test_a_round_without_a_contender_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "not every round has 'RetryOn: Retry.call'"):
            report.outcomes([[run('HAND', 1), run('RETRY_ON', 1)], [run('HAND', 1)]])

    def test_a_comparison_can_be_of_counters(self):
        start = run('', 9e9, benchmark='startup.StartUpBenchmark.annotated', params={'contender': 'EMPTY'},
                    millis=[2500], heapBytes=[1000])
        self.assertEqual([(o['id'], o['unit'], o['figures'][0]['time'], o['figures'][0]['bytes'])
                          for o in report.outcomes([[start]])], [('start-up', 'ms', 2500, 1000)])

    def test_other_counters_are_medians_or_the_worst_of_all_iterations(self):
        load = run('', 1, benchmark='load.LoadBenchmark.calls', params={'calls': '10'}, millis=[30, 10, 20],
                   threads=[1, 3, 2], completed=[10, 8, 10])
        table = ''.join(report.measurement_tables(report.measurements([[load]])))
        self.assertIn('## LoadBenchmark.calls\n\n|  | calls 10 |\n| --- | ---: |\n', table)
        self.assertIn('| millis | 20.0 |\n| threads | 3.00 |\n| completed | 8.00 |\n', table)

    def test_the_latest_record_of_a_comparison_is_shown(self):
        self.record('jdk-17', '2026-01-01', 3, outcome('engine-succeed', 2.0))
        self.record('jdk-17-again', '2026-01-02', 1, outcome('engine-succeed', 1.5))
        self.record('jdk-17-quick', '2026-01-03', 9, outcome('engine-succeed', 9.0))
        self.record('jdk-25', '2026-01-04', 9, outcome('engine-succeed', 8.0))
        table = report.page_table('engine-17')
        self.assertTrue(table.startswith('| JDK 17 | succeeds immediately | fails twice |'))
        self.assertIn('| limit | 1.00 (10.0 ns) | – |', table)
        self.assertIn('| **RetryOn** | 1.50 | – |', table)

    def test_of_one_day_the_record_with_the_most_rounds_is_shown(self):
        self.record('jdk-17-a', '2026-01-01', 15, outcome('start-up', 1.02))
        self.record('jdk-17-b', '2026-01-01', 3, outcome('start-up', 1.2))
        self.assertIn('| **RetryOn** | 1.02 | – | 50 |', report.page_table('start-up'))

    def test_waits_show_the_ratio_of_processor_time(self):
        self.record('jdk-25', '2026-01-01', 1, outcome('waits-1000', 1.01))
        self.assertIn('| **RetryOn** | 1.01 | 50 | 1.25 |', report.page_table('waits-25'))

    def test_unknown_and_unmeasured_tables(self):
        self.assertEqual(report.page_table('waits-17'), 'Not measured yet.\n')
        with self.assertRaisesRegex(SystemExit, "there is no table 'typo'"):
            report.page_table('typo')

    def test_the_tables_of_the_pages_are_those_of_the_records(self):
        report.RECORDS = self.docs
        for page in report.PAGES:
            text = page.read_text()
            copy = Path(self.folder.name, page.name)
            copy.write_text(text)
            report.refresh(copy)
            self.assertIn('<!-- table: ', text)
            self.assertEqual(copy.read_text(), text)

    def test_figures_that_exceed_their_bounds_are_listed(self):
        outcomes = [outcome('proxy-succeed-2', 1.01), outcome('proxy-fail-twice', 1.5), outcome('proxy-succeed', 1)]
        self.assertEqual(report.over_bounds({'outcomes': outcomes}),
                         ['Calls & retries: RetryOn has the ratio 1.01, its bound is 1.00'])

    def test_the_plot_is_well_formed_and_supports_dark_mode(self):
        svg = report.plot(self.record('jdk-17', '2026-01-02', 3, outcome('id', 1.5)))
        rectangles = xml.dom.minidom.parseString(svg).getElementsByTagName('rect')
        self.assertEqual(len(rectangles), 3)  # 1 background + 2 bars
        self.assertIn('prefers-color-scheme: dark', svg)

    def test_a_record_is_a_table_and_json(self):
        record = self.record('jdk-17', '2026-01-02', 3, outcome('id', 49.375))
        text = report.markdown(record)
        self.assertIn('2 × Some <Processor>, Linux, JDK 17.0.1 (Some); median of 3 rounds; 2026-01-02.', text)
        self.assertRegex(text, r'\| \*\*RetryOn\*\* +\| +494 \| +49\.4 \| +50 \|')
        self.assertEqual(json.loads((report.RECORDS / 'jdk-17.json').read_text()), record)


if __name__ == '__main__':
    unittest.main()
