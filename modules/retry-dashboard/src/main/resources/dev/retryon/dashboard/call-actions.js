// What an operator can do to stored calls: one call, the selected ones, or in the background all that match.

import {post} from './endpoints.js';
import {confirm} from './dialog.js';
import {notice} from './elements.js';
import {counted, number, short, words} from './text.js';

const MAX_IDS = 100;

const PER_SECOND = 50;

const AGAIN = 'This can repeat work that an earlier attempt has already done.';

export const NOUNS = {waiting: ['waiting call', 'waiting calls'], dead: ['dead letter', 'dead letters']};

/**
 * The acts, with the state of the calls that they change. The title names the act and the calls. An act that starts calls has
 * no effect before the end of a pause.
 */
const ACTS = [
  {
    action: 'run-now', of: 'waiting', title: what => `Run ${what} now`, short: 'Run now', done: 'due now', startsCalls: true,
    effects: call => [
      `${call} becomes due now, and a worker in any process runs its next attempt. ${AGAIN}`,
      'If the attempt fails, the call waits again or becomes a dead letter, according to its settings.'],
  },
  {
    action: 'give-up', of: 'waiting', title: what => `Give up ${what}`, short: 'Give up', done: 'given up', danger: true,
    effects: call => [`No further attempt runs. ${call} becomes a dead letter with your reason. You can resend it later.`],
  },
  {
    action: 'resend', of: 'dead', title: what => `Resend ${what}`, short: 'Resend', done: 'resent', startsCalls: true,
    effects: call => [
      `${call} waits for a worker and runs again, with the same id and a new attempt count. ${AGAIN}`,
      'If it fails again, it becomes a dead letter again, with its history.'],
  },
  {
    action: 'discard', of: 'dead', title: what => `Discard ${what}`, short: 'Discard', done: 'discarded', danger: true,
    effects: () => ['Discarded calls are never resent. They remain in the list with your reason.'],
  },
];

const REASON = {name: 'reason', label: 'Reason', hint: 'stored with the call'};

const LATER = {name: 'delay', label: 'Delay', value: '10m', hint: 'such as 30s, 10m or 2h'};

export function actsOn(state) {
  return ACTS.filter(act => act.of === state);
}

export function actOf(action) {
  return ACTS.find(act => act.action === action);
}

/**
 * Changes one call after confirmation. A sentence in waits explains why the call does not run now. Returns the answer of the
 * endpoint, or null if the operator has cancelled.
 */
export async function changeOne(act, call, {waits = null, isLater = false} = {}) {
  const title = act.title(short(call.method, 100)) + (isLater ? ' later' : '');
  const answer = await confirm({
    title,
    consequences: [act.startsCalls ? waits : null, ...act.effects('The call')],
    fields: isLater ? [LATER] : act.danger ? [REASON] : [],
    action: isLater ? `${act.short} later` : act.short,
    danger: act.danger,
    run: values => {
      const delay = isLater ? {delay: values.get('delay')} : {};
      return post('retryoncalls', [call.id], {action: act.action, ...given(values, 'reason'), ...delay});
    },
  });
  if (answer) {
    notice(act.startsCalls && waits ? 'warn' : 'ok', `The call is ${act.done}.${act.startsCalls && waits ? ' ' + waits : ''}`);
  }
  return answer;
}

/** Changes the selected calls. Returns whether the operator confirmed it. */
export async function changeSelected(act, ids, waits) {
  const title = act.title(counted(ids.length, ...NOUNS[act.of]));
  const done = await confirm({
    title,
    consequences: [act.startsCalls ? waits : null, ...act.effects('Each call'), `Calls are skipped if they are no longer ${act.of}.`],
    fields: act.danger ? [REASON] : [],
    action: title,
    danger: act.danger,
    run: async values => {
      let moved = 0;
      let skipped = 0;
      for (let i = 0; i < ids.length; i += MAX_IDS) {
        const part = ids.slice(i, i + MAX_IDS).join(',');
        const answer = await post('retryoncalls', [], {action: act.action, ids: part, ...given(values, 'reason')});
        moved += answer.moved.length;
        skipped += answer.skipped.length;
      }
      return {moved, skipped};
    },
  });
  if (done) {
    notice(done.skipped > 0 ? 'warn' : 'ok', `${number(done.moved)} ${act.done}, ${number(done.skipped)} skipped.`);
  }
  return Boolean(done);
}

/** Starts a task that changes all calls that match a filter; started gets the task. */
export async function changeMatching(act, filter, waits, started) {
  let matched;
  let before;
  try {
    ({matched, before} = await post('retryoncalls', [], {action: act.action, ...filter, dryRun: true}));
  } catch (problem) {
    notice('bad', problem.message);
    return;
  }
  const title = act.title(counted(matched, ...NOUNS[act.of]));
  const described = Object.entries(filter).map(([name, value]) => `${name} ${short(value, 100)}`).join(', ') || `all ${NOUNS[act.of][1]}`;
  await confirm({
    title,
    consequences: [
      act.startsCalls ? waits : null,
      `Filter: ${described}.`,
      ...act.effects('Each call'),
      `The task runs in the background for about ${words(Math.max(1, Math.ceil(matched / PER_SECOND)))}, `
        + `at ${PER_SECOND} calls per second. You can cancel it. Only one task can run at a time.`],
    fields: [
      ...(act.danger ? [REASON] : []),
      {name: 'maxPerSecond', label: 'Maximum per second', value: String(PER_SECOND),
        hint: `from 1 to 10000; leave empty for ${PER_SECOND}`}],
    action: title,
    danger: act.danger,
    run: async values => {
      const body = {action: act.action, ...filter, before, confirm: true, ...given(values, 'reason', 'maxPerSecond')};
      started(await post('retryoncalls', [], body));
    },
  });
}

function given(values, ...names) {
  return Object.fromEntries(names.map(name => [name, values.get(name)]).filter(([, value]) => value));
}
