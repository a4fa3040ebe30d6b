// The table of retried methods, starting with methods that need attention, and the states of methods.

import {badge, button, cell, className, fill, h, headings, nameText, time} from './elements.js';
import {legend, sparkline, sum} from './charts.js';
import {KINDS, hoursOf, smallHours} from './hours.js';
import {constant, counted, number} from './text.js';

/** The number of intervals of ten seconds that are searched for the latest calls of a method, which tell its state. */
const LATELY = 13;

/** The number of rows that are always shown, and of methods that need attention that are shown before an operator asks for all. */
const FEW = 20;

const MANY = 50;

const PERIODS = new Map([['', ['Last 15 minutes', undefined]], ['12h', ['Last 12 hours', KINDS]]]);

const COLUMNS = [['State'], ['Method', 'row'], ['Last 15 minutes'], ['Calls ended since start', 'number'],
  ['Retries since start', 'number'], ['Failures since start', 'number'], ['Waiting in memory', 'number'], ['Last failure']];

const order = new Intl.Collator();

/**
 * The state of a method: its retries in this process, and the stored calls of all processes. A state that needs more
 * attention has a higher rank. While stored calls are not known, the method is only quiet in this process.
 */
export function stateOf(entry, changes, stored) {
  const mine = stateHere(entry, changes);
  const hasStored = stored.waiting + stored.dead > 0;
  return {
    ...mine,
    stored,
    rank: Math.max(mine.rank, rankOf(stored)),
    shown: !mine.isQuiet ? mine.shown : hasStored ? null : stored.isKnown ? mine.shown : ['none', mine.shown[1] + ' here'],
    isQuiet: mine.isQuiet && !hasStored,
  };
}

/** Dead and paused calls need a person; waiting calls run by themselves. */
function rankOf({waiting, dead, isPaused}) {
  if (dead > 0) {
    return 1e11 + dead;
  }
  return waiting > 0 ? (isPaused ? 1e10 : 1e8) + waiting : -1;
}

function stateHere(entry, changes) {
  const recent = entry.recent ?? {calls: [], retries: [], failures: []};
  const ended = latest(recent, ['calls']);
  // An interval can begin with failures and end with successes.
  const failing = ended.failures > entry.successesSinceFailure ? ended.failures : 0;
  const retrying = latest(recent, ['calls', 'retries']).retries + entry.waiting;
  const failed = sum(recent.failures);
  const off = isOff(changes, entry.name);
  if (failing > 0) {
    return {rank: 1e12 + failing, shown: ['bad', 'failing'], off};
  }
  if (retrying > 0) {
    return {rank: 1e9 + retrying, shown: ['warn', 'retrying'], off};
  }
  if (failed > 0) {
    return {rank: 1e6 + failed, shown: ['warn', 'failed earlier'], off};
  }
  const isCalled = entry.calls > 0;
  return {
    rank: isCalled ? sum(recent.retries) : -1,
    shown: isCalled ? ['ok', 'healthy'] : ['none', 'no calls'],
    off,
    isQuiet: !off,
  };
}

/** The latest interval in which something of some kinds has happened, of the last two minutes. */
function latest(recent, kinds) {
  for (let i = 1; i <= LATELY; i++) {
    const counts = Object.fromEntries(Object.entries(recent).map(([kind, values]) => [kind, values.at(-i) ?? 0]));
    if (kinds.some(kind => counts[kind] > 0)) {
      return counts;
    }
  }
  return {calls: 0, retries: 0, failures: 0};
}

/** Whether an operator has switched a method off. Of changes, the last one is the strongest. */
export function isOff(changes, name) {
  return changes.filter(change => (change.path === '' || change.path === name) && change.settings.retryable !== undefined)
    .at(-1)?.settings.retryable === 'false';
}

export function badges(state, name) {
  const {waiting, dead, isPaused} = state.stored;
  return [
    state.shown ? badge(...state.shown) : null,
    waiting > 0 ? [' ', linked('warn', isPaused ? 'paused' : 'waiting', waiting, 'waiting', name)] : null,
    dead > 0 ? [' ', linked('bad', 'dead', dead, 'dead', name)] : null,
    state.off ? [' ', badge('off', 'switched off')] : null];
}

/** The last error of stored calls, of which other attempts might have run in other processes. */
function storedFailure({error, oldest}) {
  return h('span', null, error ? className(error) : h('span.quiet', null, 'no failure yet'),
    h('span.quiet', null, ' in stored calls since '), time(oldest));
}

function linked(kind, text, count, state, name) {
  return h('a.calls', {href: '#calls?' + new URLSearchParams({state, method: name})}, badge(kind, `${text} (${number(count)})`));
}

