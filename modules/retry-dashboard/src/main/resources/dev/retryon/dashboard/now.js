// The current state of all names, those with failures first.

import {can, get} from './api.js';
import {badge, cell, className, constant, fill, h, name as named, number, short, table as tableOf, time, whenChanged} from './dom.js';
import {legend, sparkline, sum} from './charts.js';
import {changeSetting, changeText, offer, switchOff, takeBack, whereText} from './switches.js';

const LATELY = 13;

const COLUMNS = [['state'], ['name', 'row'], ['last 15 minutes'], ['calls', 'number'], ['retries', 'number'], ['failures', 'number'], ['waiting', 'number'], ['last failure']];

/** The number of rows that are built at once; the others follow when these are visible. */
const FIRST = 60;

const order = new Intl.Collator();

/** The state of a name; a worse state has a higher rank. */
export function stateOf(entry, changes) {
  const recent = entry.recent ?? {calls: [], retries: [], failures: []};
  const failing = sum(recent.failures.slice(-LATELY));
  const retrying = sum(recent.retries.slice(-LATELY)) + entry.waiting;
  const failed = sum(recent.failures);
  const rank = failing > 0 ? 1e12 + failing : retrying > 0 ? 1e9 + retrying : failed > 0 ? 1e6 + failed : entry.calls > 0 ? sum(recent.retries) : -1;
  const shown = failing > 0 ? ['bad', 'failing'] : retrying > 0 ? ['warn', 'retrying'] : failed > 0 ? ['warn', 'failed earlier']
    : entry.calls > 0 ? ['ok', 'healthy'] : ['none', 'no calls'];
  return {rank, shown, off: isOff(changes, entry.name)};
}

/** Whether an operator has switched a name off. Of changes, the last one is the strongest. */
export function isOff(changes, name) {
  return changes.filter(change => (change.path === '' || change.path === name) && change.settings.retryable !== undefined)
    .at(-1)?.settings.retryable === 'false';
}

export function badges(state) {
  return [badge(...state.shown), state.off ? [' ', badge('off', 'switched off')] : null];
}

