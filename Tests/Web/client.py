"""The client's calls, one by one: events, answers by type, passkeys of older browsers, polls, scripts of vendors."""

from frameworks import block
from web import FAKES, PASSWORD, ROOT, test

# A source of events that a test controls.
SOURCES = FAKES + """
    const sources = []
    window.EventSource = class {
      constructor(address, { withCredentials }) { Object.assign(this, { address, withCredentials, readyState: 1, heard: {} }); sources.push(this) }
      addEventListener(type, listener) { this.heard[type] = listener }
      close() { this.readyState = 2; this.isClosed = true }
      /** An event of the server. */
      tell(type, data) { this.heard[type]({ data: JSON.stringify(data) }) }
      /** What a browser does after a refusal or a 204. */
      refuse() { this.readyState = 2; this.onerror() }
    }
    /** Waits for the source with this number, from 1. */
    const opened = async (number) => { while (sources.length < number) await new Promise((done) => real(done, 5)) }
    /** How often a source was to be opened again after a while. */
    const waits = () => paused.filter((time) => time === 30000).length
"""


@test
def hears_events_in_one_tab_and_tells_the_others(browser):
    listen = """
        const { Cloakroom } = await import('/cloakroom.js')
        const room = new Cloakroom()
        window.news = []
        room.onChange(({ server, type, instance, reason, here }) => { if (server) news.push([type, instance ?? null, reason ?? null, here]) })
        window.stop = room.events()
        return true"""
    browser.sign_in()
    # A page without the app, which listens, too.
    browser.open("/texts.js")
    assert browser.run(listen)
    news = "return window.news"
    browser.until(lambda: browser.driver.execute_script(news), "no state")
    browser.new_tab()
    browser.open("/texts.js")
    assert browser.run(listen)
    # No word of the client's own about this: only the server can tell.
    assert browser.run("return (await fetch('/bff/standard/token/refresh', { method: 'POST', headers: { 'X-CSRF': '1' } })).status") == 200
    refreshed = ["refreshed", "standard", None, False]
    browser.until(lambda: refreshed in browser.driver.execute_script(news), "no renewal in the second tab")
    # The tab with the stream goes; the other one takes over.
    browser.tab(0)
    browser.driver.execute_script("window.stop()")
    browser.tab(1)
    browser.until(lambda: "state" in [one[0] for one in browser.driver.execute_script(news)], "the second tab does not take over")
    assert browser.run("return (await fetch('/bff/logout', { method: 'POST', headers: { 'X-CSRF': '1' } })).status") == 204
    for number in 1, 0:
        browser.tab(number)
        browser.until(lambda: ["signed-out", "standard", "ended", False] in browser.driver.execute_script(news), "no sign-out")
    browser.collect()
    asked = [event for event in browser.traffic if event["method"] == "Network.requestWillBeSent"
             and event["params"]["request"]["url"].endswith("/bff/events")]
    assert asked, "no stream was opened"


@test
def hears_events_by_the_lines_of_the_document(browser):
    browser.sign_in()
    browser.open("/texts.js")
    browser.driver.execute_script(
        "window.told = []; const show = ({ instances }) => told.push(instances), warn = () => {}, hide = () => told.push('hidden');"
        + block("events.md", "js"))
    browser.until(lambda: browser.driver.execute_script("return window.told") == [["standard"]], "no state")
    assert browser.run("return (await fetch('/bff/logout', { method: 'POST', headers: { 'X-CSRF': '1' } })).status") == 204
    browser.until(lambda: browser.driver.execute_script("return window.told") == [["standard"], "hidden"], "no end")


