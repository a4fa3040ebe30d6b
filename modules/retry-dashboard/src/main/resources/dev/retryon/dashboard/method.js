// One retried method or name: its numbers, settings with their sources, schedule, latest events, and changes of settings.

import {can, get, metricsLink} from './endpoints.js';
import {badge, button, className, figure, fill, h, longText, nameText, say, table, time, trace, whenChanged, withTimes}
  from './elements.js';
import {legend, recentChart, schedule} from './charts.js';
import {hoursIn, hoursOf, lastHours} from './hours.js';
import {afterResume, pauseFacts, pauseOf, resumeButton} from './lanes.js';
import {badges, isOff, stateOf} from './methods.js';
import {changeSetting, offer, revert, switchOff} from './settings.js';
import {storedCalls} from './stored.js';
import {constant, duration, number, sentence, short, visible} from './text.js';

/** The lane of methods that name none. */
const DEFAULT_LANE = 'default';

const SETTING_COLUMNS = [['Setting', 'row'], ['Value', 'brief'], ['From', 'brief']];

const EVENT_COLUMNS = [['Time', 'row'], ['Event', 'hidden'], ['Attempt', 'brief'], ['Error', 'brief'], ['Then', 'brief'],
  ['Call', 'brief'], ['Trace', 'brief']];

const EVENTS = 50;

const FIRST_EVENTS = 10;

export function open(main, query) {
  const name = query.get('name') ?? '';
  const title = h('h1', null, nameText(name, 300));
  const state = h('span');
  const buttons = h('span.buttons');
  const paused = h('section');
  const period = h('p.quiet');
  const numbers = h('dl.figures');
  const chart = h('section');
  const history = h('section');
  const settings = h('section');
  const events = h('section', null, h('h2', null, 'Latest events'));
  fill(main, h('p', null, h('a', {href: '#overview'}, '← Overview')), h('div.heading', null, title, state, buttons),
    paused, period, numbers, chart, history, settings, events);
  const once = whenChanged();
  const shownHours = hoursIn(history);
  const hours = lastHours(read => shownHours.show(read, hoursOf(read, name)));
  let allEvents = false;
  let stored = null;
  let shown = null;
  const calls = storedCalls({method: name}, found => {
    stored = found;
    showState();
  });

  function showState() {
    if (shown) {
      once('state', stateOf(shown.entry, shown.changes, stored.of(name)), now => fill(state, badges(now, name)));
    }
  }

  function showSwitches(changes) {
    const mine = changes.filter(change => change.path === name);
    fill(buttons, metricsButton(), !can.change('retryon') ? null : [
      isOff(changes, name) ? null : button('Switch retries off…', () => switchOff([name], short(name, 100)), {kind: 'danger'}),
      button('Change a setting…', () => changeSetting([name], short(name, 100))),
      mine.map(change => button(change.scope === 'all' ? 'Revert for all nodes…' : 'Revert changes…', () => revert(change)))]);
  }

  function metricsButton() {
    const link = metricsLink(name);
    return link ? h('a.button', {href: link, rel: 'noopener noreferrer', target: '_blank'}, 'Metrics') : null;
  }

  function showPauses(lanes, changes) {
    const pauses = new Set(lanes.map(lane => pauseOf({method: name, lane}, changes)).filter(pause => pause != null));
    fill(paused, [...pauses].map(pause => h('p', null, h('strong', null, afterResume(pause, 'stored calls run')),
      ' Paused ', pauseFacts(pause), ' ', resumeButton(pause, reload))));
  }

  function reload() {
    calls.reset();
    return refresh();
  }

  function showNumbers(entry, detail) {
    const failures = Object.entries(detail.calls.failure).map(([reason, count]) => `${constant(reason)}: ${number(count)}`).join(', ');
    const recovered = Object.values(detail.calls.recovered).reduce((all, count) => all + count, 0);
    say(period, 'In this process since it started:');
    fill(numbers,
      figure('Succeeded without retry', detail.calls.success == null ? 'not counted' : number(detail.calls.success)),
      figure('Succeeded after retries', number(detail.calls.successAfterRetry)),
      figure('Failed', number(entry.failures), {note: failures}),
      figure('Recovered failures', number(recovered)),
      figure('Retries', number(detail.retries)),
      figure('Waiting in memory', number(detail.waiting)));
  }

  function showChart(entry) {
    if (entry.recent) {
      fill(chart, h('div.bar', null, h('h2', null, 'Last 15 minutes'), legend()), recentChart(entry.recent));
    }
  }

  function block(heading, what, values, waits, depends) {
    const attempts = Number(values.maxAttempts?.value ?? 1);
    const off = values.retryable?.value === false;
    const limit = values.timeout?.value;
    const timeout = limit && limit !== '0s' ? duration(limit) : null;
    return h('section.block', null,
      h('h2', null, heading), what ? h('p.quiet', null, h('code', null, nameText(what, 500))) : null,
      h('h3', null, 'Schedule'),
      off ? h('p.empty', null, badge('off', 'switched off'), ' retryable is false, so nothing is retried.')
        : h('div.wide', {tabindex: 0, role: 'region', 'aria-label': 'Schedule'}, schedule(waits, attempts, timeout)),
      depends ? h('p.quiet', null, 'The backoff depends on the call, so each wait can last up to the maximum delay.') : null,
      h('h3', null, 'Effective settings'),
      table('Effective settings', SETTING_COLUMNS, Object.entries(values).map(([key, setting]) => [
        short(key, 100),
        valueText(setting.value),
        h('span', null, setting.sources.map((source, i) =>
          [i > 0 ? ', ' : null, h(sourceKind(source), null, withTimes(source, 300))]))])));
  }

  function showSettings(detail) {
    const several = detail.methods.length > 1;
    fill(settings,
      detail.methods.map(method => block(several ? short(method.signature, 200) : 'Method', `${method.signature} in ${method.beanClass}`,
        method.settings, method.schedule, method.scheduleDependsOnCall)),
      detail.client ? block('HTTP client', null, detail.client.settings, detail.client.schedule, false) : null,
      detail.registered ? block('Retry from the registry', null, detail.registered.settings, detail.registered.schedule,
        detail.registered.scheduleDependsOnCall) : null,
      detail.methods.length === 0 && !detail.client && !detail.registered
        ? h('p.empty', null, 'The settings are unknown, because application code built the Retry with this name itself.') : null);
  }

  function showEvents(found) {
    const shownEvents = allEvents ? found : found.slice(0, FIRST_EVENTS);
    fill(events, h('h2', null, 'Latest events'), found.length === 0
      ? h('p.empty', null, 'The latest events (up to retryon.events.capacity) contain no retry or failure of this name.')
      : table('Latest events', EVENT_COLUMNS, shownEvents.map(eventRow)),
    shownEvents.length < found.length ? h('p', null, button(`Show all ${number(found.length)} events`, () => {
      allEvents = true;
      showEvents(found);
    })) : null);
  }

  function showNone(why) {
    fill(title, name === '' ? 'No name' : ['Not found: ', nameText(name, 300)]);
    fill(settings, h('p.empty', null, why, ' ', h('a', {href: '#overview'}, 'Overview'), ' lists all names.'));
    fill(events);
  }

  async function refresh() {
    if (name === '') {
      showNone('This address does not contain a name.');
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
      if (error.status !== 404) {
        throw error;
      }
      showNone(sentence(error.body?.hint ?? 'Nothing is retried under this name.'));
      return;
    }
    const summary = await get('retryon', [], {summary: true});
    offer(summary.scopes);
    const entry = summary.names.find(other => other.name === name);
    if (entry) {
      shown = {entry, changes: summary.changes};
      calls.refresh();
      showState();
      once('numbers', [entry, detail.calls], () => showNumbers(entry, detail));
      hours.refresh();
      once('chart', entry.recent, () => showChart(entry));
    }
    once('switches', summary.changes, () => showSwitches(summary.changes));
    const lanes = detail.methods.filter(method => method.settings.paused?.value === true)
      .map(method => method.settings['durable.lane']?.value ?? DEFAULT_LANE);
    once('pauses', [lanes, summary.changes], () => showPauses(lanes, summary.changes));
    once('settings', [detail.methods, detail.client, detail.registered], () => showSettings(detail));
    if (can.see('retryonevents')) {
      const found = await get('retryonevents', [], {name, limit: EVENTS});
      once('events', found.events, () => showEvents(found.events));
    } else {
      once('events', 'none', () => fill(events, h('h2', null, 'Latest events'),
        h('p.empty', null, 'The endpoint retryonevents is not exposed over the web.')));
    }
  }

  document.addEventListener('retryon-changed', reload);
  return {
    title: short(name, 100) || 'Method',
    interval: () => 5000,
    refresh,
    close: () => document.removeEventListener('retryon-changed', reload),
  };
}

