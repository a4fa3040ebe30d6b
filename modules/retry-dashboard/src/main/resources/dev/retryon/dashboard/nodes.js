// The application's nodes: its processes that share the stored calls, with their versions and threads.

import {age, badge, fill, h, table} from './elements.js';
import {number, short} from './text.js';

const MOST = 50;

const MOST_UNSEEN = 5;

export function nodeList(section) {

  function update(page) {
    const all = page.nodes ?? [];
    const alive = all.filter(node => node.alive);
    const unseen = all.filter(node => !node.alive);
    const shown = [...alive.slice(0, MOST), ...unseen.slice(0, MOST_UNSEEN)];
    fill(section, shown.length === 0 ? null : [
      h('h2', null, 'Nodes'),
      table('Nodes',
        [['Node', 'row'], ['State', 'brief'], ['Busy threads', 'brief'], ['Version', 'brief'], ['Last seen', 'brief']],
        shown.map(rowOf)),
      versionsOf(alive),
      shown.length === all.length ? null : h('p.quiet', null, `and ${number(all.length - shown.length)} more`)]);
  }

  return {update};
}

function rowOf(node) {
  return [
    [short(node.node, 100), node.thisNode ? h('span.quiet', null, ' this process') : null],
    node.alive ? badge('ok', 'running')
      : [badge('bad', 'not seen'), ' ', h('span.quiet', null, 'the process was killed or cannot reach the database')],
    node.threads === 0 ? h('span.quiet', null, 'no threads')
      : h('span', {title: node.lanes.map(lane => `${short(lane.lane, 50)}: ${lane.busy} of ${lane.threads}`).join('\n')},
        `${number(node.busy)} of ${number(node.threads)}`),
    node.version == null ? h('span.quiet', null, 'unknown') : short(node.version, 100),
    age(node.lastSeen)];
}

function versionsOf(alive) {
  const versions = [...new Set(alive.map(node => node.version).filter(version => version != null))];
  return versions.length < 2 ? null
    : h('p', null, badge('warn', 'mixed versions'), ' ', versions.map(version => short(version, 100)).sort().join(', '));
}
