// The last hours of all methods or of one: how many retries, failures, waiting calls and dead letters there were, and when.

import {get} from './endpoints.js';
import {fill, h, table, time, whenChanged} from './elements.js';
import {bars, padded, small, sum} from './charts.js';
import {duration, number, secondsOf, short} from './text.js';

const FRESH = 30000;

/** The kinds of values. Retries and failures are summed; of the other kinds, the highest value counts. */
export const KINDS = ['retries', 'failures', 'waiting', 'dead'];

const ADDED = new Set(['retries', 'failures']);

const TITLES = new Map([['retries', 'Retries'], ['failures', 'Failed calls'], ['waiting', 'Waiting calls'], ['dead', 'Dead letters']]);

const NONE = {retries: [], failures: [], waiting: [], dead: []};

/** Reads the last hours at a refresh, unless they are still fresh, and passes them on. */
export function lastHours(found) {
  let readAt = 0;
  return {
    refresh: () => {
      if (Date.now() - readAt >= FRESH) {
        readAt = Date.now();
        get('retryon', [], {hours: true}).then(read => read.interval && found(read), () => {});
      }
    },
  };
}

export function hoursOf(read, name) {
  return read.names.find(other => other.name === name)?.hours ?? NONE;
}

export function periodOf(read) {
  return duration(`PT${secondsOf(read.interval) * read.intervals}S`).replace(/ h$/, ' hours');
}

export function smallHours(read, name) {
  const values = hoursOf(read, name);
  return small(KINDS, values, read.intervals, `last ${periodOf(read)}: `
    + KINDS.map(kind => `${TITLES.get(kind).toLowerCase()} ${summary(kind, values[kind])}`).join(', '));
}

/** The sum of values that are summed, or the highest value. */
function summary(kind, values) {
  const known = values.filter(value => value != null);
  return ADDED.has(kind) ? number(sum(known)) : `at most ${number(Math.max(0, ...known))}`;
}

/** Shows charts of a method, or of all, in a section, with the same numbers in a table. */
export function hoursIn(section) {
  const once = whenChanged();
  let isOpen = false;

  function show(read, values) {
    once('hours', [values, read.latest, read.since], () => {
      const period = periodOf(read);
      const isQuiet = KINDS.every(kind => values[kind].every(value => !value));
      fill(section, h('h2', null, `Last ${period}`),
        isQuiet ? null : h('div.trends', null, KINDS.map(kind => trend(kind, read, values[kind]))),
        h('p.quiet', null,
          isQuiet ? quietText(values) : null,
          `Recorded by ${short(read.node, 100)} since `, time(read.since), '; a restart clears this history. ',
          isQuiet ? null : 'Grey bars stand for unknown values. ', 'Waiting calls and dead letters are counted about once a minute.'),
        isQuiet ? null : h('details', {open: isOpen, ontoggle: event => {
          isOpen = event.target.open;
        }}, h('summary', null, 'Numbers by hour'),
        h('p.quiet', null, `Each bar covers ${duration(read.interval)}. Retries and failed calls are counted in this process, `
          + 'waiting calls and dead letters in all processes.'),
        hourTable(read, values)));
    });
  }

  return {show};
}

function quietText(values) {
  return KINDS.some(kind => values[kind].includes(null))
    ? 'No retries or failed calls. Some counts of waiting calls and dead letters are missing. '
    : 'No retries, failed calls, waiting calls or dead letters. ';
}

/** The time at which an interval begins, the last one having the number length - 1. */
function beginOf(read, i) {
  return new Date(new Date(read.latest).getTime() - (read.intervals - 1 - i) * secondsOf(read.interval) * 1000);
}

function clock(date) {
  return date.toLocaleTimeString([], {hour: 'numeric', minute: '2-digit'});
}

function trend(kind, read, values) {
  const all = padded(values, read.intervals);
  const most = Math.max(0, ...all);
  const title = TITLES.get(kind);
  const peak = most === 0 ? 'none' : `peak ${number(most)} at ${clock(beginOf(read, all.indexOf(most)))}`;
  // Stored calls are counted once a minute, so the page has a later number of them than the chart.
  const latest = all.at(-1) == null ? ', unknown now'
    : ADDED.has(kind) && most > 0 ? `, ${number(all.at(-1))} since ${clock(new Date(read.latest))}` : '';
  return h('figure.trend', null,
    h('figcaption', null, h('strong', null, title), h('span.quiet', null, peak + latest)),
    bars(kind, values, read.intervals, recorded(read),
      `${title} in the last ${periodOf(read)}: ${ADDED.has(kind) ? summary(kind, values) + ' in total, ' : ''}${peak}${latest}`),
    h('div.axis', {'aria-hidden': 'true'},
      h('span', null, clock(beginOf(read, 0))), h('span', null, clock(beginOf(read, read.intervals / 2))), h('span', null, 'now')));
}

function recorded(read) {
  const passed = (new Date(read.latest) - new Date(read.since)) / 1000;
  return Math.max(1, Math.ceil(passed / secondsOf(read.interval)) + 1);
}

/** A row for each hour of the reader's clock that has been recorded, the latest first. */
function hourTable(read, values) {
  const all = Object.fromEntries(KINDS.map(kind => [kind, padded(values[kind], read.intervals)]));
  const hours = new Map();
  for (let i = Math.max(0, read.intervals - recorded(read)); i < read.intervals; i++) {
    const begin = beginOf(read, i);
    begin.setMinutes(0, 0, 0);
    hours.set(begin.getTime(), [...hours.get(begin.getTime()) ?? [], i]);
  }
  return table('Numbers by hour',
    [['Hour', 'row'], ['Retries', 'number'], ['Failed calls', 'number'], ['Most waiting calls', 'number'],
      ['Most dead letters', 'number']],
    [...hours].reverse().map(([begin, intervals]) => [
      clock(new Date(begin)),
      ...KINDS.map(kind => {
        const known = intervals.map(i => all[kind][i]).filter(value => value != null);
        return known.length === 0 ? 'unknown' : number(ADDED.has(kind) ? sum(known) : Math.max(...known));
      })]));
}
