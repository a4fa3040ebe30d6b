// Formats names, numbers and durations as text that is safe to show.

const numbers = new Intl.NumberFormat();

/** A text in which characters that would hide, reorder or break other text are visible. */
export function visible(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    character => '\u27e8U+' + character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + '\u27e9');
}

export function short(text, length) {
  const shown = visible(String(text).slice(0, length + 1));
  return shown.length > length ? shown.slice(0, length) + '…' : shown;
}

export function constant(text) {
  return short(String(text).replaceAll('_', ' '), 60);
}

/** A message, shortened in the middle, because its end names the allowed values. */
export function message(text) {
  const shown = visible(text);
  return shown.length > 600 ? shown.slice(0, 300) + ' … ' + shown.slice(-300) : shown;
}

/** A message of the server as a sentence: with a capital letter and a full stop or another end. */
export function sentence(text) {
  const shown = message(text);
  return shown.charAt(0).toUpperCase() + shown.slice(1).replace(/[^.?!]$/, '$&.');
}

export function number(value) {
  return numbers.format(Number(value));
}

export function counted(value, one, many) {
  return `${number(value)} ${Number(value) === 1 ? one : many}`;
}

export function duration(text) {
  const seconds = secondsOf(text);
  return seconds == null ? visible(text) : words(seconds);
}

export function secondsOf(text) {
  const simple = /^(\d+)(ns|us|ms|s|m|h)$/.exec(String(text));
  if (simple) {
    return Number(simple[1]) * {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600}[simple[2]];
  }
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(String(text));
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
