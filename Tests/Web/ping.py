"""Tries pages that use Ping's clients for JavaScript against the demo (docs/migrating-from-javascript.md).

The pages are bundles that are no part of the repository: PINGJS names their folder, ../shared/pingjs unless set. Where
it is absent, these tests are skipped, and their count is said.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import tempfile

from web import PASSWORD, ROOT

PLACES = [os.environ.get("PINGJS"), ROOT.parent / "shared" / "pingjs"]
FOLDER = next((pathlib.Path(place) for place in PLACES if place and pathlib.Path(place).is_dir()), None)
CASES = []
PAGE = '<!doctype html><title>Ping</title><div id="app"></div><script type="module" src="/page.js"></script>\n'
TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]*")


def case(bundle):
    def add(function):
        function.opens = lambda app: App(bundle)
        function.missing = None if FOLDER else "Ping's pages: there is no folder ../shared/pingjs"
        CASES.append(function)
        return function
    return add


class App:
    """A folder with the page and its bundle, for as long as a test runs."""

    def __init__(self, bundle):
        self.folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(self.folder.name)
        (place / "index.html").write_text(PAGE)
        shutil.copy(FOLDER / bundle, place / "page.js")
        for name in place.iterdir():
            name.chmod(0o644)

    def __enter__(self):
        return self.folder.name

    def __exit__(self, *_):
        self.folder.cleanup()


def fill(browser, user="demo", password=PASSWORD):
    browser.type("input[type=text]", user)
    browser.type("input[type=password]", password)
    browser.button("Next")


def stored(browser):
    return browser.driver.execute_script("return JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")


JOURNEY = case("spa-journey-bff.js")


@JOURNEY
def journey_signs_in_and_out(browser):
    browser.open()
    fill(browser)
    browser.sees("Hello Dana Demo (token)")
    kept = json.loads(stored(browser))
    assert kept[2] == "" and "pic-spa" in kept[0], kept
    assert json.loads(kept[0]["pic-spa"])["accessToken"].startswith("eyJ"), kept
    browser.button("Sign out")
    browser.find("input[type=password]")
    assert "pic-spa" not in json.loads(stored(browser))[0]
    browser.open()
    browser.find("input[type=password]")


@JOURNEY
def journey_says_that_a_password_is_wrong(browser):
    browser.open()
    fill(browser, password="wrong")
    browser.sees("Failed: ")
    assert "Hello" not in browser.text()


@JOURNEY
def journey_shows_failed_policies(browser):
    browser.open("/?journey=Registration")
    browser.find("input")
    for box in browser.driver.find_elements("css selector", "input"):
        box.send_keys("x")
    browser.button("Next")
    browser.until(lambda: re.search(r"MIN_LENGTH|VALID_|CHARACTER|LEAST|UNIQUE", browser.text()), "no failed policy")
    browser.find("input")


@JOURNEY
def journey_goes_on_with_a_session_after_a_reload(browser):
    browser.open()
    fill(browser)
    browser.sees("Hello Dana Demo")
    browser.driver.refresh()
    browser.sees("Hello Dana Demo (token)")
    browser.open("/?ForceAuth=true")
    browser.find("input[type=password]")


@JOURNEY
def journey_polls_until_the_device_approves(browser):
    browser.open("/?journey=Push")
    fill(browser)
    browser.sees("Hello Dana Demo")


@JOURNEY
def journey_placeholders_open_nothing_without_the_cookie(browser):
    browser.open()
    fill(browser)
    browser.sees("Hello Dana Demo")
    call = """
        const token = JSON.parse(localStorage['pic-spa']).accessToken
        const answer = await fetch('/api/accounts', { headers: { 'X-CSRF': '1', Authorization: `Bearer ${token}` } })
        return answer.status"""
    assert browser.run(call) == 200
    browser.driver.delete_all_cookies()
    assert browser.run(call) == 401


@JOURNEY
def journey_learns_by_a_frame_that_the_user_is_signed_in(browser):
    ask = """
        const frame = document.createElement('iframe')
        const back = encodeURIComponent(location.origin + '/callback')
        frame.src = '/bff/standard/am/oauth2/alpha/authorize?response_type=id_token&prompt=none&client_id=spa&nonce=n1'
          + '&scope=openid&state=s1&redirect_uri=' + back
        document.body.append(frame)
        await new Promise((done) => { frame.onload = done })
        return frame.contentWindow.location.href"""
    browser.open()
    browser.find("input[type=password]")
    assert "error=login_required" in browser.run(ask)
    fill(browser)
    browser.sees("Hello Dana Demo")
    address = browser.run(ask)
    assert "/callback#id_token=eyJ" in address and address.endswith("&state=s1"), address


DAVINCI = case("spa-davinci-bff.js")
HELLO = '"email":"demo@example.com"} (token)'
FLOW = "/?wellknown=/bff/workforce/davinci/env/as/.well-known/openid-configuration"


def flow(browser, more=""):
    browser.open(FLOW.replace("=/bff", "=" + browser.demo.address + "/bff") + more)


def sign_on(browser, user="demo", password=PASSWORD):
    browser.type("input[type=text]", user)
    browser.type("input[type=password]", password)
    browser.driver.execute_script("document.querySelector('input').id = 'old'")
    browser.driver.find_elements("css selector", "button")[0].click()
    browser.until(lambda: not browser.driver.find_elements("id", "old"), "the page stays")


@DAVINCI
def davinci_signs_in_and_out(browser):
    flow(browser)
    browser.find("input[type=password]")
    sign_on(browser)
    browser.sees(HELLO)
    browser.button("Sign out")
    browser.find("input[type=password]")
    assert "pic-spa" not in json.loads(stored(browser))[0]


@DAVINCI
def davinci_shows_a_refusal_and_takes_another_answer(browser):
    flow(browser)
    browser.find("input[type=password]")
    for password in "wrong", "wrong", PASSWORD:
        sign_on(browser, password=password)
        if password == "wrong":
            browser.sees("Error: ")
    browser.sees(HELLO)


@DAVINCI
def davinci_goes_on_with_a_session_after_a_reload(browser):
    flow(browser)
    browser.find("input[type=password]")
    sign_on(browser)
    browser.sees(HELLO)
    browser.driver.refresh()
    browser.sees(HELLO)


def check(browser):
    """The browser got no token of the provider: not in its storages, in no answer and in no line of the console."""
    browser.collect()
    texts = [stored(browser)] + browser.console
    for event in browser.traffic:
        if event["method"] != "Network.responseReceived":
            continue
        response = event["params"]["response"]
        if not response["url"].startswith(browser.demo.address) or "/bff/" not in response["url"]:
            continue
        texts.append(str(response.get("headers")))
        try:
            texts.append(browser.driver.execute_cdp_cmd(
                "Network.getResponseBody", {"requestId": event["params"]["requestId"]})["body"])
        except Exception:  # the browser has forgotten the bodies of pages that it left
            continue
    assert len(texts) > 3, "no answer was looked at"
    for text in texts:
        for word in "tokenId", "refresh_token", "c5a8f09d31e7b264", "interactionToken\":\"ey":
            assert word not in text, f"{word}: {text[:400]}"
        for found in TOKEN.findall(text):
            head = found.split(".")[0]
            assert json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4))).get("alg") == "placeholder", found
