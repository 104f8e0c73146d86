"""Buttons pressed twice, or while a page waits, and polls that a proxy answers."""

from web import FAKES, test

# A flow whose page waits, and changes with its first poll; an answer to a step that is over changes nothing.
WAITS = """
    const page = (step) => ({ type: 'continue', kind: 'journey', flow: 'f', step, expiresIn: 600, callbacks: [
      { id: 'wait', type: 'PollingWaitCallback', message: 'Number ' + step, waitTime: 100 },
      { id: 'exit', type: 'ConfirmationCallback', options: ['Leave'], answer: { type: 'integer' } }] })
    const answer = (body, status = 200) => new Response(JSON.stringify(body), { status, headers: {
      'Content-Type': status === 200 ? 'application/json' : 'application/problem+json' } })
    const real = window.fetch
    let now = 1
    window.polls = []
    window.exits = []
    window.fetch = async (address, init) => {
      const request = new Request(address, init)
      const path = new URL(request.url).pathname
      if (path.endsWith('/start') || path.endsWith('/flows/f')) return answer(page(1))
      if (!path.endsWith('/next')) return real(address, init)
      const { step, values, action } = await request.json()
      const isPoll = action === 'wait'
      ;(isPoll ? window.polls : window.exits).push(step)
      if (step !== now) return answer({ type: '/problems/stale-step', status: 409, node: page(now) }, 409)
      if (!isPoll) return answer({ type: 'failure', kind: 'journey', message: 'You left.' })
      if (window.polls.length === 1) return answer(page(now = 2))
      return new Promise((_, fail) => request.signal.addEventListener('abort', () => fail(new DOMException('a', 'AbortError'))))
    }"""


def leave(browser, place):
    """Presses the exit once the second poll is held, and says for which steps it was sent."""
    browser.until(lambda: browser.driver.execute_script("return window.polls.length > 1"), "no second poll")
    assert browser.driver.execute_script("return window.polls") == [1, 2]
    browser.press(place + " button:not([name=go])")
    browser.until(lambda: browser.driver.execute_script("return window.exits.length > 0"), "no exit")
    return browser.driver.execute_script("return window.exits")


@test
def leaves_a_page_that_changed_while_it_waited(browser):
    browser.open()
    browser.find("#login")
    browser.driver.execute_script(WAITS)
    browser.press("#login")
    assert leave(browser, "#flow") == [2]
    browser.sees("You left.")


@test
def leaves_a_dialog_whose_page_changed_while_it_waited(browser):
    browser.sign_in()
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#ledger li")) > 1, "no accounts")
    browser.driver.execute_script(WAITS)
    browser.press("#pay button")
    assert leave(browser, "#step") == [2]
    browser.sees("You left.")


@test
def shows_the_message_of_a_wait_that_goes_on(browser):
    browser.open()
    browser.find("#login")
    browser.driver.execute_script(WAITS.replace("'Number ' + step", "'Number ' + now").replace("page(now = 2)", "(now = 2, page(1))")
                                  .replace("step !== now", "step !== 1"))
    browser.press("#login")
    browser.sees("Number 2")
    browser.driver.execute_script("window.button = document.querySelector('#flow button')")
    assert leave_unchanged(browser) == [1]


def leave_unchanged(browser):
    """Presses the exit of a page that was not drawn again."""
    assert browser.driver.execute_script("return window.button.isConnected")
    browser.driver.execute_script("window.button.click()")
    browser.sees("You left.")
    return browser.driver.execute_script("return window.exits")


@test
def asks_for_a_passkey_once_for_two_presses(browser):
    browser.add_passkeys()
    browser.make_passkey()
    browser.begin_passkey()
    browser.sees("Use a passkey")
    browser.driver.execute_script("""
        window.ceremonies = 0
        const real = navigator.credentials.get.bind(navigator.credentials)
        navigator.credentials.get = (options) => { window.ceremonies += 1; return real(options) }
        const button = [...document.querySelectorAll('#flow button')].find((one) => one.textContent === 'Use a passkey')
        for (const _ of 'abc') button.click()""")
    browser.find("#hello")
    assert browser.driver.execute_script("return window.ceremonies") == 1


@test
def offers_a_passkey_again_after_the_browser_refused(browser):
    browser.open()
    browser.find("#login")
    found = browser.run("""
        const [{ draw }, { Page }] = await Promise.all([import('/form.js'), import('/cloakroom.js')])
        const place = document.body.appendChild(document.createElement('div'))
        let asked = 0
        navigator.credentials.get = async () => { asked += 1; throw new DOMException('no', 'NotAllowedError') }
        const sent = []
        draw(place, new Page({ type: 'continue', kind: 'journey', flow: 'f', step: 1, callbacks: [
          { id: 'key', type: 'MetadataCallback', specialised: 'webauthn_authentication', publicKey: { challenge: 'AAAA' } }] }),
          { send: async (values) => { sent.push(values.key.error.name); throw new Error('lost') } })
        const button = place.querySelector('button')
        for (let at = 1; at < 3; at += 1) {
          button.click()
          button.click()
          await new Promise((done) => { const look = () => sent.length === at && !button.disabled ? done() : setTimeout(look, 10); look() })
        }
        return [asked, sent]""")
    assert found == [2, ["NotAllowedError", "NotAllowedError"]], found


PROXIES = FAKES + """
    const proxy = (status) => new Response('<h1>Bad Gateway</h1>', { status, headers: { 'Content-Type': 'text/html' } })
    const page = (step, type) => ({ type: 'continue', kind: 'journey', flow: 'f', step, expiresIn: 600,
      callbacks: [{ id: 'c', type, message: 'Wait', waitTime: 100 }] })
    const poll = () => new Cloakroom().instance('standard').poll(new Page(page(1, 'PollingWaitCallback')), () => {})
"""


@test
def goes_on_polling_when_a_proxy_has_no_answer(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(PROXIES + """
        answers(() => proxy(502), () => proxy(504), () => value(page(2, 'TextOutputCallback')))
        return [(await poll()).step, sent.length, paused.filter((time) => time > 1000)]""")
    assert found == [2, 3, [5000, 5000]], found


@test
def gives_up_polling_when_a_proxy_has_no_answer_for_long(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(PROXIES + """
        answers(() => proxy(502))
        const refused = await poll().catch((error) => [error.kind, error.status])
        const count = sent.length
        sent.length = 0
        const list = Array(count - 1).fill(() => proxy(502))
        answers(...list, () => value(page(1, 'PollingWaitCallback')), ...list, () => value(page(2, 'TextOutputCallback')))
        const end = (await poll()).step
        sent.length = 0
        answers(() => problem(502, 'provider-refused'))
        return [refused, count, end, await poll().catch((error) => error.kind), sent.length]""")
    assert found == [["", 502], 13, 2, "provider-refused", 1], found
