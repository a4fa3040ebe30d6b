// One dead letter: its data, and the changes that the operator can make.

import {can, get, post} from './api.js';
import {confirm} from './confirm.js';
import {className, constant, fill, h, longText, name, notice, short, table, time, visible, whenChanged} from './dom.js';
import {statusBadge} from './letters.js';
import {trace} from './name.js';

export const HIDDEN = '******';

export function open(main, view, query) {
  const id = query.get('id') ?? '';
  const content = h('div');
  fill(main, h('p', null, h('a', {href: '#dead', onclick: event => {
    if (history.length > 1 && document.referrer === '') {
      event.preventDefault();
      history.back();
    }
  }}, '← Back')), content);
  const refresh = detail(content, 'deadletters', id, 'a dead letter', show,
    problem => [h('h1', null, 'Not found'), h('p.empty', null, visible(problem.message))]);

  async function act(letter, action) {
    const what = short(letter.method, 100);
    const later = action === 'later';
    const dialogs = new Map([
      ['retry', {
        title: `Send ${what} again`,
        consequences: ['The call runs now, with its old id and a new count of attempts. It may repeat work that an earlier attempt has done.', 'If it fails again, it returns to this list with its history.'],
        fields: [], action: 'Send again'}],
      ['later', {
        title: `Send ${what} again later`,
        consequences: ['The call runs after the delay, with its old id and a new count of attempts. Until then its status is “retrying”.'],
        fields: [{name: 'delay', label: 'Delay', value: '10m', hint: 'such as 30s, 10m or 2h'}], action: 'Send again later'}],
      ['discard', {
        title: `Discard ${what}`,
        consequences: ['The call is not resent. It remains in the list of discarded calls, with your reason.'],
        fields: [{name: 'reason', label: 'Reason', hint: 'stored with the dead letter'}], action: 'Discard', danger: true}]]);
    const answer = await confirm({
      ...dialogs.get(action),
      run: async values => {
        const body = {action: later ? 'retry' : action};
        if (later) {
          body.delay = values.get('delay');
        } else if (values.get('reason')) {
          body.reason = values.get('reason');
        }
        return post('deadletters', [id], body);
      },
    });
    if (answer) {
      notice('ok', `Done: the dead letter is now ${answer.status ?? 'deleted'}.`);
      await refresh().catch(problem => notice('bad', problem.message));
    }
  }

  function show(letter) {
    const hidden = [letter.message, letter.arguments, letter.stackTrace].includes(HIDDEN);
    fill(content,
      h('div.heading', null, h('h1', null, name(letter.method, 300)), statusBadge(letter.status),
        can.change('deadletters') && letter.status === 'dead' ? h('span.buttons', null,
          h('button.primary', {type: 'button', onclick: () => act(letter, 'retry')}, 'Retry…'),
          h('button', {type: 'button', onclick: () => act(letter, 'later')}, 'Retry later…'),
          h('button.danger', {type: 'button', onclick: () => act(letter, 'discard')}, 'Discard…')) : null),
      hidden ? h('p.hint', null, 'Arguments, messages and stack traces are hidden. Operators of the application can show them with ',
        h('code', null, 'management.endpoint.deadletters.show-values'), '.') : null,
      h('dl.facts', null,
        row('error', [className(letter.error), letter.errorCode ? h('span.quiet', null, ' code ' + short(letter.errorCode, 100)) : null]),
        row('message', letter.message == null ? '–' : longText(letter.message, 'Message')),
        row('given up', `${constant(letter.reason)}, after ${letter.attempts} ${letter.attempts === 1 ? 'attempt' : 'attempts'}`),
        row('first failed', time(letter.firstFailedAt)),
        row('died', time(letter.diedAt)),
        row('method', h('code', null, short(letter.signature, 500))),
        letter.bean ? row('bean', h('code', null, short(letter.bean, 200))) : null,
        row('id', h('code', null, short(letter.id, 200))),
        row('trace', trace(letter.traceId))),
      h('h2', null, 'Arguments'),
      argumentList(letter.arguments),
      h('h2', null, 'Failed attempts'),
      failureTable(letter.failures),
      h('h2', null, 'What was done'),
      letter.actions.length === 0 ? h('p.empty', null, 'Nothing yet.') : h('ul', null, letter.actions.map(action => h('li', null,
        time(action.at), ' ', statusBadge(action.status), ' ', action.by ? `by ${short(action.by, 100)} ` : null,
        action.detail ? h('span.quiet', null, short(action.detail, 1000)) : null))),
      h('h2', null, 'Stack trace'),
      letter.stackTrace == null ? h('p.empty', null, 'None was kept.') : longText(letter.stackTrace, 'Stack trace'));
  }

  return {title: 'Dead letter', interval: () => 10000, refresh};
}

/** Returns a function that keeps one entry of an endpoint fresh in a view; missing returns what the view shows if there is none. */
export function detail(content, source, id, what, show, missing) {
  const once = whenChanged();
  return async () => {
    let entry;
    if (id === '') {
      fill(content, h('h1', null, 'Not found'), h('p.empty', null, `This address lacks the id of ${what}.`));
      return;
    }
    try {
      entry = await get(source, [id]);
    } catch (problem) {
      if (problem.status === 404) {
        fill(content, missing(problem));
        return;
      }
      throw problem;
    }
    once('entry', entry, show);
  };
}

export function row(term, value) {
  return h('div', null, h('dt', null, term), h('dd', null, value));
}

export function argumentList(values) {
  const text = value => typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  if (values == null) {
    return h('p.empty', null, 'They were not stored, or can\u2019t be shown.');
  }
  if (typeof values !== 'object') {
    return longText(text(values), 'Arguments');
  }
  const named = Array.isArray(values) ? values.map((value, i) => [`Argument ${i + 1}`, value]) : Object.entries(values);
  return named.length === 0 ? h('p.empty', null, 'The method has no parameters.')
    : h('ol.arguments', null, named.map(([name, value]) => h('li', null,
      Array.isArray(values) ? null : h('code', null, short(name, 200)), longText(text(value), name))));
}

export function failureTable(failures) {
  return failures.length === 0 ? h('p.empty', null, 'None are kept.')
    : table('Failed attempts', [['attempt', 'row'], ['when'], ['error'], ['message']], failures.map(failure => [
      String(failure.attempt), time(failure.at), className(failure.error),
      failure.message == null ? null : h('span', {title: short(failure.message, 1000)}, short(failure.message, 300))]));
}
