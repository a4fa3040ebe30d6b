// Sends requests to the endpoints. The page has their paths and whether they allow changes.

const page = document.body.dataset;
const base = location.pathname.replace(/\/+$/, '').slice(0, -page.self.length);

/** The processes that have answered, first the one that sent the page. They alternate if one answers again after another. */
export const nodes = {latest: page.node, all: [page.node], alternate: false};

export const can = {
  see: id => page[id + 'Access'] !== 'none',
  change: id => page[id + 'Access'] === 'write',
};

class Problem extends Error {
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

export function get(id, path, parameters) {
  return ask(id, path, parameters, {});
}

export function post(id, path, body) {
  return ask(id, path, null, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
}

export function remove(id, path, parameters) {
  return ask(id, path, parameters, {method: 'DELETE'});
}

export function traceLink(traceId) {
  return page.traceLink && traceId ? page.traceLink.replaceAll('{traceId}', encodeURIComponent(traceId)) : null;
}

export function metricsLink(name) {
  return page.metricsLink ? page.metricsLink.replaceAll('{name}', encodeURIComponent(name)) : null;
}

async function ask(id, path, parameters, options) {
  const query = new URLSearchParams(parameters ?? {}).toString();
  const segments = (path ?? []).map(segment => '/' + encodeURIComponent(segment)).join('');
  const headers = new Headers(options.headers);
  headers.set('Accept', 'application/json');
  const token = csrfToken();
  if (options.method && token) {
    headers.set('X-XSRF-TOKEN', token);
  }
  let response;
  try {
    response = await fetch(base + page[id] + segments + (query ? '?' + query : ''),
      {...options, headers, cache: 'no-store', credentials: 'same-origin', signal: AbortSignal.timeout(20000)});
  } catch {
    throw new Problem('The application does not respond.', 0);
  }
  const type = response.headers.get('Content-Type') ?? '';
  let body = null;
  if (response.status !== 204 && type.includes('json')) {
    try {
      body = await response.json();
    } catch {
      throw new Problem('The application returned a response that could not be read.', response.status);
    }
  }
  if (!response.ok) {
    throw new Problem(body?.problem ?? wordsFor(id, response.status, options.method), response.status, body);
  }
  if (response.redirected || (response.status !== 204 && body == null)) {
    throw new Problem('The application did not return data. You might have to log in again.', 401);
  }
  if (body?.node) {
    answered(body.node);
  }
  return body;
}

function answered(node) {
  if (node !== nodes.latest) {
    nodes.latest = node;
    nodes.alternate ||= nodes.all.includes(node);
    if (!nodes.all.includes(node)) {
      nodes.all.push(node);
    }
    document.dispatchEvent(new Event('retryon-node'));
  }
}

function wordsFor(id, status, method) {
  switch (status) {
    case 400: return 'The server rejected the request (400): the address is too long, or a name in it contains a character that '
      + 'the server does not accept, such as / or \\.';
    case 401: return 'Your login has expired (401). Load the page again.';
    case 403: return method
      ? 'Forbidden (403): you are not allowed to do this, or the application did not accept the CSRF token of this page.'
      : `Forbidden (403): you are not allowed to read the endpoint ${id}.`;
    case 404: return `The endpoint ${id} was not found (404).`;
    case 405: return `The endpoint ${id} is read-only (405).`;
    case 414:
    case 431: return `The request is too long (${status}).`;
    default: return `The endpoint ${id} responded with status ${status}.`;
  }
}

/** The token that Spring Security's CookieCsrfTokenRepository passes to pages. */
function csrfToken() {
  const cookie = document.cookie.split('; ').find(part => part.startsWith('XSRF-TOKEN='));
  return cookie ? decodeURIComponent(cookie.slice('XSRF-TOKEN='.length)) : null;
}
