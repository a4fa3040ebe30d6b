// Draws with uPlot, from the application's own jar.

import {h, number, secondsOf, words} from './dom.js';

const SAMPLES = 91;

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/** The values of 15 minutes. The server omits the intervals before the first value that is not zero. Without a value there is no line. */
function padded(values) {
  if (values.length === 0) {
    return new Array(SAMPLES).fill(null);
  }
  const all = new Array(Math.max(0, SAMPLES - values.length)).fill(0);
  return all.concat(values.slice(-SAMPLES));
}

export const sum = values => values.reduce((all, value) => all + value, 0);

function textOf(recent) {
  return `last 15 minutes: ${number(sum(recent.calls))} calls, ${number(sum(recent.retries))} retries, ${number(sum(recent.failures))} failures`;
}

function draw(box, recent, thin, thick, options) {
  const line = (name, width) => ({stroke: color(name), width, points: {show: false}});
  new uPlot({
    legend: {show: false},
    cursor: {show: false},
    scales: {x: {time: false}, y: {range: (plot, low, high) => [0, Math.max(1, high)]}},
    series: [{}, line('calls', thin), line('retries', thick), line('failures', thick)],
    ...options,
  }, [Array.from({length: SAMPLES}, (ignored, i) => i), padded(recent.calls), padded(recent.retries), padded(recent.failures)], box);
  return box;
}

/** Small lines for calls, retries and failures of the last 15 minutes, and the same in words. */
export function sparkline(recent, width, height) {
  const text = textOf(recent);
  const box = h('div.spark', {role: 'img', 'aria-label': text, title: text});
  if (recent.calls.length + recent.retries.length + recent.failures.length === 0) {
    box.append(h('span.quiet', null, 'quiet'));
    return box;
  }
  return draw(box, recent, 1, 1.5, {width, height, class: 'lines', pxAlign: false, padding: [2, 0, 2, 0], axes: [{show: false}, {show: false}]});
}

/** The same, large, with axes. */
export function history(recent, width) {
  const quiet = color('quiet');
  const grid = {stroke: color('line'), width: 1};
  return draw(h('div.chart', {role: 'img', 'aria-label': textOf(recent)}), recent, 1.5, 2, {
    width, height: 180,
    axes: [
      {stroke: quiet, grid, ticks: grid, splits: () => [0, 30, 60, 90], values: () => ['15 m ago', '10 m', '5 m', 'now']},
      {stroke: quiet, grid, ticks: grid, size: 48}],
  });
}

export function legend() {
  return h('p.legend', null,
    h('span.key.calls', null, 'calls'), h('span.key.retries', null, 'retries'), h('span.key.failures', null, 'failures'));
}

/** The time of each attempt, from the shortest to the longest wait, on one scale. */
export function schedule(waits, maxAttempts, timeout) {
  const retries = waits.slice(0, Math.max(0, Math.min(waits.length, maxAttempts - 1)));
  if (retries.length === 0) {
    return h('p.empty', null, 'There is one attempt: nothing is retried.');
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
      h('caption', null, 'Waits before each retry, from the shortest to the longest'),
      h('thead', null, h('tr', null, h('th', {scope: 'col'}, 'retry'), h('th', {scope: 'col'}, 'wait'), h('th', {scope: 'col'}, 'after the first attempt'), h('th', {scope: 'col'}, h('span.hidden', null, 'picture')))),
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
    h('p', null, (cut ? `The first ${retries.length} of ${maxAttempts - 1} retries. Their waits take ` : `Gives up after waits of `),
      h('strong', null, between(earliest, latest)), ' in all, and the time of the attempts',
      timeout ? `; the timeout ends it after ${timeout}` : '', '.'));
}

function between(low, high) {
  return low === high ? words(low ?? 0) : `${words(low ?? 0)} – ${words(high ?? 0)}`;
}
