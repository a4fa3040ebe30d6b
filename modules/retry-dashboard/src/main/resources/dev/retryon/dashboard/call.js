// One durable call that waits: its data, and the changes that the operator can make.

import {can, post} from './api.js';
import {confirm} from './confirm.js';
import {className, due, fill, h, name, notice, short, time} from './dom.js';
import {HIDDEN, argumentList, detail, failureTable, row} from './letter.js';
import {statusBadge} from './letters.js';
import {trace} from './name.js';

export function open(main, view, query) {
  const id = query.get('id') ?? '';
  const content = h('div');
  fill(main, h('p', null, h('a', {href: '#retrying'}, '← Retrying')), content);
  const refresh = detail(content, 'durablecalls', id, 'a call', show,
    () => [h('h1', null, 'No longer waiting'), h('p.empty', null, 'The call has succeeded or become a dead letter.'),
      h('p', null, h('a', {href: '#letter?' + new URLSearchParams({id})}, 'Look for its dead letter'))]);

  async function act(call, action) {
    const what = short(call.method, 100);
    const isRetry = action === 'retry';
    const isDone = await confirm({
      title: isRetry ? `Make ${what} now` : `Give ${what} up`,
      consequences: isRetry
        ? ['A worker of any process runs the next attempt now. The call may repeat work that an earlier attempt has done.', 'If the attempt fails, the call waits again or becomes a dead letter, according to its settings.']
        : ['No further attempt runs. The call becomes a dead letter with your reason. You can resend it from there.'],
      fields: isRetry ? [] : [{name: 'reason', label: 'Reason', hint: 'stored with the dead letter'}],
      action: isRetry ? 'Make it now' : 'Give it up',
      danger: !isRetry,
      run: async values => {
        const reason = values.get('reason');
        await post('durablecalls', [id], {action, ...(reason ? {reason} : {})});
      },
    });
    if (isDone && !isRetry) {
      notice('ok', 'Done: the call is a dead letter.');
      location.hash = can.see('deadletters') ? '#letter?' + new URLSearchParams({id}) : '#retrying';
    } else if (isDone) {
      notice('ok', 'Done: the call is due.');
      await refresh().catch(problem => notice('bad', problem.message));
    }
  }

  function show(call) {
    const hidden = call.arguments === HIDDEN || call.failures.some(failure => failure.message === HIDDEN);
    fill(content,
      h('div.heading', null, h('h1', null, name(call.method, 300)), statusBadge(call.status),
        can.change('durablecalls') && call.status === 'waiting' ? h('span.buttons', null,
          h('button.primary', {type: 'button', onclick: () => act(call, 'retry')}, 'Retry now…'),
          h('button.danger', {type: 'button', onclick: () => act(call, 'give-up')}, 'Give up…')) : null),
      hidden ? h('p.hint', null, 'Arguments and messages are hidden. Operators of the application can show them with ',
        h('code', null, 'management.endpoint.durablecalls.show-values'), '.') : null,
      call.problem ? h('p.problem', null, 'The row can\u2019t be read: ', short(call.problem, 1000)) : null,
      h('dl.facts', null,
        row('last error', call.error ? className(call.error) : 'no failure yet'),
        row('attempts', String(call.attempts)),
        row('next attempt', [time(call.due), ' ', h('span.quiet', null, due(call.due))]),
        row('asked for', time(call.startedAt)),
        call.runningSince ? row('running since', time(call.runningSince)) : null,
        call.attemptTimeout ? row('limit of an attempt', call.attemptTimeout) : null,
        call.signature ? row('method', h('code', null, short(call.signature, 500))) : null,
        call.bean ? row('bean', h('code', null, short(call.bean, 200))) : null,
        call.lane !== 'default' ? row('lane', h('code', null, short(call.lane, 50))) : null,
        row('id', h('code', null, short(call.id, 200))),
        row('trace', trace(call.traceId))),
      h('h2', null, 'Arguments'),
      argumentList(call.arguments),
      h('h2', null, 'Failed attempts'),
      failureTable(call.failures));
  }

  return {title: 'Call', interval: () => 5000, refresh};
}
