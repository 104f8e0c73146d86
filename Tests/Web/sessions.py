"""How long the sample's pages live, what of other tabs they hear, and step-ups in its dialog that go wrong or leave."""

import time

from web import COUNTS, TELL, test

# Long timers fire when a test says so.
TIMERS = """
    const realTimer = window.setTimeout
    window.due = []
    window.setTimeout = (work, time) => time > 20000 && time !== 60000 ? window.due.push(work) : realTimer(work, time)
"""


def has_accounts(browser):
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#ledger li")) > 1, "no accounts")


def is_settled(browser):
    """The page asks for the session when it opens, after the sign-in, and when its stream of events begins."""
    has_accounts(browser)
    browser.until(lambda: browser.driver.execute_script(
        "return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/bff/session')).length") > 2, "no stream")


def counted(browser):
    return browser.driver.execute_script("return window.counted")


def timer(browser):
    """The next long timer is over."""
    browser.until(lambda: browser.driver.execute_script("return window.due.length > 0"), "no timer")
    browser.driver.execute_script("window.due.pop()()")


@test
def warns_before_the_session_ends_and_does_not_extend_it(browser):
    browser.begin()
    browser.find("#flow input[type=password]")
    browser.driver.execute_script(TIMERS)
    browser.credentials()
    is_settled(browser)
    browser.driver.execute_script(COUNTS + "window.painted = document.querySelector('#ledger li')")

    def is_warned():
        return browser.driver.find_element("id", "expiry").is_displayed()
    # Another tab uses the session: nothing to say.
    timer(browser)
    browser.until(lambda: browser.driver.execute_script("return window.due.length") == 1, "no next timer")
    assert not is_warned() and counted(browser) == {"session": 1}, counted(browser)
    browser.driver.execute_script("window.sessionEnds = 50")
    timer(browser)
    browser.until(is_warned, "no warning")
    assert browser.find("#expiry").get_attribute("role") == "alert"
    browser.driver.execute_script("window.sessionEnds = 1800")
    timer(browser)
    browser.until(lambda: not is_warned(), "the warning stays")
    assert counted(browser) == {"session": 3} and browser.driver.execute_script("return window.painted.isConnected"), counted(browser)
    browser.driver.execute_script("window.sessionEnds = 50")
    timer(browser)
    browser.until(is_warned, "no warning")
    # A user who stays uses the session.
    browser.press("#stay")
    browser.until(lambda: not is_warned(), "the warning stays")
    browser.find("#hello")
    assert counted(browser)["user"] == 1, counted(browser)
    browser.driver.execute_script("window.sessionEnds = -1")
    timer(browser)
    browser.find("#login")
    assert "Dana" not in browser.text() and counted(browser)["user"] == 1, counted(browser)


@test
def asks_for_the_user_only_when_the_sign_ins_changed(browser):
    browser.sign_in()
    is_settled(browser)
    browser.driver.execute_script(COUNTS + "window.painted = document.querySelector('#ledger li')")
    assert browser.run(TELL + """
        await tell(...['state', 'refreshed', 'expiring', 'visible', 'news'].map((type) => ({ type, instance: 'standard', server: true })),
          { type: 'end', reason: 'time', server: true })
        return window.counted""") == {}
    browser.run(TELL + "return await tell({ type: 'signed-in', instance: 'standard', server: true }, { type: 'end', reason: 'signed-out', server: true })")
    browser.until(lambda: counted(browser).get("session") == 2, "the session is not asked")
    assert counted(browser) == {"session": 2} and browser.driver.execute_script("return window.painted.isConnected"), counted(browser)
    browser.run(TELL + "return await tell({ type: 'stepped-up', instance: 'standard', server: true })")
    browser.until(lambda: counted(browser).get("user") == 1, "the user is not asked after a step-up")
    # A sign-out of the server ends the page, also if only the end of the stream tells of it.
    browser.driver.execute_script("window.sessionEnds = -1")
    browser.run(TELL + "return await tell({ type: 'end', reason: 'signed-out', server: true })")
    browser.find("#login")
    browser.sees("Another tab has changed who is signed in.")


