// The stored calls of a state: groups, lanes, filters in the address, and acts on many calls.

import {can, get} from './endpoints.js';
import {age, button, due, fill, h, nameText, notice, say, table, whenChanged} from './elements.js';
import {actsOn, changeMatching, changeSelected, NOUNS} from './call-actions.js';
import {callList, errorOf, PAGE, stateBadge} from './call-list.js';
import {afterResumes, lanes} from './lanes.js';
import {nodeList} from './nodes.js';
import {progress} from './task.js';
import {counted, number, sentence, short} from './text.js';

const GROUPS = 100;

const SHOWN_GROUPS = 20;

const AGES = [['', 'any age'], ['1h', 'up to an hour'], ['24h', 'up to a day'], ['7d', 'up to a week'],
  ['over1d', 'more than a day'], ['over7d', 'more than a week']];

const HOURS = new Map([['1h', 1], ['24h', 24], ['7d', 168], ['over1d', 24], ['over7d', 168]]);

/** The tabs; tabs of open calls have a count. Each has the states of its calls, and texts. */
const TABS = new Map([
  ['dead', {
    title: 'Dead', states: 'dead', when: 'Died', last: 'Newest', isCounted: true,
    about: 'Dead letters: calls that have failed permanently. The newest calls come first.',
    none: 'No call has failed permanently. Failed calls are listed here with their arguments and attempts, and you can resend them.',
  }],
  ['waiting', {
    title: 'Waiting', states: 'waiting,running,blocked', when: 'Next attempt', last: 'Next due', isCounted: true, hasLanes: true,
    about: 'Waiting, blocked and running calls of all processes that share the store. The next due calls come first.',
    none: 'No call is waiting. When an attempt of a durable method fails, its call is listed here until it succeeds or becomes '
      + 'a dead letter.',
  }],
  ['done', {
    title: 'Done', states: 'resolved,discarded', when: 'Died', last: 'Newest',
    about: 'Dead letters that were resent successfully (resolved) or discarded.',
    none: 'No dead letter is resolved or discarded. Old dead letters are deleted.',
  }],
  ['all', {
    title: 'All', states: 'all', when: 'Due or died', last: 'Newest or next due', hasLanes: true,
    about: 'Dead letters, waiting, running and blocked calls, and dead letters that are resolved or discarded.',
    none: 'No call is stored.',
  }],
]);

const FIRST_TAB = 'dead';

const FILTERS = ['method', 'error', 'text', 'lane'];

/** The list that was read last, which is unchanged when the operator returns from a call. */
const lists = new Map();

