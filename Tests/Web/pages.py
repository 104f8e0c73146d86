"""Every journey and every flow of the simulator through the sample app, each of its pages looked at by axe's rules."""

import base64
import hashlib
import hmac
import os
import pathlib
import struct
import time
import urllib.parse

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from web import PASSWORD, test

AXE = os.environ.get("AXE", "")
DEMO = {"User Name": "demo", "Password": PASSWORD}
FORM = {"Username": "demo", "Password": PASSWORD}
HELLO = "Hello, Dana Demo"


class Looks:
    """Counts what axe looked at: rules that never looked prove nothing."""

    def __init__(self):
        self.pages = self.passes = 0

    def at(self, browser, where):
        if not AXE:
            return
        if not browser.driver.execute_script("return Boolean(window.axe)"):
            browser.driver.execute_script(pathlib.Path(AXE).read_text())
        found = browser.driver.execute_async_script(
            "const done = arguments[0];"
            "Promise.all(document.getAnimations().map((one) => one.finished)).then(() => axe.run(document, { resultTypes: ['violations', 'passes'] })).then("
            "({ violations, passes }) => done({ passes: passes.length, violations: violations.map("
            "({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`) }),"
            "(error) => done({ passes: 0, violations: [String(error)] }))")
        assert not found["violations"], f"{where}: {found['violations']}"
        self.pages += 1
        self.passes += found["passes"]


def fill(browser, answers):
    """Fills in the fields with these labels, all that have the same one."""
    for text, answer in answers.items():
        def boxes():
            return [box for box in browser.driver.find_elements(By.CSS_SELECTOR, "#flow input, #flow select, #flow textarea")
                    if box.is_displayed() and text in browser.driver.execute_script(
                        "return [...arguments[0].labels].map((label) => label.innerText.trim())", box)]
        found = browser.until(boxes, f"no field {text!r}")
        if callable(answer):
            answer = answer(browser)
        for box in found:
            if box.tag_name == "select":
                Select(box).select_by_visible_text(answer)
            elif box.get_attribute("type") == "checkbox":
                if box.is_selected() != answer:
                    box.click()
            else:
                box.clear()
                box.send_keys(answer)