@test
def opens_a_refused_stream_again_and_no_other(browser):
    # A page without the app, which would ask for the session.
    browser.open("/texts.js")
    found = browser.run(SOURCES + """
        const room = new Cloakroom()
        const heard = []
        room.onChange(({ type, server, reason }) => { if (server) heard.push(reason ?? type) })
        const stop = room.events()
        await opened(1)
        const seen = []
        sources[0].refuse()
        seen.push(waits())
        await opened(2)
        // A lost connection is the browser's own business.
        sources[1].readyState = 0
        sources[1].onerror()
        seen.push(waits())
        sources[1].tell('end', { reason: 'busy' })
        sources[1].refuse()
        seen.push(waits())
        await opened(3)
        answers(() => value({ type: 'success', kind: 'journey', signedIn: true }))
        const signIn = () => room.instance('standard').next({ flow: 'f', step: 1 })
        // An open stream stays.
        await signIn()
        seen.push(sources.length)
        for (const reason of ['signed-out', 'replaced']) {
          sources.at(-1).tell('end', { reason })
          sources.at(-1).refuse()
          seen.push(waits())
          await signIn()
          seen.push(sources.length)
        }
        // The stream of the next sign-in is tried again.
        sources.at(-1).refuse()
        seen.push(waits())
        stop()
        while (!sources.at(-1).isClosed) await new Promise((done) => real(done, 5))
        await signIn()
        seen.push(sources.length)
        const { address, withCredentials } = sources.at(-1)
        return [seen, heard, address === location.origin + '/bff/events', withCredentials]""")
    heard = ["unknown", "busy", "unknown", "signed-out", "replaced", "unknown"]
    assert found == [[1, 1, 2, 3, 2, 4, 2, 5, 3, 5], heard, True, True], found


@test
def tells_all_tabs_that_a_sign_out_may_have_been_missed(browser):
    # A page without the app, which would ask for the session.
    browser.open("/texts.js")
    found = browser.run(SOURCES + """
        const [room, other] = [new Cloakroom(), new Cloakroom()]
        const [near, far] = [[], []]
        for (const [one, heard] of [[room, near], [other, far]]) {
          one.onChange(({ type, server, here, unchanged }) => heard.push([type, server, here, ...(type === 'state' ? [unchanged] : [])]))
        }
        const stop = room.events()
        await opened(1)
        sources[0].tell('state', { instances: ['standard'], unchanged: false })
        sources[0].tell('state', { instances: ['standard'], unchanged: true })
        sources[0].refuse()
        await opened(2)
        sources[1].tell('state', { instances: [], unchanged: false })
        while (far.length < 6) await new Promise((done) => real(done, 5))
        stop()
        return [near, far]""")
    unknown = ["unknown", True, False]
    told = [["state", True, False, False], unknown, ["state", True, False, True], unknown, ["state", True, False, False], unknown]
    assert found == [told, told], found


@test
def waits_longer_for_a_stream_each_time_that_it_is_refused(browser):
    # A page without the app, which would ask for the session.
    browser.open("/texts.js")
    found = browser.run(SOURCES + """
        window.setTimeout = (work, time) => real(work, time >= 15000 ? (paused.push(time / 1000), 0) : time)
        const room = new Cloakroom()
        const stop = room.events()
        for (let number = 1; number < 9; number++) {
          await opened(number)
          sources.at(-1).refuse()
        }
        await opened(9)
        // A stream that tells something was not refused.
        sources.at(-1).tell('state', { instances: [] })
        sources.at(-1).refuse()
        await opened(10)
        stop()
        return paused""")
    assert found == [30, 60, 120, 240, 480, 960, 960, 960, 30], found