export function open(main, query) {
  if (!can.see('retryoncalls')) {
    fill(main, h('h1', null, 'Calls'), h('p.empty', null,
      'The endpoint ', h('code', null, 'retryoncalls'), ' is not exposed over the web, or this application has no store for calls. ',
      'Add the endpoint to ', h('code', null, 'management.endpoints.web.exposure.include'), ', and add ',
      h('code', null, '@Durable'), ' to methods whose calls must not be lost.'));
    return {title: 'Calls', interval: () => 60000, refresh: async () => {}};
  }
  const wanted = Object.fromEntries([...FILTERS, 'age', 'state'].map(name => [name, query.get(name) ?? '']));
  const problems = [
    check('state', [...TABS.keys()], 'Dead letters are shown.'),
    check('age', [...HOURS.keys()], 'All ages are shown.')];
  wanted.state ||= wanted.lane === '' ? FIRST_TAB : 'waiting';
  const tab = TABS.get(wanted.state);
  const isFiltered = [...FILTERS, 'age'].some(name => wanted[name] !== '');

  const key = JSON.stringify(wanted);
  const kept = lists.get(key) ?? {items: [], next: undefined, total: null, top: 0};
  lists.clear();
  lists.set(key, kept);
  const totals = new Map();
  let paused = [];
  let hint = null;
  const once = whenChanged();

  const count = h('span.quiet', {role: 'status'});
  const tabs = h('nav.tabs', {'aria-label': 'States'});
  const groups = h('section');
  const task = h('section', {'aria-label': 'Task', hidden: true});
  const laneSection = h('section');
  const nodeSection = h('section');
  const blocked = h('p', {hidden: true});
  const actions = h('div.actions');
  const stale = h('p');
  const empty = h('p.empty', {hidden: true});
  const list = callList({
    label: `${tab.title} calls`, when: tab.when, kept, isSelectable: can.change('retryoncalls'), more: readPage, picked, failed: report});
  const laneList = lanes(laneSection, () => again());
  const nodes = nodeList(nodeSection);
  const watch = progress(task, () => again());

  fill(main,
    h('div.heading', null, h('h1', null, 'Calls'), count),
    tabs, h('p.quiet', null, tab.about), problems,
    task, tab.hasLanes ? [laneSection, nodeSection, blocked] : null, form(), groups, actions, stale, list.element, empty);
  showTabs();

  /** Clears a parameter of the address whose value is unknown, and returns the reason. */
  function check(name, allowed, instead) {
    const value = wanted[name];
    if (value === '' || allowed.includes(value)) {
      return null;
    }
    wanted[name] = '';
    return h('p.problem', {role: 'alert'}, `${name} is '${short(value, 60)}', but must be one of ${allowed.join(', ')}. ${instead}`);
  }

  function form() {
    const field = (name, label, hint) => h('label', null, label,
      h('input', {name, value: wanted[name], placeholder: hint, autocomplete: 'off', spellcheck: 'false', type: 'search'}));
    const element = h('form.filter', {role: 'search', onsubmit: event => {
      event.preventDefault();
      go(Object.fromEntries([...new FormData(element)].map(([name, value]) => [name, String(value).trim()])));
    }},
    field('method', 'Method', 'MailService.send'), field('error', 'Error', 'java.io.IOException'),
    field('text', 'Text', 'id, error, message'),
    field('lane', 'Lane', 'mail'),
    h('label', null, 'Age', h('select', {name: 'age'},
      AGES.map(([value, text]) => h('option', {value, selected: value === wanted.age}, text)))),
    h('span.buttons', null, h('button.primary', {type: 'submit'}, 'Filter'),
      h('a.button', {href: '#calls?state=' + wanted.state}, 'Reset')));
    return element;
  }

  function go(changed) {
    location.hash = address(changed);
  }

  function address(changed) {
    const all = {...wanted, ...changed};
    const names = ['state', ...FILTERS, 'age'];
    return '#calls?' + new URLSearchParams(names.map(name => [name, all[name]]).filter(([, value]) => value !== ''));
  }

  function filterOf() {
    const filter = Object.fromEntries(FILTERS.map(name => [name, wanted[name]]).filter(([, value]) => value !== ''));
    const hours = HOURS.get(wanted.age);
    if (hours) {
      filter[wanted.age.startsWith('over') ? 'before' : 'from'] = new Date(Date.now() - hours * 3600000).toISOString();
    }
    return filter;
  }

  async function readPage(cursor) {
    const page = await get('retryoncalls', [], {...filterOf(), state: tab.states, limit: PAGE, ...(cursor ? {cursor} : {})});
    seen(wanted.state, page);
    return page;
  }

  /** Shows the parts of an answer that describe all calls of a tab. */
  function seen(state, page) {
    totals.set(state, page.total);
    if (page.lanes) {
      paused = page.paused ?? [];
      laneList.update(page);
      nodes.update(page);
      list.update(paused);
    }
    if (state === wanted.state) {
      once('groups', page.groups, showGroups);
      once('blocked', page.blocked, showBlocked);
      watch.update(page.task);
      showStale();
      hint = page.hint ?? null;
    }
    showEmpty();
    showTabs();
    showCount();
    showActions();
  }

  function total() {
    return totals.get(wanted.state) ?? 0;
  }

  function showTabs() {
    const shown = [...TABS].map(([id, {title, isCounted}]) =>
      [id, title, (isCounted || id === wanted.state) && totals.has(id) ? totals.get(id) : null]);
    once('tabs', shown, () => fill(tabs, shown.map(([id, title, known]) =>
      h('a', {href: address({state: id}), 'aria-current': id === wanted.state ? 'page' : null},
        title, known == null ? null : [' ', h('span.count', null, number(known))]))));
  }

  function showCount() {
    const matching = counted(total(), 'call', 'calls') + (isFiltered ? ' with this filter' : '');
    say(count, matching + (list.selected.size > 0 ? `, ${number(list.selected.size)} selected` : ''));
  }

  function showBlocked(found) {
    blocked.hidden = !found;
    fill(blocked, found ? [`${counted(found.calls, 'call waits', 'calls wait')} for another call with the same order key (`,
      counted(found.keys, 'key', 'keys'), '). The oldest was stored ', age(found.oldest), '.'] : null);
  }

  function showStale() {
    const isStale = kept.total != null && kept.total !== total();
    once('stale', isStale, () => fill(stale, isStale ? button('Reload the changed list', () => again()) : null));
  }

  function showEmpty() {
    const isEmpty = totals.get(wanted.state) === 0;
    empty.hidden = !isEmpty;
    const waiting = totals.get('waiting') ?? 0;
    once('empty', [isEmpty, hint, waiting], () => fill(empty, !isEmpty ? null
      : hint != null ? sentence(hint)
        : isFiltered ? 'No call matches this filter. Enter the complete name of a method or error; the text filter also matches '
          + 'parts of words.'
          : wanted.state !== 'dead' || waiting === 0 ? tab.none
            : ['No dead letter needs your attention. ',
              h('a', {href: address({state: 'waiting'})}, `${counted(waiting, 'call is', 'calls are')} waiting or running`), '.']));
  }

  function showGroups(found) {
    const size = number(found.length);
    const heading = `Groups by method and error (${found.length >= GROUPS ? `the ${size} largest` : size})`;
    const isOpen = groups.querySelector('details')?.open ?? found.length > 1;
    fill(groups, found.length < 2 && !wanted.method ? null : h('details', {open: isOpen}, h('summary', null, heading),
      table('Groups',
        [['Method', 'row'], ['Error', 'brief'], ['State', 'mark'], ['Count', 'number'], ['Oldest', 'brief'], [tab.last, 'brief']],
        found.slice(0, SHOWN_GROUPS).map(group => [
          h('a', {href: address({method: group.method, error: group.error ?? '', state: tabOf(group.state)})}, nameText(group.method, 200)),
          errorOf(group),
          stateBadge(group.state),
          number(group.count),
          group.oldest ? age(group.oldest) : null,
          group.nextDue ? due(group.nextDue) : group.newest ? age(group.newest) : null])),
      found.length > SHOWN_GROUPS
        ? h('p.quiet', null, `${number(SHOWN_GROUPS)} groups are shown. Filter by method or error to see others.`) : null));
  }

  /** The tab of a group's calls: this one, if it also has other calls. */
  function tabOf(state) {
    return wanted.state === 'all' && TABS.has(state) ? state : wanted.state;
  }

  function showActions() {
    const hasSelection = list.selected.size > 0;
    const offered = !can.change('retryoncalls') ? [] : Object.keys(NOUNS)
      .map(state => [state, hasSelection ? selectedIn(state).length : matchingIn(state)])
      .filter(([, size]) => size > 0);
    once('actions', [hasSelection, offered], () => fill(actions,
      offered.flatMap(([state, size]) => actsOn(state).map(act => buttonFor(act, size, hasSelection)))));
  }

  function buttonFor(act, size, hasSelection) {
    const [one, many] = NOUNS[act.of];
    const what = hasSelection ? counted(size, `selected ${one}`, `selected ${many}`)
      : size === 1 ? `the ${one}` : `all ${counted(size, one, many)}`;
    return button(`${act.title(what)}…`, () => hasSelection ? some(act)
      : changeMatching(act, filterOf(), afterResumes(paused), watch.update), {kind: act.danger ? 'danger' : ''});
  }

  function selectedIn(state) {
    return [...list.selected].filter(([, selected]) => selected === state).map(([id]) => id);
  }

  function matchingIn(state) {
    return wanted.state === state || wanted.state === 'all' ? totals.get(state) ?? 0 : 0;
  }

  async function some(act) {
    if (await changeSelected(act, selectedIn(act.of), afterResumes(paused))) {
      await again();
    }
  }

  function picked() {
    showCount();
    showActions();
  }

  function report(problem) {
    notice('bad', problem.message);
  }

  async function again() {
    await list.reload().catch(report);
    await readOthers().catch(report);
  }

  async function readOthers() {
    for (const [id, {states, isCounted}] of TABS) {
      if (isCounted && id !== wanted.state) {
        try {
          seen(id, await get('retryoncalls', [], {...filterOf(), state: states, limit: 1}));
        } catch (problem) {
          // The endpoint can reject a filter by text, which searches messages, for dead letters only.
          if (problem.status !== 400) {
            throw problem;
          }
          totals.delete(id);
        }
      }
    }
  }

  async function refresh() {
    if (kept.items.length === 0 && kept.next === undefined) {
      await list.load();
    } else {
      list.restore();
      seen(wanted.state, await get('retryoncalls', [], {...filterOf(), state: tab.states, limit: 1}));
      if (kept.items.length === 0 && total() > 0) {
        await list.reload();
      }
    }
    await readOthers();
  }

  return {
    title: `${tab.title} calls`,
    interval: () => 15000,
    close: () => {
      watch.close();
      list.close();
    },
    refresh,
  };
}
