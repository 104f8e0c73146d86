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
    browser.open()
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
    link = re.search(r"suspendedId=[^\s\"&]+", str(browser.demo.simulator("/simulator/outbox"))).group()
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
    chosen = [one for one in TESTS if all(word in one.__name__ for word in words)]
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
