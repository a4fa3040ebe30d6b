"use strict";

const DEMOS = [
  {
    group: "says",
    shows: "Plain annotation",
    title: "Is it in stock?",
    text: "The annotation says which exception is retried. The rest is in `application.yml`: three attempts, 100 ms, doubled each time.",
    code: "@RetryOn(HttpServerErrorException.class)\npublic String available(String item)",
    service: "stock", method: "GET", path: "shop/stock/lamp",
    scripts: ["503, 503, 200", "503, 503, 503", "404"],
  },
  {
    group: "says",
    shows: "Named policy",
    title: "Charge a card",
    text: "`retryon.policies.payments` in `application.yml`. Every attempt sends the same key, so a charge whose answer got lost is not made twice: play `timeout, 200` and see how often the gateway did it.",
    code: "@RetryOn(policy = \"payments\")\npublic String charge(int amount)",
    service: "payment", method: "POST", path: "shop/payments",
    scripts: ["503, 503, 200", "timeout, 200", "402"],
  },
  {
    group: "says",
    shows: "Merged layers, recovery",
    title: "Send the receipt",
    text: "The base class gives a lost connection a second attempt; the method adds 5xx errors and a third one. When they are used up, `postpone()` answers. An error that is not retried passes it by.",
    code: "@RetryOn(exceptions = ResourceAccessException.class,\n    maxAttempts = 2, backoff = \"fixed\")\nabstract class OutsideClient\n\n@RetryOn(exceptions = HttpServerErrorException.class,\n    maxAttempts = 3, recover = \"postpone\")\npublic String sendReceipt(String to)",
    service: "mail", method: "POST", path: "shop/receipts",
    scripts: ["503, timeout, 200", "503, 503, 503", "422"],
  },
  {
    group: "says",
    shows: "Gate: onlyIf",
    title: "Reserve a lamp",
    text: "A method of the bean decides: 429, 502, 503 and 504 pass by themselves, a 500 or 409 does not. Rejected calls end at once, without a wait.",
    code: "@RetryOn(exceptions = HttpStatusCodeException.class,\n    maxAttempts = 4,\n    onlyIf = \"isPassing(#error)\", unless = \"#express\")\npublic String reserve(String item, boolean express)",
    service: "stock", method: "POST", path: "shop/reservations",
    scripts: ["503, 429, 200", "500", "503, 409"],
  },
  {
    group: "says",
    shows: "Gate: unless",
    title: "Reserve it for an express customer",
    text: "The same method. Whoever takes express won't wait for a second attempt: the argument closes the gate.",
    code: "unless = \"#express\"",
    service: "stock", method: "POST", path: "shop/reservations?express=true",
    scripts: ["503, 200", "200"],
  },
  {
    group: "says",
    shows: "Retry on a value",
    title: "Wait for a transfer",
    text: "202 means that it is under way: no error, but not yet what we want. When the attempts are used up, the last value is the answer.",
    code: "@RetryOn(maxAttempts = 6, backoff = \"fixed\",\n    retryIf = \"#result == 'pending'\")\npublic String transfer(String id)",
    service: "payment", method: "GET", path: "shop/transfers/7",
    scripts: ["202, 202, 200", "202, 202, 202, 202, 202, 202", "503"],
  },
  {
    group: "says",
    shows: "Attempt timeout",
    title: "How long does it take?",
    text: "`attemptTimeout` ends an attempt that hangs, here after 400 ms, and the next one follows. Without it this attempt would take the second that the HTTP client waits for an answer.",
    code: "@RetryOn(exceptions = HttpServerErrorException.class,\n    attemptTimeout = \"400ms\")\npublic String estimate(String item)",
    service: "stock", method: "GET", path: "shop/estimates/lamp",
    scripts: ["timeout, 200", "503, timeout, 200", "timeout, timeout, timeout"],
  },
  {
    group: "says",
    shows: "Budget",
    title: "Search while all is down",
    text: "Twenty attempts are allowed, but all searches share `retryon.budgets.search`: one retry a second, two at once. Play it twice in a row: a service that is down is not asked twenty times by everybody.",
    code: "@RetryOn(exceptions = HttpServerErrorException.class,\n    maxAttempts = 20, backoff = \"fixed\",\n    budget = \"search\")\npublic String search(String word)",
    service: "stock", method: "GET", path: "shop/search/lamp",
    scripts: ["503, 503, 503, 503, 503, 503, 503, 503", "503, 200"],
  },
  {
    group: "overrules",
    shows: "Per-call override",
    title: "Charge patiently",
    text: "The same method as above, with four attempts. This one call may take eight, at even distances.",
    code: "Retries.with(o -> o.maxAttempts(8).backoff(\"fixed\"))\n    .capture(() -> payments.charge(amount))",
    service: "payment", method: "POST", path: "shop/payments/patient",
    scripts: ["503, 503, 503, 503, 503, 200", "503, 503, 503, 503, 503, 503, 503, 503"],
  },
  {
    group: "overrules",
    shows: "Operator's override",
    title: "Refund",
    text: "The code allows five attempts. `retryon.methods` in `application.yml` says two, and that is the last word.",
    code: "@RetryOn(policy = \"payments\", maxAttempts = 5)\npublic String refund(int amount)\n\nretryon:\n  methods:\n    \"[dev.retryon.sample.PaymentService#refund]\":\n      max-attempts: 2",
    service: "payment", method: "POST", path: "shop/refunds",
    scripts: ["503, 503, 200", "503, 200"],
  },
  {
    group: "later",
    shows: "Asynchronous",
    title: "Send a newsletter",
    text: "The method returns a future, and what is retried is the future's failure. No thread is held while it waits. The first attempt begins on the request's thread, later ones on the only thread of their pool: the answer names it.",
    code: "@RetryOn({IOException.class,\n    HttpServerErrorException.class})\npublic CompletableFuture<String> send(String to)",
    service: "mail", method: "POST", path: "shop/newsletters",
    scripts: ["503, 503, 200", "timeout, 200", "200", "422"],
  },
  {
    group: "later",
    shows: "Durable",
    title: "Send an invoice",
    text: "If the mail server is down, the invoice is stored in a file, the caller goes on, and a worker tries again after five seconds and more, also when the shop was killed and opened again. What the mail server refuses for good is a dead letter: see `actuator/deadletters`.",
    code: "@RetryOn(exceptions = HttpServerErrorException.class,\n    maxAttempts = 10, delay = \"5s\", maxDelay = \"1m\",\n    durable = Durable.ON_FAILURE,\n    onExhaustion = OnExhaustion.DEAD_LETTER)\npublic void send(String order)",
    service: "mail", method: "POST", path: "shop/invoices",
    scripts: ["503, 503, 200", "422", "200"],
  },
  {
    group: "later",
    shows: "Reactive",
    title: "When is it delivered?",
    text: "The method returns a `Mono`, made with `WebClient`. Nothing happens before somebody subscribes; each retry subscribes anew, and no thread is held in between.",
    code: "@RetryOn({ServiceUnavailable.class,\n    WebClientRequestException.class})\npublic Mono<String> next(String item)",
    service: "stock", method: "GET", path: "shop/deliveries/lamp",
    scripts: ["503, 503, 200", "timeout, 200", "404"],
  },
  {
    group: "later",
    shows: "HTTP client, Retry-After",
    title: "Ask for a rate of exchange",
    text: "Nothing is annotated: the client itself sends its requests again, and waits as long as the gateway asks. `429:1` is a 429 with `Retry-After: 1`. If it asks for more than `max-delay`, five seconds, the 429 goes to the caller at once.",
    code: "interface ExchangeRates {\n    @GetExchange(\"/rates/{currency}\")\n    ResponseEntity<Void> of(@PathVariable String currency);\n}\n\nRestClient client = builder\n    .requestInterceptor(retrying.named(\"rates\"))\n    .build();",
    service: "payment", method: "GET", path: "shop/rates/EUR",
    scripts: ["429:1, 503, 200", "429:60", "404"],
  },
];

