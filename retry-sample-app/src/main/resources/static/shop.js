"use strict";

const DEMOS = [
  {
    group: "says",
    shows: "Plain annotation",
    title: "Is it in stock?",
    text: "The annotation lists the exception to retry. There are three attempts by default. `application.yml` sets the base delay, 100 ms, which doubles each time.",
    code: "@RetryOn(HttpServerErrorException.class)\npublic String available(String item)",
    service: "stock", method: "GET", path: "shop/stock/lamp",
    scripts: ["503, 503, 200", "503, 503, 503", "404"],
  },
  {
    group: "says",
    shows: "Named policy",
    title: "Charge a card",
    text: "The policy is `retryon.policies.payments` in `application.yml`. Each attempt sends the same key, so the gateway charges only once even if its answer gets lost. Play `timeout, 200` to see it.",
    code: "@RetryOn(policy = \"payments\")\npublic String charge(int amount)",
    service: "payment", method: "POST", path: "shop/payments",
    scripts: ["503, 503, 200", "timeout, 200", "402"],
  },
  {
    group: "says",
    shows: "Merged layers, recovery",
    title: "Send the receipt",
    text: "The base class retries lost connections once. The method adds 5xx errors and a third attempt. When all attempts have failed, `postpone()` returns the answer. It is not called for errors that are not retried.",
    code: "@RetryOn(exceptions = ResourceAccessException.class,\n    maxAttempts = 2, backoff = \"fixed\")\nabstract class OutsideClient\n\n@RetryOn(exceptions = HttpServerErrorException.class,\n    maxAttempts = 3, recover = \"postpone\")\npublic String sendReceipt(String to)",
    service: "mail", method: "POST", path: "shop/receipts",
    scripts: ["503, timeout, 200", "503, 503, 503", "422"],
  },
  {
    group: "says",
    shows: "Gate: onlyIf",
    title: "Reserve a lamp",
    text: "A method of the bean decides: 429, 502, 503 and 504 are temporary, but 500 and 409 are not. If the gate rejects a retry, the call ends immediately.",
    code: "@RetryOn(exceptions = HttpStatusCodeException.class,\n    maxAttempts = 4,\n    onlyIf = \"isPassing(#error)\", unless = \"#express\")\npublic String reserve(String item, boolean express)",
    service: "stock", method: "POST", path: "shop/reservations",
    scripts: ["503, 429, 200", "500", "503, 409"],
  },
  {
    group: "says",
    shows: "Gate: unless",
    title: "Reserve it for an express customer",
    text: "The same method. Express customers do not wait for a second attempt, because the argument closes the gate.",
    code: "unless = \"#express\"",
    service: "stock", method: "POST", path: "shop/reservations?express=true",
    scripts: ["503, 200", "200"],
  },
  {
    group: "says",
    shows: "Retry on a value",
    title: "Wait for a transfer",
    text: "202 means that the transfer is in progress. It is not an error, but the value is retried. When all attempts are used up, the caller receives the last value.",
    code: "@RetryOn(maxAttempts = 6, backoff = \"fixed\",\n    retryIf = \"#result == 'pending'\")\npublic String transfer(String id)",
    service: "payment", method: "GET", path: "shop/transfers/7",
    scripts: ["202, 202, 200", "202, 202, 202, 202, 202, 202", "503"],
  },
  {
    group: "says",
    shows: "Attempt timeout",
    title: "How long does it take?",
    text: "`attemptTimeout` ends an attempt that takes longer than 400 ms, and the next attempt follows. Without it, the attempt would end after one second, the time limit of the HTTP client.",
    code: "@RetryOn(exceptions = HttpServerErrorException.class,\n    attemptTimeout = \"400ms\")\npublic String estimate(String item)",
    service: "stock", method: "GET", path: "shop/estimates/lamp",
    scripts: ["timeout, 200", "503, timeout, 200", "timeout, timeout, timeout"],
  },
  {
    group: "says",
    shows: "Budget",
    title: "Search during an outage",
    text: "Twenty attempts are allowed, but all searches share the budget `retryon.budgets.search`: one retry per second, at most two in a row. Play it twice in a row. The budget protects a service that is down.",
    code: "@RetryOn(exceptions = HttpServerErrorException.class,\n    maxAttempts = 20, backoff = \"fixed\",\n    budget = \"search\")\npublic String search(String word)",
    service: "stock", method: "GET", path: "shop/search/lamp",
    scripts: ["503, 503, 503, 503, 503, 503, 503, 503", "503, 200"],
  },
  {
    group: "overrules",
    shows: "Per-call override",
    title: "Charge patiently",
    text: "The same method as above, with four attempts. This call can use eight attempts with equal delays.",
    code: "Retries.with(o -> o.maxAttempts(8).backoff(\"fixed\"))\n    .capture(() -> payments.charge(amount))",
    service: "payment", method: "POST", path: "shop/payments/patient",
    scripts: ["503, 503, 503, 503, 503, 200", "503, 503, 503, 503, 503, 503, 503, 503"],
  },
  {
    group: "overrules",
    shows: "Operator override",
    title: "Refund",
    text: "The code allows five attempts. `retryon.methods` in `application.yml` sets two and overrides the code.",
    code: "@RetryOn(policy = \"payments\", maxAttempts = 5)\npublic String refund(int amount)\n\nretryon:\n  methods:\n    \"[dev.retryon.sample.PaymentService#refund]\":\n      max-attempts: 2",
    service: "payment", method: "POST", path: "shop/refunds",
    scripts: ["503, 503, 200", "503, 200"],
  },
  {
    group: "later",
    shows: "Asynchronous",
    title: "Send a newsletter",
    text: "The method returns a future and is retried if the future fails. No thread is held while waiting. The first attempt starts on the request thread, later attempts on a pool with one thread. The answer names the thread.",
    code: "@RetryOn({IOException.class,\n    HttpServerErrorException.class})\npublic CompletableFuture<String> send(String to)",
    service: "mail", method: "POST", path: "shop/newsletters",
    scripts: ["503, 503, 200", "timeout, 200", "200", "422"],
  },
  {
    group: "later",
    shows: "Durable",
    title: "Send an invoice",
    text: "If the mail server is down, the invoice is stored in a file and the caller continues. A worker retries after five seconds or more, even if the shop was killed and restarted. Invoices that the mail server rejects become dead letters: see `actuator/retryoncalls`.",
    code: "@RetryOn(exceptions = HttpServerErrorException.class,\n    maxAttempts = 10, delay = \"5s\", maxDelay = \"1m\")\n@Durable(value = ON_FAILURE, whenFailed = KEEP_ALL)\npublic void send(String order)",
    service: "mail", method: "POST", path: "shop/invoices",
    scripts: ["503, 503, 200", "422", "200"],
  },
  {
    group: "later",
    shows: "Reactive",
    title: "When is it delivered?",
    text: "The method returns a `Mono` from `WebClient`. Nothing happens before a subscription. Each retry subscribes again, and no thread is held while waiting.",
    code: "@RetryOn({ServiceUnavailable.class,\n    WebClientRequestException.class})\npublic Mono<String> next(String item)",
    service: "stock", method: "GET", path: "shop/deliveries/lamp",
    scripts: ["503, 503, 200", "timeout, 200", "404"],
  },
  {
    group: "later",
    shows: "HTTP client, Retry-After",
    title: "Request an exchange rate",
    text: "No annotation is needed: the HTTP client retries its requests and waits as long as the gateway requests. `429:1` is a 429 with `Retry-After: 1`. If the requested wait exceeds `max-delay`, five seconds, the caller receives the 429 immediately.",
    code: "interface ExchangeRates {\n    @GetExchange(\"/rates/{currency}\")\n    ResponseEntity<Void> of(@PathVariable String currency);\n}\n\nRestClient client = builder\n    .requestInterceptor(retrying.named(\"rates\"))\n    .build();",
    service: "payment", method: "GET", path: "shop/rates/EUR",
    scripts: ["429:1, 503, 200", "429:60", "404"],
  },
];

