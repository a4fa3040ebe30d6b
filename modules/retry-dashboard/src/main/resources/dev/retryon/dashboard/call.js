// One stored call: its data, and the acts that its state allows.

import {can, get} from './endpoints.js';
import {actsOn, changeOne} from './call-actions.js';
import {errorOf, stateBadge} from './call-list.js';
import {badge, button, className, due, fact, fill, h, longText, nameText, notice, table, time, trace, whenChanged}
  from './elements.js';
import {afterResume, afterResumes, pauseFacts, pauseOf, resumeButton} from './lanes.js';
import {constant, counted, duration, short} from './text.js';

const HIDDEN = '******';

/** A call that is due is read again soon, because its state changes. */
const SOON = 1500;

const OFTEN = 10000;

export function open(main, query) {
  const id = query.get('id') ?? '';
  const content = h('div');
  const once = whenChanged();
  let shown = null;
  fill(main, h('p', null, h('a', {href: '#calls', onclick: event => {
    if (history.length > 1 && document.referrer === '') {
      event.preventDefault();
      history.back();
    }
  }}, '← Back')), content);

  async function refresh() {
    if (id === '') {
      showNone('Not found', 'This address does not contain a call id.');
      return;
    }
    let call;
    try {
      call = await get('retryoncalls', [id]);
    } catch (problem) {
      if (problem.status !== 404) {
        throw problem;
      }
      showNone(shown ? 'No longer stored' : 'Not found', shown ? 'The call has succeeded, or it was deleted.'
        : `No stored call has the id '${short(id, 100)}'. The call might have succeeded or been deleted.`);
      return;
    }
    const pauses = actsOn(call.state).length === 0 ? [] : await readPauses();
    shown = call;
    once('call', [call, pauses], () => show(call, pauses));
  }

  /** The pauses of an answer that counts few calls. */
  async function readPauses() {
    return (await get('retryoncalls', [], {state: 'running', limit: 1})).paused ?? [];
  }

  function showNone(title, why) {
    once('call', [title, why], () => fill(content,
      h('h1', null, title), h('p.empty', null, why, ' ', h('a', {href: '#calls?state=all'}, 'All calls'))));
  }

  async function act(kind, call, pauses, isLater) {
    // The lane of a dead letter is not known before it is resent.
    const waits = call.lane == null ? afterResumes(pauses) : afterResume(pauseOf(call, pauses), 'the call runs');
    if (await changeOne(kind, call, {waits, isLater})) {
      await again();
    }
  }

  function again() {
    return refresh().catch(problem => notice('bad', problem.message));
  }

  function buttonsOf(call, pauses) {
    const buttons = actsOn(call.state).map(kind =>
      button(`${kind.short}…`, () => act(kind, call, pauses, false), {kind: kind.danger ? 'danger' : 'primary'}));
    const resend = actsOn(call.state).find(kind => kind.action === 'resend');
    const later = resend && button('Resend later…', () => act(resend, call, pauses, true));
    return h('span.buttons', null, later ? buttons.toSpliced(1, 0, later) : buttons);
  }

  function show(call, pauses) {
    const pause = call.due == null ? null : pauseOf(call, pauses);
    const values = [call.message, call.arguments, call.stackTrace, ...call.failures.map(failure => failure.message)];
    fill(content,
      h('div.heading', null,
        h('h1', null, nameText(call.method, 300)),
        stateBadge(call.state), pause ? badge('warn', 'paused') : null,
        can.change('retryoncalls') ? buttonsOf(call, pauses) : null),
      pause ? h('p', null, h('strong', null, afterResume(pause, 'the call runs')), ' ', pauseFacts(pause), ' ',
        resumeButton(pause, again)) : null,
      values.includes(HIDDEN) ? h('p.hint', null, 'Arguments, messages and stack traces are hidden. ',
        `The application's operators can show them with `, h('code', null, 'management.endpoint.retryoncalls.show-values'), '.') : null,
      call.problem ? h('p.problem', null, 'The call cannot be read: ', short(call.problem, 1000)) : null,
      h('dl.facts', null, facts(call)),
      h('h2', null, 'Arguments'),
      argumentList(call.arguments),
      h('h2', null, 'Failed attempts'),
      failureTable(call.failures),
      call.actions.length === 0 ? null : [h('h2', null, 'History'), historyList(call.actions)],
      call.stackTrace == null ? null : [h('h2', null, 'Stack trace'), longText(call.stackTrace, 'Stack trace')]);
  }

  return {
    title: 'Call',
    interval: () => shown?.due && new Date(shown.due) - Date.now() < SOON ? SOON : OFTEN,
    refresh,
  };
}

function facts(call) {
  const code = (value, length) => value == null ? null : h('code', null, short(value, length));
  return [
    fact('Last error', [errorOf(call), call.errorCode ? h('span.quiet', null, ' code ' + short(call.errorCode, 100)) : null]),
    fact('Message', call.message == null ? null : longText(call.message, 'Message')),
    fact('Stop reason', call.reason == null ? null : `${constant(call.reason)}, after ${counted(call.attempts, 'attempt', 'attempts')}`),
    fact('Attempts', call.reason == null ? String(call.attempts) : null),
    fact('Waits for', call.waitsFor && h('a', {href: '#call?' + new URLSearchParams({id: call.waitsFor})}, short(call.waitsFor, 200))),
    fact('Next attempt', call.due == null || call.waitsFor ? null : [time(call.due), ' ', h('span.quiet', null, due(call.due))]),
    fact('Running since', call.runningSince && time(call.runningSince)),
    fact('Attempt timeout', call.attemptTimeout && duration(call.attemptTimeout)),
    fact('Called at', call.startedAt && time(call.startedAt)),
    fact('First failed', call.firstFailedAt && time(call.firstFailedAt)),
    fact('Died', call.diedAt && time(call.diedAt)),
    fact('Method', call.signature && h('code', null, nameText(call.signature, 500))),
    fact('Bean', code(call.bean, 200)),
    fact('Lane', code(call.lane, 50)),
    fact('Id', code(call.id, 200)),
    fact('Trace', trace(call.traceId))];
}

function argumentList(values) {
  const text = value => typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  if (values == null) {
    return h('p.empty', null, 'The arguments were not stored or cannot be shown.');
  }
  if (typeof values !== 'object') {
    return longText(text(values), 'Arguments');
  }
  const named = Array.isArray(values) ? values.map((value, i) => [`Argument ${i + 1}`, value]) : Object.entries(values);
  return named.length === 0 ? h('p.empty', null, 'The method has no parameters.')
    : h('ol.arguments', null, named.map(([name, value]) => h('li', null,
      Array.isArray(values) ? null : h('code', null, short(name, 200)), longText(text(value), name))));
}

function failureTable(failures) {
  return failures.length === 0 ? h('p.empty', null, 'No failed attempt is stored.')
    : table('Failed attempts', [['Attempt', 'row'], ['Time', 'brief'], ['Error', 'brief'], ['Message']], failures.map(failure => [
      String(failure.attempt), time(failure.at), className(failure.error),
      failure.message == null ? null : h('span', {title: short(failure.message, 1000)}, short(failure.message, 300))]));
}

function historyList(actions) {
  return h('ul', null, actions.map(action => h('li', null,
    time(action.at), ' ', stateBadge(action.what), ' ', action.by ? `by ${short(action.by, 100)} ` : null,
    action.detail ? h('span.quiet', null, short(action.detail, 1000)) : null)));
}
