// Lanes with the state of their calls, pauses of lanes and methods, and the dialogs that pause and resume them.

import {can, post} from './endpoints.js';
import {confirm} from './dialog.js';
import {badge, button, fill, h, nameText, notice, say, table, time, whenChanged} from './elements.js';
import {LASTING, isShared, offer, segments, whereText} from './settings.js';
import {duration, number, short} from './text.js';

const PREFIX = 'lanes/';

const MOST_PAUSES = 3;

/** The states of a lane: the kind and text of its badge, and an explanation. */
const STATES = new Map([
  ['open', ['ok', 'open']],
  ['paused', ['warn', 'paused']],
  ['partly-paused', ['warn', 'partly paused', 'some of its methods are paused']],
  ['rate', ['warn', 'at maximum rate']],
  ['probing', ['warn', 'probing', 'only one call runs at a time']],
  ['no-threads', ['bad', 'no threads', 'no running process has threads for its calls']],
]);

/** The pause that keeps a call from running; of several changes, the last one is the strongest. Null if no pause does. */
export function pauseOf(call, changes) {
  const paths = ['', call.lane == null ? null : PREFIX + call.lane, call.method];
  const strongest = changes.filter(change => paths.includes(change.path) && change.settings.paused !== undefined).at(-1);
  return strongest?.settings.paused === 'true' ? strongest : null;
}

export function pausedText(change) {
  return change.path === '' ? 'everything' : isLane(change) ? `lane ${laneOf(change)}` : short(change.path, 200);
}

/** A sentence about calls that do not run before a pause ends; null if there is no pause. */
export function afterResume(change, run) {
  return change == null ? null : `${capital(pausedText(change))} is paused, so ${run} after the pause ends.`;
}

/** Sentences about calls that any of the given pauses might keep from running; null if no pause does. */
export function afterResumes(changes) {
  const pauses = changes.filter(change => change.settings.paused === 'true');
  return pauses.length === 0 ? null : pauses.slice(0, MOST_PAUSES).map(change => afterResume(change, 'its calls run')).join(' ');
}

export function pauseFacts(change) {
  return h('span.quiet', null, whereText(change), change.until ? ['until ', time(change.until)] : 'until resumed',
    ', since ', time(change.since), change.by ? ` by ${short(change.by, 100)}` : null);
}

/** The button that ends a pause; null if the operator must not. */
export function resumeButton(change, changed) {
  const what = pausedText(change);
  const target = targetOf(change);
  const where = {scope: change.scope, ...(change.node ? {node: change.node} : {})};
  const send = target != null && can.change('retryoncalls')
    ? () => post('retryoncalls', [], {action: 'resume', ...target, ...where})
    : can.change('retryon') ? () => post('retryon', segments(change.path), {paused: null, ...where}) : null;
  return send == null ? null
    : button('Resume…', () => resume(what, send).then(isDone => isDone && changed()), {label: `Resume… ${what}`});
}

/** Shows lanes and pauses of a page of waiting calls in a section; calls changed after each change. */
export function lanes(section, changed) {
  const once = whenChanged();
  let lags = new Map();

  function update(page) {
    const all = page.lanes ?? [];
    offer(page.scopes);
    // The lag of a lane grows all the time: its buttons are left alone.
    once('lanes', [all.map(lane => ({...lane, lag: null})), page.paused], () => show(all, page.paused ?? []));
    all.forEach(lane => say(lags.get(lane.lane), duration(lane.lag)));
  }

  function show(all, paused) {
    lags = new Map(all.map(lane => [lane.lane, h('span')]));
    const rows = all.map(lane => rowOf(lane, paused));
    const others = paused.filter(change => !all.some(lane => change.path === PREFIX + lane.lane));
    const canPause = can.change('retryoncalls');
    fill(section, rows.length + others.length === 0 && !canPause ? null : [
      h('div.bar', null, h('h2', null, 'Lanes'), canPause ? button('Pause calls…', () => pause({})) : null),
      rows.length === 0 ? null : table('Lanes',
        [['Lane', 'row'], ['State', 'brief'], ['Waiting', 'number'], ['Lag', 'number'], ['Maximum per second', 'number'],
          ...(canPause ? [['Act', 'hidden']] : [])],
        rows),
      others.length === 0 ? null : h('ul.changes', null, others.map(change => h('li', null,
        h('strong', null, capital(pausedText(change))), change.settings.paused === 'true' ? ' is paused ' : ' is not paused ',
        pauseFacts(change), ' ', resumeButton(change, changed))))]);
  }

  function rowOf(lane, paused) {
    const change = paused.find(other => other.path === PREFIX + lane.lane && other.settings.paused === 'true');
    const [kind, text, why] = STATES.get(lane.state) ?? ['none', short(lane.state, 50)];
    return [
      h('a', {href: '#calls?' + new URLSearchParams({state: 'waiting', lane: lane.lane})}, nameText(lane.lane, 50)),
      [badge(lane.waiting === 0 && kind === 'bad' ? 'none' : kind, text), ' ',
        change ? pauseFacts(change) : why ? h('span.quiet', null, why) : null],
      number(lane.waiting),
      lags.get(lane.lane),
      lane.maxPerSecond == null ? h('span.quiet', null, 'no limit') : number(lane.maxPerSecond),
      ...(can.change('retryoncalls')
        ? [change ? resumeButton(change, changed)
          : button('Pause…', () => pause({lane: lane.lane}), {label: `Pause… lane ${short(lane.lane, 50)}`})]
        : [])];
  }

  async function pause(preset) {
    const isDone = await confirm({
      title: preset.lane ? `Pause lane ${short(preset.lane, 50)}` : 'Pause calls',
      consequences: [
        'Stored calls of the method or lane wait, including first attempts. Waiting does not count as an attempt. '
          + 'Running attempts continue.',
        'New calls are stored as usual, so the table grows during the pause.',
        isShared() ? 'Within seconds, the pause applies to all nodes that share the calls. '
          + 'It also applies to nodes that start later.' : null],
      fields: [
        ...(preset.lane ? [] : [
          {name: 'method', label: 'Method', hint: 'such as MailService.send'},
          {name: 'lane', label: 'or lane', hint: 'such as mail, or default'}]),
        LASTING],
      action: 'Pause',
      danger: true,
      run: async values => {
        const given = ['method', 'lane', 'for'].map(name => [name, preset[name] ?? values.get(name)]).filter(([, value]) => value);
        await post('retryoncalls', [], {action: 'pause', ...Object.fromEntries(given)});
        notice('warn', `Calls are paused${isShared() ? ' on all nodes' : ''}.`);
      },
    });
    if (isDone) {
      changed();
    }
  }

  return {update};
}

function resume(what, send) {
  return confirm({
    title: `Resume ${what}`,
    consequences: ['Due calls start within seconds, as many at a time as the threads allow.'],
    action: 'Resume',
    run: async () => {
      await send();
      notice('ok', `${capital(what)} has been resumed.`);
    },
  });
}

/** The method or lane of a pause; null for a pause that only the endpoint retryon can end. */
function targetOf(change) {
  if (change.path === '' || change.path.startsWith('policies/') || change.path.startsWith('budgets/')) {
    return null;
  }
  return isLane(change) ? {lane: change.path.slice(PREFIX.length)} : {method: change.path};
}

function isLane(change) {
  return change.path.startsWith(PREFIX);
}

function laneOf(change) {
  return short(change.path.slice(PREFIX.length), 50);
}

function capital(text) {
  return text.startsWith('lane ') || text === 'everything' ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