/* Reasons why a call is not retried (any more) that can occur in this sample. */
const REASONS = {
  EXHAUSTED: "all attempts are used up",
  NOT_RETRYABLE: "this error is not listed",
  REJECTED: "a gate is closed",
  DELAY_TOO_LONG: "the server requests too long a wait",
  ROLLBACK_ONLY: "the caller's transaction is marked for rollback",
  BUDGET: "the budget is used up",
};

/* The number of answers of a service that are listed. */
const SHOWN = 10;

const NAMES = { payment: "Payment gateway", stock: "Stock service", mail: "Mail server" };

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/* Text in which names between backticks are code. */
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? element("code", "", part) : part));
}

async function json(path, method = "GET") {
  const response = await fetch(path, { method });
  return { status: response.status, body: await response.json() };
}

function toneOf(answer) {
  if (answer === "timeout" || answer === "202") return "late";
  return answer === "200" ? "good" : "bad";
}

function outcomeOf(report) {
  const why = report.stopReason === null ? "" : `: ${REASONS[report.stopReason] ?? "not retried"} (${report.stopReason})`;
  if (report.error !== null) return { tone: "bad", text: `the caller receives ${report.error}${why}` };
  return { tone: why ? "late" : "good", text: report.answer + why };
}

function didIt(times) {
  return times === 0 ? "the service processed nothing" : times === 1 ? "the service processed it once" : `the service processed it ${times} times`;
}

