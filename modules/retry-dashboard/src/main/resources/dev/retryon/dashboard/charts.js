// Draws charts as SVG. Their colours are in the style sheet, so they follow the theme.

import {h, headings} from './elements.js';
import {counted, number, secondsOf, words} from './text.js';

const NAMESPACE = 'http://www.w3.org/2000/svg';

/** The height of a chart in the units of its drawing, which is stretched to the size of its box. */
const HEIGHT = 100;

/** The number of values of 15 minutes. */
const SAMPLES = 91;

const RECENT = ['calls', 'retries', 'failures'];

export const sum = values => values.reduce((all, value) => all + value, 0);

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
}

function drawing(length, label, ...children) {
  return svg('svg', {
    role: 'img', 'aria-label': label, viewBox: `0 0 ${length} ${HEIGHT}`, preserveAspectRatio: 'none',
  }, titled(label), ...children);
}

function titled(label) {
  const title = svg('title', {});
  title.textContent = label;
  return title;
}

/** The values of a period of a fixed length. The server omits the intervals before the first value that is not zero. */
export function padded(values, length, before = 0) {
  return new Array(Math.max(0, length - values.length)).fill(before).concat(values.slice(-length));
}

/** A line for each kind of value, on one scale, from its first value on. Unknown values leave a gap. */
function lines(kinds, values, length) {
  const shown = kinds.filter(kind => values[kind].length > 0);
  const scale = HEIGHT / Math.max(1, ...shown.flatMap(kind => values[kind]));
  return shown.map(kind => {
    let pen = 'M';
    const path = padded([0, ...values[kind]], length, null).map((value, i) => {
      const step = value == null ? '' : `${pen}${i} ${round(HEIGHT - value * scale)}`;
      pen = value == null ? 'M' : 'L';
      return step;
    });
    return svg('path', {class: `line ${kind}`, d: path.join(''), 'vector-effect': 'non-scaling-stroke'});
  });
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function textOf(recent) {
  const [calls, retries, failures] = RECENT.map(kind => sum(recent[kind]));
  return `last 15 minutes: ${counted(calls, 'call', 'calls')}, ${counted(retries, 'retry', 'retries')}, `
    + counted(failures, 'failure', 'failures');
}

export function sparkline(recent) {
  return small(RECENT, recent, SAMPLES, textOf(recent));
}

export function small(kinds, values, length, label) {
  return kinds.every(kind => values[kind].length === 0)
    ? h('div.spark', {role: 'img', 'aria-label': label, title: label}, h('span.quiet', null, 'quiet'))
    : h('div.spark', null, drawing(length - 1, label, ...lines(kinds, values, length)));
}

export function recentChart(recent) {
  const most = Math.max(1, ...RECENT.flatMap(kind => recent[kind]));
  return h('div.chart', null,
    h('div.scale', {'aria-hidden': 'true'}, h('span', null, number(most)), h('span', null, '0')),
    drawing(SAMPLES - 1, textOf(recent),
      ...[30, 60].map(x => svg('path', {class: 'grid', d: `M${x} 0V${HEIGHT}`, 'vector-effect': 'non-scaling-stroke'})),
      ...lines(RECENT, recent, SAMPLES)),
    h('div.axis', {'aria-hidden': 'true'}, ['15 m ago', '10 m', '5 m', 'now'].map(text => h('span', null, text))));
}

/** A bar for each value. Unknown values and intervals before the recorded ones, which end now, have another background. */
export function bars(kind, values, length, recorded, label) {
  const all = padded(values, length);
  const scale = HEIGHT / Math.max(1, ...all);
  const unknown = i => i < length - recorded || all[i] == null;
  const ground = all.map((value, i) => unknown(i) ? `M${i} 0h1v${HEIGHT}h-1z` : '').join('');
  const path = all.map((value, i) => value > 0 ? `M${i} ${HEIGHT}V${round(HEIGHT - value * scale)}h1V${HEIGHT}z` : '').join('');
  return drawing(length, label, svg('path', {class: 'unknown', d: ground}), svg('path', {class: `bars ${kind}`, d: path}));
}

export function legend(kinds = RECENT) {
  return h('p.legend', null, kinds.map(kind => h('span.key.' + kind, null, kind)));
}

/** Shortest and longest possible wait before each retry, on one scale. */
export function schedule(waits, maxAttempts, timeout) {
  const retries = waits.slice(0, Math.max(0, Math.min(waits.length, maxAttempts - 1)));
  if (retries.length === 0) {
    return h('p.empty', null, 'Only one attempt is allowed, so nothing is retried.');
  }
  let earliest = 0;
  let latest = 0;
  const rows = retries.map(wait => {
    earliest += secondsOf(wait.shortest) ?? 0;
    latest += secondsOf(wait.longest) ?? 0;
    return {wait, earliest, latest};
  });
  const scale = Math.max(latest, 0.001);
  const cut = maxAttempts - 1 > retries.length;
  return h('div', null,
    h('table.schedule', null,
      h('caption', null, 'Shortest and longest possible wait before each retry'),
      headings([['Retry'], ['Wait'], ['After the first attempt'], ['Picture', 'hidden']]),
      h('tbody', null, rows.map(row => {
        const bar = h('div.range', {'aria-hidden': 'true'});
        const span = h('div.span');
        span.style.marginLeft = (row.earliest / scale * 100) + '%';
        span.style.width = Math.max(0.6, (row.latest - row.earliest) / scale * 100) + '%';
        bar.append(span);
        return h('tr', null,
          h('th', {scope: 'row'}, String(row.wait.retry)),
          h('td', null, between(secondsOf(row.wait.shortest), secondsOf(row.wait.longest))),
          h('td', null, between(row.earliest, row.latest)),
          h('td.bar', null, bar));
      }))),
    h('p', null,
      cut ? `The first ${retries.length} of ${maxAttempts - 1} retries. Their waits total ` : 'Gives up after waits that total ',
      h('strong', null, between(earliest, latest)), ', plus the time of the attempts',
      timeout ? `; the timeout ends the call after ${timeout}` : '', '.'));
}

function between(low, high) {
  return low === high ? words(low ?? 0) : `${words(low ?? 0)} – ${words(high ?? 0)}`;
}
