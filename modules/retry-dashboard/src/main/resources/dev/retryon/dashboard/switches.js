// Dialogs that change settings while the application runs.

import {post, remove} from './api.js';
import {confirm} from './confirm.js';
import {notice, short} from './dom.js';

export const LASTING = {name: 'for', label: 'For how long', value: '30m', hint: 'such as 30m, 2h or 1d; empty for no end'};

const ALONE = 'It applies to this node only.';

const SHARED = 'On this node, it takes effect at once. With all nodes, other nodes apply it within seconds, and nodes that start later apply it too.';

const WHERE = {name: 'scope', label: 'Where', value: 'node', options: [['node', 'this node'], ['all', 'all nodes that share its database']]};

/** Whether nodes share a database, as last read. */
let shared = false;

export function offer(scopes) {
  shared = scopes?.includes('all') ?? false;
}

export function whereText(change) {
  return change.scope === 'all' ? 'for all nodes ' : '';
}

/** A sentence about the nodes to which a change applies. */
export function sharing() {
  return shared ? SHARED : ALONE;
}

const DONE = new Event('retryon-changed');

export function changeText(change) {
  return Object.entries(change.settings).map(([key, value]) => `${key} = ${short(value, 200)}`).join(', ');
}

/** @param path below the endpoint: nothing, a name, or budgets, policies or lanes and a name */
export function switchOff(path, what) {
  return confirm({
    title: `Switch off the retries of ${what}`,
    consequences: [
      'First attempts still run. A call that fails ends at once, and its recovery method still runs.',
      'Calls that wait for their next attempt end now. Running attempts continue.',
      'Durable calls are not lost: they wait until retries are switched on again.',
      sharing()],
    fields: where([LASTING]),
    action: 'Switch off',
    danger: true,
    run: async values => {
      await post('retryon', path, body({retryable: false}, values));
      done(`Retries of ${what} are switched off${everywhere(values)}.`, 'warn');
    },
  });
}

const SETTINGS = ['maxAttempts', 'delay', 'multiplier', 'maxDelay', 'jitter', 'timeout', 'attemptTimeout', 'backoff', 'budget', 'budgetKey', 'budgetCost', 'recover', 'beforeRetry',
  'durable.whenFailed', 'durable.initialDelay', 'retryable', 'onlyIf', 'unless', 'retryIf'];

export function changeSetting(path, what) {
  return confirm({
    title: `Change a setting of ${what}`,
    consequences: [
      'The change overrides annotations and properties. It is checked first. If it is invalid for one method, nothing changes.',
      'The next call uses it. Running calls keep their settings.',
      sharing()],
    fields: where([
      {name: 'setting', label: 'Setting', options: SETTINGS.map(name => [name, name]), value: 'maxAttempts'},
      {name: 'value', label: 'Value', hint: 'as in application.yml: 3, 500ms, true', judged: true},
      LASTING]),
    action: 'Change',
    run: async values => {
      if (values.get('value') === '') {
        throw new Error(`${values.get('setting')} has no value. To revert a change, use “Revert”.`);
      }
      const change = Object.fromEntries([[values.get('setting'), values.get('value')]]);
      await post('retryon', path, body(change, values));
      const isOff = values.get('setting') === 'retryable' && values.get('value').toLowerCase() === 'false';
      done(`${values.get('setting')} of ${what} is changed${everywhere(values)}.`, isOff ? 'warn' : 'ok');
    },
  });
}

export function takeBack(change) {
  const what = change.path === '' ? 'everything' : short(change.path, 200);
  const nodes = change.scope === 'all' ? ' on all nodes' : '';
  return confirm({
    title: `Revert the changes for ${what}`,
    consequences: [`${changeText(change)} ends${nodes}. From the next call on, annotations, properties and other changes apply again.`],
    action: 'Revert',
    run: async () => {
      await remove('retryon', segments(change.path), change.scope === 'all' ? {scope: 'all'} : null);
      done(`The changes for ${what} are reverted${nodes}.`);
    },
  });
}

/** The name of a policy, budget or lane may have a slash in it. */
function segments(path) {
  const scope = ['budgets/', 'policies/', 'lanes/'].find(prefix => path.startsWith(prefix));
  return path === '' ? [] : scope ? [scope.slice(0, -1), path.slice(scope.length)] : [path];
}

export function where(fields) {
  return shared ? [...fields, WHERE] : fields;
}

export function everywhere(values) {
  return values.get('scope') === 'all' ? ' on all nodes' : '';
}

export function body(change, values) {
  const lasting = values.get('for');
  const all = values.get('scope') === 'all' ? {...change, scope: 'all'} : change;
  return lasting ? {...all, for: lasting} : all;
}

function done(text, kind = 'ok') {
  notice(kind, text);
  document.dispatchEvent(DONE);
}
