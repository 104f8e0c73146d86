#!/usr/bin/env python3
"""Tries the sample app in Chromium: run.py APP-FOLDER [WORDS OF TEST NAMES]."""

import re
import sys
import time
import traceback

from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from web import PASSWORD, Browser, Demo

TESTS = []


def test(function):
    TESTS.append(function)
    return function


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
    options = VirtualAuthenticatorOptions()
    options.protocol = "ctap2"
    options.has_resident_key = options.has_user_verification = options.is_user_verified = True
    browser.driver.add_virtual_authenticator(options)
    browser.begin("standard RegisterDevice")
    browser.credentials()
    browser.button("Create a passkey")
    browser.find("#hello")
    browser.press("#logout")
    browser.find("#login")
    browser.begin("standard Passkey")
    browser.type("#flow input", "demo")
    browser.press("#flow button[name=go]")
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
def warns_before_the_session_ends(browser):
    browser.begin()
    browser.find("#flow input[type=password]")
    # The warning is due at once; all other timers keep their time.
    browser.driver.execute_script(
        "const real = setTimeout; let is = true;"
        "window.setTimeout = (work, time) => real(work, is && time > 600000 && time % 1000 === 0 ? (is = false, 0) : time)")
    browser.credentials()
    browser.press("#stay")
    browser.until(lambda: not browser.driver.find_element("id", "expiry").is_displayed(), "the warning stays")
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
          const request = address instanceof Request ? address : new Request(address, init)
          sent.push([request.headers.has('X-CSRF'), init.credentials ?? request.credentials])
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
def repeats_a_call_once_with_its_body(browser):
    browser.open()
    browser.find("#login")
    sent = browser.driver.execute_async_script("""
        const done = arguments[0]
        const problem = (kind, more) => new Response(JSON.stringify({ type: '/problems/' + kind, status: 403, ...more }),
          { status: 403, headers: { 'Content-Type': 'application/problem+json' } })
        const stepUp = { stepUp: { instance: 'a', start: '/a/start', for: 'x' } }
        const bodies = []
        let stepUps = 0
        window.fetch = async (address, init) => {
          bodies.push(new TextDecoder().decode(init.body))
          return bodies.length === 1 ? problem('session-changed') : problem('step-up-required', stepUp)
        }
        import('/cloakroom.js').then(async ({ Cloakroom }) => {
          const room = new Cloakroom({ stepUp: async () => { stepUps += 1; return true } })
          const answer = await room.fetch('/api/pay', { method: 'POST', body: 'money' })
          done([bodies, stepUps, answer.status])
        })""")
    assert sent == [["money"] * 3, 1, 403], sent


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


def main():
    app, *words = sys.argv[1:]
    chosen = [one for one in TESTS if not words or any(word in one.__name__ for word in words)]
    if not chosen:
        sys.exit("no test has that name")
    failed = []
    began = time.monotonic()
    for one in chosen:
        start = time.monotonic()
        name = one.__name__.replace("_", " ")
        demo = Demo(app)
        browser = None
        try:
            browser = Browser(demo)
            one(browser)
            check_secrets(browser)
            print(f"ok    {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception:
            failed.append(name)
            print(f"FAIL  {name}", flush=True)
            traceback.print_exc()
            if browser:
                browser.shot("failed " + name)
                browser.collect()
                print("\n".join(browser.console[-10:]), file=sys.stderr)
        finally:
            if browser:
                browser.end()
            demo.end()
    print(f"{len(chosen) - len(failed)} of {len(chosen)} browser tests passed in {time.monotonic() - began:.0f} s")
    sys.exit(1 if failed else 0)


main()
