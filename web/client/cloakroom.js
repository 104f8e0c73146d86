// Calls a Cloakroom server from a page: signs users in and out, and calls the APIs behind the server.
// One module without dependencies; cloakroom.d.ts describes it. No value ever becomes HTML here.

/** A refusal or failure that the server describes by a problem document (RFC 9457). */
export class Problem extends Error {
  constructor(document, response) {
    super(`${document.title ?? 'Failed'} (${response.status}): ${document.detail ?? ''}`)
    const { fields = [], node, confirm, stepUp, required, instance: request } = document
    Object.assign(this, { name: 'Problem', status: response.status, fields, node, confirm, stepUp, required, request, document,
      // Types of other servers have no kind here, whatever they end in.
      kind: /^\/problems\/([\w-]+)$/.exec(document.type)?.[1] ?? '',
      retryAfter: document.retryAfter ?? (+response.headers.get('Retry-After') || undefined) })
  }
}

/** The value of an answer, or its problem. */
const content = async (response) => {
  const text = await response.text()
  if (response.ok) return text && JSON.parse(text)
  let document
  try { document = JSON.parse(text) } catch { /* a proxy in front answered */ }
  return new Problem(document ?? {}, response)
}

/** A call that outlives its page, and is repeated once: the server answers it twice in the same way. */
const twice = { keepalive: true, again: 1 }

/** The server knows no such flow any more; a proxy in front that answers 404 does not say so. */
const isOver = ({ kind, status }) => kind && /404|410/.test(status)
/** Another tab changes the session, or the answer to a step is on its way: the flow goes on. */
const isChanging = ({ kind }) => /^(session-changed|step-in-progress)$/.test(kind)

/** No answer came: the network, a time-out, or the caller's abort. */
export class Unreachable extends Error {
  constructor(reason, cause) {
    super({ network: 'No connection.', timeout: 'No answer.', aborted: 'Aborted.', cookies: 'No cookie.' }[reason], { cause })
    this.name = 'Unreachable'
    this.reason = reason
  }
}

/** The value of a promise, unless the caller aborts before. */
const unless = (signal, promise) => new Promise((done, fail) => {
  const stop = () => fail(new Unreachable('aborted'))
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop)
  promise.then(done, fail).finally(() => signal?.removeEventListener('abort', stop))
})
const pause = (milliseconds, signal) => unless(signal, new Promise((done) => setTimeout(done, milliseconds)))
/** Waits as long as a problem says, else `seconds`. */
const rest = (problem, seconds, signal) => pause(1000 * (problem.retryAfter ?? seconds), signal)

/** The tab's storage; a tab that has none keeps its values in memory and loses them with a reload. */
const tab = (() => {
  const memory = new Map()
  const real = (work) => { try { return work(sessionStorage) } catch { /* none, full or refused */ } }
  return {
    get: (key) => real((own) => own.getItem(key)) ?? memory.get(key) ?? '{}',
    set: (key, value) => {
      memory.set(key, value)
      real((own) => {
        // An older value would hide this one where the storage is full.
        own.removeItem(key)
        own.setItem(key, value)
      })
    },
  }
})()

export class Cloakroom {
  #base; #origin; #header; #value; #timeout; #channel; #stepUp; #stepUps = new Map(); #listeners = new Set()

