// The sample app: signs users in, shows who they are, and calls the ledger.
import { Cloakroom, Unreachable, isPasskey } from './cloakroom.js'
import { draw, make } from './form.js'
import { language, say, speak } from './texts.js'

const $ = (id) => document.getElementById(id)
const room = new Cloakroom({ base: '/bff', stepUp: confirmInDialog })
const ways = {
  standard: ['Login', 'LoginRetry', 'Registration', 'Profile', 'PolicyRefusal', 'Consent', 'Kitchen', 'Strange', 'Localised', 'Polling', 'Push',
    'Totp', 'RecoveryCodes', 'DeviceProfile', 'Captcha', 'Protect', 'Recognize', 'Binding', 'Passkey', 'PasskeyAutofill', 'RegisterDevice',
    'LegacyWebAuthn', 'Social', 'SocialPost', 'SelectProvider', 'EmailLink', 'CustomFailure'],
  workforce: ['SignOn', 'SignOnForms', 'Registration', 'Social', 'Mfa', 'Push', 'Approval', 'Reset', 'Passkey', 'Protect', 'Texts'],
}
/** The instance that this tab shows. */
let current = room.instance('standard')
let drawn = null
let timers = []
/** True while the part of the page is hidden that had the focus. */
let isFocusLost = false
/** The sign-ins of this browser when the page last asked. */
let known = ''
/** True while this tab signs out. */
let isLeaving = false
/** Stops the events of the server. */
let stopEvents = null

const instanceOf = (name) => {
  const [client, ...account] = name.split(':')
  return room.instance(client, { account: account.join(':') })
}
const keep = (key, instance) => { try { sessionStorage.setItem(key, instance.name) } catch { /* a reload begins with standard */ } }
const kept = (key) => { try { return instanceOf(sessionStorage.getItem(key) ?? current.name) } catch { return current } }
const remember = () => keep('instance', current)
/** Leaves for another site; a step-up leaves with another instance than the tab shows. */
const leave = (instance, question) => { keep('left', instance); instance.leave(question) }
const show = (...ids) => { for (const id of ['choose', 'flow', 'home']) $(id).hidden = !ids.includes(id); $('main').hidden = false }
const news = (text) => { $('status').textContent = text }
const alarm = (text) => { $('alert').textContent = text }

function explain(problem) {
  if (problem instanceof Unreachable) return problem.reason === 'cookies' ? say('cookies') : say('unreachable')
  if (problem.kind === 'flow-expired') return say('expired')
  return [say('failed'), problem.document ? problem.document.detail : problem.message].filter(Boolean).join(' ')
}
/** Runs what a button or a form does, once at a time, and says what fails. */
const tries = (work) => {
  let isBusy = false
  return async (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    const control = event.submitter ?? event.currentTarget
    control.setAttribute('aria-disabled', 'true')
    alarm('')
    try { await work() } catch (problem) { alarm(explain(problem)) } finally {
      isBusy = false
      control.removeAttribute('aria-disabled')
    }
  }
}
/** What a failure says to the user: its message, and what did not meet the provider's policies. */
function reasonOf({ message, reason, details = [] }) {
  const sentences = details.flatMap(({ requirements }) => requirements.map((one) => one.message)).filter(Boolean)
  return [message || (/expired/.test(reason) ? say('expired') : say('failed')), ...new Set(sentences)].join(' ')
}

/** Goes on in the flow; what fails then has no page of its own, and is said beside the choice of ways. */
const goesOn = async (work) => {
  try { await work() } catch (problem) { choose(); alarm(explain(problem)) }
}
/** Polls while a page waits, and hands over the page that comes of it, be it another one that waits. */
const polls = (instance, page, show, drawn) => async (signal) => {
  if (!page.polling) return
  let next = page
  const over = new AbortController()
  signal.addEventListener('abort', () => over.abort())
  await instance.poll(page, (one) => {
    next = one
    // An answer counts for the step that the page had when it was drawn.
    if (!drawn().update(one)) over.abort()
  }, { signal: over.signal })
  if (!signal.aborted) await show(next)
}

// MARK: Signing in

