// Types of cloakroom.js.

/** A refusal or failure that the server describes by a problem document (RFC 9457). */
export class Problem extends Error {
  readonly status: number
  /** The name in the problem's `type`, such as `signed-out`; the pages in docs/problems have these names. Empty for a problem that is not the server's. */
  readonly kind: string
  readonly fields: readonly { id: string; code: string; message: string }[]
  /** With `stale-step`: what the flow shows now. */
  readonly node?: FlowNode
  /** With `subject-changed`: the sign-in that the user has to confirm. */
  readonly confirm?: { flow: string; step: number; name: string }
  readonly stepUp?: StepUp
  readonly required?: Record<string, unknown>
  /** Seconds to wait. */
  readonly retryAfter?: number
  /** The id of the request in the server's log. */
  readonly request?: string
  readonly document: Record<string, unknown>
}

/** No answer came, or the browser keeps no cookie. */
export class Unreachable extends Error {
  readonly reason: 'network' | 'timeout' | 'aborted' | 'cookies'
}

export interface StepUp { instance: string; start: string; for: string }

export interface Call { signal?: AbortSignal; /** Milliseconds; a minute unless said. */ timeout?: number }

export interface Change {
  /**
   * `unknown`: who is signed in may have changed, because a reload lost the end of a sign-in, or because the server's
   * stream was refused or began anew. `visible`: a tab with `events()` came to the front. Ask `session` first after a
   * change, because `user` extends the session.
   */
  type: 'signed-in' | 'signed-out' | 'unknown' | 'restored' | 'visible' | 'state' | 'stepped-up' | 'refreshed' | 'expiring' | 'end'
  instance?: string
  /** False if another tab or the server told of the change. */
  here: boolean
  /** True for an event of the server, with its members (docs/events.md), and for `unknown` because of its stream. */
  server?: boolean
  reason?: string | null
  /** With an `end` whose reason is `signed-out`. */
  cause?: 'idle' | 'absolute' | 'ended' | null
  /** With `state`: true if the browser had seen exactly these sign-ins before it connected again. */
  unchanged?: boolean
  limit?: 'idle' | 'absolute'
  tokenExpiresIn?: number | null
  instances?: string[]
  expiresIn?: number | { idle: number; absolute: number }
}

export interface Question {
  id: string
  type: string
  /** The JSON Schema of the answer; absent if the question takes none. */
  answer?: Record<string, unknown>
  /** The path to another site. */
  go?: string
  [member: string]: unknown
}

export interface FlowNode {
  type: 'continue' | 'error' | 'failure' | 'success'
  kind?: 'journey' | 'davinci'
  flow?: string
  step?: number
  expiresIn?: number
  callbacks?: Question[]
  collectors?: Question[]
  message?: string
  reason?: string
  signedIn?: boolean
  user?: User
  [member: string]: unknown
}

export class Page {
  constructor(node: FlowNode)
  readonly type: FlowNode['type']
  readonly kind: 'journey' | 'davinci'
  /** A page that is over has no `step`, and may have no `flow`. */
  readonly flow: string
  readonly step: number
  readonly message?: string
  readonly reason?: string
  readonly signedIn?: boolean
  readonly user?: User
  readonly crossBrowser?: boolean
  readonly suspended?: boolean
  readonly details?: readonly { id?: string; message?: string; requirements?: readonly { message?: string }[] }[]
  /** The callbacks of a journey or the collectors of DaVinci. */
  readonly questions: readonly Question[]
  readonly isOver: boolean
  readonly polling?: Question
  readonly redirect?: Question
  readonly title: string
  answers(): Answers
}

export class Answers {
  constructor(page: Page)
  readonly page: Page
  readonly values: Record<string, unknown>
  set(question: Question | string, value: unknown): this
  setName(text: string): this
  setPassword(text: string, at?: number): this
  setText(text: string, at?: number): this
  setChoice(value: number | string, at?: number): this
  setChoices(values: string[], at?: number): this
  setBoolean(value: boolean, at?: number): this
  setAttribute(name: string, value: unknown): this
  setKBA(question: string, answer: string, at?: number): this
  acceptTerms(value?: boolean): this
  setConsent(value: boolean, at?: number): this
  setPhone(phoneNumber: string, countryCode?: string, extension?: string): this
  setDevice(value: string): this
}