export function open(main) {
  if (!can.see('retryon')) {
    fill(main, h('h1', null, 'Now'), h('p.empty', null, 'The endpoint ', h('code', null, 'retryon'), ' is not exposed over the web. Add it to ',
      h('code', null, 'management.endpoints.web.exposure.include'), ' to see the retries.'));
    return {title: 'Now', interval: () => 60000, refresh: async () => {}};
  }
  const rows = new Map();
  const figures = h('dl.figures');
  const changes = h('section');
  const filter = h('input', {type: 'search', id: 'names-filter', placeholder: 'part of a name', autocomplete: 'off', spellcheck: 'false', oninput: () => show()});
  const body = h('tbody');
  const table = h('table.names', null,
    h('caption.hidden', null, 'Retried methods, those with failures first'),
    h('thead', null, h('tr', null, COLUMNS.map(([text, kind]) => h(kind === 'number' ? 'th.number' : 'th', {scope: 'col'}, text)))),
    body);
  const empty = h('p.empty', {hidden: true});
  const causes = h('section');
  const budgets = h('section');
  const policies = h('section');
  fill(main,
    h('div.heading', null, h('h1', null, 'Now'),
      can.change('retryon') ? h('button', {type: 'button', onclick: () => switchOff([], 'everything that is retried')}, 'Switch all retries off…') : null),
    figures, changes,
    h('div.bar', null, h('label', {for: 'names-filter'}, 'Names '), filter, legend()),
    h('div.wide', {tabindex: 0, role: 'region', 'aria-label': 'What is retried'}, table), empty, causes, h('div.columns', null, budgets, policies));

  let summary = null;
  let built = FIRST;
  const totals = new Map();
  let totalsAt = 0;
  const once = whenChanged();
  const seen = new IntersectionObserver(entries => {
    for (const entry of entries) {
      const row = rows.get(entry.target.retryonName);
      if (row) {
        row.visible = entry.isIntersecting;
        draw(row);
      }
    }
  }, {rootMargin: '200px'});

  function draw(row) {
    const key = row.visible ? JSON.stringify(row.entry.recent) : null;
    if (row.visible && row.entry.recent && row.drawn !== key) {
      row.drawn = key;
      fill(row.spark, sparkline(row.entry.recent, 180, 30));
    }
  }

  function rowOf(entry) {
    let row = rows.get(entry.name);
    if (!row) {
      const cells = COLUMNS.map(column => cell(column, column[1] === 'row' ? h('a', {href: '#name?' + new URLSearchParams({name: entry.name})}, named(entry.name, 200)) : null));
      row = {element: h('tr', null, cells), cells, spark: cells[2], visible: false, text: ''};
      row.element.retryonName = entry.name;
      rows.set(entry.name, row);
      seen.observe(row.element);
    }
    return row;
  }

  function update(entry, state) {
    const row = rowOf(entry);
    row.entry = entry;
    const failure = entry.lastFailure;
    const text = JSON.stringify([state.shown, state.off, entry.calls, entry.retries, entry.failures, entry.waiting, failure]);
    if (row.text !== text) {
      row.text = text;
      row.element.classList.toggle('idle', entry.calls + entry.retries + entry.waiting === 0);
      fill(row.cells[0], badges(state));
      fill(row.cells[3], number(entry.calls), entry.complete ? null : h('span', {title: 'Calls that succeed at once are not counted: retryon.metrics.enabled is false'}, '+'));
      fill(row.cells[4], number(entry.retries));
      fill(row.cells[5], number(entry.failures));
      fill(row.cells[6], number(entry.waiting));
      row.cells[4].classList.toggle('zero', entry.retries === 0);
      row.cells[5].classList.toggle('zero', entry.failures === 0);
      row.cells[6].classList.toggle('zero', entry.waiting === 0);
      fill(row.cells[7], failure
        ? h('span', null, className(failure.exception), ' ', h('span.quiet', null, constant(failure.reason), failure.recovered ? ', recovered' : '', ', '), time(failure.at))
        : h('span.quiet', null, 'none'));
    }
    draw(row);
    return row;
  }

  function show() {
    const part = filter.value.trim().toLowerCase();
    const wanted = summary.names.filter(entry => part === '' || entry.name.toLowerCase().includes(part))
      .map(entry => ({entry, state: stateOf(entry, summary.changes)}));
    wanted.sort((a, b) => b.state.rank - a.state.rank || order.compare(a.entry.name, b.entry.name));
    const elements = wanted.slice(0, built).map(({entry, state}) => update(entry, state).element);
    if (wanted.length > built) {
      built = Infinity;
      requestAnimationFrame(() => setTimeout(() => {
        if (body.isConnected) {
          show();
        }
      }));
    }
    // Rows keep their places while the operator points at them or has the focus in them.
    const busy = body.matches(':hover') || body.contains(document.activeElement);
    const same = elements.length === body.children.length && elements.every((element, i) => body.children[i] === element);
    const others = elements.length !== body.children.length || elements.some(element => element.parentNode !== body);
    if (!same && (!busy || others)) {
      body.replaceChildren(...elements);
    }
    empty.hidden = elements.length > 0;
    table.parentNode.hidden = elements.length === 0;
    fill(empty, summary.names.length === 0
      ? 'Nothing is retried in this application yet: no method has @RetryOn, and no HTTP client or RetryRegistry retries.'
      : 'No name contains this text.');
  }

  function showFigures() {
    const states = summary.names.map(entry => stateOf(entry, []).shown[1]);
    const failing = states.filter(state => state === 'failing').length;
    const retrying = states.filter(state => state === 'retrying').length;
    const waiting = sum(summary.names.map(entry => entry.waiting));
    const denied = sum(summary.budgets.map(budget => budget.denied));
    fill(figures,
      figure('names failing', failing, failing > 0 ? 'bad' : 'ok', 'names with failures in the last 2 minutes'),
      figure('names retrying', retrying, retrying > 0 ? 'warn' : 'ok', 'names with retries in the last 2 minutes, or with calls that wait'),
      figure('calls waiting here', waiting, waiting > 0 ? 'warn' : 'ok', 'calls that wait for their next attempt in the memory of this process'),
      total('durablecalls', 'stored calls', 'warn', 'durable calls that wait in the database, of all processes', '#retrying'),
      figure('retries denied', denied, denied > 0 ? 'warn' : 'ok', 'retries denied by budgets since the start'),
      total('deadletters', 'dead letters', 'bad', 'calls that failed permanently', '#dead'));
  }

  /** The total of an endpoint; nothing if it does not respond. */
  function total(id, term, kind, hint, link) {
    const count = totals.get(id);
    return count == null ? null : figure(term, count, count > 0 ? kind : 'ok', hint, link);
  }

  function figure(name, value, kind, hint, link) {
    return h('div.figure.' + kind, {title: hint}, h('dt', null, link ? h('a', {href: link}, name) : name), h('dd', null, number(value)));
  }

  function showChanges() {
    fill(changes, summary.changes.length === 0 ? null : [
      h('h2', null, 'Changed by operators'),
      h('ul.changes', null, summary.changes.map(change => h('li', null,
        h('strong', null, change.path === '' ? 'everything' : short(change.path, 200)), ': ', whereText(change), changeText(change), ' ',
        h('span.quiet', null, 'since ', time(change.since), change.by ? [' by ', short(change.by, 100)] : null,
          change.until ? [' until ', time(change.until)] : ' until reverted'),
        ' ', can.change('retryon') ? h('button', {type: 'button', 'aria-label': `Revert… ${change.path === '' ? 'everything' : short(change.path, 200)}`, onclick: () => takeBack(change)}, 'Revert…') : null)))]);
  }

  function showCauses() {
    const shown = summary.causes.filter(cause => cause.total > 0).slice(0, 20);
    fill(causes, h('h2', null, 'Why attempts failed'), shown.length === 0
      ? h('p.empty', null, 'No attempt has failed since the application started.')
      : tableOf('Why attempts failed', [['name', 'row'], ['error'], ['what followed'], ['15 minutes', 'number'], ['since start', 'number']], shown.map(cause => [
        cause.name == null ? h('span.quiet', null, 'others') : h('a', {href: '#name?' + new URLSearchParams({name: cause.name})}, named(cause.name, 200)),
        className(cause.exception),
        cause.reason == null ? badge('warn', 'retried') : badge('bad', 'gave up: ' + constant(cause.reason)),
        cause.recent == null ? '–' : number(cause.recent),
        number(cause.total)])));
  }

  function showBudgets() {
    fill(budgets, h('h2', null, 'Budgets'), summary.budgets.length === 0
      ? h('p.empty', null, 'No retry budget is in use. A budget prevents retries from overloading a system that is failing; see retryon.budgets.')
      : tableOf('Budgets', [['budget', 'row'], ['would grant', 'number'], ['denied', 'number'], ...(can.change('retryon') ? [['switch', 'hidden']] : [])], summary.budgets.map(budget => [
        named(budget.name, 200),
        number(Math.floor(budget.tokens)),
        h('span.' + (budget.denied > 0 ? 'warn' : 'zero'), null, number(budget.denied)),
        ...(can.change('retryon') ? [h('button', {type: 'button', 'aria-label': `Switch off… budget ${short(budget.name, 200)}`, onclick: () => switchOff(['budgets', budget.name], `everything with the budget ${short(budget.name, 100)}`)}, 'Switch off…')] : [])])));
  }

  /** Policies can be switched here; each name shows the settings it has from them. */
  function showPolicies() {
    fill(policies, summary.policies.length === 0 || !can.change('retryon') ? null : [
      h('h2', null, 'Policies'),
      tableOf('Policies', [['policy', 'row'], ['switch', 'hidden']], summary.policies.map(name => [
        named(name, 200),
        h('span.buttons', null,
          h('button', {type: 'button', 'aria-label': `Switch off… policy ${short(name, 200)}`, onclick: () => switchOff(['policies', name], `everything with the policy ${short(name, 100)}`)}, 'Switch off…'), ' ',
          h('button', {type: 'button', 'aria-label': `Change a setting… policy ${short(name, 200)}`, onclick: () => changeSetting(['policies', name], `everything with the policy ${short(name, 100)}`)}, 'Change a setting…'))]))]);
  }

  return {
    title: 'Now',
    interval: () => 5000,
    close: () => seen.disconnect(),
    refresh: async () => {
      summary = await get('retryon', [], {summary: true});
      if (Date.now() - totalsAt > 15000) {
        totalsAt = Date.now();
        for (const id of ['durablecalls', 'deadletters'].filter(can.see)) {
          get(id, [], {limit: 1}).then(page => page.total, () => null).then(total => {
            totals.set(id, total);
            showFigures();
          });
        }
      }
      offer(summary.scopes);
      show();
      showFigures();
      once('changes', summary.changes, showChanges);
      once('causes', summary.causes, showCauses);
      once('budgets', summary.budgets, showBudgets);
      once('policies', summary.policies, showPolicies);
    },
  };
}
