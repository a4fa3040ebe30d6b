// Selects the view by the address, refreshes it while the page is visible, and shows when the connection is lost.

import {can, nodes} from './endpoints.js';
import {fill, h, notice, say} from './elements.js';
import {sentence, short} from './text.js';
import * as call from './call.js';
import * as calls from './calls.js';
import * as method from './method.js';
import * as overview from './overview.js';

const VIEWS = new Map([['overview', overview], ['method', method], ['calls', calls], ['call', call]]);

const LINKS = [['overview', 'Overview', 'method'], ['calls', 'Calls', 'call']];

/** Views of former versions of the page, with the state of calls that they showed. */
const FORMER = new Map([['now', 'overview'], ['name', 'method'], ['retrying', 'calls'], ['dead', 'calls'], ['letter', 'call']]);

const FORMER_STATES = new Map([['retrying', 'waiting'], ['resolved', 'done'], ['discarded', 'done']]);

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
  const parameters = new URLSearchParams(query ?? '');
  if (FORMER.has(view)) {
    return redirect(view, parameters);
  }
  return {view: VIEWS.has(view) ? view : 'overview', query: parameters};
}

function redirect(former, query) {
  const view = FORMER.get(former);
  if (view === 'calls') {
    const status = query.get('status') ?? former;
    query.delete('status');
    query.set('state', FORMER_STATES.get(status) ?? status);
  }
  history.replaceState(null, '', '#' + view + (query.size > 0 ? '?' + query : ''));
  return {view, query};
}

function open() {
  const {view, query} = route();
  clearTimeout(timer);
  current?.close?.();
  scrollTo(0, 0);
  const opened = VIEWS.get(view).open(main, query);
  current = opened;
  hasShown = false;
  fill(document.getElementById('views'), LINKS.map(([id, text, below]) =>
    h('a', {href: '#' + id, 'aria-current': id === view ? 'page' : below === view ? 'true' : null}, text)));
  document.title = `${opened.title} – RetryOn`;
  main.focus({preventScroll: true});
  refresh();
}

/** Refreshes the view. A second refresh waits, because parallel ones could show the older answer last and start two timers. */
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
  const what = error.status === 0 ? 'connection lost' : 'no data';
  tell('lost', `${what} since ${lostSince.toLocaleTimeString()}: ${sentence(error.message)}`
    + (hasShown ? ' The page shows the last data received before that time.' : ''));
}

function tell(state, text) {
  connection.dataset.state = state;
  say(connection, text);
}

/** Shows which process answers, and warns if others answer at the same address. */
function showNodes() {
  const {latest, all, alternate} = nodes;
  const names = all.map(name => short(name, 100));
  say(document.getElementById('node'), short(latest, 100));
  say(document.getElementById('nodes'), (alternate
    ? `Several processes respond at this address: ${names.join(', ')}. `
    : `${names.at(-1)} now responds instead of ${names.at(-2)}, because it was restarted or a load balancer chose another process. `)
    + 'Stored calls are the same in all processes. Retry counts, events and changes for one node belong to the process named at '
    + 'the top of the page.');
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') {
    refresh();
  } else {
    clearTimeout(timer);
  }
});
document.addEventListener('retryon-node', showNodes);
// Views restore the position themselves, after they have their data.
history.scrollRestoration = 'manual';
addEventListener('hashchange', open);

if (can.see('retryon') || can.see('retryoncalls')) {
  open();
} else {
  fill(main, h('p.empty', null, 'This page has no data, because neither ', h('code', null, 'retryon'), ' nor ',
    h('code', null, 'retryoncalls'), ' is exposed over the web. Add them to ',
    h('code', null, 'management.endpoints.web.exposure.include'), '.'));
}
