#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the JSON files of JMH into tables, plots and records. Each file is one round.

report.py table FILE...        prints the tables of some rounds
report.py record NAME FILE...  also writes docs/benchmarks/NAME.json, .md and .svg
report.py pages                rewrites the marked tables of the pages from the records
"""
import datetime
import json
import math
import os
import platform
import re
import statistics
import sys
from decimal import ROUND_HALF_UP, Decimal
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent.parent / 'docs'
RECORDS = DOCS / 'benchmarks'
PAGES = [DOCS / 'internals' / 'benchmarks.md']

OURS = 'RetryOn'
JDKS = ('17', '25')
# The comparisons with the names of their contenders, and the tables of the pages with their columns.
SPECS = json.loads((HERE / 'comparisons.json').read_text())
# Metrics whose worst value counts, not the median.
WORST = {'threads': max, 'inFlight': min, 'completed': min, 'runTwice': max}


def fixed(value, digits):
    return f'{Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,}'


def number(value):
    return fixed(value, 2 if value < 10 else 1 if value < 100 else 0)


def short_ratio(value):
    return fixed(value, 2 if value < 1.995 else 1 if value < 9.95 else 0)


def strong(figures):
    return f"**{figures['label']}**" if figures['ours'] else figures['label']


def raw(metric):
    return [value for fork in metric['rawData'] for value in fork]


def lower_quartile(values):
    """Other work on the machine can only lengthen a period. Fewer than three periods have no quartile."""
    return statistics.quantiles(values, n=4)[0] if len(values) > 2 else min(values)


def sample(run, spec):
    """The time and the bytes of a contender in one round."""
    others = run['secondaryMetrics']
    if 'time metric' in spec:
        time = statistics.median(raw(others[spec['time metric']]))
    else:
        time = lower_quartile(raw(run['primaryMetric']))
    size = others.get(spec.get('bytes metric', 'gc.alloc.rate.norm'))
    if size is None:
        raise SystemExit(f"{spec['id']} needs the bytes of each call: run JMH with -prof gc")
    # JMH sums counters over iterations up, but not what the profiler reports.
    number_of_bytes = statistics.median(raw(size)) if 'bytes metric' in spec else size['score']
    return time / spec.get('time divisor', 1), number_of_bytes / spec.get('bytes divisor', 1)


def outcome_of(spec, rounds):
    """A comparison with the median of the ratios within the rounds. The first contender is the limit."""
    found = {}
    for index, runs in enumerate(rounds):
        for run in runs:
            own = run.get('params', {})
            if re.search(rf"\.{spec['benchmark']}$", run['benchmark']) and spec.get('params', {}).items() <= own.items():
                label = SPECS['labels'][spec['labels']][own.get('contender', run['benchmark'].split('.')[-1])]
                found.setdefault(label, {})[index] = sample(run, spec)
    figures = []
    for label, samples in found.items():
        limit = next(iter(found.values()))
        if samples.keys() != limit.keys():
            raise SystemExit(f"{spec['id']}: not every round has '{label}'")
        times = [time for time, _ in samples.values()]
        ratios = [time / limit[index][0] for index, (time, _) in samples.items()]
        figures.append({'label': label, 'ours': label.startswith(OURS), 'time': statistics.median(times),
                        'ratio': statistics.median(ratios),
                        'bytes': statistics.median(size for _, size in samples.values()),
                        'times': times, 'ratios': ratios})
    return {'id': spec['id'], 'title': spec['title'], 'unit': spec.get('unit', 'ns'),
            'bytes': spec.get('bytes', 'B/call'), 'figures': figures}


def outcomes(rounds):
    found = (outcome_of(spec, rounds) for spec in SPECS['comparisons'])
    return [outcome for outcome in found if outcome['figures']]


def measurements(rounds):
    """The counters of all other benchmarks, an entry for each combination of parameters."""
    found = {}
    for run in (run for runs in rounds for run in runs):
        name = '.'.join(run['benchmark'].split('.')[-2:])
        if any(re.fullmatch(spec['benchmark'], name) for spec in SPECS['comparisons']):
            continue
        params = run.get('params', {})
        entry = found.setdefault((name, *params.values()), {'benchmark': name, 'params': params, 'metrics': {}})
        for metric, values in run['secondaryMetrics'].items():
            if not metric.startswith('gc.'):
                entry['metrics'].setdefault(metric, []).extend(raw(values))
    return list(found.values())


def measurement_tables(entries):
    for name in dict.fromkeys(entry['benchmark'] for entry in entries):
        group = [entry for entry in entries if entry['benchmark'] == name]
        titles = [', '.join(f'{key} {value}' for key, value in entry['params'].items()) for entry in group]
        if name == 'SnapshotBenchmark.window':  # a column for each window, not the median
            columns = [(f"{entry['params']['snapshot']}, {i + 1}", {m: [v[i]] for m, v in entry['metrics'].items()})
                       for entry in group for i in range(len(entry['metrics']['open']))]
        else:
            columns = [(title, entry['metrics']) for title, entry in zip(titles, group)]
        metrics = list(dict.fromkeys(metric for _, values in columns for metric in values))
        rows = [[''] + [title for title, _ in columns]]
        rows += [[metric] + [number(WORST.get(metric, statistics.median)(values[metric])) for _, values in columns]
                 for metric in metrics]
        if len(columns) > len(metrics):
            rows = list(zip(*rows))
        rows.insert(1, ['---'] + ['---:'] * (len(rows[0]) - 1))
        yield f'\n## {name}\n\n' + ''.join('| ' + ' | '.join(row) + ' |\n' for row in rows)


def machine(run):
    cpus = Path('/proc/cpuinfo').read_text() if Path('/proc/cpuinfo').exists() else ''
    model = re.search(r'^model name\s*:\s*(.+)$', cpus, re.MULTILINE)
    architecture = platform.machine().replace('x86_64', 'amd64')
    return {'cores': os.cpu_count(), 'processor': model.group(1).strip() if model else architecture,
            'system': f'{platform.system()} {architecture}', 'jdk': run['vmVersion'], 'vendor': run['vmName']}


def versions():
    """The versions of the jars that are measured."""
    jars = {'Failsafe': 'failsafe', 'JMH': 'jmh-core', 'Resilience4j': 'resilience4j-core', 'RetryOn': 'retry-core',
            'Spring Boot': 'spring-boot', 'Spring Framework': 'spring-core', 'spring-retry': 'spring-retry'}
    lib = HERE / 'target' / 'lib'
    return {name: jar.name[len(start) + 1:-4] for name, start in jars.items() for jar in lib.glob(start + '-[0-9]*.jar')}


def record_of(files):
    rounds = [json.loads(Path(file).read_text()) for file in files]
    return {'taken': datetime.datetime.now(datetime.timezone.utc).date().isoformat(), 'rounds': len(rounds),
            'machine': machine(rounds[0][0]), 'versions': versions(), 'outcomes': outcomes(rounds),
            'measurements': measurements(rounds)}


def over_bounds(record):
    """The figures of a record that exceed the bounds of their comparisons."""
    bounds = {spec['id']: spec.get('bounds', {}) for spec in SPECS['comparisons']}
    return [f"{outcome['title']}: {figures['label']} has the ratio {figures['ratio']:.2f}, its bound is {bound:.2f}"
            for outcome in record['outcomes'] for figures in outcome['figures']
            for bound in [bounds.get(outcome['id'], {}).get(figures['label'])] if bound and figures['ratio'] > bound]


def origin(record):
    where = record['machine']
    return (f"{where['cores']} × {where['processor']}, {where['system']}, JDK {where['jdk']} ({where['vendor']}); median of "
            f"{record['rounds']} round{'' if record['rounds'] == 1 else 's'}; {record['taken']}")


def markdown(record):
    text = (f"# JDK {record['machine']['jdk']}\n\n{origin(record)}.\n\n"
            + ' · '.join(f'{name} {version}' for name, version in record['versions'].items())
            + '.\n\nRatios are to the first row, computed within each round.\n')
    for outcome in record['outcomes']:
        rows = [(f"`{outcome['id']}`", outcome['unit'], 'ratio', outcome['bytes'])]
        rows += [(strong(f), number(f['time']), number(f['ratio']), fixed(f['bytes'], 0)) for f in outcome['figures']]
        lines = ['| {:<36} | {:>10} | {:>8} | {:>10} |'.format(*row) for row in rows]
        lines.insert(1, '|:' + '-' * 37 + '|' + '-' * 11 + ':|' + '-' * 9 + ':|' + '-' * 11 + ':|')
        text += f"\n## {outcome['title']}\n\n" + '\n'.join(lines) + '\n'
    return text + ''.join(measurement_tables(record.get('measurements', [])))


STYLE = '''<style>
svg { font: 13px system-ui, sans-serif }
.paper { fill: #ffffff } .text { fill: #1f2933 } .faint { fill: #5c6773 } .grid { stroke: #dde2e8 }
.title { font-weight: 600; font-size: 14px } .head { font-weight: 600; font-size: 17px } .small { font-size: 11px }
.limit { fill: #7b8794 } .peer { fill: #b6c0cc } .ours { fill: #1769d1 } .strong { font-weight: 600 }
@media (prefers-color-scheme: dark) {
.paper { fill: #11161d } .text { fill: #e3e8ee } .faint { fill: #9aa7b5 } .grid { stroke: #2b3440 }
.limit { fill: #8794a3 } .peer { fill: #4b5a6b } .ours { fill: #4c9bff }
}
</style>'''


def plot(record):
    """Bars, a panel for each comparison, on logarithmic scales."""
    lines, y = [], 64
    for outcome in record['outcomes']:
        times = [figures['time'] for figures in outcome['figures']]
        low = math.ceil(math.log10(min(times))) - 1
        high = max(math.ceil(math.log10(max(times))), low + 1)

        def position(value):
            return math.floor(370 * (math.log10(value) - low) / (high - low) + 0.5)

        lines.append(f'<text class="text title" x="20" y="{y + 20}">{escape(outcome["title"], False)}</text>')
        top = y + 34
        bottom = top + 22 * len(times)
        for power in range(low, high + 1):
            x = 270 + position(10 ** power)
            lines.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{top - 4}" y2="{bottom}"/>')
            lines.append(f'<text class="faint small" x="{x}" y="{bottom + 14}" text-anchor="middle">'
                         f'{10.0 ** power:,.{max(0, -power)}f} {outcome["unit"]}</text>')
        for row, figures in enumerate(outcome['figures']):
            kind = 'ours' if figures['ours'] else 'peer' if row else 'limit'
            length = max(1, position(figures['time']))
            base = top + 22 * row + 12
            lines.append(f'<text class="text{" strong" if figures["ours"] else ""}" x="262" y="{base}" text-anchor="end">'
                         f'{escape(figures["label"], False)}</text>')
            lines.append(f'<rect class="{kind}" x="270" y="{top + 22 * row}" width="{length}" height="14" rx="2"/>')
            lines.append(f'<text class="text small" x="{276 + length}" y="{base - 1}">{number(figures["time"])} '
                         f'{outcome["unit"]} · {number(figures["ratio"])}× · {fixed(figures["bytes"], 0)} B</text>')
        y = bottom + 30
    height = y + 20
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {height}" width="880" height="{height}" role="img">',
            f"<title>What a retried call costs, on JDK {escape(record['machine']['jdk'], False)}</title>", STYLE,
            f'<rect class="paper" width="880" height="{height}"/>',
            '<text class="text head" x="20" y="28">What a retried call costs: shorter is better, scales are logarithmic</text>',
            f'<text class="faint small" x="20" y="48">{escape(origin(record), False)}</text>']
    return '\n'.join(head + lines + ['</svg>', ''])


def write(name, record):
    (RECORDS / f'{name}.json').write_text(json.dumps(record, indent=2, ensure_ascii=False) + '\n')
    (RECORDS / f'{name}.md').write_text(markdown(record))
    if record['outcomes']:
        (RECORDS / f'{name}.svg').write_text(plot(record))


def known(jdk):
    """The outcomes of a JDK by their ids: of the latest record that has them, or of that with the most rounds of the day."""
    files = [file for file in sorted(RECORDS.glob('*.json'))
             if re.fullmatch(rf'jdk-{jdk}(-.+)?', file.stem) and not re.search('-(load|quick|part)$', file.stem)]
    records = sorted(map(lambda file: json.loads(file.read_text()), files), key=lambda r: (r['taken'], r['rounds']))
    return {outcome['id']: outcome for record in records for outcome in record['outcomes']}


def cell(kind, outcome, label):
    figures = next((f for f in outcome['figures'] if strong(f) == label), None) if outcome else None
    if figures is None:
        return '–'
    limit = outcome['figures'][0]
    if kind == 'ratio':
        own = f" ({number(figures['time'])} {outcome['unit']})" if figures is limit else ''
        return short_ratio(figures['ratio']) + own
    if kind == 'byte ratio':
        return short_ratio(figures['bytes'] / limit['bytes'])
    return number(figures['time']) if kind == 'time' else fixed(figures['bytes'], 0)


def page_table(name):
    if name not in SPECS['tables']:
        raise SystemExit(f"there is no table '{name}'")
    corner, columns = SPECS['tables'][name]['corner'], SPECS['tables'][name]['columns']
    by_jdk = {jdk: known(jdk) for jdk in JDKS}
    shown = [(kind, header, by_jdk[jdk].get(comparison)) for kind, header, jdk, comparison in columns]
    longest = sorted((outcome for _, _, outcome in shown if outcome), key=lambda o: -len(o['figures']))
    labels = dict.fromkeys(strong(figures) for outcome in longest for figures in outcome['figures'])
    if not labels:
        return 'Not measured yet.\n'
    rows = ['| ' + ' | '.join([label] + [cell(kind, outcome, label) for kind, _, outcome in shown]) + ' |'
            for label in labels]
    head = (f'| {corner} |' if corner else '| |') + ''.join(f' {header} |' for _, header, _ in shown)
    return '\n'.join([head, '|---|' + '---:|' * len(columns)] + rows) + '\n'


def refresh(page):
    text = page.read_text()
    marks = re.compile(r'(<!-- table: ([a-z0-9-]+) -->\n).*?(<!-- end of table -->)', re.DOTALL)
    page.write_text(marks.sub(lambda mark: f'{mark[1]}\n{page_table(mark[2])}\n{mark[3]}', text))


def main(command='', *arguments):
    if command == 'pages' and not arguments:
        for page in PAGES:
            refresh(page)
    elif (command == 'table' and arguments) or (command == 'record' and len(arguments) > 1):
        record = record_of(arguments[1:] if command == 'record' else arguments)
        if command == 'record':
            write(arguments[0], record)
        print(markdown(record))
        sys.exit('\n'.join(over_bounds(record)) or 0)
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(*sys.argv[1:])