/* Why a call was not, or no longer, retried; of the reasons there are, those that can be met here. */
const REASONS = {
  EXHAUSTED: "all attempts are used up",
  NOT_RETRYABLE: "nobody listed this error",
  REJECTED: "a gate is closed",
  DELAY_TOO_LONG: "the server asks for too long a wait",
  BUDGET: "the budget is used up",
};

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
  const why = report.stopReason === null ? "" : `: ${REASONS[report.stopReason] ?? "it is no longer retried"} (${report.stopReason})`;
  if (report.error !== null) return { tone: "bad", text: `${report.error} goes to the caller${why}` };
  return { tone: why ? "late" : "good", text: report.answer + why };
}

function didIt(times) {
  return times === 0 ? "the service did nothing" : times === 1 ? "the service did it once" : `the service did it ${times} times`;
}

function show(demo, result, script, report, outside) {
  const line = element("ol", "line");
  outside.answered.forEach((answer, index) => {
    if (index > 0) line.append(element("li", "wait", `${report.waitedMillis[index - 1]} ms`));
    const attempt = element("li", `attempt ${toneOf(answer)}`);
    const [status, seconds] = answer.split(":");
    attempt.append(element("small", "", `${index + 1}: `), status);
    if (seconds) attempt.append(element("small", "", ` asks for ${seconds} s`));
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

async function refresh() {
  const { body: services } = await json("outside");
  document.getElementById("outside").replaceChildren(...Object.entries(services).map(([name, report]) => {
    const entry = element("div");
    const answered = report.answered.length ? `answered ${report.answered.join(", ")}` : "was not called yet";
    const next = report.next.length ? `; next ${report.next.join(", ")}` : "";
    entry.append(element("dt", "", NAMES[name]), element("dd", "", answered + next));
    return entry;
  }));
  const { body: meter } = await json("actuator/metrics/retryon.retries");
  const count = meter.measurements[0].value;
  document.getElementById("counted").replaceChildren(...prose(count === 0
    ? "No retry was counted yet. Press a button above."
    : `The meter \`retryon.retries\` counted ${count} ${count === 1 ? "retry" : "retries"} since the shop was opened.`));
}

DEMOS.forEach(addCard);
refresh();