export interface User {
  subject: string
  claims: Record<string, unknown>
  session: { realm?: string; successUrl?: string | null }
  /** `expiresIn` is null if the provider named no lifetime. */
  token: {
    scope: string[]; acr: string | null; amr: string[]; authLevel: number | null; authTime: number | null
    expiresIn: number | null
  }
  expiresIn: { idle: number; absolute: number }
}

export interface Session {
  authenticated: boolean
  accounts: string[]
  instances: {
    instance: string; client: string; account: string | null; kind: 'journey' | 'davinci'
    state: 'none' | 'in-progress' | 'authenticated'
    subject: string | null; tokenExpiresIn: number | null; providerSession: boolean; flows: number
  }[]
  expiresIn: { idle: number; absolute: number } | null
  /** Missing where the server binds no sessions to devices. */
  device?: 'bound' | 'unbound' | 'unproven'
}

export interface StartOptions {
  journey?: string; forceAuth?: boolean; noSession?: boolean; acrValues?: string[]; prompt?: string; loginHint?: string
  uiLocales?: string[]; parameters?: Record<string, string>; replace?: boolean; for?: string; transaction?: string
  returnTarget?: string
}

export interface Instance {
  readonly name: string
  start(options?: StartOptions, call?: Call): Promise<Page>
  next(page: Pick<Page, 'flow' | 'step'>, values?: Record<string, unknown>, action?: string,
    call?: Call & { wait?: number; confirm?: boolean }): Promise<Page>
  /** Null if this tab has no flow or it is over; any other problem rejects, and the flow is kept. */
  restore(call?: { signal?: AbortSignal }): Promise<Page | null>
  flow(id: string, call?: Call): Promise<Page>
  /** Without `place` it takes only what another site sent back; a link needs `location`, after a click. */
  resume(place?: { hash: string; search: string; pathname?: string }, call?: Call): Promise<Page | null>
  leave(question: Question): void
  cancel(flow?: string): Promise<void>
  user(call?: Call & { refresh?: boolean }): Promise<User>
  refresh(call?: Call): Promise<User>
  revoke(call?: Call): Promise<{ revoked: boolean; pending?: boolean }>
  logout(call?: Call & { session?: boolean }): Promise<void>
  poll(page: Page, show: (page: Page) => void, call?: { signal?: AbortSignal }): Promise<Page>
}

/** Runs a step-up; true if it succeeded. Runs once at a time: calls that need the same step-up share it. */
export type RunStepUp = (stepUp: StepUp, problem: Problem) => Promise<boolean>

export class Cloakroom {
  constructor(options?: { base?: string; csrfHeader?: string; csrfValue?: string; timeout?: number; stepUp?: RunStepUp })
  onChange(listener: (change: Change) => void): () => void
  /** Tells `onChange` the server's events too, in all tabs, until the function that it returns is called. */
  events(): () => void
  session(call?: Call): Promise<Session>
  instance(client: string, options?: { account?: string }): Instance
  logout(call?: Call & { account?: string }): Promise<void>
  /** The signal also ends the wait for a step-up, of this call only. */
  fetch(input: RequestInfo | URL, init?: RequestInit & { stepUp?: RunStepUp; timeout?: number; account?: string }): Promise<Response>
}

export type PasskeyAnswer =
  | { credential: unknown; deviceName?: string }
  | { error: { name: string; message: string } }
  | { unsupported: true }
export function isPasskey(question: Question): boolean
/** The answer to a question; null if the signal aborted it. */
export function passkey(question: Question, options?: { signal?: AbortSignal; deviceName?: string }): Promise<PasskeyAnswer | null>
export function canAutofill(): Promise<boolean>
export function deviceProfile(question: Question, identifier: string): Promise<Record<string, unknown>>