  constructor({ base = '/bff', csrfHeader = 'X-CSRF', csrfValue = '1', timeout = 60_000, stepUp } = {}) {
    const address = new URL(base, location.href)
    this.#base = address.href.replace(/\/$/, '')
    this.#origin = address.origin
    this.#header = csrfHeader
    this.#value = csrfValue
    this.#timeout = timeout
    this.#stepUp = stepUp
    this.#channel = new BroadcastChannel('cloakroom ' + this.#base)
    this.#channel.onmessage = ({ data }) => this.#tell({ ...data, here: false })
    addEventListener('pageshow', (event) => { if (event.persisted) this.#tell({ type: 'restored', here: true }) })
  }

  /** Calls a function when this or another tab signs in or out, and when a page comes out of the browser's cache. */
  onChange(listener) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(change) {
    for (const listener of this.#listeners) {
      try { listener(change) } catch (error) { reportError(error) }
    }
  }

  /** Tells this tab and the others, for which nothing is `here`. */
  #share(change) {
    this.#channel.postMessage(change)
    this.#tell(change)
  }

  /** @internal Tells all tabs what this one has done. */
  announce(type, instance) { this.#share({ type, instance, here: true }) }

  /**
   * Tells `onChange` what the server tells (docs/events.md), until the function that it returns is called. One tab has
   * the stream and tells the others. Browsers connect again by themselves, but not after a refusal: this does, after 30 s
   * and then ever later, to 16 minutes. It tells `unknown` where a sign-out may have been missed.
   */
  events() {
    const over = new AbortController()
    let source, timer, ended, wait = 15
    const told = (type, news) => this.#share({ ...news, type, here: false, server: true })
    const open = () => {
      clearTimeout(timer)
      ended = false
      source?.close()
      source = new EventSource(this.#base + '/events', { withCredentials: true })
      for (const type of 'state signed-in stepped-up refreshed signed-out expiring end'.split(' ')) {
        source.addEventListener(type, ({ data }) => {
          const news = JSON.parse(data)
          wait = 15
          ended = /^(signed-out|replaced)$/.test(news.reason)
          told(type, news)
          // No event tells what changed before this stream.
          if (news.unchanged === false) told('unknown')
        })
      }
      source.onerror = () => {
        if (source.readyState !== 2 || ended) return
        timer = setTimeout(open, 1000 * (wait = Math.min(2 * wait, 960)))
        // The session may be over: a page cannot read why a stream was refused.
        told('unknown')
      }
    }
    // Not every sign-in is announced: a tab that comes to the front opens a stream that is over, too, in all tabs.
    const stop = this.onChange(({ type, server }) => { if (!server && type !== 'signed-out' && source?.readyState === 2) open() })
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.announce('visible') }, { signal: over.signal })
    const work = () => { open(); return new Promise((done) => { over.signal.onabort = done }) }
    this.#lock('events ', over.signal, work).catch(() => {}).then(() => { stop(); clearTimeout(timer); source?.close() })
    return () => over.abort()
  }

  session(options) { return this.call('GET', '/session', undefined, options) }

  instance(client, { account } = {}) {
    return new Instance(this, client + (account ? ':' + account : ''), this.#base)
  }

  /** Signs everything out, or one account (the empty text for the default one). */
  async logout({ account, ...options } = {}) {
    const query = account === undefined ? '' : '?account=' + encodeURIComponent(account)
    await this.call('POST', '/logout' + query, undefined, { ...twice, ...options })
    this.announce('signed-out')
  }

  /** Runs work until it ends, the time is over or the caller aborts. */
  async #within({ signal, timeout = this.#timeout } = {}, work) {
    const limit = new AbortController()
    const stop = () => limit.abort()
    const timer = setTimeout(stop, timeout)
    let both = limit.signal
    if (signal && AbortSignal.any) both = AbortSignal.any([signal, both])
    // Older browsers have no `any`. This listener stays as long as the caller's signal does.
    else signal?.addEventListener('abort', stop)
    try {
      if (signal?.aborted) stop()
      return await work(both)
    } catch (error) {
      throw new Unreachable(signal?.aborted ? 'aborted' : limit.signal.aborted ? 'timeout' : 'network', error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Sends a request. The time limit includes `read`; the caller's signal aborts a body that is read later, too. */
  #send(address, init, call, read = (response) => response) {
    return this.#within(call, async (signal) =>
      read(await fetch(address, { referrerPolicy: address.referrerPolicy, ...init, signal })))
  }

  /** What every request to the server has. */
  #own(init) {
    const headers = new Headers(init)
    headers.set(this.#header, this.#value)
    return { headers, credentials: 'include', cache: 'no-store' }
  }

  /** @internal One call of the API; `again` is how often it is repeated after `session-changed` or a lost connection. */
  async call(method, path, body, { again = method === 'GET' ? 1 : 0, keepalive, ...options } = {}) {
    const text = JSON.stringify(body)
    const init = { method, ...this.#own() }
    if (text) { init.body = text; init.headers.set('Content-Type', 'application/json') }
    // Browsers take 64 KiB in requests that outlive their page, all of them together.
    if (keepalive && !(text?.length >= 20_000)) init.keepalive = true
    for (;;) {
      let answer
      try {
        answer = await this.#send(this.#base + path, init, options, content)
      } catch (error) {
        if (again-- > 0 && error.reason === 'network') continue
        throw error
      }
      if (!(answer instanceof Problem)) return answer
      if (answer.kind !== 'session-changed' || again-- < 1) throw answer
      await rest(answer, 1, options.signal)
    }
  }

  /**
   * Calls an API behind the server. If the server answers `step-up-required`, runs the function `stepUp` and, if that is
   * true, repeats the call once; after `interrupted` it repeats it once, too. Problems of the API itself repeat nothing.
   */
  async fetch(input, { stepUp = this.#stepUp, timeout, account, ...init } = {}) {
    const request = new Request(input, init)
    const { signal } = request
    if (new URL(request.url).origin !== this.#origin) return this.#send(request, {}, { signal, timeout })
    const own = this.#own(request.headers)
    if (account) own.headers.set('X-BFF-Account', encodeURIComponent(account))
    if (!/^(GET|HEAD)$/.test(request.method)) own.body = await unless(signal, request.arrayBuffer())
    let mayStepUp = stepUp
    let mayRepeat = true
    for (;;) {
      const [response, problem] = await this.#send(request, own, { signal, timeout }, async (response) =>
        // No API can send this field: the server removes it from their answers. An API may have acted on a call before it
        // redirected it, and the problem is that of another address.
        [response, !(own.body && response.redirected) && response.headers.has('X-BFF-Problem') && await content(response.clone())])
      if (problem.kind === 'interrupted' && mayRepeat) {
        mayRepeat = false
        await rest(problem, 1, signal)
        continue
      }
      if (problem.kind === 'step-up-required' && problem.stepUp && mayStepUp) {
        mayStepUp = false
        if (await unless(signal, this.#raise(stepUp, problem))) continue
      }
      return response
    }
  }

  /** Runs one step-up at a time; calls that need the same one share it. */
  #raise(stepUp, problem) {
    const all = this.#stepUps
    const key = JSON.stringify(problem.stepUp)
    if (!all.has(key)) {
      all.set(key, Promise.allSettled(all.values()).then(() => stepUp(problem.stepUp, problem)).finally(() => all.delete(key)))
    }
    return all.get(key)
  }

  async #lock(kind, signal, work) { return navigator.locks.request(`cloakroom ${kind}${this.#base}`, { signal }, work) }

  /** @internal One tab at a time begins a session, so that two tabs without a cookie get one. */
  async alone(work, call) {
    let free
    try {
      free = await this.#within(call, (signal) => new Promise((done, fail) =>
        this.#lock('', signal, () => new Promise(done)).catch(fail)))
    } catch (error) {
      // Browsers that block cookies refuse locks, too.
      if (error.reason !== 'network') throw error
    }
    try { return await work() } finally { free?.() }
  }

  /** @internal The address of a path of the server. */
  address(path) { return new URL(path, this.#origin).href }
}

class Instance {
  #room; #key
  constructor(room, name, base) {
    this.#room = room
    this.name = name
    this.#key = `cloakroom ${base} ${name}`
  }

  #call(method, path, body, call) {
    return this.#room.call(method, '/' + this.name.split(':').map(encodeURIComponent).join(':') + path, body, call)
  }
  #post(path, body, call) { return this.#call('POST', path, body, call) }

  #saved() { return JSON.parse(tab.get(this.#key)) }
  #save(value) { tab.set(this.#key, JSON.stringify(value)) }

  /** Keeps the flow of this tab, and says what ended. */
  #took(node) {
    const page = new Page(node)
    this.#save(page.isOver ? {} : { flow: node.flow, step: node.step })
    if (node.signedIn) this.#room.announce('signed-in', this.name)
    return page
  }

  /** Begins a flow. */
  async start(options = {}, call = {}) {
    const node = await this.#room.alone(() => this.#post('/start', options, { keepalive: true, ...call }), call)
    // Without the cookie the flow is unknown at once; a browser that blocks cookies is told from a slow user here.
    if (node.type === 'continue') {
      await this.#call('GET', '/flows/' + node.flow, undefined, call).catch((problem) => {
        if (isOver(problem)) throw new Unreachable('cookies', problem)
        if (call.signal?.aborted) throw problem
      })
    }
    return this.#took(node)
  }

  /** Answers a page; `action` is the id of the button that was pressed. */
  async next(page, values = {}, action, call = {}) {
    const { confirm, wait, ...options } = call
    const body = { flow: page.flow, step: page.step }
    if (confirm) body.confirm = true
    else Object.assign(body, { values, action, wait })
    // A step is sent to the provider once: the same bytes again get the same answer.
    return this.#answer(page, wait, () => this.#post('/next', body, { keepalive: !wait, again: wait ? 0 : 1, ...options }))
  }

  /** Sends an answer to a step, which is `pending` until the page that follows is here. */
  async #answer({ flow, step }, isPoll, send) {
    if (!isPoll) this.#save({ flow, step, pending: step })
    try {
      return this.#took(await send())
    } catch (problem) {
      if (problem.kind === 'stale-step' && problem.node) return this.#took(problem.node)
      if (problem instanceof Problem) this.#save(isOver(problem) ? {} : { flow, step })
      throw problem
    }
  }

  /** The page that this tab showed before a reload; null if it showed none. An answer still on its way is waited for. */
  async restore({ signal } = {}) {
    const { flow, pending } = this.#saved()
    if (!flow) return null
    for (let tries = 0; ; tries++) {
      try {
        const page = await this.flow(flow, { signal })
        // The page that was answered last: its answer may arrive after this question.
        if (page.step !== pending || tries > 3) return page
      } catch (problem) {
        if (isOver(problem)) {
          this.#save({})
          if (pending) this.#room.announce('unknown', this.name)
          return null
        }
        if (!isChanging(problem) || tries > 19) throw problem
      }
      await pause(250, signal)
    }
  }

  /** The page that a flow shows now. */
  async flow(id, call) { return this.#took(await this.#call('GET', '/flows/' + id, undefined, call)) }

  /**
   * Goes on after another site: takes what the address carries and removes it there. Null if it carries nothing.
   * A link (`suspendedId`) counts only if the address is handed over. Do that after a click: mail programs open links,
   * too, and an attacker's link signs in the attacker.
   */
  async resume(place, call = {}) {
    const here = new URL(location)
    const news = new URLSearchParams((place ?? here).hash.slice(1))
    const link = new URLSearchParams(place?.search).get('suspendedId')
    const handle = news.get('resume')
    const comesBack = handle || news.has('return')
    if (!comesBack && !link) return null
    if (comesBack) here.hash = ''
    if (link) here.searchParams.delete('suspendedId')
    history.replaceState(history.state, '', here)
    const { flow } = this.#saved()
    if (handle) return flow ? this.#resumed({ handle, flow }, call) : null
    return link ? this.#resumed({ suspendedId: link }, call) : this.restore(call)
  }

  #resumed(body, call) {
    return this.#answer(this.#saved(), false, () => this.#room.alone(() => this.#post('/resume', body, { ...twice, ...call }), call))
  }

  /** Leaves for the other site that a question names. */
  leave(question) { location.assign(this.#room.address(question.go)) }

  async cancel(flow = this.#saved().flow) {
    this.#save({})
    if (flow) await this.#call('DELETE', '/flows/' + flow, undefined, twice)
  }

  user({ refresh, ...call } = {}) {
    return this.#call('GET', '/user' + (refresh ? '?refresh=true' : ''), undefined, call)
  }
  refresh(call) { return this.#post('/token/refresh', undefined, { again: 1, ...call }) }
  async revoke(call) { return (await this.#post('/token/revoke', undefined, { again: 1, ...call })) || { revoked: true } }

  async logout({ session, ...call } = {}) {
    await this.#post('/logout', { session }, { ...twice, ...call })
    this.#save({})
    this.#room.announce('signed-out', this.name)
  }

  /** Waits until a page that polls is over: hands each page to `show`, and pauses while the tab is hidden. */
  async poll(page, show, { signal } = {}) {
    let failed = 0
    for (;;) {
      const question = page.polling
      if (question) await visible(signal)
      if (!question || signal?.aborted) return page
      const began = Date.now()
      try {
        page = await this.next(page, {}, question.id, { wait: 25, signal })
        failed = 0
        if (signal?.aborted) return page
        show(page)
      } catch (problem) {
        if (signal?.aborted) return page
        // A proxy in front without an answer of the server is waited for, but not for ever.
        const isProxy = !problem.kind && /50[24]/.test(problem.status) && failed++ < 12
        if (!isProxy && !isChanging(problem) && !(problem instanceof Unreachable) && !/503|429/.test(problem.status)) throw problem
        await rest(problem, 5, signal).catch(() => {})
      }
      // Answered at once: the server holds as many polls as it is allowed to.
      if (page.polling && Date.now() - began < 500) {
        await pause(page.polling.nextPollIn ?? page.polling.waitTime ?? 1000, signal).catch(() => {})
      }
    }
  }
}

/** Waits until the tab is visible or the caller aborts. */
const visible = async (signal) => {
  while (document.hidden && !signal?.aborted) {
    const turned = new Promise((done) => document.addEventListener('visibilitychange', done, { once: true }))
    await unless(signal, turned).catch(() => {})
  }
}

/** What a flow shows now, with its questions in one list for both products. */
export class Page {
  constructor(node) { Object.assign(this, node) }
  get questions() { return this.callbacks ?? this.collectors ?? [] }
  get isOver() { return /^(success|failure)$/.test(this.type) }
  get polling() { return this.questions.find(({ type }) => /^Polling/.test(type)) }
  get redirect() { return this.questions.find(({ type, go }) => go && type === 'RedirectCallback') }
  get title() { return this.texts?.pageHeader ?? this.header ?? this.name ?? '' }
  answers() { return new Answers(this) }
}

/** The answers to one page, set by type or by id. */
export class Answers {
  values = {}
  constructor(page) { this.page = page }
  set(question, value) {
    const id = question?.id ?? question
    if (!this.page.questions.some((one) => one.id === id)) throw new RangeError('No question ' + id)
    this.values[id] = value
    return this
  }
  /** Sets a question of these types, which are named without `Callback` or `Collector`. */
  #by(types, value, at = 0) {
    return this.set(this.page.questions.filter(({ type }) => types.split(' ').includes(type.replace(/(Callback|Collector)$/, '')))[at], value)
  }
  static {
    for (const [name, types] of Object.entries({ setPassword: 'Password ValidatedCreatePassword', setText: 'TextInput Text',
      setChoice: 'Choice Confirmation SingleSelect SelectIdP', setChoices: 'MultiSelect', setBoolean: 'BooleanAttributeInput Boolean',
      setConsent: 'ConsentMapping', setDevice: 'DeviceRegistration DeviceAuthentication' })) {
      this.prototype[name] = function (value, at) { return this.#by(types, value, at) }
    }
  }
  setName(text) {
    const found = this.page.questions.find(({ type, answer }) =>
      /^(Name|ValidatedCreateUsername)Callback$/.test(type)
      || (type === 'TextCollector' && answer?.autocomplete === 'username'))
    return found ? this.set(found, text) : this.#by('Text', text)
  }
  setAttribute(name, value) { return this.set(this.page.questions.find((one) => one.name === name), value) }
  setKBA(question, answer, at) { return this.#by('KbaCreate', { question, answer }, at) }
  acceptTerms(value = true) { return this.#by('TermsAndConditions', value) }
  setPhone(phoneNumber, countryCode, extension) {
    return this.#by('PhoneNumber', { phoneNumber, countryCode: countryCode || undefined, extension: extension || undefined })
  }
}

// MARK: Passkeys

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (one) => one.charCodeAt(0))
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')

const parsed = (options, creates) => {
  const own = creates ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'
  if (PublicKeyCredential[own]) return PublicKeyCredential[own](options)
  const all = { ...options, challenge: bytes(options.challenge) }
  for (const list of ['allowCredentials', 'excludeCredentials']) {
    all[list] = all[list]?.map((one) => ({ ...one, id: bytes(one.id) }))
  }
  if (all.user) all.user = { ...all.user, id: bytes(all.user.id) }
  return all
}

const written = (found) => {
  try { return found.toJSON() } catch { /* written here instead */ }
  const response = {}
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
    if (found.response[name]) response[name] = text(found.response[name])
  }
  response.transports = found.response.getTransports?.()
  return { id: found.id, rawId: text(found.rawId), type: found.type, response,
    clientExtensionResults: found.getClientExtensionResults(), authenticatorAttachment: found.authenticatorAttachment ?? undefined }
}

/** True for a question that a passkey answers. */
export const isPasskey = ({ type, specialised }) => /^(webauthn_|Fido)/.test(specialised ?? type)

/** The answer of the browser's credentials to a question; errors are answers, and an abort is null. */
export async function passkey(question, { signal, deviceName } = {}) {
  const creates = /registration/i.test(question.specialised ?? question.type)
  const isFido = /^Fido/.test(question.type)
  const fails = (name, message) => !isFido && name === 'NotSupportedError' ? { unsupported: true } : { error: { name, message } }
  if (!question.publicKey || !globalThis.PublicKeyCredential) return fails('NotSupportedError', 'no credentials')
  try {
    const publicKey = parsed(question.publicKey, creates)
    const found = await navigator.credentials[creates ? 'create' : 'get']({ publicKey, signal, mediation: question.mediation })
    const answer = { credential: written(found) }
    if (creates && deviceName && !isFido) answer.deviceName = deviceName
    return answer
  } catch (error) {
    if (signal?.aborted) return null
    return fails(error.name, String(error.message).slice(0, 256))
  }
}

/** True if the browser can offer passkeys among the values that it fills in. */
export const canAutofill = async () => !!await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.()

/** The profile that a `DeviceProfileCallback` asks for; the location only if the user allows it. */
export async function deviceProfile(question, identifier) {
  const profile = { identifier }
  if (question.metadata) {
    profile.metadata = {
      platform: { userAgent: navigator.userAgent, language: navigator.language },
      display: { width: screen.width, height: screen.height, pixelDepth: screen.pixelDepth },
      hardware: { cpu: { cores: navigator.hardwareConcurrency ?? 0 } },
    }
  }
  if (question.location && navigator.geolocation) {
    await new Promise((done) => navigator.geolocation.getCurrentPosition(({ coords: { latitude, longitude } }) => {
      profile.location = { latitude, longitude }
      done()
    }, done, { timeout: 10_000 }))
  }
  return profile
}
