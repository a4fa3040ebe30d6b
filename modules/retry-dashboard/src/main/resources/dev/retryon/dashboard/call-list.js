// The list of calls: loads page after page, keeps only the visible rows in the document, and has a selection.

import {badge, className, due, fill, h, narrow, time} from './elements.js';
import {actsOn} from './call-actions.js';
import {pauseOf} from './lanes.js';
import {constant, counted, short} from './text.js';

export const PAGE = 200;

/** The number of rows that are built above and below the visible ones. */
const MORE = 10;

/** The height of a row, and the height of its argument line on a narrow screen. */
const HEIGHT = 56;

const NARROW_HEIGHT = 98;

const NARROW_LINE = 22;

const KINDS = new Map([['dead', 'bad'], ['waiting', 'warn'], ['running', 'ok'], ['blocked', 'warn'], ['resolved', 'ok'],
  ['resent', 'warn'], ['died', 'bad']]);

export function stateBadge(state) {
  return badge(KINDS.get(state) ?? 'none', short(state, 20));
}

/**
 * The list of calls.
 *
 * @param label what a screen reader reads
 * @param when the heading of the column with times
 * @param kept what is kept between visits of the view: items, next, total, top
 * @param isSelectable whether rows have a box that selects them
 * @param more reads the page after a cursor; without one, the first page
 * @param picked is called after a change of the selection
 * @param failed gets an error of a page that was read while the operator scrolled
 */
export function callList({label, when, kept, isSelectable, more, picked, failed}) {
  const selected = new Map();
  const heads = h('div.heads', {role: 'rowgroup'}, h('div.columns-of', {role: 'row', 'aria-rowindex': 1},
    isSelectable ? h('span.pick', {role: 'columnheader'}, h('span.hidden', null, 'selected')) : null,
    h('span.state', {role: 'columnheader'}, 'State'),
    h('span.what', {role: 'columnheader'}, 'Method, arguments and error'),
    h('span.when', {role: 'columnheader'}, when)));
  const rows = h('div.rows', {role: 'rowgroup'});
  const element = h('div.list', {role: 'table', 'aria-label': label, hidden: kept.items.length === 0}, heads, rows);
  let paused = [];
  let loading = null;
  let frame = 0;

  /** Reads the next page, unless the list is complete. Returns the page, or null. */
  async function load() {
    if (loading || kept.next === null) {
      return null;
    }
    const mine = {};
    loading = mine;
    let page;
    try {
      page = await more(kept.next);
      if (loading !== mine) {
        return null; // the list is read again from its beginning
      }
      const known = new Set(kept.items.map(item => item.id));
      kept.items.push(...page.items.filter(item => !known.has(item.id)));
      kept.next = page.next ?? null;
      kept.total ??= page.total;
    } finally {
      if (loading === mine) {
        loading = null;
      }
    }
    draw();
    return page;
  }

  function reload() {
    loading = null;
    kept.items = [];
    kept.next = undefined;
    kept.total = null;
    selected.clear();
    rows.replaceChildren();
    scrollTo(0, Math.min(scrollY, element.getBoundingClientRect().top + scrollY));
    return load();
  }

  function draw() {
    element.hidden = kept.items.length === 0;
    const height = !narrow.matches ? HEIGHT : NARROW_HEIGHT + (kept.items.some(item => item.arguments) ? NARROW_LINE : 0);
    rows.style.height = kept.items.length * height + 'px';
    const top = -rows.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / height) - MORE);
    const last = Math.min(kept.items.length, Math.ceil((top + innerHeight) / height) + MORE);
    const length = kept.next === null ? kept.items.length : Math.max(kept.total ?? 0, kept.items.length);
    element.setAttribute('aria-rowcount', String(length + 1));
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
      const item = kept.items[i];
      let row = present.get(item.id);
      if (!row || !row.isConnected) {
        row = rowOf(item, i);
        rows.insertBefore(row, before);
      }
      row.style.top = i * height + 'px';
      row.style.height = height + 'px';
      before = row;
    }
    if (last > kept.items.length - PAGE && kept.next !== null && !loading && kept.items.length > 0) {
      load().catch(failed);
    }
  }

  function rowOf(item, index) {
    const row = h('div.row', {role: 'row', 'aria-rowindex': index + 2},
      isSelectable ? h('span.pick', {role: 'cell'}, boxOf(item)) : null,
      h('span.state', {role: 'cell'}, stateBadge(item.state)),
      h('span.what', {role: 'cell'},
        h('a', {href: '#call?' + new URLSearchParams({id: item.id})}, short(item.method, 120)),
        h('span.quiet', null, ` ${counted(item.attempts, 'attempt', 'attempts')}${item.reason ? ', ' + constant(item.reason) : ''}`,
          item.due && item.startedAt ? h('span.since', null, ', since ', time(item.startedAt)) : null),
        item.arguments ? h('code.given', {title: short(item.arguments, 300)}, short(item.arguments, 300)) : null),
      h('span.when', {role: 'cell'}, whenOf(item)),
      h('span.why', {role: 'cell'}, errorOf(item), item.message ? h('span.quiet', null, ' ' + short(item.message, 240)) : null));
    row.dataset.id = item.id;
    row.dataset.index = index;
    return row;
  }

  /** A running or blocked call, and one that has ended, cannot be changed. */
  function boxOf(item) {
    return actsOn(item.state).length === 0 ? null : h('input', {
      type: 'checkbox', checked: selected.has(item.id), 'aria-label': `Select ${short(item.method, 60)}, ${short(item.id, 60)}`,
      onchange: event => pick(item, event.target.checked)});
  }

  function whenOf(item) {
    if (!item.due) {
      return time(item.diedAt);
    }
    if (item.state === 'running') {
      return 'runs now';
    }
    if (item.state === 'blocked') {
      return 'after another call';
    }
    return pauseOf(item, paused) ? ['paused, ', due(item.due)] : due(item.due);
  }

  function pick(item, isPicked) {
    if (isPicked) {
      selected.set(item.id, item.state);
    } else {
      selected.delete(item.id);
    }
    picked();
  }

  function update(pauses) {
    paused = pauses;
    for (const row of rows.children) {
      const item = kept.items[Number(row.dataset.index)];
      if (item) {
        fill(row.querySelector('.when'), whenOf(item));
      }
    }
  }

  function restore() {
    if (kept.items.length > 0 && rows.children.length === 0) {
      draw();
      scrollTo(0, kept.top);
      draw();
    }
  }

  function scrolled() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      kept.top = scrollY;
      draw();
    });
  }

  addEventListener('scroll', scrolled);
  addEventListener('resize', scrolled);

  function close() {
    cancelAnimationFrame(frame);
    removeEventListener('scroll', scrolled);
    removeEventListener('resize', scrolled);
  }

  return {element, selected, load, reload, restore, update, close};
}

/** The last error of a call. A call that was stored before its first attempt has none. */
export function errorOf(entry) {
  return entry.error || entry.state === 'dead' ? className(entry.error) : h('span.quiet', null, 'no failure yet');
}
