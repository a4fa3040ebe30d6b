// Dialogs that change settings while the application runs.

import {nodes, post, remove} from './endpoints.js';
import {confirm} from './dialog.js';
import {notice} from './elements.js';
import {short} from './text.js';

export const LASTING = {name: 'for', label: 'For how long', value: '30m', hint: 'such as 30m, 2h or 1d; leave empty for no end'};

const SHARED = 'On this node, the change takes effect immediately. If you choose all nodes, the other nodes apply it within '
  + 'seconds, and nodes that start later apply it at start-up.';

/** Whether nodes share a database, as last read. */
let shared = false;

/** Sets the nodes to which changes can apply, as an answer names them; an answer without them says nothing. */
export function offer(scopes) {
  shared = scopes?.includes('all') ?? shared;
}

export function isShared() {
  return shared;
}

export function whereText(change) {
  return change.scope === 'all' ? 'for all nodes ' : nodes.alternate && change.node ? `on ${short(change.node, 100)} only ` : '';
}

function reach() {
  return [
    shared ? SHARED : `The change applies only to this node, ${short(nodes.latest, 100)}.`,
    nodes.alternate ? 'Several processes respond at this address, so another node can receive the change.' : null];
}

function where() {
  const options = [['node', `this node, ${short(nodes.latest, 100)}`], ['all', 'all nodes that share its database']];
  return shared ? [{name: 'scope', label: 'Where', value: 'node', options}] : [];
}

const DONE = new Event('retryon-changed');

export function settingsText(settings) {
  return Object.entries(settings).map(([key, value]) => `${key} = ${short(value, 200)}`).join(', ');
}

export function pathText(path) {
  return path === '' ? 'everything' : short(path, 200);
}

/** @param path below the endpoint: nothing, a name, or budgets, policies or lanes and a name */
export function switchOff(path, what) {
  const retries = path.length === 0 ? 'all retries' : `the retries of ${what}`;
  return confirm({
    title: `Switch off ${retries}`,
    consequences: [
      'First attempts still run. If a call fails, it ends immediately, and its recovery method still runs.',
      'Waiting calls end now. Running attempts continue.',
      'Stored calls are not lost: they wait until retries are switched on again.',
      ...reach()],
    fields: [LASTING, ...where()],
    action: 'Switch off',
    danger: true,
    run: async values => {
      const made = await post('retryon', path, body({retryable: false}, values));
      done(`${retries.charAt(0).toUpperCase()}${retries.slice(1)} are switched off${reached(made)}.`, 'warn');
    },
  });
}

const SETTINGS = ['maxAttempts', 'delay', 'multiplier', 'maxDelay', 'jitter', 'timeout', 'attemptTimeout', 'backoff',
  'budget', 'budgetKey', 'budgetCost', 'recover', 'beforeRetry', 'durable.whenFailed', 'durable.initialDelay',
  'retryable', 'onlyIf', 'unless', 'retryIf'];

export function changeSetting(path, what) {
  return confirm({
    title: `Change a setting of ${what}`,
    consequences: [
      'The change overrides annotations and properties. If the value is invalid for any method, nothing changes.',
      'The next call uses the new value. Running calls keep their settings.',
      ...reach()],
    fields: [
      {name: 'setting', label: 'Setting', options: SETTINGS.map(name => [name, name]), value: 'maxAttempts'},
      {name: 'value', label: 'Value', hint: 'as in application.yml: 3, 500ms, true', judged: true},
      LASTING,
      ...where()],
    action: 'Change',
    run: async values => {
      if (values.get('value') === '') {
        throw new Error(`${values.get('setting')} has no value. To revert a change, use “Revert”.`);
      }
      const change = Object.fromEntries([[values.get('setting'), values.get('value')]]);
      const made = await post('retryon', path, body(change, values));
      const isOff = values.get('setting') === 'retryable' && values.get('value').toLowerCase() === 'false';
      done(`${values.get('setting')} of ${what} has been changed${reached(made)}.`, isOff ? 'warn' : 'ok');
    },
  });
}

export function revert(change) {
  const what = pathText(change.path);
  const where = reached(change);
  return confirm({
    title: `Revert the changes for ${what}`,
    consequences: [
      `${settingsText(change.settings)} no longer applies${where}. `
        + 'From the next call on, annotations, properties and other changes apply again.',
      change.settings.paused === 'true' ? 'Due calls start within seconds.' : null,
      change.scope !== 'all' && nodes.alternate ? 'Several processes respond at this address. If another process receives the '
        + 'request, nothing changes, and this dialog reports it. In that case, try again.' : null],
    action: 'Revert',
    run: async () => {
      await remove('retryon', segments(change.path), change.scope === 'all' ? {scope: 'all'} : {node: change.node});
      done(`The changes for ${what} have been reverted${where}.`);
    },
  });
}

/** The segments of the address of a change. The name of a policy, budget or lane can contain a slash. */
export function segments(path) {
  const scope = ['budgets/', 'policies/', 'lanes/'].find(prefix => path.startsWith(prefix));
  return path === '' ? [] : scope ? [scope.slice(0, -1), path.slice(scope.length)] : [path];
}

function reached(change) {
  return change.scope === 'all' ? ' on all nodes' : change.node ? ` on ${short(change.node, 100)}` : '';
}

function body(change, values) {
  const lasting = values.get('for');
  const all = values.get('scope') === 'all' ? {...change, scope: 'all'} : change;
  return lasting ? {...all, for: lasting} : all;
}

function done(text, kind = 'ok') {
  notice(kind, text);
  document.dispatchEvent(DONE);
}
