// Lists of dead letters and of durable calls that wait: groups, filters in the address, and actions.

import {can, get} from './api.js';
import {bulk} from './bulk.js';
import {age, badge, className, constant, due, fill, h, name, notice, number, say, short, table, time, visible, whenChanged} from './dom.js';
import {pauses} from './pauses.js';
import {progress} from './progress.js';

const PAGE = 200;

const AGES = [['', 'any age'], ['1h', 'up to an hour'], ['24h', 'up to a day'], ['7d', 'up to a week'], ['over1d', 'more than a day'], ['over7d', 'more than a week']];
const HOURS = new Map([['1h', 1], ['24h', 24], ['7d', 168], ['over1d', 24], ['over7d', 168]]);
const STATUSES = [['dead', 'dead'], ['retrying', 'being sent again'], ['resolved', 'resolved'], ['discarded', 'discarded'], ['all', 'all']];
/** The list that was read last, so that it is unchanged when the operator comes back from an entry. */
const lists = new Map();

export function open(main, view, query) {
  const ROW = matchMedia('(max-width: 640px)').matches ? 98 : 56;
  const isDead = view === 'dead';
  const title = isDead ? 'Dead' : 'Retrying';
  const source = isDead ? 'deadletters' : 'durablecalls';
  if (!can.see(source)) {
    const [calls, attribute, methods] = isDead
      ? ['dead letters', '@Durable(ON_EXHAUSTION)', 'methods whose failed calls must be kept']
      : ['durable calls', '@Durable(ON_FAILURE)', 'methods whose retries must not get lost'];
    fill(main, h('h1', null, title), h('p.empty', null, 'The endpoint ', h('code', null, source), ` is not exposed over the web, or this application has no store for ${calls}. `,
      'Add it to ', h('code', null, 'management.endpoints.web.exposure.include'), ', and ', h('code', null, attribute), ` to ${methods}.`));
    return {title, interval: () => 60000, refresh: async () => {}};
  }
  const wanted = {method: query.get('method') ?? '', error: query.get('error') ?? '', text: query.get('text') ?? '', age: query.get('age') ?? '',
    lane: isDead ? '' : query.get('lane') ?? '', status: isDead ? query.get('status') || 'dead' : ''};
  const unknown = wanted.age !== '' && !HOURS.has(wanted.age) ? wanted.age : null;
  if (unknown != null) {
    wanted.age = '';
  }
  const selectable = can.change(source) && (!isDead || wanted.status === 'dead');
  const key = view + JSON.stringify(wanted);
  const list = lists.get(key) ?? {items: [], next: undefined, top: 0};
  lists.clear();
  lists.set(key, list);
  const selected = new Set();
  const once = whenChanged();
  let total = 0;
  let listed = list.total ?? null;
  let loading = false;
  let failed = null;

  const count = h('span.quiet', {role: 'status'});
  const groups = h('section');
  const task = h('section', {'aria-label': 'Bulk task', hidden: true});
  const actions = h('div.actions');
  const stale = h('p');
  const heads = h('div.heads', {role: 'rowgroup'}, h('div.columns-of', {role: 'row', 'aria-rowindex': 1},
    selectable ? h('span.pick', {role: 'columnheader'}, h('span.hidden', null, 'selected')) : null,
    h('span.status', {role: 'columnheader'}, 'status'), h('span.what', {role: 'columnheader'}, 'method and error'),
    h('span.when', {role: 'columnheader'}, isDead ? 'died' : 'next attempt')));
  const rows = h('div.rows', {role: 'rowgroup'});
  const list_ = h('div.list', {hidden: list.items.length === 0, role: 'table', tabindex: 0, 'aria-label': isDead ? 'Dead letters' : 'Calls that wait', onscroll: scrolled}, heads, rows);
  const empty = h('p.empty', {hidden: true});
  const paused = h('section', {'aria-label': 'Paused calls', hidden: isDead});
  const pausing = pauses(paused, () => again());
  const watch = progress(task, source, () => again());
  const {kinds, some, every} = bulk(source, watch);

  fill(main,
    h('div.heading', null, h('h1', null, title), count),
    isDead ? null : h('p.quiet', null, 'Durable calls that wait for their next attempt, of all processes that share the store. The next ones due come first.'),
    unknown == null ? null : h('p.problem', {role: 'alert'}, `age is '${short(unknown, 60)}', but must be one of ${[...HOURS.keys()].join(', ')}. All ages are shown.`),
    task, paused, form(), groups, actions, stale, list_, empty);

  function form() {
    const field = (name, label, hint) => h('label', null, label, h('input', {name, value: wanted[name], placeholder: hint, autocomplete: 'off', spellcheck: 'false', type: 'search'}));
    const select = (name, label, options) => h('label', null, label, h('select', {name}, options.map(([value, text]) => h('option', {value, selected: value === wanted[name]}, text))));
    const element = h('form.filter', {role: 'search', onsubmit: event => {
      event.preventDefault();
      go(new FormData(element));
    }},
    field('method', 'Method', 'MailService.send'), field('error', 'Error', 'java.net.ConnectException'), field('text', 'Text', isDead ? 'in id, error or message' : 'in id, method or error'),
    select('age', 'Age', AGES), isDead ? select('status', 'Status', STATUSES) : field('lane', 'Lane', 'mail'),
    h('span.buttons', null, h('button.primary', {type: 'submit'}, 'Filter'), h('a.button', {href: '#' + view}, 'Reset')));
    return element;
  }

  function go(entries) {
    const next = new URLSearchParams();
    for (const [name, value] of entries) {
      const text = String(value).trim();
      if (text !== '' && !(name === 'status' && text === 'dead')) {
        next.set(name, text);
      }
    }
    location.hash = view + (next.size > 0 ? '?' + next : '');
  }

  /** The parameters of the endpoint, with the status. */
  function conditions() {
    return isDead ? {...filterOf(), status: wanted.status} : filterOf();
  }

  function filterOf() {
    const filter = {};
    for (const name of ['method', 'error', 'text', 'lane']) {
      if (wanted[name] !== '') {
        filter[name] = wanted[name];
      }
    }
    const hours = HOURS.get(wanted.age);
    if (hours) {
      filter[wanted.age.startsWith('over') ? 'before' : 'from'] = new Date(Date.now() - hours * 3600000).toISOString();
    }
    return filter;
  }

  async function load() {
    if (loading || list.next === null) {
      return;
    }
    loading = true;
    try {
      const parameters = {...conditions(), limit: PAGE};
      if (list.next) {
        parameters.cursor = list.next;
      }
      const page = await get(source, [], parameters);
      const known = new Set(list.items.map(item => item.id));
      list.items.push(...page.items.filter(item => !known.has(item.id)));
      list.next = page.next ?? null;
      if (listed == null) {
        listed = page.total;
        list.total = listed;
      }
      failed = null;
      seen(page);
    } finally {
      loading = false;
    }
    draw();
  }

  /** Shows the parts of a page that describe the whole list. */
  function seen(page) {
    total = page.total;
    showCount();
    once('groups', page.groups, showGroups);
    watch.update(page.task);
    if (!isDead) {
      pausing.update(page);
    }
    showActions();
    if (listed != null && listed !== total) {
      if (!stale.hasChildNodes()) {
        fill(stale, h('button', {type: 'button', onclick: again}, 'The list has changed: reload it'));
      }
    } else {
      fill(stale);
    }
    empty.hidden = total > 0;
    list_.hidden = total === 0;
    if (total === 0) {
      const filtered = wanted.method || wanted.error || wanted.text || wanted.age || wanted.lane;
      showEmpty(page.hint ? visible(page.hint) : filtered ? 'No entry matches this filter. Method and error must be complete names; text can be any part.'
        : isDead ? 'No dead letter has this status. When a call fails permanently, it is listed here with its arguments and attempts, and you can resend it.'
          : 'No call waits for its next attempt. When an attempt of a durable method fails, its call is listed here until it succeeds or becomes a dead letter.');
      if (isDead && !filtered && wanted.status === 'dead') {
        readOthers();
      }
    }
  }

  let emptyText = '';
  let others = 0;

  /** Shows why the list is empty, or the number of dead letters that are being resent, which an empty list would hide. */
  function showEmpty(text) {
    if (empty.dataset.text === others + text) {
      return;
    }
    emptyText = text;
    empty.dataset.text = others + text;
    fill(empty, others === 0 ? text
      : ['No dead letter needs your attention. ', h('a', {href: '#dead?status=retrying'}, `${number(others)} being sent again`), '.']);
  }

  function readOthers() {
    get(source, [], {status: 'retrying', limit: 1}).then(page => {
      others = page.total;
      showEmpty(emptyText);
    }, problem => notice('bad', problem.message));
  }

  function showGroups(found) {
    fill(groups, found.length < 2 && !wanted.method ? null : h('details', {open: found.length > 1}, h('summary', null, `Groups by method and error (${number(found.length)}${found.length >= 100 ? ', the largest' : ''})`),
      table('Groups', [['method', 'row'], ['error'], ['count', 'number'], ['oldest'], [isDead ? 'newest' : 'next due']], found.slice(0, 20).map(group => [
        h('a', {href: link({method: group.method, error: group.error ?? ''})}, name(group.method, 200)),
        errorOf(group),
        number(group.count),
        group.oldest ? age(group.oldest) : null,
        isDead ? age(group.newest) : due(group.nextDue)]))));
  }

  function link(changed) {
    const next = new URLSearchParams();
    Object.entries({...wanted, ...changed}).filter(([name, value]) => value !== '' && !(name === 'status' && (value === 'dead' || !isDead)))
      .forEach(([name, value]) => next.set(name, value));
    return '#' + view + '?' + next;
  }

  function showActions() {
    if (!selectable || total === 0) {
      fill(actions);
      return;
    }
    const many = selected.size > 0;
    const text = `${many}${selected.size}${total}`;
    if (actions.dataset.text === text) {
      return;
    }
    actions.dataset.text = text;
    fill(actions,
      kinds.map(kind => h('button', {type: 'button', disabled: !many, onclick: () => change(kind)}, `${kind.button} selected (${number(selected.size)})…`)),
      kinds.map(kind => h('button' + (kind.danger ? '.danger' : ''), {type: 'button', onclick: () => every(kind, filterOf())}, `${kind.button} all ${number(total)}…`)));
  }

  async function change(kind) {
    if (await some(kind, [...selected])) {
      await again();
    }
  }

  /** Draws the visible rows. */
  function draw() {
    rows.style.height = list.items.length * ROW + 'px';
    const first = Math.max(0, Math.floor(list_.scrollTop / ROW) - 10);
    const last = Math.min(list.items.length, Math.ceil((list_.scrollTop + list_.clientHeight) / ROW) + 10);
    list_.setAttribute('aria-rowcount', String((list.next === null ? list.items.length : total) + 1));
    const present = new Map([...rows.children].map(row => [row.dataset.id, row]));
    const focus = document.activeElement?.closest?.('.row')?.dataset.id;
    for (const [id, row] of present) {
      const index = Number(row.dataset.index);
      if ((index < first || index >= last) && id !== focus) {
        row.remove();
      }
    }
    let before = null;
    for (let i = last - 1; i >= first; i--) {
      const item = list.items[i];
      let row = present.get(item.id);
      if (!row || !row.isConnected) {
        row = rowOf(item, i);
        rows.insertBefore(row, before);
      }
      before = row;
    }
    if (last > list.items.length - PAGE && list.next !== null && !loading) {
      load().catch(problem => {
        failed = problem;
        notice('bad', problem.message);
      });
    }
  }

  function rowOf(item, index) {
    const address = (isDead ? '#letter?' : '#call?') + new URLSearchParams({id: item.id});
    const row = h('div.row', {role: 'row', 'aria-rowindex': index + 2},
      selectable ? h('span.pick', {role: 'cell'}, h('input', {type: 'checkbox', checked: selected.has(item.id), 'aria-label': `Select ${short(item.method, 60)}, ${short(item.id, 60)}`,
        onchange: event => pick(item.id, event.target.checked)})) : null,
      h('span.status', {role: 'cell'}, statusBadge(item.status)),
      h('span.what', {role: 'cell'}, h('a', {href: address}, short(item.method, 120)), h('span.quiet', null, ` ${item.attempts} ${item.attempts === 1 ? 'attempt' : 'attempts'}${isDead ? ', ' + constant(item.reason) : ''}`),
        !isDead && item.startedAt ? [h('span.quiet', null, ', since '), h('span.quiet', null, time(item.startedAt))] : null),
      h('span.when', {role: 'cell'}, isDead ? time(item.diedAt) : due(item.due)),
      h('span.why', {role: 'cell'}, errorOf(item), item.message ? h('span.quiet', null, ' ' + short(item.message, 240)) : null));
    row.dataset.id = item.id;
    row.dataset.index = index;
    row.style.top = index * ROW + 'px';
    row.style.height = ROW + 'px';
    return row;
  }

  /** A call that was stored before its first attempt has none. */
  function errorOf(item) {
    return isDead || item.error ? className(item.error) : h('span.quiet', null, 'no failure yet');
  }

  function pick(id, isPicked) {
    if (isPicked) {
      selected.add(id);
    } else {
      selected.delete(id);
    }
    showCount();
    showActions();
  }

  function showCount() {
    say(count, `${number(total)} match${selected.size > 0 ? `, ${number(selected.size)} selected` : ''}`);
  }

  let frame = 0;

  function scrolled() {
    list.top = list_.scrollTop;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  }

  async function again() {
    list.items = [];
    list.next = undefined;
    listed = null;
    selected.clear();
    actions.dataset.text = '';
    rows.replaceChildren();
    list_.scrollTop = 0;
    fill(stale);
    await load().catch(problem => notice('bad', problem.message));
  }

  return {
    title,
    interval: () => 15000,
    close: () => watch.close(),
    refresh: async () => {
      if (list.items.length === 0 && list.next === undefined) {
        await load();
      } else {
        if (rows.children.length === 0) {
          rows.style.height = list.items.length * ROW + 'px';
          list_.scrollTop = list.top;
          draw();
        }
        seen(await get(source, [], {...conditions(), limit: 1}));
        if (list.items.length === 0 && total > 0) {
          await again();
        }
      }
    },
  };
}

export function statusBadge(status) {
  const kinds = new Map([['dead', 'bad'], ['retrying', 'warn'], ['resolved', 'ok'], ['discarded', 'none'], ['waiting', 'warn'], ['running', 'ok']]);
  return badge(kinds.get(status) ?? 'none', short(status, 20));
}
