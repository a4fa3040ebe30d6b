// The state of all retries: counts, changes by operators, methods, and why attempts failed.

import {can, get} from './endpoints.js';
import {badge, button, className, figure, fill, h, nameText, narrow, say, table, time, whenChanged} from './elements.js';
import {pauseFacts, pausedText, resumeButton} from './lanes.js';
import {methods, stateOf} from './methods.js';
import {changeSetting, offer, pathText, revert, settingsText, switchOff, whereText} from './settings.js';
import {storedCalls} from './stored.js';
import {sum} from './charts.js';
import {hoursIn, lastHours} from './hours.js';
import {constant, counted, number, sentence, short} from './text.js';

const MOST_CAUSES = 20;

export function open(main, query) {
  if (!can.see('retryon')) {
    fill(main, h('h1', null, 'Overview'), h('p.empty', null, 'The endpoint ', h('code', null, 'retryon'),
      ' is not exposed over the web. Add it to ', h('code', null, 'management.endpoints.web.exposure.include'), ' to see the retries.'));
    return {title: 'Overview', interval: () => 60000, refresh: async () => {}};
  }
  const figures = h('dl.figures');
  const unread = h('p.problem', {role: 'status'});
  const changes = h('section');
  const history = h('section');
  const list = h('section');
  const causes = h('section');
  const budgets = h('section');
  const policies = h('section');
  fill(main,
    h('div.heading', null, h('h1', null, 'Overview'),
      can.change('retryon') ? button('Switch off all retries…', () => switchOff([], 'everything'), {kind: 'danger'}) : null),
    figures, unread, changes,
    // On a small screen, the methods in trouble come before the charts.
    narrow.matches ? [list, causes, history] : [history, list, causes],
    h('div.columns', null, budgets, policies));

  const shownMethods = methods(list, query.get('period'));
  const shownHours = hoursIn(history);
  let stored = null;
  let unknownSince = null;
  let summary = null;
  const once = whenChanged();

  function showFigures() {
    const states = summary.names.map(entry => stateOf(entry, [], stored.of(entry.name)).shown?.[1]);
    const failing = states.filter(state => state === 'failing').length;
    const retrying = states.filter(state => state === 'retrying').length;
    const waiting = sum(summary.names.map(entry => entry.waiting));
    const denied = sum(summary.budgets.map(budget => budget.denied));
    fill(figures,
      counter('Methods failing', failing, 'bad', 'last 2 minutes, this process', {hint: 'methods whose latest calls failed'}),
      counter('Methods retrying', retrying, 'warn', 'last 2 minutes, this process',
        {hint: 'methods whose latest calls were retried, or that have waiting retries'}),
      counter('Waiting in memory', waiting, 'warn', 'now, this process', {hint: 'calls whose next attempt waits in memory'}),
      counter('Retries denied', denied, 'warn', 'since start, this process', {hint: 'retries that budgets have denied'}),
      storedCounter('Waiting calls', stored.waiting?.total, 'warn',
        {hint: 'waiting and running stored calls', link: '#calls?state=waiting'}),
      storedCounter('Dead letters', stored.dead?.total, 'bad', {hint: 'calls that failed permanently', link: '#calls?state=dead'}));
  }

  /** The page must not look quiet because the store is away, or slow. */
  function storedCounter(term, count, kind, options) {
    const note = 'now, all processes';
    if (count != null || !can.see('retryoncalls')) {
      return counter(term, count, kind, note, options);
    }
    return stored.problem ? figure(term, 'unknown', {...options, note, kind: 'warn', hint: 'stored calls could not be read'})
      : figure(term, '…', {...options, note, hint: 'stored calls are being read'});
  }

  /** Nothing for a count that is not known. The note has its period, and the processes that it counts. */
  function counter(term, count, kind, note, options) {
    return count == null ? null : figure(term, number(count), {...options, note, kind: count > 0 ? kind : 'ok'});
  }

  const calls = storedCalls({}, found => {
    stored = found;
    unknownSince = found.problem ? unknownSince ?? new Date() : null;
    if (summary) {
      showAll();
    }
  });

  const hours = lastHours(read => {
    shownHours.show(read, read.all);
    shownMethods.updateHours(read);
  });

  function showAll() {
    shownMethods.update(summary, stored);
    showFigures();
    say(unread, stored.problem
      ? `Stored calls have not been readable since ${unknownSince.toLocaleTimeString()}. ${sentence(stored.problem)} `
        + 'The method states do not reflect waiting, paused or dead calls.' : '');
    showChanges();
  }

  function showChanges() {
    const lanes = stored.waiting?.lanes ?? [];
    once('changes', [summary.changes, lanes], () => fill(changes, summary.changes.length === 0 ? null : [
      h('h2', null, 'Changed by operators'),
      h('ul.changes', null, summary.changes.flatMap(change => {
        const {paused, ...settings} = change.settings;
        return [
          paused === 'true' ? pauseLine(change, lanes) : null,
          paused === 'true' && Object.keys(settings).length === 0 ? null
            : changeLine(change, paused === 'true' ? settings : change.settings)];
      }))]));
  }

  function pauseLine(change, lanes) {
    const what = pausedText(change);
    const lane = lanes.find(other => change.path === 'lanes/' + other.lane);
    return h('li', null, h('strong', null, what.charAt(0).toUpperCase() + what.slice(1)), ' is paused ',
      lane ? `(${counted(lane.waiting, 'call', 'calls')} waiting) ` : null, pauseFacts(change), ' ', resumeButton(change, reload));
  }

  function changeLine(change, settings) {
    const what = pathText(change.path);
    return h('li', null,
      h('strong', null, what), ': ', whereText(change), settingsText(settings), ' ',
      h('span.quiet', null, 'since ', time(change.since), change.by ? [' by ', short(change.by, 100)] : null,
        change.until ? [' until ', time(change.until)] : ' until reverted'),
      ' ', can.change('retryon') ? button('Revert…', () => revert(change), {label: `Revert… ${what}`}) : null);
  }

  function reload() {
    calls.reset();
    return refresh();
  }

  function showCauses() {
    const shown = summary.causes.filter(cause => cause.total > 0).slice(0, MOST_CAUSES);
    fill(causes, h('h2', null, 'Why attempts failed'), shown.length === 0
      ? h('p.empty', null, 'No attempt has failed in this process since it started.')
      : table('Why attempts failed',
        [['Method', 'row'], ['Error', 'brief'], ['Outcome', 'brief'], ['Last 15 minutes', 'number'], ['Since start', 'number']],
        shown.map(cause => [
          cause.name == null ? h('span.quiet', null, 'others')
            : h('a', {href: '#method?' + new URLSearchParams({name: cause.name})}, nameText(cause.name, 200)),
          className(cause.exception),
          cause.reason == null ? badge('warn', 'retried') : badge('bad', 'gave up: ' + constant(cause.reason)),
          cause.recent == null ? '–' : number(cause.recent),
          number(cause.total)])));
  }

  function switches(kind, name, withSettings) {
    const noun = {budgets: 'budget', policies: 'policy'}[kind];
    const what = `everything with the ${noun} ${short(name, 100)}`;
    const label = `${noun} ${short(name, 200)}`;
    return h('span.buttons', null,
      button('Switch off…', () => switchOff([kind, name], what), {label: `Switch off… ${label}`}),
      withSettings
        ? button('Change a setting…', () => changeSetting([kind, name], what), {label: `Change a setting… ${label}`}) : null);
  }

  function showBudgets() {
    const canSwitch = can.change('retryon');
    fill(budgets, h('h2', null, 'Budgets'), summary.budgets.length === 0
      ? h('p.empty', null, 'No retry budget is in use. A budget prevents retries from overloading a failing system; see '
        + 'retryon.budgets.')
      : table('Budgets',
        [['Budget', 'row'], ['Tokens left', 'number'], ['Denied since start', 'number'],
          ...(canSwitch ? [['Act', 'hidden']] : [])],
        summary.budgets.map(budget => [
          nameText(budget.name, 200),
          number(Math.floor(budget.tokens)),
          h('span.' + (budget.denied > 0 ? 'warn' : 'zero'), null, number(budget.denied)),
          ...(canSwitch ? [switches('budgets', budget.name, false)] : [])])));
  }

  /** Policies can be switched here; each method shows the settings that it has from its policy. */
  function showPolicies() {
    fill(policies, summary.policies.length === 0 || !can.change('retryon') ? null : [
      h('h2', null, 'Policies'),
      table('Policies', [['Policy', 'row'], ['Act', 'hidden']],
        summary.policies.map(name => [nameText(name, 200), switches('policies', name, true)]))]);
  }

  async function refresh() {
    summary = await get('retryon', [], {summary: true});
    offer(summary.scopes);
    calls.refresh();
    hours.refresh();
    showAll();
    once('causes', summary.causes, showCauses);
    once('budgets', summary.budgets, showBudgets);
    once('policies', summary.policies, showPolicies);
  }

  document.addEventListener('retryon-changed', reload);
  return {
    title: 'Overview',
    interval: () => 5000,
    close: () => {
      document.removeEventListener('retryon-changed', reload);
      shownMethods.close();
    },
    refresh,
  };
}
