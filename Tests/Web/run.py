#!/usr/bin/env python3
"""Tries the sample app in Chromium: run.py APP-FOLDER [WORDS OF TEST NAMES]."""

import concurrent.futures
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import traceback


import client  # noqa: F401, the tests of these count too
import device  # noqa: F401
import frameworks
import packages  # noqa: F401
import pages  # noqa: F401
import people  # noqa: F401
import ping
import presses  # noqa: F401
import related  # noqa: F401
import sessions  # noqa: F401
import sites  # noqa: F401
from web import COUNTS, FAKES, PASSWORD, ROOT, TESTS, Browser, Demo, Origin, test

WORKERS = int(os.environ.get("WORKERS", "2"))


@test
def signs_in_and_shows_the_user(browser):
    browser.open()
    browser.find("#login")
    browser.shot("sign-in")
    browser.press("#login")
    browser.find("#flow input[type=password]")
    browser.shot("password")
    browser.credentials()
    browser.sees("Hello, Dana Demo")
    browser.sees("demo@example.com")
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#ledger li")) > 1, "no accounts")
    browser.shot("home")


@test
def says_that_a_password_is_wrong(browser):
    browser.begin()
    browser.credentials(password="wrong")
    browser.until(lambda: browser.find("#alert").text, "no message")
    assert "Hello" not in browser.text()


@test
def continues_after_a_reload(browser):
    browser.begin("standard Kitchen")
    browser.find("#flow form")
    before = browser.find("#flow").text
    browser.driver.refresh()
    browser.until(lambda: browser.find("#flow").text == before, "another page after the reload")


@test
def keeps_the_cookie_of_a_sign_in_that_a_reload_interrupts(browser):
    browser.begin()
    browser.type("#flow input[autocomplete~=username]", "demo")
    browser.type("#flow input[type=password]", PASSWORD)
    # The click and the reload are one task of the page: no answer can come in between.
    browser.driver.execute_script(
        "document.querySelector('#flow button[name=go]').click(); queueMicrotask(() => location.reload())")
    browser.sees("Hello, Dana Demo")


@test
def signs_in_by_davinci(browser):
    browser.open()
    browser.press("#davinci")
    browser.credentials(button="#flow button[name=SIGNON]")
    browser.find("#hello")


@test
def shows_a_refusal_of_davinci_at_its_page(browser):
    browser.open()
    browser.press("#davinci")
    browser.credentials(password="wrong", button="#flow button[name=SIGNON]")
    browser.sees("Invalid username and/or password")
    browser.credentials(button="#flow button[name=SIGNON]")
    browser.find("#hello")


@test
def steps_up_in_a_dialog_and_pays(browser):
    browser.sign_in()
    browser.press("#pay button")
    browser.type("dialog input", "424242")
    browser.shot("step-up")
    browser.press("dialog button[name=go]")
    browser.sees("The money is on its way.")


@test
def does_not_pay_if_the_step_up_is_cancelled(browser):
    browser.sign_in()
    browser.press("#pay button")
    browser.find("dialog input")
    browser.press("#close")
    browser.sees("The transfer was not made.")


@test
def sees_the_logout_of_another_tab(browser):
    browser.sign_in()
    browser.new_tab()
    browser.open()
    browser.find("#hello")
    browser.press("#logout")
    browser.find("#login")
    browser.tab(0)
    browser.find("#login")
    assert "Dana" not in browser.text()


@test
def two_tabs_share_a_session(browser):
    browser.begin()
    browser.find("#flow input[type=password]")
    browser.new_tab()
    browser.sign_in()
    browser.tab(0)
    browser.credentials()
    browser.find("#hello")


@test
def asks_again_after_the_back_button(browser):
    browser.sign_in()
    browser.driver.get(browser.demo.address + "/icon.svg")
    browser.driver.delete_all_cookies()
    browser.driver.back()
    browser.find("#login")
    assert "Dana" not in browser.text()


@test
def polls_until_the_device_approves(browser):
    browser.begin("standard Push")
    browser.credentials()
    browser.find("#hello")


@test
def signs_in_by_another_provider(browser):
    browser.begin("standard Social")
    browser.press("#flow button[name=leave]")
    browser.until(lambda: "/social/authorize" in browser.driver.current_url, "not at the other provider")
    browser.type("input:not([type=hidden])", "demo")
    browser.press("button, input[type=submit]")
    browser.find("#hello")


@test
def opens_a_link_in_another_browser(browser):
    browser.begin("standard EmailLink")
    browser.type("#flow input", "demo")
    browser.press("#flow button[name=go]")
    browser.until(lambda: browser.demo.simulator("/simulator/outbox"), "no message")
    link = re.search(r"suspendedId=[^\s\"'&\\]+", str(browser.demo.simulator("/simulator/outbox"))).group()
    other = Browser(browser.demo)
    try:
        other.open("/?" + link)
        other.press("#link")
        if not other.driver.find_elements("css selector", "#home:not([hidden])"):
            other.until(lambda: "Hello" in other.text() or other.driver.find_elements("css selector", "#flow form"), "no page")
        other.sees("Hello")
    finally:
        other.end()