function choose(text = '') {
  // A focus in what goes away would be lost: a keyboard goes on at the heading of what comes.
  const wasInside = ['flow', 'home'].some((id) => $(id).contains(document.activeElement))
  clearTimers()
  stopDrawing()
  $('flow').replaceChildren()
  news(text)
  show('choose')
  if (wasInside || isFocusLost) $('start').focus()
  isFocusLost = false
}
function stopDrawing() { drawn?.abort(); drawn = null }

async function begin(client, account, way) {
  current = room.instance(client, { account })
  remember()
  const chosen = way ? (client === 'standard' ? { journey: way } : { acrValues: [way] }) : {}
  await step(await current.start({ uiLocales: [language], ...chosen }))
}

/** Shows the next page of the flow, or its end. */
async function step(page) {
  stopDrawing()
  alarm('')
  if (page.type === 'success') {
    // What the user typed does not stay in the page.
    $('flow').replaceChildren()
    news(page.crossBrowser ? say('crossBrowser') : say('signedIn'))
    return page.signedIn ? home() : choose()
  }
  if (page.type === 'failure') {
    choose()
    alarm(reasonOf(page))
    return
  }
  if (page.crossBrowser) news(say('crossBrowser'))
  show('flow')
  drawn = draw($('flow'), page, {
    leave: (question) => leave(current, question),
    send: async (values, action) => {
      let next
      try { next = await confirmed(() => current.next(page, values, action)) } catch (problem) {
        if (problem.kind !== 'flow-expired') throw problem
        choose()
        return alarm(say('expired'))
      }
      await goesOn(() => step(next))
    },
    explain,
    meanwhile: (signal) => goesOn(() => polls(current, page, step, () => drawn)(signal)),
  })
}

/** Asks the user before a link signs in another user than the one who is signed in. */
async function confirmed(work) {
  try { return await work() } catch (problem) {
    if (!problem.confirm) throw problem
    const { flow, step: number, name } = problem.confirm
    show('flow')
    const yes = await new Promise((done) => {
      const button = (text, value, className) => Object.assign(make('button', { type: 'button', textContent: text, className }), { onclick: () => done(value) })
      $('flow').replaceChildren(make('h1', { textContent: say('change', { name }) }),
        make('div', { className: 'row' }, button(say('yes'), true, ''), button(say('no'), false, 'second')))
    })
    if (yes) return confirmed(() => current.next({ flow, step: number }, {}, undefined, { confirm: true }))
    await current.cancel(flow)
    return { type: 'failure', message: say('signedIn') }
  }
}

/** Runs a step-up in the dialog; true if it succeeded. */
function confirmInDialog({ instance, for: demand }) {
  const other = instanceOf(instance)
  return runInDialog(other, (signal) => other.start({ for: demand }, { signal }))
}
/** Runs the flow in the dialog whose first page `begin` gets; true if it succeeded. */
function runInDialog(other, begin) {
  const dialog = $('dialog')
  const over = new AbortController()
  let page = null
  return new Promise((done, fail) => {
    const end = (settle) => {
      if (over.signal.aborted) return
      over.abort()
      page?.abort()
      $('step').replaceChildren()
      // The next step-up begins after the `close` event of this dialog.
      dialog.onclose = () => { dialog.onclose = null; settle() }
      if (dialog.open) dialog.close()
      else dialog.onclose()
    }
    const breaksOff = (problem) => end(() => fail(problem))
    dialog.onclose = () => {
      // The event may be that of the dialog before.
      if (dialog.open) return
      other.cancel().catch(() => {})
      end(() => done(false))
    }
    const go = (next) => {
      if (over.signal.aborted) return
      page?.abort()
      if (next.type === 'success') return end(() => done(true))
      if (next.type === 'failure') { end(() => done(false)); return alarm(reasonOf(next)) }
      page = draw($('step'), next, {
        leave: (question) => leave(other, question),
        send: async (values, action) => go(await other.next(next, values, action)),
        explain,
        meanwhile: (signal) => polls(other, next, go, () => page)(signal).catch(breaksOff),
      })
    }
    dialog.showModal()
    begin(over.signal).then(go).catch(breaksOff)
  })
}
/** Goes on with a step-up that comes back from another site; false if none does. */
async function comesBack(other) {
  let page
  try { page = await other.resume() } catch (problem) {
    await look()
    alarm(explain(problem))
    return true
  }
  if (!page) return false
  await look()
  if (await runInDialog(other, async () => page)) news(say('confirmed'))
  return true
}

