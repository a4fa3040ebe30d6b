// Lanes whose calls do not run, durable calls that operators have paused, and the dialogs that pause and resume them.

import {can, post} from './api.js';
import {confirm} from './confirm.js';
import {fill, h, notice, number, short, time, whenChanged} from './dom.js';
import {LASTING, body, everywhere, offer, sharing, where, whereText} from './switches.js';

const LANES = 'lanes/';

const STATES = {
  'no-threads': 'no running process has threads for it',
  paused: 'paused',
  'partly-paused': 'some methods are paused',
  probing: 'one call is tried at a time',
  rate: 'at its rate',
};

/** Shows the blocked lanes and the pauses of a page of durable calls in a section; calls changed after each change. */
export function pauses(section, changed) {
  const once = whenChanged();

  function update(page) {
    offer(page.scopes);
    const blocked = (page.lanes ?? []).filter(lane => lane.waiting > 0 && lane.state !== 'open');
    if (page.paused != null) {
      once('pauses', [blocked, page.paused], () => show(blocked, page.paused));
    }
  }

  function show(blocked, paused) {
    const isWritable = can.change('durablecalls');
    fill(section,
      isWritable ? h('p.actions', null, h('button', {type: 'button', onclick: () => pause()}, 'Pause calls…')) : null,
      blocked.length === 0 ? null : h('ul.changes', null, blocked.map(lane => h('li', null,
        h('strong', null, 'Lane ', short(lane.lane, 50), ': '), `${number(lane.waiting)} waiting, ${STATES[lane.state] ?? short(lane.state, 50)}`))),
      paused.length === 0 ? null : h('ul.changes', null, paused.map(change => h('li', null,
        h('strong', null, change.settings.paused === 'true' ? 'Paused: ' : 'Not paused: ', what(change)), ' ', whereText(change),
        h('span.quiet', null, 'since ', time(change.since), change.by ? ` by ${short(change.by, 100)}` : '', change.until ? [', until ', time(change.until)] : ''),
        isWritable && target(change) ? h('button', {type: 'button', onclick: () => resume(change)}, 'Resume…') : null))));
  }

  async function pause() {
    const isDone = await confirm({
      title: 'Pause durable calls',
      consequences: [
        'Stored calls of the method or lane wait, first attempts too. Waiting does not count as an attempt. Running attempts continue.',
        'New calls are stored as usual, so the table grows while they are paused.',
        sharing()],
      fields: where([
        {name: 'method', label: 'Method', hint: 'such as MailService.send'},
        {name: 'lane', label: 'or lane', hint: 'such as mail, or default'},
        LASTING]),
      action: 'Pause',
      danger: true,
      run: async values => {
        await post('durablecalls', [], body({action: 'pause', ...given(values)}, values));
        notice('warn', `Durable calls are paused${everywhere(values)}.`);
      },
    });
    if (isDone) {
      changed();
    }
  }

  async function resume(change) {
    const isDone = await confirm({
      title: `Resume ${what(change)}`,
      consequences: ['Calls that are due run within seconds, as many at a time as there are threads.'],
      fields: [],
      action: 'Resume',
      run: async () => {
        await post('durablecalls', [], {action: 'resume', ...target(change), scope: change.scope});
        notice('ok', `${what(change)} is resumed.`);
      },
    });
    if (isDone) {
      changed();
    }
  }

  return {update};
}

function given(values) {
  return Object.fromEntries(['method', 'lane'].map(name => [name, values.get(name)?.trim()]).filter(([, value]) => value));
}

/** The method or lane of a change; null for those that can be reverted at the other endpoint only. */
function target(change) {
  if (change.path === '' || change.path.startsWith('policies/') || change.path.startsWith('budgets/')) {
    return null;
  }
  return change.path.startsWith(LANES) ? {lane: change.path.slice(LANES.length)} : {method: change.path};
}

function what(change) {
  return change.path === '' ? 'everything' : change.path.startsWith(LANES) ? `lane ${short(change.path.slice(LANES.length), 50)}` : short(change.path, 200);
}
