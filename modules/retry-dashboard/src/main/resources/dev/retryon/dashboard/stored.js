// The stored calls of each method, in all processes that share the store: their numbers, pauses and last error.

import {can, get} from './endpoints.js';

const LANES = 'lanes/';

/** How old the counts can be, because the database counts them. */
const FRESH = 15000;

const NONE = {waiting: 0, dead: 0, isPaused: false, error: null, oldest: null};

const NOTHING = {waiting: null, dead: null, problem: null, of: () => ({...NONE, isKnown: !can.see('retryoncalls')})};

/**
 * Counts the stored calls that match a filter, and passes the counts on: zeros immediately, and new counts at each refresh
 * unless the latest ones are still fresh. After a failed request, the counts are zero, and problem has the reason. Only one
 * count runs at a time, because a store that does not respond answers none of them sooner.
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
  let problem = null;
  const page = wanted => get('retryoncalls', [], {...filter, ...wanted, limit: 1}).catch(error => {
    problem ??= error.message;
    return null;
  });
  const [waiting, dead] = await Promise.all(['waiting,running,blocked', 'dead'].map(state => page({state})));
  const isPaused = await pauses(waiting, page);
  const groups = [waiting, dead].map(found => found?.groups ?? []);
  return {
    waiting,
    dead,
    problem,
    of: name => {
      const [mine, letters] = groups.map(all => all.filter(group => group.method === name));
      return {
        waiting: count(mine), dead: count(letters), isPaused: isPaused(name), isKnown: problem == null, ...trouble([...letters, ...mine]),
      };
    },
  };
}

function count(groups) {
  return groups.reduce((all, group) => all + group.count, 0);
}

/** The most frequent error of groups, the largest of a state first, and the time of their first call. */
function trouble(groups) {
  const times = groups.map(group => group.oldest).filter(time => time != null);
  return {error: groups.find(group => group.error != null)?.error ?? null, oldest: times.length === 0 ? null : times.sort()[0]};
}

/** Returns whether the waiting calls of a method are paused, by a pause of the method, of its lane, or of everything. */
async function pauses(waiting, page) {
  const paths = (waiting?.paused ?? []).filter(change => change.settings.paused === 'true').map(change => change.path);
  const lanes = paths.filter(path => path.startsWith(LANES)).map(path => path.slice(LANES.length));
  const pages = await Promise.all(lanes.map(lane => page({state: 'waiting', lane})));
  const methods = new Set(paths);
  pages.forEach(found => (found?.groups ?? []).forEach(group => methods.add(group.method)));
  return name => methods.has(name) || methods.has('');
}