// MARK: Signed in

const facts = (list, entries) => list.replaceChildren(...entries.filter(([, value]) => value !== undefined && value !== null && value !== '')
  .flatMap(([name, value]) => [make('dt', { textContent: say(name) }), make('dd', { textContent: String(value) })]))

async function repaint() {
  clearTimers()
  const [user, session] = await Promise.all([current.user(), room.session()])
  known = signIns(session)
  stopEvents ??= room.events()
  paint(user, session)
}
async function home() {
  await repaint()
  isFocusLost = false
  show('home')
  $('hello').tabIndex = -1
  $('hello').focus()
  await ledger()
}
function paint(user, session) {
  $('hello').textContent = say('hello', { name: user.claims.name ?? user.claims.preferred_username ?? user.subject })
  facts($('profile'), [['subject', user.subject], ['name', user.claims.name], ['email', user.claims.email]])
  facts($('token'), [['scope', user.token.scope.join(' ')], ['level', user.token.authLevel], ['methods', user.token.amr?.join(', ')],
    ['ends', user.token.expiresIn === null ? null : say('seconds', { n: user.token.expiresIn })], ['idle', say('seconds', { n: user.expiresIn.idle })]])
  const signedIn = session.instances.filter(({ state, client }) => state === 'authenticated' && ways[client])
  $('accounts').replaceChildren(...signedIn.map(({ instance, account, client }) =>
    make('option', { value: instance, textContent: `${account || say('account0')} (${client})`, selected: instance === current.name })))
  arm(user.expiresIn)
}
/** Warns when the session ends within a minute, and asks again before the warning and at the end. */
function arm({ idle, absolute }) {
  clearTimers()
  const left = Math.min(idle, absolute)
  $('expiry').hidden = left > 60
  timers = [setTimeout(watch, left > 60 ? (left - 60) * 1000 : left * 1000 + 500)]
}
/** Asks by `session`, which does not extend the session: another tab may have done so. The page stays as it is. */
async function watch() {
  const session = await room.session().catch(() => null)
  // A flow is left alone: the next answer says if it is over.
  if (!$('flow').hidden) return
  if (!session && $('expiry').hidden) return arm({ idle: 60, absolute: 60 })
  return session && isMine(session) ? arm(session.expiresIn) : look()
}
const isMine = ({ instances }) => instances.some(({ instance, state }) => instance === current.name && state === 'authenticated')
const signIns = ({ instances }) => JSON.stringify(instances.filter(({ state, client }) => state === 'authenticated' && ways[client])
  .map(({ instance, subject }) => [instance, subject]))
function clearTimers() { timers.forEach(clearTimeout); timers = []; $('expiry').hidden = true }

const isWorkforce = () => current.name.startsWith('workforce')
const api = (path) => (isWorkforce() ? '/api/workforce' : '/api') + path
const account = () => current.name.split(':').slice(1).join(':') || undefined

async function ledger() {
  const answer = await room.fetch(api('/accounts'), { account: account() })
  if (!answer.ok) return $('ledger').replaceChildren(make('li', { textContent: say('failed') }))
  const { accounts = [] } = await answer.json()
  $('ledger').replaceChildren(...accounts.map((one) =>
    make('li', {}, make('span', { textContent: one.name ?? one.id }), make('strong', { textContent: `${one.balance ?? ''} ${one.currency ?? ''}` }))))
}
async function pay() {
  const amount = Number($('amount').value).toFixed(2)
  const answer = await room.fetch(api('/transactions'), {
    method: 'POST', account: account(), headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ from: 'checking', to: 'savings', amount }),
  })
  news(answer.ok ? say('paid') : say('notPaid'))
  if (answer.ok) await ledger()
}

