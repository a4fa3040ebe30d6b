// The progress of a task that changes many dead letters or waiting calls, and a way to cancel it.

import {can, get, post} from './api.js';
import {badge, fill, h, notice, number, time, visible} from './dom.js';
import {confirm} from './confirm.js';

const ACTIONS = new Map([['deadletters retry', 'Sending again'], ['deadletters discard', 'Discarding'], ['durablecalls retry', 'Retrying now'], ['durablecalls give-up', 'Giving up']]);

// The answer counts the calls that match: all that wait, because durable calls have no status to filter by.
const POLL = new Map([['deadletters', 2000], ['durablecalls', 10000]]);

/** Shows a task of an endpoint in a section, and polls it while it runs. */
export function progress(section, source, whenDone) {
  let timer = 0;
  let running = false;

  function show(task) {
    section.hidden = !task?.task;
    if (section.hidden) {
      fill(section);
      return;
    }
    const isRunning = task.state === 'running';
    const kind = isRunning ? 'warn' : task.state === 'done' ? 'ok' : 'bad';
    const dealt = task.moved + task.skipped;
    fill(section, h('div.task', null,
      h('strong', null, ACTIONS.get(`${source} ${task.action}`) ?? visible(task.action)), ' ', badge(kind, visible(task.state)), ' ',
      h('progress', {max: Math.max(1, task.matched), value: Math.min(dealt, task.matched), 'aria-label': 'Progress of the bulk task'}), ' ',
      h('span', null, `${number(task.moved)} moved, ${number(task.skipped)} skipped of ${number(task.matched)}`), ' ',
      h('span.quiet', null, 'since ', time(task.startedAt)),
      task.failure ? h('p.problem', null, visible(task.failure)) : null,
      isRunning && can.change(source) ? h('button', {type: 'button', onclick: cancel}, 'Cancel the task…') : null));
    if (isRunning) {
      running = true;
      timer = setTimeout(poll, POLL.get(source));
    } else if (running) {
      running = false;
      notice(kind === 'ok' ? 'ok' : 'bad', `The task is ${task.state}: ${number(task.moved)} moved, ${number(task.skipped)} skipped.`);
      whenDone();
    }
  }

  function cancel() {
    return confirm({
      title: 'Cancel the task',
      consequences: ['The task ends after the current one. Those that it has processed stay changed; the others do not change.'],
      action: 'Cancel the task',
      danger: true,
      run: async () => {
        update(await post(source, [], {action: 'cancel'}));
      },
    });
  }

  async function poll() {
    try {
      update((await get(source, [], {...(source === 'deadletters' ? {status: 'retrying'} : {}), limit: 1})).task);
    } catch {
      timer = setTimeout(poll, 5000);
    }
  }

  function update(task) {
    clearTimeout(timer);
    show(task);
  }

  return {update, close: () => clearTimeout(timer)};
}