/** The element of a source of a setting: changes by operators stand out, defaults do not. */
function sourceKind(source) {
  return source.startsWith('operator') ? 'strong.operator' : source === 'default' ? 'span.quiet' : 'span';
}

const EVENT_KINDS = new Map([['failure', 'bad'], ['dead_letter', 'bad'], ['success_after_retry', 'ok']]);

function eventRow(event) {
  return [
    time(event.at),
    badge(EVENT_KINDS.get(event.type) ?? 'warn', constant(event.type)),
    `${event.attempt} of ${event.maxAttempts}`,
    h('span', null, className(event.exception),
      event.message ? h('div.message', {title: short(event.message, 1000)}, short(event.message, 160)) : null),
    event.delay ? `next in ${duration(event.delay)}` : event.reason ? constant(event.reason) : null,
    h('code', {title: visible(event.callId)}, short(event.callId, 13)),
    event.traceId ? trace(event.traceId) : null];
}

/** A value as in application.yml, and in words if the words differ, such as for 90s. */
function valueText(value) {
  if (Array.isArray(value)) {
    return value.length === 0 ? '–' : value.map(item => h('div', null, nameText(item, 300)));
  }
  const text = String(value);
  if (text === '') {
    return '–';
  }
  if (!/^\d+(ns|us|ms|s|m|h)$/.test(text)) {
    return text.length > 200 ? longText(text, 'Value') : visible(text);
  }
  const spoken = duration(text);
  return spoken.replaceAll(' ', '') === text ? text : [text, ' ', h('span.quiet', null, spoken)];
}
