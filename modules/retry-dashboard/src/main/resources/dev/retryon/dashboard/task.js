// The progress of the task that changes many calls, and a way to cancel it.

import {can, get, post} from './endpoints.js';
import {confirm} from './dialog.js';
import {badge, button, fill, h, notice, time} from './elements.js';
import {NOUNS, actOf} from './call-actions.js';
import {counted, number, visible} from './text.js';

const POLL = 2000;

export function progress(section, whenDone) {
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
    const act = actOf(task.action);
    const ended = task.moved + task.skipped;
    fill(section, h('div.task', null,
      h('strong', null, act ? act.title(counted(task.matched, ...NOUNS[act.of])) : visible(task.action)), ' ',
      badge(kind, visible(task.state)), ' ',
      h('progress', {max: Math.max(1, task.matched), value: Math.min(ended, task.matched), 'aria-label': 'Progress of the task'}), ' ',
      h('span', null, resultOf(task)), ' ',
      h('span.quiet', null, 'since ', time(task.startedAt)),
      task.failure ? h('p.problem', null, visible(task.failure)) : null,
      isRunning && can.change('retryoncalls') ? button('Cancel the task…', cancel) : null));
    if (isRunning) {
      running = true;
      timer = setTimeout(poll, POLL);
    } else if (running) {
      running = false;
      notice(kind === 'ok' ? 'ok' : 'bad', `The task is ${visible(task.state)}: ${resultOf(task)}.`);
      whenDone();
    }
  }

  function resultOf(task) {
    return `${number(task.moved)} of ${counted(task.matched, 'call', 'calls')} ${actOf(task.action)?.done ?? 'changed'}, `
      + `${number(task.skipped)} skipped`;
  }

  function cancel() {
    return confirm({
      title: 'Cancel the task',
      consequences: ['The task stops after the current call. Rescheduled calls that have not started yet return to their '
        + 'previous state. All other changes remain.'],
      action: 'Cancel the task',
      danger: true,
      run: async () => {
        update(await post('retryoncalls', [], {action: 'cancel'}));
      },
    });
  }

  async function poll() {
    try {
      // An answer also counts the calls that match. Few of them run at a time.
      update((await get('retryoncalls', [], {state: 'running', limit: 1})).task);
    } catch {
      timer = setTimeout(poll, POLL * 3);
    }
  }

  function update(task) {
    clearTimeout(timer);
    show(task);
  }

  return {update, close: () => clearTimeout(timer)};
}