@test
def opens_the_stream_again_when_a_sign_in_was_not_announced(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(SOURCES + """
        let hidden = false
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
        const [room, other] = [new Cloakroom(), new Cloakroom()]
        let [far, shown] = [0, 0]
        for (const one of [room, other]) one.onChange(({ type, here }) => { if (type === 'visible' && !here) far += 1 })
        /** Hides the page or brings it to the front, which each of the two tells the other. */
        const turns = async (isHidden) => {
          hidden = isHidden
          document.dispatchEvent(new Event('visibilitychange'))
          const opens = sources.length
          if (!isHidden) shown += 2
          while (far < shown) await new Promise((done) => real(done, 5))
          return opens
        }
        const stop = room.events()
        await opened(1)
        const stopOther = other.events()
        const ends = () => { sources.at(-1).tell('end', { reason: 'signed-out' }); sources.at(-1).refuse() }
        const seen = []
        const standard = other.instance('standard')
        // A reload overtook the answer of a sign-in: another tab says that it does not know who is signed in.
        ends()
        answers(() => value({ type: 'continue', flow: 'f', step: 1 }))
        await standard.flow('f')
        answers(() => { throw new TypeError('lost') })
        await standard.next({ flow: 'f', step: 1 }).catch(() => {})
        sent.length = 0
        answers(() => problem(410, 'flow-expired'))
        await standard.restore()
        await opened(2)
        seen.push('unknown')
        // The page comes back from the cache of the browser.
        ends()
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
        seen.push(sources.length)
        // A page that goes away opens nothing; one that comes to the front does, also in another tab.
        ends()
        seen.push(await turns(true))
        seen.push(await turns(false))
        ends()
        hidden = true
        shown += 2
        new BroadcastChannel('cloakroom ' + location.origin + '/bff').postMessage({ type: 'visible' })
        await opened(5)
        // An open stream stays, and a sign-out opens none.
        seen.push(await turns(false))
        ends()
        answers(() => new Response(null, { status: 204 }))
        await other.instance('standard').logout()
        await new Promise((done) => real(done, 50))
        seen.push(sources.length)
        // The second one takes over, and nothing wakes the first.
        stop()
        await opened(6)
        ends()
        stopOther()
        const last = sources.at(-1)
        while (!last.isClosed) await new Promise((done) => real(done, 5))
        hidden = false
        document.dispatchEvent(new Event('visibilitychange'))
        delete document.hidden
        return [seen, sources.length]""")
    assert found == [["unknown", 3, 3, 4, 5, 5], 6], found


@test
def remembers_that_a_return_is_being_answered(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const page = (step) => ({ type: 'continue', kind: 'journey', flow: 'f', step, expiresIn: 600, callbacks: [] })
        const back = async (answer, ...later) => {
          sessionStorage.clear()
          const standard = new Cloakroom().instance('standard')
          const heard = []
          const room = new Cloakroom()
          const left = room.instance('standard')
          room.onChange(({ type, here }) => { if (here) heard.push(type) })
          answers(() => value(page(3)))
          await left.flow('f')
          history.replaceState(null, '', '/#resume=handle')
          sent.length = 0
          answers(answer)
          await left.resume().catch(() => {})
          sent.length = paused.length = 0
          answers(...later)
          const end = await left.restore()
          return [end?.step ?? null, [...paused], heard]
        }
        const lost = () => { throw new TypeError('lost') }
        const found = [
          await back(lost, () => value(page(3)), () => problem(409, 'step-in-progress'), () => value(page(4))),
          await back(lost, () => problem(410, 'flow-expired')),
          await back(() => problem(409, 'no-pending-return'), () => value(page(3))),
        ]
        sessionStorage.clear()
        history.replaceState(null, '', '/')
        return found""")
    assert found == [[4, [250, 250], []], [None, [], ["unknown"]], [3, [], []]], found


@test
def keeps_the_flows_of_two_servers_apart(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const page = (flow) => ({ type: 'continue', kind: 'journey', flow, step: 1, expiresIn: 600, callbacks: [] })
        const [one, two] = ['/bff', '/other/bff'].map((base) => new Cloakroom({ base }).instance('standard'))
        answers(() => value(page('f')), () => value(page('g')))
        await one.flow('f')
        await two.flow('g')
        sent.length = 0
        answers(() => value(page('f')))
        await one.restore()
        await two.restore()
        sessionStorage.clear()
        return sent""")
    assert found == ["/bff/standard/flows/f", "/other/bff/standard/flows/g"], found


@test
def keeps_the_newest_flow_where_the_storage_is_full(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const key = `cloakroom ${location.origin}/bff standard`
        sessionStorage.setItem(key, '{}')
        const set = Storage.prototype.setItem
        Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }
        const standard = new Cloakroom().instance('standard')
        const asked = []
        window.fetch = async (address, init) => {
          const { method, url } = new Request(address, init)
          asked.push(method + ' ' + new URL(url).pathname)
          return method === 'DELETE' ? new Response(null, { status: 204 })
            : value({ type: 'continue', kind: 'journey', flow: 'f', step: 1, expiresIn: 600, callbacks: [] })
        }
        await standard.start()
        const restored = await standard.restore()
        await standard.cancel()
        const after = await standard.restore()
        Storage.prototype.setItem = set
        sessionStorage.clear()
        return [restored?.flow ?? null, after, asked]""")
    asked = ["POST /bff/standard/start", "GET /bff/standard/flows/f", "GET /bff/standard/flows/f", "DELETE /bff/standard/flows/f"]
    assert found == ["f", None, asked], found


@test
def leaves_a_call_whose_step_up_goes_on(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        let finish
        const asked = []
        let isStrong = false
        window.fetch = async (address, init) => {
          asked.push(await new Request(address, init).text())
          return isStrong ? value({}) : problem(403, 'step-up-required', offer)
        }
        const room = new Cloakroom({ stepUp: () => isStrong || new Promise((done) => { finish = done }) })
        const pay = (body, signal) => room.fetch('/api/pay', { method: 'POST', body, signal }).then(({ status }) => status, ({ reason }) => reason)
        const leave = new AbortController()
        const [left, stays] = [pay('left', leave.signal), pay('stays')]
        while (asked.length < 2 || !finish) await new Promise((done) => real(done, 5))
        leave.abort()
        const first = await left
        isStrong = true
        finish(true)
        return [first, await stays, asked.slice(2)]""")
    assert found == ["aborted", 200, ["stays"]], found


