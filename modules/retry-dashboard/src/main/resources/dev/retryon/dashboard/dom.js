// Builds the page. Values of the application are always text, and are never parsed as markup.

const SHOWN = 4000;

const numbers = new Intl.NumberFormat();

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

/** Replaces the content of an element. If the focus was in it, the focus moves to the same element of the new content, or to the view. */
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

/** A text in which characters that would hide, reorder or break other text are visible. */
export function visible(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    character => '\u27e8U+' + character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + '\u27e9');
}

/** A long text, of which a button shows the rest. */
export function longText(text, label) {
  const all = String(text);
  const pre = h('pre', {tabindex: 0, role: 'group', 'aria-label': label}, visible(all.slice(0, SHOWN)));
  if (all.length <= SHOWN) {
    return pre;
  }
  const more = h('button', {type: 'button', onclick: () => {
    pre.textContent = visible(all.slice(0, 1_000_000));
    more.remove();
  }}, `Show ${all.length > 1_000_000 ? 'the first 1 000 000' : 'all ' + number(all.length)} characters`);
  return h('div', null, pre, more);
}

export function short(text, length) {
  const shown = visible(String(text).slice(0, length + 1));
  return shown.length > length ? shown.slice(0, length) + '…' : shown;
}

/** A constant of the server, such as the reason of a failure. */
export function constant(text) {
  return short(String(text).replaceAll('_', ' '), 60);
}

/** A name of a class or method, with line breaks allowed only between its words. */
export function name(text, length) {
  return short(text, length).split(/(?<=[.$_\/#(,])|(?<=[a-z0-9])(?=[A-Z])/).flatMap((part, i) => i === 0 ? [part] : [h('wbr'), part]);
}

/**
 * A table in its own region; a narrow screen shows a card for each row. A column is [heading, kind], where the kind is 'row'
 * for the name of the row, 'number', 'hidden' for a heading that only screen readers read, or nothing.
 */
export function table(label, columns, rows) {
  return h('div.wide', {tabindex: 0, role: 'region', 'aria-label': label}, h('table', null,
    h('thead', null, h('tr', null, columns.map(([text, kind]) =>
      h(kind === 'number' ? 'th.number' : 'th', {scope: 'col'}, kind === 'hidden' ? h('span.hidden', null, text) : text)))),
    h('tbody', null, rows.map(cells => h('tr', null, cells.map((content, i) => cell(columns[i], content)))))));
}

/** A cell of such a table. */
export function cell([text, kind], content) {
  return kind === 'row' ? h('th', {scope: 'row'}, content)
    : h(kind === 'number' ? 'td.number' : 'td', {'data-label': kind === 'hidden' ? null : text}, Array.isArray(content) ? h('div', null, content) : content);
}

/** A message, shortened in the middle, because its end says what is allowed. */
export function message(text) {
  const shown = visible(text);
  return shown.length > 600 ? shown.slice(0, 300) + ' … ' + shown.slice(-300) : shown;
}

/** The name of a class without its package, with all of it on hover. */
export function className(type) {
  if (!type) {
    return h('span', null, 'returned value');
  }
  return h('span', {title: short(type, 500)}, name(type.slice(type.lastIndexOf('.') + 1), 80));
}

export function number(value) {
  return numbers.format(Number(value));
}

/** A duration such as PT1M30S or 90s in words: 1 m 30 s. */
export function duration(iso) {
  const seconds = secondsOf(iso);
  return seconds == null ? visible(iso) : words(seconds);
}

export function secondsOf(iso) {
  const simple = /^(\d+)(ns|us|ms|s|m|h)$/.exec(String(iso));
  if (simple) {
    return Number(simple[1]) * {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600}[simple[2]];
  }
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(String(iso));
  if (!match) {
    return null;
  }
  const [days, hours, minutes, seconds] = match.slice(1).map(part => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

export function words(seconds) {
  if (seconds === 0) {
    return '0 s';
  }
  if (seconds < 1) {
    return Math.max(1, Math.round(seconds * 1000)) + ' ms';
  }
  if (seconds < 60) {
    return Number(seconds.toFixed(seconds < 10 ? 1 : 0)) + ' s';
  }
  const units = [['d', 86400], ['h', 3600], ['m', 60], ['s', 1]];
  const first = units.findIndex(([, size]) => seconds >= size);
  const [unit, size] = units[first];
  const rest = units[first + 1];
  const more = rest ? Math.floor((seconds % size) / rest[1]) : 0;
  return Math.floor(seconds / size) + ' ' + unit + (more > 0 ? ` ${more} ${rest[0]}` : '');
}

/** A time in UTC, to the second. */
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

/** The time since or until an instant. */
export function age(instant) {
  const date = new Date(instant);
  if (isNaN(date)) {
    return h('span', null, visible(instant));
  }
  const seconds = (Date.now() - date.getTime()) / 1000;
  const text = seconds < -1 ? 'in ' + words(Math.floor(-seconds)) : words(Math.floor(Math.max(0, seconds))) + ' ago';
  return h('span', {title: utc(date)}, text);
}

/** The time until a call is due, or since when it is due. */
export function due(instant) {
  const late = (Date.now() - new Date(instant).getTime()) / 1000;
  return late < -1 || isNaN(late) ? age(instant) : h('span', {title: utc(new Date(instant))}, late < 2 ? 'now' : `due for ${words(Math.floor(late))}`);
}

/** A short word. Its colour only repeats the meaning of the word. */
export function badge(kind, text) {
  return h('span.badge.' + kind, null, text);
}

/** Shows a message at the top of the page until it is closed; screen readers read it. */
export function notice(kind, text) {
  const box = h('div.notice.' + kind, null,
    h('span', null, message(text)),
    h('button.plain', {type: 'button', 'aria-label': 'Close this message', onclick: () => {
      box.remove();
      document.getElementById('main').focus({preventScroll: true});
    }}, '✕'));
  const notices = document.getElementById('notices');
  notices.prepend(box);
  while (notices.children.length > 3) {
    notices.lastChild.remove();
  }
}
