// Changes many dead letters or waiting calls: the selected ones at once, or all that match in the background.

import {post} from './api.js';
import {confirm} from './confirm.js';
import {notice, number, short, words} from './dom.js';

const MAX_IDS = 100;
const PER_SECOND = 50;

const AGAIN = 'It may repeat work that an earlier attempt has done.';
const LETTERS = {
  what: 'dead letters with the status dead',
  skipped: 'Dead letters with another status are skipped.',
  retry: {button: 'Retry', title: 'Send again', done: 'sent again', effect: `Each call runs again, with its old id and a new count of attempts. ${AGAIN}`},
  end: {action: 'discard', button: 'Discard', title: 'Discard', done: 'discarded', hint: 'stored with each dead letter',
    effect: 'They are not resent. They remain in the list of discarded calls, with your reason.'},
};
const CALLS = {
  what: 'calls that wait',
  skipped: 'Calls that are running are skipped. Calls of paused methods and lanes run when they are resumed.',
  retry: {button: 'Retry', title: 'Retry now', done: 'due now', effect: `The next attempt of each call is due now. ${AGAIN}`},
  end: {action: 'give-up', button: 'Give up', title: 'Give up', done: 'given up', hint: 'stored with each dead letter',
    effect: 'No further attempt runs. Each call becomes a dead letter with your reason. You can resend it from there.'},
};

/** The actions of a list: their buttons, and the dialogs that they open. */
export function bulk(source, watch) {
  const texts = source === 'deadletters' ? LETTERS : CALLS;
  const kinds = [{...texts.retry, action: 'retry', fields: []},
    {...texts.end, danger: true, fields: [{name: 'reason', label: 'Reason', hint: texts.end.hint}]}];

  /** Changes the selected ones. Returns whether the operator confirmed it. */
  async function some(kind, ids) {
    const done = await confirm({
      title: `${kind.title} ${number(ids.length)} selected`,
      consequences: [kind.effect, texts.skipped],
      fields: kind.fields,
      action: kind.title,
      danger: kind.danger,
      run: async values => {
        let moved = 0;
        let skipped = 0;
        for (let i = 0; i < ids.length; i += MAX_IDS) {
          const reason = values.get('reason');
          const answer = await post(source, [], {action: kind.action, ids: ids.slice(i, i + MAX_IDS).join(','), ...(reason ? {reason} : {})});
          moved += answer.moved.length;
          skipped += answer.skipped.length;
        }
        return {moved, skipped};
      },
    });
    if (done) {
      notice(done.skipped > 0 ? 'warn' : 'ok', `${number(done.moved)} ${kind.done}, ${number(done.skipped)} skipped.`);
    }
    return Boolean(done);
  }

  /** Starts a task for all that match. */
  async function every(kind, filter) {
    let matched;
    let before;
    try {
      ({matched, before} = await post(source, [], {action: kind.action, ...filter, dryRun: true}));
    } catch (problem) {
      notice('bad', problem.message);
      return;
    }
    const described = Object.entries(filter).map(([name, value]) => `${name} ${short(value, 100)}`).join(', ') || `all ${texts.what}`;
    await confirm({
      title: `${kind.title} all ${number(matched)} that match`,
      consequences: [
        `The filter is: ${described}.`,
        kind.effect,
        `It runs in the background, for about ${words(Math.max(1, Math.ceil(matched / PER_SECOND)))} at ${PER_SECOND} a second; you can cancel it. Only one such task runs at a time.`],
      fields: [...kind.fields, {name: 'maxPerSecond', label: 'At most per second', value: String(PER_SECOND), hint: `from 1 to 10000; empty for ${PER_SECOND}`}],
      action: kind.action === 'retry' && source === 'deadletters' ? `Send ${number(matched)} again` : `${kind.title} ${number(matched)}`,
      danger: true,
      run: async values => {
        const reason = values.get('reason');
        const rate = values.get('maxPerSecond');
        watch.update(await post(source, [], {action: kind.action, ...filter, before, confirm: true, ...(reason ? {reason} : {}), ...(rate ? {maxPerSecond: rate} : {})}));
      },
    });
  }

  return {kinds, some, every};
}