@test
def registers_a_passkey_and_signs_in_with_it(browser):
    browser.add_passkeys()
    browser.make_passkey()
    browser.begin_passkey()
    browser.button("Use a passkey")
    browser.find("#hello")


@test
def speaks_german_on_a_narrow_screen(browser):
    browser.driver.set_window_size(320, 900)
    browser.open()
    browser.press("[data-language=de]")
    browser.sees("Mit einer Journey anmelden")
    assert browser.driver.execute_script("return document.documentElement.lang") == "de"
    assert browser.driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@test
def says_that_cookies_are_blocked(browser):
    other = Browser(browser.demo, blocks_cookies=True)
    try:
        other.begin()
        other.sees("Your browser blocks the cookie of this site.")
    finally:
        other.end()


@test
def says_that_the_server_is_away(browser):
    browser.open()
    browser.find("#login")
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/bff/*"]})
    browser.press("#login")
    browser.sees("The server cannot be reached.")
    browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    browser.press("#login")
    browser.credentials()
    browser.find("#hello")


@test
def two_calls_without_a_cookie_begin_one_session(browser):
    browser.open()
    browser.find("#login")
    states = browser.driver.execute_async_script("""
        const done = arguments[0]
        import('/cloakroom.js').then(async ({ Cloakroom }) => {
          const tabs = [1, 2, 3].map(() => new Cloakroom().instance('standard'))
          const pages = await Promise.all(tabs.map((tab) => tab.start()))
          done(await Promise.all(pages.map(async ({ flow }, at) => (await tabs[at].flow(flow)).type)))
        }).catch((error) => done(String(error)))""")
    assert states == ["continue"] * 3, states


@test
def keeps_two_accounts_apart(browser):
    browser.sign_in()
    browser.press("#another")
    browser.type("#account", "second")
    browser.press("#begin")
    browser.credentials("alice")
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#accounts option")) == 2, "no second account")
    browser.sees("(usr!alice)")
    browser.press("#logout")
    browser.sees("(usr!demo)")
    browser.press("#everything")
    browser.find("#login")


@test
def calls_of_other_origins_carry_no_cookie_and_no_field(browser):
    browser.sign_in()
    answer = browser.driver.execute_async_script("""
        const done = arguments[0]
        const real = window.fetch
        const sent = []
        window.fetch = async (address, init = {}) => {
          const request = new Request(address, init)
          sent.push([request.headers.has('X-CSRF'), request.credentials])
          return new Response('{}')
        }
        import('/cloakroom.js').then(async ({ Cloakroom }) => {
          await new Cloakroom().fetch('https://other.example/api')
          await new Cloakroom().fetch('/api/accounts')
          window.fetch = real
          done(sent)
        })""")
    assert answer == [[False, "same-origin"], [True, "include"]], answer


@test
def draws_questions_of_an_unknown_type(browser):
    browser.begin("standard Strange")
    browser.find("#flow input[type=password]")
    shown = browser.driver.execute_async_script("""
        const done = arguments[0]
        Promise.all([import('/form.js'), import('/cloakroom.js')]).then(([{ draw }, { Page }]) => {
          const place = document.createElement('div')
          document.body.append(place)
          const answer = (schema) => ({ id: schema.title, type: 'NewCallback', answer: schema })
          draw(place, new Page({ type: 'continue', kind: 'journey', flow: 'f', step: 1, callbacks: [
            answer({ type: 'string', title: '<img src=x onerror=alert(1)>', writeOnly: true }),
            answer({ type: 'boolean', title: 'b', default: true }),
            answer({ type: 'integer', title: 'c', oneOf: [{ const: 7, title: 'seven' }, { const: 9, title: 'nine' }], default: 9 }),
            answer({ type: 'number', title: 'd', default: 4.5 }),
            answer({ type: 'object', title: 'e', properties: { one: { type: 'string' } } }),
            { id: 'f', type: 'NewText', message: '<b>text</b>' },
          ] }), { send: (values) => done([values, place.querySelectorAll('img, b').length, place.querySelector('input').type]) })
          place.querySelector('form').requestSubmit()
        })""")
    assert shown == [{"<img src=x onerror=alert(1)>": "", "b": True, "c": 9, "d": 4.5}, 0, "password"], shown


@test
def registers_a_user_at_davinci_with_a_refusal_at_the_field(browser):
    browser.begin("workforce Registration")
    browser.find("#flow form")
    browser.press("#flow button:not(.second):not(.quiet)")
    box = browser.find("#flow [aria-invalid=true]")
    assert box == browser.driver.switch_to.active_element
    assert browser.find("#" + box.get_attribute("aria-describedby")).text


@test
def stores_cookies_out_of_reach_of_scripts(browser):
    browser.sign_in()
    cookies = browser.driver.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]
    ours = [one for one in cookies if one["name"].startswith("cloakroom-")]
    assert ours and all(one["httpOnly"] and one["sameSite"] == "Strict" for one in ours), ours
    assert browser.driver.execute_script("return document.cookie") == ""


# The client alone, with answers as the server gives them.

@test
def repeats_a_call_once_with_its_body(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        let stepUps = 0
        const room = new Cloakroom({ stepUp: async () => { stepUps += 1; return true } })
        answers(() => problem(503, 'interrupted', { retryAfter: 2 }), () => problem(403, 'step-up-required', offer))
        const answer = await room.fetch('/api/pay', { method: 'POST', body: 'money' })
        return [sent, stepUps, answer.status, (await answer.json()).type, paused]""")
    assert found == [["money"] * 3, 1, 403, "/problems/step-up-required", [2000]], found


@test
def repeats_no_call_that_an_api_redirected(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const moved = (answer) => Object.defineProperty(answer, 'redirected', { value: true })
        const refusals = [() => moved(problem(503, 'interrupted')), () => moved(problem(403, 'step-up-required', offer))]
        const found = []
        for (const [method, body] of [['POST', 'money'], ['DELETE'], ['GET']]) {
          for (const refusal of refusals) {
            let stepUps = 0
            const room = new Cloakroom({ stepUp: async () => { stepUps += 1; return true } })
            sent.length = 0
            answers(refusal)
            const answer = await room.fetch('/api/pay', { method, body })
            found.push([...sent, stepUps, answer.status, (await answer.json()).status])
          }
        }
        // The problem of an answer to HEAD has no body, which names it.
        sent.length = 0
        answers(() => new Response(null, { status: 503, headers: { 'X-BFF-Problem': 'interrupted' } }))
        found.push([...sent, (await new Cloakroom().fetch('/api/pay', { method: 'HEAD' })).status, sent.length])
        return found""")
    assert found == [["money", 0, 503, 503], ["money", 0, 403, 403], ["", 0, 503, 503], ["", 0, 403, 403],
                     ["/api/pay", "/api/pay", 0, 503, 503], ["/api/pay", "/api/pay", 1, 403, 403], [503, 1]], found


@test
def repeats_an_interrupted_call_once_and_stops_if_the_caller_does(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        answers(() => problem(503, 'interrupted'))
        const answer = await new Cloakroom().fetch('/api/pay', { method: 'POST', body: 'money' })
        const leave = new AbortController()
        window.setTimeout = (work, time) => { if (time === 1000) leave.abort(); return real(work, time) }
        const left = await new Cloakroom().fetch('/api/pay', { method: 'POST', body: 'left', signal: leave.signal })
          .catch((error) => error.reason)
        return [sent, answer.status, paused, left]""")
    assert found == [["money", "money", "left"], 503, [1000], "aborted"], found


@test
def takes_no_problem_of_an_api_for_one_of_the_server(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const types = ['https://bank.example/errors/session-changed', 'https://api.example/step-up-required',
          '/problems/interrupted', '/problems/step-up-required', '/problems/session-changed']
        const found = []
        for (const type of types) {
          sent.length = 0
          answers(() => foreign(403, type))
          let stepUps = 0
          const answer = await new Cloakroom({ stepUp: async () => { stepUps += 1; return true } })
            .fetch('/api/book', { method: 'POST', body: 'seat' })
          found.push([sent.length, stepUps, (await answer.json()).type === type])
        }
        for (const body of ['null', '5', '', '<p>']) {
          answers(() => new Response(body, { status: 500, headers: { 'Content-Type': 'application/problem+json' } }))
          found.push(await (await new Cloakroom().fetch('/api/book')).text() === body)
        }
        const kinds = ['https://api.example/stale-step', '/problems/stale-step', '/x/problems/stale-step', undefined]
        return [found, kinds.map((type) => new Problem({ type }, new Response('', { status: 409 })).kind), paused]""")
    assert found == [[[1, 0, True]] * 5 + [True] * 4, ["", "stale-step", "", ""], []], found


@test
def waits_before_it_repeats_a_call_whose_session_changed(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const room = new Cloakroom()
        answers(() => problem(409, 'session-changed', { retryAfter: 3 }), () => value({ authenticated: true }))
        const session = await room.session()
        sent.length = 0
        answers(() => problem(409, 'session-changed'))
        const refused = await room.instance('standard').refresh().catch((error) => error.kind)
        const leave = new AbortController()
        window.setTimeout = (work, time) => { if (time === 1000) leave.abort(); return real(work, time) }
        const left = await room.session({ signal: leave.signal }).catch((error) => error.reason)
        return [session, refused, paused, sent.length, left]""")
    assert found == [{"authenticated": True}, "session-changed", [3000, 1000], 3, "aborted"], found


@test
def gives_up_on_a_body_that_stalls(browser):
    with Origin(browser.demo.app, lambda _: (200, '{"authenticated":true}', 5), holds=True) as origin:
        browser.driver.get(origin.address)
        late = browser.run("""
            const { Cloakroom } = await import('/cloakroom.js')
            return await new Cloakroom({ timeout: 300 }).session()""")
        left = browser.run("""
            const { Cloakroom } = await import('/cloakroom.js')
            const leave = new AbortController()
            setTimeout(() => leave.abort(), 300)
            return await new Cloakroom().session({ signal: leave.signal })""")
        use = """
            const { Cloakroom } = await import('/cloakroom.js')
            const leave = new AbortController()
            const answer = await new Cloakroom().fetch('/api/accounts', { signal: leave.signal })
            leave.abort()
            return [answer.status, await answer.text().catch((error) => error.name)]"""
        read = browser.run(use)
        old = browser.run("delete AbortSignal.any;" + use)
    assert (late, left) == ("threw timeout", "threw aborted"), (late, left)
    assert read == old == [200, "AbortError"], (read, old)


@test
def calls_in_browsers_that_cannot_join_signals(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        delete AbortSignal.any
        const room = new Cloakroom()
        answers(() => value({ a: 1 }))
        const whole = await (await room.fetch('/api/a')).json()
        const leave = new AbortController()
        const stays = (await room.session({ signal: leave.signal })).a
        // Answers when the caller has left: the call ends by its own signal.
        window.fetch = (_, { signal }) => new Promise((_, fail) => {
          signal.addEventListener('abort', () => fail(signal.reason))
          leave.abort()
        })
        const left = await room.session({ signal: leave.signal }).catch((error) => error.reason)
        sent.length = 0
        answers(() => value({}))
        window.fetch = ((fake) => async (address, init) => { init.signal.throwIfAborted(); return fake(address, init) })(window.fetch)
        const never = await room.fetch('/api/a', { signal: leave.signal }).catch((error) => error.reason)
        return [whole, stays, left, never, sent]""")
    assert found == [{"a": 1}, 1, "aborted", "aborted", []], found


@test
def polls_in_browsers_that_cannot_join_signals(browser):
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete AbortSignal.any"})
    browser.begin("standard Push")
    browser.credentials()
    browser.find("#hello")
    assert browser.driver.execute_script("return !AbortSignal.any")


@test
def repeats_an_answer_to_a_page_that_breaks_off_in_its_body(browser):
    node = json.dumps({"type": "continue", "kind": "journey", "flow": "f", "step": 2, "expiresIn": 600, "callbacks": []})
    use = """
        const { Cloakroom } = await import('/cloakroom.js')
        return (await new Cloakroom().instance('standard').next({ flow: 'f', step: 1 }, { a: 'b' })).step"""
    with Origin(browser.demo.app, lambda number: (200, node, 9 if number == 1 else None)) as origin:
        browser.driver.get(origin.address)
        assert browser.run(use) == 2
        assert len(origin.calls) == 2 and origin.calls[0] == origin.calls[1], origin.calls
    with Origin(browser.demo.app, lambda _: (200, node, 9)) as origin:
        browser.driver.get(origin.address)
        assert browser.run(use) == "threw network"
        assert len(origin.calls) == 2, origin.calls
        # A start is not the same twice.
        assert browser.run(use.replace("next({ flow: 'f', step: 1 }, { a: 'b' })", "start()")) == "threw network"
        assert len(origin.calls) == 3, origin.calls


@test
def gives_up_waiting_for_another_tab(browser):
    browser.open()
    browser.find("#login")
    found = browser.run("""
        const { Cloakroom } = await import('/cloakroom.js')
        const room = new Cloakroom({ timeout: 300 })
        let free
        await new Promise((held) => navigator.locks.request('cloakroom ' + location.origin + '/bff',
          () => { held(); return new Promise((done) => { free = done }) }))
        const late = await room.instance('standard').start().catch((error) => error.reason)
        const leave = new AbortController()
        const waits = new Cloakroom().instance('standard').start({}, { signal: leave.signal }).catch((error) => error.reason)
        leave.abort()
        const left = await waits
        free()
        return [late, left, (await new Cloakroom().instance('standard').start()).type]""")
    assert found == ["timeout", "aborted", "continue"], found


@test
def keeps_no_flow_whose_start_was_aborted(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const node = () => value({ type: 'continue', kind: 'journey', flow: 'f', step: 1, expiresIn: 600, callbacks: [] })
        const leave = new AbortController()
        answers(node, () => { leave.abort(); throw leave.signal.reason })
        sessionStorage.clear()
        const left = await new Cloakroom().instance('standard').start({}, { signal: leave.signal }).then(({ type }) => type, ({ reason }) => reason)
        const kept = sessionStorage.length
        // A check that fails for another reason does not end the flow.
        sent.length = 0
        answers(node, () => problem(503, 'busy'))
        const signal = new AbortController().signal
        const stays = (await new Cloakroom().instance('standard').start({}, { signal })).type
        sessionStorage.clear()
        return [left, kept, stays]""")
    assert found == ["aborted", 0, "continue"], found


@test
def keeps_the_options_of_a_request(browser):
    browser.open()
    browser.find("#login")
    found = browser.run("""
        const { Cloakroom } = await import('/cloakroom.js')
        const room = new Cloakroom()
        const real = window.fetch
        const sent = []
        window.fetch = async (address, init) => {
          const { redirect, keepalive, mode, method, credentials, cache, headers } = new Request(address, init)
          sent.push([redirect, keepalive, mode, method, credentials, cache, headers.get('X-CSRF'), headers.get('X-Own')])
          return new Response('')
        }
        await room.fetch('/api/a', { method: 'PUT', body: 'x', redirect: 'error', keepalive: true, mode: 'same-origin', headers: { 'X-Own': '1' } })
        await room.fetch(new Request('/api/a', { redirect: 'manual' }))
        window.fetch = real
        const leave = new AbortController()
        leave.abort()
        const left = await room.fetch(new Request('/api/a', { signal: leave.signal })).catch((error) => error.reason)
        return [sent, left]""")
    assert found == [[["error", True, "same-origin", "PUT", "include", "no-store", "1", "1"],
                      ["manual", False, "cors", "GET", "include", "no-store", "1", None]], "aborted"], found


@test
def stops_reading_the_body_of_a_call_that_is_aborted(browser):
    browser.open()
    browser.find("#login")
    found = browser.run("""
        const { Cloakroom } = await import('/cloakroom.js')
        const room = new Cloakroom()
        const leave = new AbortController()
        setTimeout(() => leave.abort(), 50)
        const never = new Promise((done) => setTimeout(done, 5000, 'still reads'))
        const upload = room.fetch('/api/a', { method: 'POST', body: new ReadableStream({}), duplex: 'half', signal: leave.signal })
        const left = await Promise.race([upload.catch((error) => error.reason), never])
        const sent = []
        window.fetch = async (address, init) => {
          const request = new Request(address, init)
          sent.push([request.method, request.headers.get('Content-Type'), await request.text()])
          return new Response('')
        }
        for (const method of ['POST', 'DELETE']) await room.fetch('/api/a', { method })
        await room.fetch('/api/a', { method: 'POST', duplex: 'half', body: new ReadableStream({ start(own) {
          own.enqueue(new TextEncoder().encode('whole'))
          own.close()
        } }) })
        return [left, sent]""")
    assert found == ["aborted", [["POST", None, ""], ["DELETE", None, ""], ["POST", None, "whole"]]], found


@test
def takes_a_link_only_where_the_app_hands_it_over(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const standard = new Cloakroom().instance('standard')
        answers(() => value({ type: 'success', kind: 'journey', signedIn: false }))
        const address = () => location.href.slice(location.origin.length)
        history.replaceState(null, '', '/cart?a=1&suspendedId=x#/route')
        const alone = [await standard.resume(), address(), sent.length]
        const handed = [(await standard.resume(location)).type, address(), sent[0]]
        history.replaceState(null, '', '/cart?a=1&suspendedId=x#return=1')
        const back = [await standard.resume(), address(), sent.length]
        history.replaceState(null, '', '/')
        return [alone, handed, back]""")
    assert found == [[None, "/cart?a=1&suspendedId=x#/route", 0], ["success", "/cart?a=1#/route", '{"suspendedId":"x"}'],
                     [None, "/cart?a=1&suspendedId=x", 1]], found


@test
def waits_for_an_answer_that_a_reload_overtook(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const page = { type: 'continue', kind: 'journey', flow: 'f', step: 1, expiresIn: 600, callbacks: [] }
        const standard = new Cloakroom().instance('standard')
        const restored = async (pending, ...list) => {
          sent.length = paused.length = 0
          sessionStorage.setItem(`cloakroom ${location.origin}/bff standard`, JSON.stringify({ flow: 'f', pending }))
          answers(...list)
          const end = await standard.restore()
          return [end?.type, end?.step, sent.length, [...paused]]
        }
        const found = [
          await restored(1, () => value(page), () => problem(409, 'step-in-progress'), () => value({ ...page, step: 2 })),
          await restored(1, () => value(page)),
          await restored(undefined, () => value(page)),
          await restored(1, () => problem(410, 'flow-expired')),
        ]
        sessionStorage.clear()
        return found""")
    assert found == [["continue", 2, 3, [250, 250]], ["continue", 1, 5, [250] * 4], ["continue", 1, 1, []],
                     [None, None, 1, []]], found


@test
def keeps_a_flow_that_is_not_over(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const page = { type: 'continue', kind: 'journey', flow: 'f', step: 1, expiresIn: 600, callbacks: [] }
        const proxy = (status) => new Response('<h1>Not here</h1>', { status })
        const restored = async (...list) => {
          sessionStorage.clear()
          const standard = new Cloakroom().instance('standard')
          answers(() => value(page))
          await standard.flow('f')
          sent.length = 0
          answers(...list)
          const first = await standard.restore().then((end) => end?.step ?? null, ({ kind, status }) => kind || status)
          sent.length = 0
          answers(() => value(page))
          return [first, (await standard.restore())?.step ?? null]
        }
        const found = []
        for (const [status, kind] of [[429, 'too-many-requests'], [503, 'busy'], [500, 'internal-error'], [403, 'csrf'], [421, 'misdirected-request'],
          [409, 'session-changed'], [409, 'step-in-progress'], [410, 'flow-expired'], [404, 'unknown-instance']]) {
          found.push(await restored(() => problem(status, kind)))
        }
        for (const status of [502, 504, 404, 410]) found.push(await restored(() => proxy(status)))
        found.push(await restored(...Array(3).fill(() => problem(409, 'session-changed')), () => value(page)))
        sessionStorage.clear()
        return found""")
    kept = ["too-many-requests", "busy", "internal-error", "csrf", "misdirected-request", "session-changed", "step-in-progress"]
    assert found == [[kind, 1] for kind in kept] + [[None, None]] * 2 + [[status, 1] for status in (502, 504, 404, 410)] + [[1, 1]], found


@test
def goes_on_polling_when_another_tab_changed_the_session(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const page = (step, type) => ({ type: 'continue', kind: 'journey', flow: 'f', step, expiresIn: 600,
          callbacks: [{ id: 'c', type, message: 'Wait', waitTime: 100 }] })
        answers(() => problem(409, 'session-changed', { retryAfter: 2 }), () => problem(409, 'step-in-progress', { retryAfter: 3 }),
          () => value(page(1, 'PollingWaitCallback')), () => value(page(2, 'TextOutputCallback')))
        const end = await new Cloakroom().instance('standard').poll(new Page(page(1, 'PollingWaitCallback')), () => {})
        const waited = paused.filter((time) => time > 1000)
        sent.length = 0
        answers(() => problem(409, 'subject-changed'))
        const other = await new Cloakroom().instance('standard').poll(new Page(page(1, 'PollingWaitCallback')), () => {}).catch((error) => error.kind)
        sessionStorage.clear()
        return [end.step, waited, other]""")
    assert found == [2, [2000, 3000], "subject-changed"], found


@test
def goes_on_polling_after_a_lost_poll(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const page = (step, type) => ({ type: 'continue', kind: 'journey', flow: 'f', step, expiresIn: 600,
          callbacks: [{ id: 'c', type, message: 'Wait', waitTime: 100 }] })
        const waits = new Page(page(1, 'PollingWaitCallback'))
        answers(() => { throw new TypeError('lost') }, () => problem(503, 'busy', { retryAfter: 4 }), () => value(page(2, 'TextOutputCallback')))
        const end = await new Cloakroom().instance('standard').poll(waits, () => {})
        answers(() => value(page(2, 'TextOutputCallback')))
        const broken = await new Cloakroom().instance('standard').poll(waits, () => { throw new TypeError('app') }).catch(String)
        answers(() => problem(410, 'flow-expired'))
        const expired = await new Cloakroom().instance('standard').poll(waits, () => {}).catch((error) => error.kind)
        return [end.step, paused.filter((time) => time > 1000), broken, expired]""")
    assert found == [2, [5000, 4000], "TypeError: app", "flow-expired"], found


@test
def survives_a_listener_that_throws(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const room = new Cloakroom()
        const heard = []
        addEventListener('error', (event) => { heard.push('an error'); event.preventDefault() })
        room.onChange(() => { throw new Error('of the app') })
        room.onChange(({ type }) => heard.push(type))
        answers(() => value({ type: 'success', kind: 'journey', signedIn: true }))
        return [(await room.instance('standard').next({ flow: 'f', step: 1 })).type, heard]""")
    assert found == ["success", ["an error", "signed-in"]], found


@test
def runs_one_step_up_at_a_time(browser):
    browser.open()
    browser.find("#login")
    found = browser.run(FAKES + """
        const log = []
        const strong = new Set()
        let asked = 0
        window.fetch = async (address, init) => {
          const goal = await new Request(address, init).text()
          asked += 1
          return strong.has(goal) ? value({}) : problem(403, 'step-up-required', { stepUp: { ...offer.stepUp, for: goal } })
        }
        let open = 0
        const room = new Cloakroom({ stepUp: async ({ for: goal }) => {
          log.push(goal + ' ' + ++open)
          // All calls have been refused before the first step-up ends.
          for (let ticks = 0; ticks < 20; ticks += asked < 6 ? 0 : 1) await new Promise((done) => real(done))
          open -= 1
          if (goal === 'never') throw new Error('cancelled')
          strong.add(goal)
          return true
        } })
        const pay = (goal) => room.fetch('/api/pay', { method: 'POST', body: goal }).then(({ status }) => status, (error) => error.message)
        const all = await Promise.all(['high', 'high', 'never', 'never', 'gold', 'high'].map(pay))
        strong.clear()
        return [all, [...log], await pay('high'), log.length]""")
    assert found == [[200, 200, "cancelled", "cancelled", 200, 200], ["high 1", "never 1", "gold 1"], 200, 4], found


# The twenty lines of docs/spa.md, as they stand there.

class TwentyLines:
    def __init__(self, app):
        text = (ROOT / "docs/spa.md").read_text()
        self.folder = tempfile.TemporaryDirectory()
        for name, kind in ("index.html", "html"), ("shop.js", "js"):
            with open(f"{self.folder.name}/{name}", "w", encoding="utf-8") as file:
                file.write(re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL).group(1))
        shutil.copy(app / "cloakroom.js", self.folder.name)
        self.demo = Demo(self.folder.name)

    def end(self):
        self.demo.end()
        self.folder.cleanup()


@test
def the_twenty_lines_sign_in_and_take_no_link_by_themselves(browser):
    lines = TwentyLines(browser.demo.app)
    other = Browser(lines.demo)
    try:
        other.open("/?suspendedId=of-someone-else")
        boxes = other.until(lambda: other.driver.find_elements("css selector", "input"), "no input")
        names = other.driver.execute_script("return [...document.querySelectorAll('input')].map((one) => one.labels.length)")
        assert names == [1, 1], names
        boxes[0].send_keys("demo")
        boxes[1].send_keys(PASSWORD)
        other.button("Continue")
        other.sees("Hello, Dana Demo")
        other.driver.refresh()
        other.sees("Hello, Dana Demo")
        other.collect()
        asked = [event["params"]["request"]["url"] for event in other.traffic if event["method"] == "Network.requestWillBeSent"]
        assert any(url.endswith("/start") for url in asked), asked
        assert not any(url.endswith("/resume") for url in asked), asked
        frameworks.goes_on(other)
    finally:
        other.end()
        lines.end()


# The sample app.

def counted(browser, name):
    return browser.driver.execute_script("return window.counted[arguments[0]] ?? 0", name)


@test
def pays_once_for_two_clicks(browser):
    browser.sign_in()
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#ledger li")) > 1, "no accounts")
    browser.driver.execute_script(COUNTS + "for (const _ of 'abc') document.querySelector('#pay button').click()")
    browser.type("dialog input", "424242")
    browser.press("dialog button[name=go]")
    browser.sees("The money is on its way.")
    assert counted(browser, "transactions") == 2 and counted(browser, "start") == 1
    browser.driver.execute_script("window.counted = {}; document.getElementById('status').textContent = ''")
    browser.until(lambda: not browser.driver.find_elements("css selector", "#pay [aria-disabled]"), "the form stays busy")
    browser.driver.execute_script("for (const _ of 'abc') document.querySelector('#pay button').click()")
    browser.sees("The money is on its way.")
    assert counted(browser, "transactions") == 1


@test
def says_what_fails_after_the_sign_in(browser):
    browser.begin()
    browser.find("#flow input[type=password]")
    browser.driver.execute_script(
        "const real = window.fetch; window.fetch = (address, init) =>"
        "  String(address).endsWith('/user') ? Promise.reject(new TypeError('lost')) : real(address, init)")
    browser.credentials()
    browser.until(lambda: "cannot be reached" in browser.find("#alert").text, "no message")
    browser.find("#login")


@test
def offers_a_passkey_again_after_a_lost_answer(browser):
    browser.add_passkeys()
    browser.make_passkey()
    browser.begin_passkey()
    browser.sees("Use a passkey")
    browser.driver.execute_script(
        "const real = window.fetch; let lost = 2; window.fetch = (address, init) => String(address).endsWith('/next')"
        "  && lost-- > 0 ? Promise.reject(new TypeError('lost')) : real(address, init)")
    browser.button("Use a passkey")
    browser.sees("cannot be reached")
    browser.button("Use a passkey")
    browser.find("#hello")


POLLED = """
        const page = (step) => ({ type: 'continue', kind: 'journey', flow: 'f', step, expiresIn: 600,
          callbacks: [{ id: 'c', type: 'PollingWaitCallback', message: 'Approve it on your phone', waitTime: 10 }] })
        const value = (object) => new Response(JSON.stringify(object), { headers: { 'Content-Type': 'application/json' } })
        const real = window.fetch
        window.polls = 0
        """


@test
def polls_in_the_dialog_of_a_step_up(browser):
    browser.sign_in()
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#ledger li")) > 1, "no accounts")
    browser.driver.execute_script(POLLED + """
        window.fetch = async (address, init) => {
          const path = new URL(new Request(address, init).url).pathname
          if (path.endsWith('/start') || path.endsWith('/flows/f')) return value(page(1))
          if (!path.endsWith('/next')) return real(address, init)
          window.polls += 1
          if (window.polls < 3) return value(page(window.polls + 1))
          await new Promise((done) => { window.approve = done })
          return value({ type: 'success', kind: 'journey', signedIn: true })
        }""")
    browser.press("#pay button")
    browser.until(lambda: "Approve it" in browser.find("dialog").text, "no page in the dialog")
    browser.until(lambda: browser.driver.execute_script("return window.approve && (window.approve(), true)"), "no poll")
    # The session is no stronger than before: the server refuses the payment again.
    browser.sees("The transfer was not made.")
    assert browser.driver.execute_script("return !document.getElementById('dialog').open && window.polls === 3")


@test
def polls_no_more_when_its_dialog_is_closed(browser):
    browser.sign_in()
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#ledger li")) > 1, "no accounts")
    browser.driver.execute_script(POLLED + """
        window.fetch = async (address, init) => {
          const request = new Request(address, init)
          const path = new URL(request.url).pathname
          if (request.method === 'DELETE') return new Response(null, { status: 204 })
          if (path.endsWith('/start') || path.endsWith('/flows/f')) return value(page(1))
          if (!path.endsWith('/next')) return real(address, init)
          window.polls += 1
          return value(page(1))
        }""")
    browser.press("#pay button")
    polls = "return window.polls"
    browser.until(lambda: browser.driver.execute_script(polls) > 2, "no polls")
    browser.press("#close")
    browser.sees("The transfer was not made.")
    before = browser.driver.execute_script(polls)
    time.sleep(1)
    assert browser.driver.execute_script(polls) <= before + 1


@test
def says_why_a_step_up_broke_off(browser):
    browser.sign_in()
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#ledger li")) > 1, "no accounts")
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/start"]})
    browser.press("#pay button")
    browser.until(lambda: "cannot be reached" in browser.find("#alert").text, "no message")
    assert not browser.driver.execute_script("return document.getElementById('dialog').open")


@test
def draws_hostile_ids_apart_and_clears_old_refusals(browser):
    browser.open()
    browser.find("#login")
    found = browser.run("""
        const [{ draw }, { Page }] = await Promise.all([import('/form.js'), import('/cloakroom.js')])
        const place = document.body.appendChild(document.createElement('div'))
        const sent = []
        const refusals = [{ fields: [{ id: 'a.b', message: 'bad a' }] }, { fields: [{ id: 'a_b', message: 'bad b' }] }]
        const text = (id) => ({ id, type: 'TextCollector', answer: { type: 'string', title: id } })
        const many = { id: 'c', type: 'MultiSelectCollector', label: 'c', options: [
          { value: '\u0434\u0430', label: 'yes' }, { value: '\u043d\u0435', label: 'no' }] }
        draw(place, new Page({ type: 'continue', kind: 'davinci', flow: 'f', step: 1, collectors: [text('a.b'), text('a_b'), many] }),
          { send: async (values) => { sent.push(values.c); throw Object.assign(new Error('m'), refusals.shift()) } })
        const boxes = [...place.querySelectorAll('input')]
        ;[...place.querySelectorAll('label')].find((one) => one.textContent === 'no').click()
        const shown = []
        for (let at = 0; at < 2; at += 1) {
          place.querySelector('form').requestSubmit()
          await new Promise((done) => { const look = () => sent.length > at && !place.querySelector('button:disabled') ? done() : setTimeout(look, 10); look() })
          shown.push(boxes.slice(0, 2).map((one) => one.getAttribute('aria-invalid') + ' '
            + document.getElementById(one.getAttribute('aria-describedby')).textContent))
        }
        return [new Set(boxes.map(({ id }) => id)).size, sent, shown]""")
    assert found == [4, [["не"], ["не"]], [["true bad a", "null "], ["null ", "true bad b"]]], found


@test
def speaks_a_language_that_it_has(browser):
    browser.open()
    browser.find("#login")
    for key in "language", "cloakroom-sample-language":
        for value in "fr", "constructor":
            browser.driver.execute_script("localStorage.setItem(arguments[0], arguments[1])", key, value)
            browser.driver.refresh()
            browser.sees("Sign in by a Journey")


def check_secrets(browser):
    """No script of the page met a policy, and nothing that belongs to the provider reached the browser."""
    browser.collect()
    refused = [line for line in browser.console if "Content Security Policy" in line]
    assert not refused, refused
    words = re.compile(r"eyJ[\w-]{8,}\.eyJ|authId|c5a8f09d31e7b264|access_token|refresh_token|id_token")
    for line in browser.console:
        assert not words.search(line), f"console: {line}"
    ours = browser.demo.address
    for event in browser.traffic:
        if event["method"] not in ("Network.requestWillBeSent", "Network.responseReceived"):
            continue
        place = event["params"].get("request", event["params"].get("response", {}))
        if not place.get("url", "").startswith(ours) or "suspendedId" in str(place):
            continue
        assert not words.search(str(place)), f"{event['method']}: {place['url']}"
        if event["method"] == "Network.responseReceived" and "/bff/" in place["url"]:
            try:
                body = browser.driver.execute_cdp_cmd("Network.getResponseBody", {"requestId": event["params"]["requestId"]})["body"]
            except Exception:  # the browser has forgotten the bodies of pages that it left
                continue
            assert not words.search(body), f"body of {place['url']}"
    kept = browser.driver.execute_script(
        "try { return JSON.stringify([{...sessionStorage}, {...localStorage}]) } catch { return '' }")
    assert not words.search(kept), kept


def attempt(one, app):
    """Runs a test with a demo and a browser of its own; true if it passed."""
    start = time.monotonic()
    name = one.__name__.replace("_", " ")
    page = contextlib.nullcontext(app) if one in TESTS else one.opens(app)
    browser = demo = None
    try:
        with page as folder:
            demo = Demo(folder)
        browser = Browser(demo)
        one(browser)
        (check_secrets if one in TESTS else ping.check)(browser)
        print(f"ok    {name} ({time.monotonic() - start:.1f} s)", flush=True)
        return True
    except Exception:
        text = f"FAIL  {name}\n{traceback.format_exc()}"
        if browser:
            browser.shot("failed " + name)
            browser.collect()
            text += "\n".join(browser.console[-10:])
        print(text, flush=True)
        return False
    finally:
        if browser:
            browser.end()
        if demo:
            demo.end()


def main():
    app, *words = sys.argv[1:]
    chosen = [one for one in TESTS + ping.CASES if not words or any(word in one.__name__ for word in words)]
    if not chosen:
        sys.exit("no test has that name")
    skipped = [one for one in chosen if one in ping.CASES and one.missing]
    chosen = [one for one in chosen if one not in skipped]
    # The long ones first, so that no worker is left alone with one at the end.
    chosen.sort(key=lambda one: not one.__name__.startswith("walks_"))
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
        passed = sum(workers.map(lambda one: attempt(one, app), chosen))
    print(f"{passed} of {len(chosen)} browser tests passed in {time.monotonic() - began:.0f} s, {WORKERS} at a time")
    for reason in sorted({one.missing for one in skipped}):
        print(f"SKIPPED {sum(one.missing == reason for one in skipped)} tests of {reason}")
    sys.exit(0 if passed == len(chosen) else 1)


main()