@test
def sets_answers_by_the_type_of_their_questions(browser):
    browser.open()
    browser.find("#login")
    found = browser.run("""
        const { Page } = await import('/cloakroom.js')
        const page = (...types) => new Page({ type: 'continue', flow: 'f', step: 1, callbacks: types.map((type, at) =>
          typeof type === 'string' ? { id: 'q' + at, type } : { id: 'q' + at, ...type }) })
        const journey = page('NameCallback', 'PasswordCallback', 'ValidatedCreatePasswordCallback', 'TextInputCallback', 'ChoiceCallback',
          'ConfirmationCallback', 'BooleanAttributeInputCallback', 'KbaCreateCallback', 'KbaCreateCallback', 'TermsAndConditionsCallback',
          'ConsentMappingCallback', { type: 'StringAttributeInputCallback', name: 'mail' }, 'TextOutputCallback').answers()
          .setName('n').setPassword('p').setPassword('new', 1).setText('t').setChoice(2).setChoice(0, 1).setBoolean(true)
          .setKBA('a?', 'a').setKBA('b?', 'b', 1).acceptTerms().setConsent(false).setAttribute('mail', 'm').set('q12', 'x').values
        const davinci = page('TextCollector', { type: 'TextCollector', answer: { autocomplete: 'username' } }, 'PasswordCollector',
          'SingleSelectCollector', 'MultiSelectCollector', 'BooleanCollector', 'PhoneNumberCollector', 'DeviceRegistrationCollector').answers()
          .setName('n').setText('t').setPassword('p').setChoice('c').setChoices(['m']).setBoolean(false).setPhone('1', '49').setDevice('SMS').values
        const others = [page('SelectIdPCallback').answers().setChoice('google').values, page('ValidatedCreateUsernameCallback').answers().setName('v').values,
          page('TextCollector').answers().setName('only').values, page('DeviceAuthenticationCollector').answers().setDevice('d').values,
          JSON.parse(JSON.stringify(page('PhoneNumberCollector').answers().setPhone('2', '', '3').values))]
        const refused = []
        for (const work of [(a) => a.setPassword('x'), (a) => a.setName('x'), (a) => a.set('none', 1), (a) => a.set(undefined, 1),
          (a) => a.setText('x'), (a) => a.setAttribute('mail', 1), (a) => a.setChoice(1)]) {
          try { work(page('TextOutputCallback', 'HiddenValueCallback').answers()) } catch (error) { refused.push(error.name) }
        }
        return [journey, JSON.parse(JSON.stringify(davinci)), others, refused]""")
    journey, davinci, others, refused = found
    assert [journey[f"q{at}"] for at in range(13)] == ["n", "p", "new", "t", 2, 0, True, {"question": "a?", "answer": "a"},
                                      {"question": "b?", "answer": "b"}, True, False, "m", "x"], journey
    assert davinci == {"q0": "t", "q1": "n", "q2": "p", "q3": "c", "q4": ["m"], "q5": False,
                       "q6": {"phoneNumber": "1", "countryCode": "49"}, "q7": "SMS"}, davinci
    assert others == [{"q0": "google"}, {"q0": "v"}, {"q0": "only"}, {"q0": "d"}, {"q0": {"phoneNumber": "2", "extension": "3"}}], others
    assert refused == ["RangeError"] * 7, refused


