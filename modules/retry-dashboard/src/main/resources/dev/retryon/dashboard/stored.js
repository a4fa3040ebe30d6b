// The stored calls of each method, in all processes that share the store: how many wait or are dead, and whether they are paused.

import {can, get} from './endpoints.js';

const LANES = 'lanes/';

/** How old the counts may be, because the database counts them. */
const FRESH = 15000;

const NOTHING = {waiting: null, dead: null, isUnknown: false, of: () => ({waiting: 0, dead: 0, isPaused: false})};

/**
 * Counts the stored calls that match a filter, and passes the counts on: zeros immediately, and new counts at each refresh unless
 * the latest ones are still fresh. If a request fails, its counts are zero, and isUnknown is true. Only one count runs at a time,
 * because a store that does not respond answers none of them sooner.
 */
export function storedCalls(filter, found) {
  let readAt = 0;
  let reading = null;
  found(NOTHING);
  return {
    refresh: () => {
      if (can.see('retryoncalls') && reading == null && Date.now() - readAt >= FRESH) {
        const mine = {};
        reading = mine;
        readAt = Date.now();
        read(filter).then(counts => {
          if (reading === mine) {
            reading = null;
            found(counts);
          }
        });
      }
    },
    reset: () => {
      readAt = 0;
      reading = null;
    },
  };
}

async function read(filter) {
  const [waiting, dead] = await Promise.all(['waiting,running,blocked', 'dead'].map(state => page({...filter, state})));
  const isPaused = await pauses(waiting, filter);
  const counts = [waiting, dead].map(count);
  return {
    waiting,
    dead,
    isUnknown: !waiting || !dead,
    of: name => ({waiting: counts[0].get(name) ?? 0, dead: counts[1].get(name) ?? 0, isPaused: isPaused(name)}),
  };
}

function page(filter) {
  return get('retryoncalls', [], {...filter, limit: 1}).catch(() => null);
}

/** The number of calls of each method of a page. */
function count(found) {
  const counts = new Map();
  (found?.groups ?? []).forEach(group => counts.set(group.method, (counts.get(group.method) ?? 0) + group.count));
  return counts;
}

/** Returns whether the waiting calls of a method are paused, by its own pause, that of its lane, or that of everything. */
async function pauses(waiting, filter) {
  const paths = (waiting?.paused ?? []).filter(change => change.settings.paused === 'true').map(change => change.path);
  const lanes = paths.filter(path => path.startsWith(LANES)).map(path => path.slice(LANES.length));
  const pages = await Promise.all(lanes.map(lane => page({...filter, state: 'waiting', lane})));
  const methods = new Set(paths);
  pages.forEach(found => (found?.groups ?? []).forEach(group => methods.add(group.method)));
  return name => methods.has(name) || methods.has('');
}