/** Asks the server who is signed in; until it has answered nothing of a user is visible. */
async function look() {
  clearTimers()
  isFocusLost = $('main').contains(document.activeElement)
  $('main').hidden = true
  try {
    const session = await room.session()
    known = signIns(session)
    if (isMine(session)) return await home()
    const other = session.instances.find(({ state, client }) => state === 'authenticated' && ways[client])
    if (other) {
      current = room.instance(other.client, { account: other.account ?? undefined })
      remember()
      return await home()
    }
    for (const id of ['profile', 'token', 'ledger', 'hello']) $(id).replaceChildren()
    stopEvents?.()
    stopEvents = null
    choose()
  } catch (problem) {
    choose()
    alarm(explain(problem))
  }
}

// MARK: Start

for (const [client, names] of Object.entries(ways)) {
  $('way').append(make('optgroup', { label: client }, ...names.map((name) => make('option', { value: `${client} ${name}`, textContent: name }))))
}
for (const button of document.querySelectorAll('[data-language]')) {
  button.onclick = tries(async () => {
    speak(button.dataset.language)
    news('')
    // A page of a flow keeps the language that it was asked for, and what the user has typed into it.
    if (!$('home').hidden) await repaint()
  })
}
$('login').onclick = tries(() => begin('standard'))
$('davinci').onclick = tries(() => begin('workforce'))
$('begin').onclick = tries(() => { const [client, way] = $('way').value.split(' '); return begin(client, $('account').value, way) })
$('accounts').onchange = tries(() => {
  current = instanceOf($('accounts').value)
  remember()
  return home()
})
$('another').onclick = () => { choose(); document.querySelector('details').open = true; $('account').focus() }
$('register').onclick = tries(async () => step(await current.start({ journey: 'RegisterDevice', forceAuth: true })))
$('refresh').onclick = tries(async () => { await current.refresh(); await home() })
$('stay').onclick = tries(home)
$('pay').onsubmit = tries(pay)
const signsOut = (work) => tries(async () => {
  isLeaving = true
  try {
    await work()
    await look()
    news(say('signedOut'))
  } finally { isLeaving = false }
})
$('logout').onclick = signsOut(() => current.logout())
$('everything').onclick = signsOut(() => room.logout())
$('close').onclick = () => $('dialog').close()
addEventListener('pagehide', () => { if (!$('home').hidden) $('main').hidden = true })
room.onChange(async ({ type, here, server, reason, instance }) => {
  // All other events, such as `refreshed` and `expiring`, change nothing that is shown.
  const changes = ['signed-in', 'signed-out', 'stepped-up', 'unknown', 'restored'].includes(type) || reason === 'signed-out'
  if (!changes || isLeaving || (here && type !== 'restored')) return
  // A page of a flow stays on the screen: its user is about to answer it.
  if (!$('flow').hidden) return type === 'restored' ? goesOn(main) : undefined
  if (type === 'restored') return look()
  // Also the server tells what this tab has done. `session` does not extend the session, `user` does.
  const before = known
  const session = await room.session().catch(() => null)
  if (!$('flow').hidden || isLeaving) return
  // A server that is away refuses the stream as well: the page stays until the stream begins again, or is refused again.
  if (!session && type === 'unknown' && server) return
  const isSame = session && signIns(session) === before
  if (isSame && !(type === 'stepped-up' && instance === current.name)) return
  await look()
  if (!isSame) news(say('elsewhere'))
})

async function main() {
  // The demo's cookie and passkeys are those of localhost, whatever name the browser was given.
  if (location.hostname === '127.0.0.1') { location.hostname = 'localhost'; return }
  speak(language)
  current = kept('instance')
  const hasLink = new URLSearchParams(location.search).has('suspendedId')
  if (hasLink) {
    const place = { hash: '', search: location.search, pathname: location.pathname }
    history.replaceState(null, '', location.pathname)
    const button = make('button', { type: 'button', className: 'wide', textContent: say('goLink'), id: 'link' })
    button.onclick = tries(async () => step(await confirmed(() => current.resume(place))))
    $('flow').replaceChildren(make('h1', { textContent: say('link') }), button)
    return show('flow')
  }
  const other = kept('left')
  if (other.name !== current.name && await comesBack(other)) return
  const page = (await current.resume()) ?? (await current.restore())
  return page ? step(page) : look()
}
goesOn(main)