@test
def makes_and_uses_passkeys_without_the_browsers_json(browser):
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        for (const name of ['parseCreationOptionsFromJSON', 'parseRequestOptionsFromJSON']) delete PublicKeyCredential[name]
        delete PublicKeyCredential.prototype.toJSON"""})
    browser.add_passkeys()
    browser.make_passkey()
    assert browser.driver.execute_script("return !PublicKeyCredential.parseCreationOptionsFromJSON && !PublicKeyCredential.prototype.toJSON")
    browser.begin_passkey()
    browser.button("Use a passkey")
    browser.find("#hello")


@test
def polls_only_while_its_tab_is_visible(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        let hidden = true
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
        const page = (step, type) => ({ type: 'continue', kind: 'journey', flow: 'f', step, expiresIn: 600,
          callbacks: [{ id: 'c', type, message: 'Wait', waitTime: 100 }] })
        const shown = []
        const later = () => new Promise((done) => real(done, 50))
        answers(() => { hidden = true; return value(page(1, 'PollingWaitCallback')) }, () => value(page(2, 'TextOutputCallback')))
        const wait = new Cloakroom().instance('standard').poll(new Page(page(1, 'PollingWaitCallback')), ({ step }) => shown.push(step))
        const seen = []
        for (let at = 0; at < 3; at += 1) {
          await later()
          document.dispatchEvent(new Event('visibilitychange'))
          await later()
          seen.push(sent.length)
          hidden = false
          document.dispatchEvent(new Event('visibilitychange'))
        }
        const end = (await wait).step
        // An exit of a hidden tab ends the wait.
        hidden = true
        const leave = new AbortController()
        const left = new Cloakroom().instance('standard').poll(new Page(page(1, 'PollingWaitCallback')), () => {}, { signal: leave.signal })
        leave.abort()
        const same = (await left).step
        delete document.hidden
        return [seen, shown, end, same, sent.length]""")
    assert found == [[0, 1, 2], [1, 2], 2, 1, 2], found


@test
def sends_what_the_scripts_of_vendors_answer(browser):
    browser.open()
    browser.find("#login")
    use = """
        const [{ draw }, { Cloakroom }] = await Promise.all([import('/form.js'), import('/cloakroom.js')])
        const standard = new Cloakroom().instance('standard')
        const asked = []
        const hooks = {
          ReCaptchaCallback: async ({ siteKey }) => { asked.push(siteKey); return 'captcha-passed' },
          PingOneProtectInitializeCallback: async ({ behavioralDataCollection }) => { asked.push(behavioralDataCollection) },
          PingOneProtectEvaluationCallback: async () => ({ signals: 'signals-of-the-page' }),
          PingOneRecognizeCallback: async ({ authenticationServiceUrl }) => { asked.push(authenticationServiceUrl); return { signedJwt: 'j', recognizeId: 'r' } },
        }
        const begin = await standard.start({ journey: 'JOURNEY' })
        let page = await standard.next(begin, begin.answers().setName('demo').setPassword('PASSWORD').values)
        const place = document.body.appendChild(document.createElement('div'))
        while (page.type === 'continue') {
          page = await new Promise((done, fail) => {
            draw(place, page, { hooks, send: (values) => standard.next(page, values).then(done, fail) })
            place.querySelector('form').requestSubmit()
          })
        }
        return [page.type, asked, page.message ?? null]""".replace("PASSWORD", PASSWORD)
    for journey, asked in ("Captcha", ["6LsimulatorSiteKey"]), ("Protect", [True]), ("Recognize", ["wss://recognize.example.com"]):
        browser.driver.delete_all_cookies()
        found = browser.run(use.replace("JOURNEY", journey))
        assert found == ["success", asked, None], (journey, found)
    broken = browser.run("""
        const [{ draw }, { Page }] = await Promise.all([import('/form.js'), import('/cloakroom.js')])
        const place = document.body.appendChild(document.createElement('div'))
        const hooks = { ReCaptchaCallback: () => Promise.reject(new Error('The script is blocked.')) }
        const sent = []
        draw(place, new Page({ type: 'continue', kind: 'journey', flow: 'f', step: 1, callbacks: [{ id: 'c', type: 'ReCaptchaCallback', answer: { type: 'string', hidden: true } }] }),
          { hooks, send: async (values) => sent.push(values) })
        place.querySelector('form').requestSubmit()
        while (!place.querySelector('[role=alert]').textContent) await new Promise((done) => setTimeout(done, 10))
        return [place.querySelector('[role=alert]').textContent, sent.length]""")
    assert broken == ["The script is blocked.", 0], broken


@test
def has_no_script_that_makes_html_of_a_text(browser):
    scripts = [*ROOT.glob("web/**/*.js")]
    assert len(scripts) > 3
    for script in scripts:
        text = script.read_text()
        for word in "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "setHTML", "DOMParser", "createContextualFragment", "eval(", "Function(":
            assert word not in text, f"{script.name}: {word}"
