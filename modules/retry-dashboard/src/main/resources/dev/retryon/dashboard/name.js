// One name: its numbers, settings with their sources, schedule, latest events, and switches.

import {can, get, traceLink} from './api.js';
import {badge, className, constant, duration, fill, h, longText, name as named, number, short, table, time, visible, whenChanged} from './dom.js';
import {history, legend, schedule} from './charts.js';
import {badges, isOff, stateOf} from './now.js';
import {changeSetting, offer, switchOff, takeBack} from './switches.js';

const EVENTS = 50;

/** The number of events that are shown until the operator asks for all. */
const FIRST_EVENTS = 10;

export function open(main, view, query) {
  const name = query.get('name') ?? '';
  const title = h('h1', null, named(name, 300));
  const state = h('span');
  const buttons = h('span.buttons');
  const numbers = h('dl.figures');
  const chart = h('section');
  const settings = h('section');
  const events = h('section', null, h('h2', null, 'Latest events'));
  fill(main, h('p', null, h('a', {href: '#now'}, '← Now')), h('div.heading', null, title, state, buttons), numbers, chart, settings, events);
  const once = whenChanged();
  let allEvents = false;

  function showSwitches(changes) {
    const mine = changes.filter(change => change.path === name);
    fill(buttons, !can.change('retryon') ? null : [
      isOff(changes, name) ? null
        : h('button.danger', {type: 'button', onclick: () => switchOff([name], short(name, 100))}, 'Switch retries off…'),
      h('button', {type: 'button', onclick: () => changeSetting([name], short(name, 100))}, 'Change a setting…'),
      mine.map(change => h('button', {type: 'button', onclick: () => takeBack(change)},
        change.scope === 'all' ? 'Revert for all nodes…' : 'Revert changes…'))]);
  }

  function showNumbers(entry, detail) {
    const failures = Object.entries(detail.calls.failure).map(([reason, count]) => `${constant(reason)}: ${number(count)}`).join(', ');
    const recovered = Object.values(detail.calls.recovered).reduce((all, count) => all + count, 0);
    fill(numbers, [
      ['succeeded at once', detail.calls.success == null ? 'not counted' : number(detail.calls.success)],
      ['after a retry', number(detail.calls.successAfterRetry)],
      ['failed', number(entry.failures), failures],
      ['of these recovered', number(recovered)],
      ['retries', number(detail.retries)],
      ['waiting now', number(detail.waiting)]].map(([term, value, hint]) =>
      h('div.figure', {title: hint}, h('dt', null, term), h('dd', null, value))));
  }

  function showChart(entry) {
    if (entry.recent) {
      fill(chart, h('div.bar', null, h('h2', null, 'Last 15 minutes'), legend()), history(entry.recent, Math.max(280, Math.min(1400, main.clientWidth - 32))));
    }
  }

  function block(heading, what, values, waits, depends) {
    const attempts = Number(values.maxAttempts?.value ?? 1);
    const off = values.retryable?.value === false;
    const timeout = values.timeout && values.timeout.value && values.timeout.value !== '0s' ? duration(values.timeout.value) : null;
    return h('section.block', null,
      h('h2', null, heading), what ? h('p.quiet', null, h('code', null, named(what, 500))) : null,
      h('h3', null, 'Schedule'),
      off ? h('p.empty', null, badge('off', 'switched off'), ' retryable is false: nothing is retried.')
        : h('div.wide', {tabindex: 0, role: 'region', 'aria-label': 'Schedule'}, schedule(waits, attempts, timeout)),
      depends ? h('p.quiet', null, 'The backoff depends on the call, so each wait can be up to the maximum delay.') : null,
      h('h3', null, 'Effective settings'),
      table('Effective settings', [['setting', 'row'], ['value'], ['from']], Object.entries(values).map(([key, setting]) => [
        short(key, 100),
        valueText(setting.value),
        h('span', null, setting.sources.map((source, i) => [i > 0 ? ', ' : null,
          h(source.startsWith('operator') ? 'strong.operator' : source === 'default' ? 'span.quiet' : 'span', null, named(source, 300))]))])));
  }

  function showSettings(detail) {
    const several = detail.methods.length > 1;
    fill(settings,
      detail.methods.map(method => block(several ? short(method.signature, 200) : 'Method', `${method.signature} in ${method.beanClass}`,
        method.settings, method.schedule, method.scheduleDependsOnCall)),
      detail.client ? block('HTTP client', null, detail.client.settings, detail.client.schedule, false) : null,
      detail.registered ? block('Retry of the registry', null, detail.registered.settings, detail.registered.schedule, detail.registered.scheduleDependsOnCall) : null,
      detail.methods.length === 0 && !detail.client && !detail.registered
        ? h('p.empty', null, 'Application code uses this name with a Retry that it built itself, so its settings are not known here.') : null);
  }

  function showEvents(found) {
    const shownEvents = allEvents ? found : found.slice(0, FIRST_EVENTS);
    fill(events, h('h2', null, 'Latest events'), found.length === 0
      ? h('p.empty', null, 'The latest events (retryon.events.capacity) contain no retry and no failure of this name.')
      : table('Latest events', [['when', 'row'], ['what', 'hidden'], ['attempt'], ['error'], ['then'], ['call'], ['trace']], shownEvents.map(event => [
        time(event.at),
        badge(event.type === 'failure' || event.type === 'dead_letter' ? 'bad' : event.type === 'success_after_retry' ? 'ok' : 'warn', constant(event.type)),
        `${event.attempt} of ${event.maxAttempts}`,
        h('span', null, className(event.exception), event.message ? h('div.message', {title: short(event.message, 1000)}, short(event.message, 160)) : null),
        event.delay ? `next in ${duration(event.delay)}` : event.reason ? constant(event.reason) : null,
        h('code', {title: visible(event.callId)}, short(event.callId, 13)),
        event.traceId ? trace(event.traceId) : null])),
    shownEvents.length < found.length ? h('p', null, h('button', {type: 'button', onclick: () => {
      allEvents = true;
      showEvents(found);
    }}, `Show all ${number(found.length)} events`)) : null);
  }

  async function refresh() {
    if (name === '') {
      fill(title, 'No name');
      fill(settings, h('p.empty', null, 'This address lacks a name. ', h('a', {href: '#now'}, 'Now'), ' has all of them.'));
      return;
    }
    if (!can.see('retryon')) {
      fill(settings, h('p.empty', null, 'The endpoint retryon is not exposed over the web.'));
      return;
    }
    let detail;
    try {
      detail = await get('retryon', [name]);
    } catch (error) {
      if (error.status === 404) {
        fill(settings, h('p.empty', null, visible(error.body?.hint ?? 'Nothing is retried under this name.')));
        fill(numbers);
        return;
      }
      throw error;
    }
    const summary = await get('retryon', [], {summary: true});
    offer(summary.scopes);
    const entry = summary.names.find(other => other.name === name);
    if (entry) {
      once('state', stateOf(entry, summary.changes), () => fill(state, badges(stateOf(entry, summary.changes))));
      once('numbers', [entry, detail.calls], () => showNumbers(entry, detail));
      once('chart', [entry.recent, main.clientWidth], () => showChart(entry));
    }
    once('switches', summary.changes, () => showSwitches(summary.changes));
    once('settings', [detail.methods, detail.client, detail.registered], () => showSettings(detail));
    if (can.see('retryonevents')) {
      const found = await get('retryonevents', [], {name, limit: EVENTS});
      once('events', found.events, () => showEvents(found.events));
    } else {
      once('events', 'none', () => fill(events, h('h2', null, 'Latest events'), h('p.empty', null, 'The endpoint retryonevents is not exposed over the web.')));
    }
  }

  document.addEventListener('retryon-changed', refresh);
  return {title: short(name, 100), interval: () => 5000, refresh, close: () => document.removeEventListener('retryon-changed', refresh)};
}

function valueText(value) {
  if (Array.isArray(value)) {
    return value.length === 0 ? '–' : value.map(item => h('div', null, named(item, 300)));
  }
  const text = String(value);
  if (text === '') {
    return '–';
  }
  return /^\d+(ns|us|ms|s|m|h)$/.test(text) ? [duration(text), ' ', h('span.quiet', null, text)] : text.length > 200 ? longText(text, 'Value') : visible(text);
}

export function trace(traceId) {
  if (!traceId) {
    return h('span.quiet', null, '–');
  }
  const link = traceLink(traceId);
  const shown = h('code', {title: visible(traceId)}, short(traceId, 12));
  return link ? h('a', {href: link, rel: 'noopener noreferrer', target: '_blank'}, shown) : shown;
}