def one_time_code(browser):
    """The code of the authenticator app whose address the page before has shown (RFC 6238, SHA-256)."""
    query = urllib.parse.parse_qs(urllib.parse.urlparse(browser.address_of_app).query)
    secret = query["secret"][0]
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    mac = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha256).digest()
    at = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[at:at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def mailed_code(browser):
    """The last code that the simulator has sent by mail."""
    def codes():
        return [message["code"] for message in browser.demo.simulator("/simulator/outbox")["messages"] if "code" in message]
    return browser.until(codes, "no code in the outbox")[0]


def note_app(browser):
    browser.address_of_app = browser.find("#flow code").text


# For each way: the pages, as answers by label and the button that sends them, and the text at the end. A function in
# place of a page does something in between; one in place of an answer says it.
SIGN_IN = (DEMO, "Continue")
WAYS = {
    "standard Login": ([SIGN_IN], HELLO),
    "standard LoginRetry": ([({"User Name": "demo", "Password": "wrong"}, "Continue"), SIGN_IN], HELLO),
    "standard Registration": ([
        ({"Username": "demo", "Password": PASSWORD, "E-mail address": "new@example.com", "Age": "42", "Answer": "none",
          "Yes (1.0)": True}, "Continue"),
        "The value is taken already.",
        ({"Username": "newcomer", "Password": "short", "Answer": "none", "Yes (1.0)": True, "Age": "old"}, "Continue"),
        "number",
        ({"Username": "newcomer", "Password": PASSWORD, "Answer": "none", "Age": "42", "Yes (1.0)": True}, "Continue"),
    ], "Hello, New newcomer"),
    "standard Profile": ([SIGN_IN, ({"Shoe size": "42,5", "Send me news": True}, "Continue")], HELLO),
    "standard PolicyRefusal": ([
        ({**DEMO, "E-mail address": "none", "Last name": "D"}, "Continue"),
        ], "The value is no valid e-mail address. The value needs 2 characters or more."),
    "standard Consent": ([SIGN_IN, ({"Billing: May Billing see your name and address?": True}, "Continue")], HELLO),
    "standard Kitchen": ([({"Choose your color": "green", "Your nickname": "Dee"}, "Continue"), "Hello Dee", SIGN_IN], HELLO),
    "standard Strange": ([SIGN_IN], HELLO),
    "standard Localised": ([(DEMO, "Sign in")], HELLO),
    "standard Polling": ([SIGN_IN, "Waiting"], HELLO),
    # The device of alice takes longest to approve, so that there is time for the exit.
    "standard Push": ([({**DEMO, "User Name": "alice"}, "Continue"), "Confirm on your device", ({}, "Use a code"),
                       ({"One Time Password": "424242"}, "Continue")], "(usr!alice)"),
    "standard Totp": ([SIGN_IN, note_app, ({}, "Next"), ({"One Time Password": one_time_code}, "Continue")], HELLO),
    "standard RecoveryCodes": ([SIGN_IN, ({}, "Done")], HELLO),
    "standard DeviceProfile": ([SIGN_IN, ({}, "Continue")], HELLO),
    "standard Captcha": ([SIGN_IN, "another vendor", ({}, "Continue")], "The page did not do its part"),
    "standard Protect": ([SIGN_IN, ({}, "Continue"), ({}, "Continue")], "The page did not do its part"),
    "standard Recognize": ([SIGN_IN, "another vendor", ({}, "Continue")], "The page did not do its part"),
    "standard Binding": ([SIGN_IN, "native app", ({}, "Continue"), ({"One Time Password": "424242"}, "Continue")], HELLO),
    "standard RegisterDevice": ([SIGN_IN, ({}, "Create a passkey")], HELLO),
    "standard Passkey": ([({"User Name": "demo"}, "Continue"), ({}, "Use a passkey")], HELLO),
    "standard LegacyWebAuthn": ([SIGN_IN, ({}, "Use a passkey")], HELLO),
    "standard SelectProvider": ([SIGN_IN], HELLO),
    "standard CustomFailure": ([SIGN_IN], "Your contract has ended."),
    "workforce SignOn": ([(FORM, "Sign On")], "Hello, demo"),
    "workforce SignOnForms": ([(FORM, "Sign On")], "Hello, demo"),
    "workforce Registration": ([
        ({"Username": "newcomer", "Email": "new@example.com", "Password": PASSWORD, "Repeat": PASSWORD, "Country": "DE", "news": True,
          "Phone": "7911123456", "I agree": True}, "Register"), ({"Code": mailed_code}, "Confirm"),
        ({"Number": "12345678"}, "Finish")], "Hello"),
    "workforce Mfa": ([(FORM, "Sign On"), ({}, "Email d***@example.com"), ({"Code": mailed_code}, "Confirm")], "Hello, demo"),
    "workforce Push": ([(FORM, "Sign On"), ({}, "Phone")], "Hello, demo"),
    "workforce Approval": ([(FORM, "Sign On"), "Waiting for approval"], "Hello, demo"),
    "workforce Passkey": ([({}, "Make a passkey"), (FORM, "Sign On"), ({}, "Create a passkey")], "Hello, demo"),
    "workforce Protect": ([(FORM, "Sign On"), "another vendor", ({}, "Go on")], "No signals were sent"),
    "workforce Texts": ([(FORM, "Sign On")], "Hello, demo"),
    # The last one, because it changes the password.
    "workforce Reset": ([
        ({"Username": "demo"}, "Send a code"), ({"Code": mailed_code}, "Confirm"),
        ({"New password": "N3w-Passw0rd!", "Repeat": "N3w-Passw0rd!"}, "Save")], "Hello, demo"),
}
# These leave the page, or need a second browser, and have tests of their own.
ELSEWHERE = {"standard Social", "standard SocialPost", "standard EmailLink", "standard PasskeyAutofill", "workforce Social"}


def walk(browser, looks, way, pages, end):
    browser.driver.delete_all_cookies()
    browser.open()
    browser.driver.execute_script("sessionStorage.clear()")
    browser.begin(way)
    for number, page in enumerate(pages):
        if callable(page):
            page(browser)
        elif isinstance(page, str):
            browser.sees(page)
        else:
            answers, button = page
            browser.find("#flow form")
            fill(browser, answers)
            looks.at(browser, f"{way}, page {number + 1}")
            browser.button(button)
    browser.sees(end)
    looks.at(browser, f"{way}, its end")


def walk_all(browser, client):
    browser.add_passkeys()
    looks = Looks()
    failed = []
    for way, (pages, end) in WAYS.items():
        if way.startswith(client + " "):
            try:
                walk(browser, looks, way, pages, end)
                print(f"      {way}", flush=True)
            except (AssertionError, WebDriverException) as error:
                failed.append(way)
                browser.shot("failed " + way)
                print(f"FAIL  {way}: {str(error)[:1000]}; the page shows: {browser.text()[:600]!r}", flush=True)
    assert not failed, failed
    if AXE:
        assert looks.pages > 10 and looks.passes > 100, f"axe looked at {looks.pages} pages, {looks.passes} rules"
        print(f"      axe looked at {looks.pages} pages: {looks.passes} rules were kept", flush=True)


@test
def walks_through_every_journey(browser):
    walk_all(browser, "standard")


@test
def walks_through_every_davinci_flow(browser):
    walk_all(browser, "workforce")


@test
def offers_no_way_that_is_not_tried(browser):
    browser.open()
    browser.press("summary")
    offered = {option.get_attribute("value") for option in Select(browser.find("#way")).options}
    assert offered == set(WAYS) | ELSEWHERE, offered ^ (set(WAYS) | ELSEWHERE)


@test
def keeps_the_rules_of_accessibility_in_both_colours_and_on_a_narrow_screen(browser):
    looks = Looks()
    for scheme in "light", "dark":
        for width in 320, 1000:
            browser.driver.set_window_size(width, 900)
            browser.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            browser.driver.delete_all_cookies()
            where = f"{scheme}, {width} pixels"
            browser.open()
            browser.find("#login")
            looks.at(browser, where + ", first page")
            browser.press("summary")
            looks.at(browser, where + ", other ways")
            browser.sign_in()
            browser.until(lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, "#ledger li")) > 1, "no accounts")
            looks.at(browser, where + ", home")
            browser.press("#pay button")
            browser.find("dialog input")
            looks.at(browser, where + ", dialog")
            assert browser.driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"), where
    assert not AXE or looks.pages == 16, looks.pages


@test
def signs_in_by_a_passkey_that_the_browser_fills_in(browser):
    browser.add_passkeys("internal")
    browser.make_passkey()
    browser.begin("standard PasskeyAutofill")
    browser.find("#hello")
