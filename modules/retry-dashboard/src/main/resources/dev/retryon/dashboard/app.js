// Selects the view by the address, refreshes it while the page is visible, and shows when the connection is lost.

import {can} from './api.js';
import {fill, h, message, notice, say} from './dom.js';
import * as now from './now.js';
import * as name from './name.js';
import * as letters from './letters.js';
import * as letter from './letter.js';
import * as call from './call.js';

const VIEWS = new Map([['now', now], ['name', name], ['retrying', letters], ['dead', letters], ['letter', letter], ['call', call]]);
const LINKS = [['now', 'Now'], ['retrying', 'Retrying'], ['dead', 'Dead']];

const main = document.getElementById('main');
const connection = document.getElementById('connection');

let current = null;
let timer = 0;
let lostSince = null;
let hasShown = false;
let refreshing = null;
let again = false;

function route() {
  const [, view, query] = /^#?([a-z]*)\??(.*)$/s.exec(location.hash) ?? [];
  return {view: VIEWS.has(view) ? view : 'now', query: new URLSearchParams(query ?? '')};
}

function open() {
  const {view, query} = route();
  clearTimeout(timer);
  current?.close?.();
  const opened = VIEWS.get(view).open(main, view, query);
  current = opened;
  hasShown = false;
  fill(document.getElementById('views'), LINKS.map(([id, text]) =>
    h('a', {href: '#' + id, 'aria-current': id === view ? 'page' : null}, text)));
  document.title = `${opened.title} – RetryOn`;
  main.focus({preventScroll: true});
  refresh();
}

/**
 * Refreshes the view. If a refresh is running, another one follows it: two at once could show the older answer last, and
 * would both start a timer.
 */
async function refresh() {
  const shown = current;
  clearTimeout(timer);
  if (refreshing === shown) {
    again = true;
    return;
  }
  refreshing = shown;
  again = false;
  try {
    await shown.refresh();
    if (shown === current) {
      hasShown = true;
      live();
    }
  } catch (error) {
    if (shown === current) {
      lost(error);
    }
  }
  if (shown !== current) {
    return;
  }
  refreshing = null;
  if (again) {
    refresh();
  } else if (document.visibilityState === 'visible') {
    timer = setTimeout(refresh, shown.interval());
  }
}

function live() {
  if (lostSince != null) {
    notice('ok', 'Connected again.');
  }
  lostSince = null;
  tell('live', 'live');
}

function lost(error) {
  if (error.status === undefined) {
    console.error(error);
  }
  lostSince ??= new Date();
  tell('lost', (error.status === 0 ? 'connection lost' : 'no data') + ` since ${lostSince.toLocaleTimeString()}: ${message(error.message).replace(/[^.]$/, '$&.')}`
    + (hasShown ? ' The page shows the data from that time.' : ''));
}

function tell(state, text) {
  connection.dataset.state = state;
  say(connection, text);
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') {
    refresh();
  } else {
    clearTimeout(timer);
  }
});
addEventListener('hashchange', open);

if (can.see('retryon') || can.see('deadletters') || can.see('durablecalls')) {
  open();
} else {
  fill(main, h('p.empty', null, 'There is nothing to show: neither ', h('code', null, 'retryon'), ' nor ', h('code', null, 'deadletters'),
    ' is exposed over the web. Add them to ', h('code', null, 'management.endpoints.web.exposure.include'), '.'));
}
