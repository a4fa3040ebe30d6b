// Builds the elements of the page. The application's values are always text, and are never parsed as markup.

import {traceLink} from './endpoints.js';
import {message, number, short, visible, words} from './text.js';

const SHOWN = 4000;

const MOST = 1_000_000;

/** Whether the screen is small, as in the style sheet. */
export const narrow = matchMedia('(max-width: 900px)');

/** An element: h('a.name', {href: '#'}, 'text', [more, elements], null). */
export function h(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  const element = document.createElement(tag || 'div');
  if (classes.length > 0) {
    element.className = classes.join(' ');
  }
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value != null) {
      element.setAttribute(name, value);
    }
  }
  element.append(...present(children));
  return element;
}

function present(children) {
  return children.flat(Infinity).filter(child => child != null && child !== false);
}

/** Replaces the content of an element. A focus in it moves to the same element of the new content, or to the view. */
export function fill(element, ...children) {
  const before = document.activeElement;
  const had = before !== element && element.contains(before);
  element.replaceChildren(...present(children));
  if (had && !before.isConnected) {
    const same = [...element.querySelectorAll(before.localName)].find(other => !other.disabled && spoken(other) === spoken(before));
    (same ?? document.getElementById('main')).focus({preventScroll: true});
  }
}

function spoken(element) {
  return element.getAttribute('aria-label') ?? element.textContent;
}

/** Returns a function that renders a part of a view if its value has changed, and else leaves it alone, with the focus in it. */
export function whenChanged() {
  const shown = new Map();
  return (key, value, render) => {
    const text = JSON.stringify(value);
    if (shown.get(key) !== text) {
      shown.set(key, text);
      render(value);
    }
  };
}

/** Sets a text only if it differs, because a screen reader reads each change. */
export function say(element, text) {
  if (element.textContent !== text) {
    fill(element, text);
  }
}

/** A button. Screen readers read its label, if it has one. */
export function button(text, onclick, {kind = '', label = null} = {}) {
  return h('button' + (kind && '.' + kind), {type: 'button', 'aria-label': label, onclick}, text);
}

export function longText(text, label) {
  const all = String(text);
  const pre = h('pre', {tabindex: 0, role: 'group', 'aria-label': label}, visible(all.slice(0, SHOWN)));
  if (all.length <= SHOWN) {
    return pre;
  }
  const more = button(`Show ${all.length > MOST ? 'the first ' + number(MOST) : 'all ' + number(all.length)} characters`, () => {
    pre.textContent = visible(all.slice(0, MOST));
    more.remove();
  });
  return h('div', null, pre, more);
}

/** A name of a class or method, with line breaks allowed only between its words. */
export function nameText(text, length) {
  return short(text, length).split(/(?<=[.$_\/#(,])|(?<=[a-z0-9])(?=[A-Z])/).flatMap((part, i) => i === 0 ? [part] : [h('wbr'), part]);
}

/** The name of a class without its package, with all of it on hover. */
export function className(type) {
  if (!type) {
    return h('span', null, 'returned value');
  }
  return h('span', {title: short(type, 500)}, nameText(type.slice(type.lastIndexOf('.') + 1), 80));
}

function heading([text, kind]) {
  return h(kind === 'number' ? 'th.number' : 'th', {scope: 'col'}, kind === 'hidden' ? h('span.hidden', null, text) : text);
}

export function headings(columns) {
  return h('thead', null, h('tr', null, columns.map(heading)));
}

/**
 * A table in its own region; a narrow screen shows a card for each row. A column is [heading, kind], where the kind is 'row'
 * for the name of the row, 'number', 'brief' for a value that shares a line of a card with others, 'hidden' for a heading that only
 * screen readers read, 'mark' for a cell that needs no heading in a card, or nothing.
 */
export function table(label, columns, rows) {
  return h('div.wide', {tabindex: 0, role: 'region', 'aria-label': label}, h('table', null,
    headings(columns),
    h('tbody', null, rows.map(cells => h('tr', null, cells.map((content, i) => cell(columns[i], content)))))));
}

export function cell([text, kind], content) {
  return kind === 'row' ? h('th', {scope: 'row'}, content)
    : h(kind === 'number' || kind === 'brief' ? 'td.' + kind : 'td', {'data-label': kind === 'hidden' || kind === 'mark' ? null : text},
      Array.isArray(content) ? h('div', null, content) : content);
}

function utc(date) {
  return date.toISOString().replace('T', ' ').replace(/(\.\d+)?Z/, ' UTC');
}

/** A time in the reader's zone, in UTC on hover. */
export function time(instant) {
  if (!instant) {
    return h('span.quiet', null, '–');
  }
  const date = typeof instant === 'number' ? new Date(instant * 1000) : new Date(instant);
  if (isNaN(date)) {
    return h('span', null, visible(instant));
  }
  const today = date.toDateString() === new Date().toDateString();
  const shown = today ? date.toLocaleTimeString() : date.toLocaleString();
  return h('time', {datetime: date.toISOString(), title: utc(date)}, shown);
}

/** A text from the server, with times in the reader's zone. */
export function withTimes(text, length) {
  return short(text, length).split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/)
    .map((part, i) => i % 2 === 1 ? time(part) : nameText(part, length));
}

export function age(instant) {
  const date = new Date(instant);
  if (isNaN(date)) {
    return h('span', null, visible(instant));
  }
  const seconds = (Date.now() - date.getTime()) / 1000;
  const text = seconds < -1 ? 'in ' + words(Math.floor(-seconds)) : words(Math.floor(Math.max(0, seconds))) + ' ago';
  return h('span', {title: utc(date)}, text);
}

export function due(instant) {
  const late = (Date.now() - new Date(instant).getTime()) / 1000;
  return late < -1 || isNaN(late) ? age(instant)
    : h('span', {title: utc(new Date(instant))}, late < 2 ? 'now' : `overdue by ${words(Math.floor(late))}`);
}

/** The id of a trace, as a link if the application has one to its traces. */
export function trace(traceId) {
  if (!traceId) {
    return h('span.quiet', null, '–');
  }
  const link = traceLink(traceId);
  const shown = h('code', {title: visible(traceId)}, short(traceId, 12));
  return link ? h('a', {href: link, rel: 'noopener noreferrer', target: '_blank'}, shown) : shown;
}

/** A short word. Its colour only repeats the meaning of the word. */
export function badge(kind, text) {
  return h('span.badge.' + kind, null, text);
}

export function fact(term, value) {
  return value == null ? null : h('div', null, h('dt', null, term), h('dd', null, value));
}

export function figure(term, value, {kind = 'ok', note = null, hint = null, link = null} = {}) {
  return h('div.figure.' + kind, {title: hint}, h('dt', null, link ? h('a', {href: link}, term) : term), h('dd', null, value),
    note ? h('dd.note', null, note) : null);
}

/** Shows a message at the top of the page until it is closed; screen readers read it. */
export function notice(kind, text) {
  const box = h('div.notice.' + kind, null,
    h('span', null, message(text)),
    button('✕', () => {
      box.remove();
      document.getElementById('main').focus({preventScroll: true});
    }, {kind: 'plain', label: 'Close this message'}));
  const notices = document.getElementById('notices');
  notices.prepend(box);
  while (notices.children.length > 3) {
    notices.lastChild.remove();
  }
}
