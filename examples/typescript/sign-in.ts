// Signs a user in, shows who it is, signs out, with types that openapi-typescript makes of the contract (`api.d.ts`).
//
// A page does the same, without `Jar`: its browser keeps the cookie. Here the program runs in Node.js, beside `make demo`:
//
//   npm install && npm run types && npm run build
//   node sign-in.js http://localhost:8080 demo 'Ch4ng3it!'
//
// With the `suspendedId` of a link from a message as fourth argument it goes on with that journey first.

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Callback = components["schemas"]["Callback"];
type FlowNode = components["schemas"]["FlowNode"];
type Problem = components["schemas"]["Problem"];

declare const process: { argv: string[]; exitCode: number };
const [base = "http://localhost:8080", user = "demo", password = "Ch4ng3it!", suspendedId] = process.argv.slice(2);

/** Keeps the cookies between calls: that of the session, and another one until somebody has signed in. */
class Jar {
  #cookies = new Map<string, string>();

  fetch = async (request: Request): Promise<Response> => {
    const sent = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (sent !== "") request.headers.set("Cookie", sent);
    const response = await fetch(request);
    for (const field of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(field) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  };
}

const client = createClient<paths>({ baseUrl: base, fetch: new Jar().fetch });
const header = { "X-CSRF": "1" } as const;
const params = { header, path: { instance: "standard" } };

/** What the server refused; `type` says why, `fields` which members or questions to correct. */
class Refused extends Error {
  constructor(readonly problem: Problem) {
    const fields = (problem.fields ?? []).map((field) => ` ${field.id}: ${field.message}`);
    super(`${problem.title} (${problem.status}): ${problem.detail}${fields.join(";")}`);
  }
}

/** The answer, or the problem thrown. */
function answer<Data>(result: { data?: Data; error?: Problem }): Data {
  if (result.error !== undefined) throw new Refused(result.error);
  if (result.data === undefined) throw new Error("an answer without a body");
  return result.data;
}

/** Shows one question and says what the user answers; undefined for what takes no answer or stays as it is. */
function render(callback: Callback): unknown {
  switch (callback.type) {
    case "NameCallback":
      console.log(`${callback.prompt}: ${user}`);
      return user;
    case "PasswordCallback":
      console.log(`${callback.prompt}: ${"*".repeat(password.length)}`);
      return password;
    case "TextInputCallback":
    case "HiddenValueCallback":
      return callback.value;
    case "TextOutputCallback":
      console.log(callback.messageType === 2 ? `Error: ${callback.message}` : callback.message);
      return undefined;
    case "ChoiceCallback":
      console.log(`${callback.prompt}: ${callback.choices[callback.value] ?? ""}`);
      return callback.value;
    case "ConfirmationCallback":
      console.log(`[${callback.options.join("] [")}]`);
      return callback.optionValues?.[0] ?? 0;
    case "ValidatedCreateUsernameCallback":
    case "ValidatedCreatePasswordCallback":
      for (const policy of callback.failedPolicies) console.log(policy.message);
      return undefined;
    case "UnsupportedCallback":
      console.log(`(${callback.providerType})`);
      return undefined;
    default:
      // A type that is younger than this program: `answer` would say what it takes.
      return undefined;
  }
}

/** The node, also where the link of a message signs in another user than the one who is signed in: here that is confirmed. */
async function settled(asking: Promise<{ data?: FlowNode; error?: Problem }>): Promise<FlowNode> {
  const result = await asking;
  const question = result.error?.confirm;
  if (question === undefined) return answer(result);
  // A page asks its user, with the name as text; `DELETE flows/{flow}` is a no.
  console.log(`The link signs in ${question.name}.`);
  const body = { flow: question.flow, step: question.step, confirm: true };
  return settled(client.POST("/bff/{instance}/next", { params, body }));
}

/** Answers pages until there are no more. */
async function walk(first: FlowNode): Promise<FlowNode> {
  let node = first;
  while (node.type === "continue" || node.type === "error") {
    console.log(node.type === "error" ? node.message : (node.header ?? "Sign in"));
    const values: Record<string, unknown> = {};
    for (const callback of node.callbacks ?? []) {
      const value = render(callback);
      if (value !== undefined) values[callback.id] = value;
    }
    const body = { flow: node.flow, step: node.step, values };
    node = await settled(client.POST("/bff/{instance}/next", { params, body }));
  }
  return node;
}

async function main(): Promise<void> {
  if (suspendedId !== undefined) {
    await walk(await settled(client.POST("/bff/{instance}/resume", { params, body: { suspendedId } })));
  }
  const end = await walk(answer(await client.POST("/bff/{instance}/start", { params })));
  if (end.type === "failure") throw new Error(`${end.reason}: ${end.message ?? ""}`);
  const who = answer(await client.GET("/bff/{instance}/user", { params }));
  console.log(`signed in: ${who.subject}, ${who.token.scope.join(" ")}, for ${who.expiresIn.idle} s`);

  const { error } = await client.POST("/bff/{instance}/logout", { params, body: { session: true } });
  if (error !== undefined) throw new Refused(error);
  const after = await client.GET("/bff/{instance}/user", { params });
  if (after.error?.type !== "/problems/signed-out") throw new Error("still signed in");
  console.log("signed out");
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