function show(demo, result, script, report, outside) {
  const line = element("ol", "line");
  outside.answered.forEach((answer, index) => {
    if (index > 0) line.append(element("li", "wait", `${report.waitedMillis[index - 1]} ms`));
    const attempt = element("li", `attempt ${toneOf(answer)}`);
    const [status, seconds] = answer.split(":");
    attempt.append(element("small", "", `${index + 1}: `), status);
    if (seconds) attempt.append(element("small", "", ` requests ${seconds} s`));
    line.append(attempt);
  });
  const { tone, text } = outcomeOf(report);
  const done = demo.method === "POST" ? ` · ${didIt(outside.done)}` : "";
  result.replaceChildren(played(script), line, element("p", `outcome ${tone}`, text + done));
}

function played(script) {
  const line = element("p", "played", "Played ");
  line.append(element("code", "", script));
  return line;
}

async function play(demo, card, script) {
  const answers = script.replace(/\s/g, "");
  const result = card.querySelector(".result");
  const buttons = card.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  card.querySelectorAll(".play button").forEach((button) => {
    button.setAttribute("aria-pressed", String(button.dataset.script === script));
  });
  card.querySelector("input").value = script;
  card.querySelector(".curl").textContent = curl(demo, answers);
  try {
    const set = await json(`outside/${demo.service}?answers=${encodeURIComponent(answers)}`, "POST");
    if (set.status !== 200) throw new Error(set.body.detail);
    const call = await json(demo.path, demo.method);
    const outside = await json(`outside/${demo.service}`);
    show(demo, result, script, call.body, outside.body);
  } catch (error) {
    result.replaceChildren(played(script), element("p", "outcome bad", error.message));
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
  }
  await refresh();
}

function curl(demo, answers) {
  const post = "curl -X POST ";
  const root = document.baseURI.replace(/[^/]*$/, "");
  return `${post}'${root}outside/${demo.service}?answers=${answers}'\n`
    + `${demo.method === "POST" ? post : "curl "}'${root}${demo.path}'`;
}

function addCard(demo) {
  const card = document.getElementById("card").content.cloneNode(true).firstElementChild;
  card.querySelector(".shows").textContent = demo.shows;
  card.querySelector("h3").textContent = demo.title;
  card.querySelector(".text").replaceChildren(...prose(demo.text));
  card.querySelector("pre code").textContent = demo.code;
  card.querySelector(".curl").textContent = curl(demo, demo.scripts[0].replace(/\s/g, ""));
  const input = card.querySelector("input");
  input.value = demo.scripts[0];
  for (const script of demo.scripts) {
    const parts = script.split(", ");
    const same = parts.length > 4 && parts.every((part) => part === parts[0]);
    const button = element("button", "", same ? `${parts.length} × ${parts[0]}` : script);
    button.dataset.script = script;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => play(demo, card, script));
    card.querySelector(".play").append(button);
  }
  card.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    play(demo, card, input.value);
  });
  document.getElementById(demo.group).append(card);
}

/* Some of the answers, and how many others there are. */
function few(shown, all) {
  const others = all.length - shown.length;
  return shown.join(", ") + (others > 0 ? ` and ${others} more` : "");
}

async function refresh() {
  const { body: services } = await json("outside");
  document.getElementById("outside").replaceChildren(...Object.entries(services).map(([name, report]) => {
    const entry = element("div");
    const answered = report.answered.length ? `answered ${few(report.answered.slice(-SHOWN), report.answered)}` : "not called yet";
    const next = report.next.length ? `; next ${few(report.next.slice(0, SHOWN), report.next)}` : "";
    entry.append(element("dt", "", NAMES[name]), element("dd", "", answered + next));
    return entry;
  }));
  const { body: meter } = await json("actuator/metrics/retryon.retries");
  const count = meter.measurements[0].value;
  document.getElementById("counted").replaceChildren(...prose(count === 0
    ? "No retries have been counted yet. Press a button above."
    : `The meter \`retryon.retries\` has counted ${count} ${count === 1 ? "retry" : "retries"} since the shop started.`));
}

DEMOS.forEach(addCard);
refresh();