export function methods(section, wantedPeriod) {
  const period = PERIODS.has(wantedPeriod) ? wantedPeriod : '';
  const columns = COLUMNS.with(2, [PERIODS.get(period)[0]]);
  const rows = new Map();
  let entries = [];
  let hours = null;
  let showsAll = false;
  const filter = h('input', {
    type: 'search', id: 'methods-filter', placeholder: 'part of a name', autocomplete: 'off', spellcheck: 'false', oninput: () => show()});
  const body = h('tbody');
  const scroll = h('div.wide', {tabindex: 0, role: 'region', 'aria-label': 'Retried methods'}, h('table.methods', null,
    h('caption.hidden', null, 'Retried methods, starting with methods that need attention'), headings(columns), body));
  const empty = h('p.empty', {hidden: true});
  const more = h('p');
  fill(section,
    h('div.bar', null, h('label', {for: 'methods-filter'}, 'Methods '), filter,
      h('nav.periods', {'aria-label': 'Period of the curves'}, [...PERIODS].map(([id, [text]]) =>
        h('a', {href: '#overview' + (id && '?period=' + id), 'aria-current': id === period ? 'true' : null}, text))),
      legend(PERIODS.get(period)[1])),
    scroll, empty, more);

  // Curves are drawn when their row becomes visible.
  const visible = new IntersectionObserver(changes => {
    for (const change of changes) {
      const row = rows.get(change.target.retryonName);
      if (row) {
        row.visible = change.isIntersecting;
        draw(row);
      }
    }
  }, {rootMargin: '200px'});

  function draw(row) {
    const values = period === '' ? row.entry.recent : hours && hoursOf(hours, row.entry.name);
    const key = row.visible ? JSON.stringify(values) : null;
    if (row.visible && values && row.drawn !== key) {
      row.drawn = key;
      fill(row.curve, period === '' ? sparkline(values) : smallHours(hours, row.entry.name));
    }
  }

  function rowOf(entry) {
    let row = rows.get(entry.name);
    if (!row) {
      const link = h('a', {href: '#method?' + new URLSearchParams({name: entry.name})}, nameText(entry.name, 200));
      const cells = columns.map(column => cell(column, column[1] === 'row' ? link : null));
      row = {element: h('tr', null, cells), cells, curve: cells[2], visible: false, text: ''};
      row.element.retryonName = entry.name;
      row.curve.classList.add('curve');
      rows.set(entry.name, row);
      visible.observe(row.element);
    }
    return row;
  }

  function rowWith({entry, state}) {
    const row = rowOf(entry);
    row.entry = entry;
    const failure = entry.lastFailure;
    const text = JSON.stringify([state.shown, state.stored, state.off, entry.calls, entry.retries, entry.failures, entry.waiting, failure]);
    if (row.text !== text) {
      row.text = text;
      row.element.classList.toggle('idle', state.shown?.[1].startsWith('no calls') === true);
      fill(row.cells[0], badges(state, entry.name));
      fill(row.cells[3], number(entry.calls), entry.complete ? null
        : h('span', {title: 'Calls are not counted if they succeed at the first attempt, because retryon.metrics.enabled is false'}, '+'));
      [entry.retries, entry.failures, entry.waiting].forEach((count, i) => {
        fill(row.cells[4 + i], number(count));
        row.cells[4 + i].classList.toggle('zero', count === 0);
      });
      fill(row.cells[7], failure
        ? h('span', null, className(failure.exception), ' ',
          h('span.quiet', null, constant(failure.reason), failure.recovered ? ', recovered' : '', ', '), time(failure.at))
        : state.stored.waiting + state.stored.dead > 0 ? storedFailure(state.stored) : h('span.quiet', null, 'none'));
    }
    draw(row);
    return row.element;
  }

  /** The shown methods whose names contain the filter's text. If there are many, quiet ones are omitted until the operator asks. */
  function shownOf(matching) {
    if (showsAll || filter.value.trim() !== '' || matching.length <= FEW) {
      return matching;
    }
    const attention = matching.filter(({state}) => !state.isQuiet).length;
    return matching.slice(0, Math.min(MANY, Math.max(FEW, attention)));
  }

  function show() {
    const part = filter.value.trim().toLowerCase();
    const matching = entries.filter(({entry}) => part === '' || entry.name.toLowerCase().includes(part));
    const shown = shownOf(matching);
    const elements = shown.map(rowWith);
    // Rows keep their places while the operator points at them or has the focus in them.
    const isBusy = body.matches(':hover') || body.contains(document.activeElement);
    const isSame = elements.length === body.children.length && elements.every((element, i) => body.children[i] === element);
    const hasOthers = elements.length !== body.children.length || elements.some(element => element.parentNode !== body);
    if (!isSame && (!isBusy || hasOthers)) {
      body.replaceChildren(...elements);
    }
    empty.hidden = elements.length > 0;
    scroll.hidden = elements.length === 0;
    fill(empty, entries.length === 0
      ? 'Nothing is retried in this application yet: no method has @RetryOn, and no HTTP client or RetryRegistry retries.'
      : 'No name contains this text.');
    showMore(matching.slice(shown.length));
  }

  function showMore(hidden) {
    const kind = hidden.every(({state}) => state.isQuiet) ? 'quiet' : 'more';
    fill(more, hidden.length === 0 ? null
      : button(`Show ${counted(hidden.length, `${kind} method`, `${kind} methods`)}`, () => {
        showsAll = true;
        show();
      }));
  }

  function update(summary, stored) {
    entries = summary.names.map(entry => ({entry, state: stateOf(entry, summary.changes, stored.of(entry.name))}))
      .sort((a, b) => b.state.rank - a.state.rank || order.compare(a.entry.name, b.entry.name));
    show();
  }

  function updateHours(read) {
    hours = read;
    rows.forEach(draw);
  }

  return {update, updateHours, close: () => visible.disconnect()};
}