@test
def asks_who_is_signed_in_when_a_stream_is_refused(browser):
    browser.open()
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        window.EventSource = class {
          constructor() { this.readyState = 1; window.source = this }
          addEventListener() {}
          close() { this.readyState = 2 }
        }"""})
    browser.sign_in()
    has_accounts(browser)
    browser.until(lambda: browser.driver.execute_script("return !!window.source"), "no stream")
    browser.driver.execute_script(COUNTS + """
        const counts = window.fetch
        window.fetch = async (address, init) => {
          const answer = await counts(address, init)
          if (window.isAway && String(address).endsWith('/session')) throw new TypeError('lost')
          return answer
        }
        window.refuse = () => { source.readyState = 2; source.onerror() }
        refuse()""")
    browser.until(lambda: counted(browser).get("session") == 1, "the session is not asked")
    # A server that is away says nothing of the session, which is asked for twice.
    browser.driver.execute_script("window.isAway = true; refuse()")
    browser.until(lambda: counted(browser)["session"] == 3, "the session is not asked")
    time.sleep(0.5)
    assert counted(browser) == {"session": 3}, counted(browser)
    browser.find("#hello")
    browser.driver.execute_script("window.isAway = false")
    browser.driver.execute_script("window.sessionEnds = -1; refuse()")
    browser.find("#login")
    assert "Dana" not in browser.text() and counted(browser).get("user") is None, counted(browser)


@test
def says_nothing_of_a_lifetime_that_the_provider_did_not_name(browser):
    browser.open()
    browser.find("#login")
    browser.driver.execute_script("""
        const real = window.fetch
        window.fetch = async (address, init) => {
          const answer = await real(address, init)
          if (!new URL(new Request(address, init).url).pathname.endsWith('/user')) return answer
          const user = await answer.json()
          return new Response(JSON.stringify({ ...user, token: { ...user.token, expiresIn: null } }), { status: answer.status })
        }""")
    browser.press("#login")
    browser.credentials()
    has_accounts(browser)
    token = browser.find("#token").get_attribute("textContent")
    assert "Token ends in" not in token and "Session ends in" in token, token


@test
def leaves_a_flow_alone_when_another_tab_signs_in(browser):
    browser.begin()
    browser.type("#flow input[autocomplete~=username]", "demo")
    browser.driver.execute_script(COUNTS)
    assert browser.run(TELL + """
        await tell(...['signed-in', 'signed-out', 'stepped-up', 'unknown', 'state'].map((type) => ({ type, instance: 'standard' })))
        return window.counted""") == {}
    assert browser.find("#flow input[autocomplete~=username]").get_attribute("value") == "demo"


@test
def hears_of_a_sign_out_at_the_server(browser):
    browser.sign_in()

    def has_stream():
        browser.collect()
        return any(event["method"] == "Network.responseReceived" and event["params"]["response"]["url"].endswith("/bff/events")
                   and event["params"]["response"]["status"] == 200 for event in browser.traffic)
    browser.until(has_stream, "no stream")
    # No word of the client's own about this: only the server can tell.
    assert browser.run("return (await fetch('/bff/logout', { method: 'POST', headers: { 'X-CSRF': '1' } })).status") == 204
    browser.find("#login")
    assert "Dana" not in browser.text()


# Step-ups whose pages a test answers: each is for the goal that its call names.
STEP_UPS = """
    const value = (object, status = 200) => new Response(JSON.stringify(object), { status, headers: {
      'Content-Type': status === 200 ? 'application/json' : 'application/problem+json', ...(status === 200 ? {} : { 'X-BFF-Problem': 'x' }) } })
    const real = window.fetch
    const strong = new Set()
    window.started = []
    window.cancelled = 0
    window.closings = 0
    document.getElementById('dialog').addEventListener('close', () => { window.closings += 1 })
    window.fetch = async (address, init) => {
      const request = new Request(address, init)
      const { pathname } = new URL(request.url)
      const call = (goal, body) => strong.has(goal) ? value(body)
        : value({ type: '/problems/step-up-required', status: 403, stepUp: { instance: 'transaction', start: '/transaction/start', for: goal } }, 403)
      if (pathname.startsWith('/api/')) return call(pathname.endsWith('/accounts') ? 'accounts' : 'pay', { accounts: [{ name: 'Savings' }] })
      if (!pathname.startsWith('/bff/transaction/')) return real(address, init)
      if (request.method === 'DELETE') { window.cancelled += 1; return new Response(null, { status: 204 }) }
      const { for: goal, flow } = pathname.includes('/flows/') ? { flow: pathname.split('/').pop() } : await request.json()
      if (pathname.endsWith('/next')) { strong.add(flow); return value({ type: 'success', kind: 'journey', signedIn: true }) }
      if (goal) {
        window.started.push(goal)
        if (window.stalls) await new Promise((_, fail) => {
          window.stalls = false
          request.signal.addEventListener('abort', () => fail(new DOMException('a', 'AbortError')))
        })
      }
      return value({ type: 'continue', kind: 'journey', flow: goal ?? flow, step: 1, expiresIn: 600,
        callbacks: [{ id: 'c', type: 'TextInputCallback', message: 'For ' + (goal ?? flow), answer: { type: 'string', title: 'For ' + (goal ?? flow) } }] })
    }"""


@test
def runs_a_step_up_right_after_another_one(browser):
    browser.sign_in()
    has_accounts(browser)
    browser.driver.execute_script(STEP_UPS + "; document.querySelector('#pay button').click()")
    browser.sees("For pay")
    browser.driver.execute_script("document.getElementById('refresh').click()")
    browser.press("dialog button[name=go]")
    browser.sees("For accounts")
    browser.until(lambda: browser.driver.execute_script("return window.closings > 0"), "no close event")
    browser.press("dialog button[name=go]")
    browser.until(lambda: "Savings" in browser.find("#ledger").text, "no accounts")
    assert browser.driver.execute_script("return [window.started, window.cancelled]") == [["pay", "accounts"], 0]


@test
def runs_a_step_up_after_one_that_was_closed_before_it_began(browser):
    browser.sign_in()
    has_accounts(browser)
    browser.driver.execute_script(STEP_UPS + "; window.stalls = true")
    browser.press("#pay button")
    browser.until(lambda: browser.driver.execute_script("return window.stalls === false"), "no start")
    browser.press("#close")
    browser.sees("The transfer was not made.")
    browser.until(lambda: not browser.driver.find_elements("css selector", "#pay [aria-disabled]"), "the form stays busy")
    browser.press("#pay button")
    browser.sees("For pay")
    browser.press("dialog button[name=go]")
    browser.until(lambda: "The money is on its way." in browser.text() or "The transfer was not made." in browser.text(), "no answer")
    browser.sees("The money is on its way.")


# A step-up by another site, which sends the browser back at once.
AWAY = """
    const value = (object) => new Response(JSON.stringify(object), { headers: { 'Content-Type': 'application/json' } })
    const real = window.fetch
    const page = (step, ...callbacks) => value({ type: 'continue', kind: 'journey', flow: 'f', step, expiresIn: 600, callbacks })
    const away = { id: 'a', type: 'RedirectCallback', provider: 'elsewhere', go: '/?back=1#resume=handle' }
    window.fetch = async (address, init) => {
      const request = new Request(address, init)
      const { pathname } = new URL(request.url)
      if (!/^.bff.(transaction|standard).(start|next|resume|flows)/.test(pathname) || sessionStorage.getItem('real')) return real(address, init)
      if (pathname.endsWith('/start') || pathname.endsWith('/flows/f')) return page(1, away)
      const body = await request.json()
      window.asked = [...(window.asked ?? []), [pathname, body.handle ?? null, body.flow]]
      if (pathname.endsWith('/resume')) return page(2, { id: 'c', type: 'TextInputCallback', message: 'Code', answer: { type: 'string', title: 'Code' } })
      return value({ type: 'success', kind: 'journey', signedIn: true })
    }"""


@test
def comes_back_to_a_step_up_from_another_site(browser):
    browser.sign_in()
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": AWAY})
    browser.driver.refresh()
    has_accounts(browser)
    browser.press("#pay button")
    browser.press("dialog button[name=leave]")
    browser.sees("Code")
    browser.find("#hello")
    browser.press("dialog button[name=go]")
    browser.sees("Thank you. Please try again.")
    asked = [["/bff/transaction/resume", "handle", "f"], ["/bff/transaction/next", None, "f"]]
    assert browser.driver.execute_script("return window.asked") == asked
    assert browser.driver.execute_script("return location.href").endswith("/?back=1")
    assert browser.find("#accounts").get_attribute("value") == "standard"
