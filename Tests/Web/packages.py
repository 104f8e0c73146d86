"""Pages of our own on Ping's packages: passkeys, another provider and a step-up, on the former SDK as well.

`Ping` has their sources. The packages are no part of the repository: PING_PACKAGES names a node_modules that has them,
and test-web takes the one of its kit. Where there is none, these tests are skipped, and their count is said.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import ping
from frameworks import block
from web import PASSWORD, ROOT

PACKAGES = os.environ.get("PING_PACKAGES", "")
SOURCES = pathlib.Path(__file__).with_name("Ping")


class Bundle:
    """A folder with a page, its bundle and the client, for as long as a test runs."""

    def __init__(self, name, app):
        self.folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(self.folder.name)
        source = SOURCES / f"{name}.js"
        if name == "documented":
            # The lines of the document, between their imports and what shows that they work.
            source = place / "documented.js"
            source.write_text(
                "import { journey } from '@forgerock/journey-client'\nimport { oidc } from '@forgerock/oidc-client'\n"
                + block("migrating-from-javascript.md", "js") + "let step\n" + block("migrating-from-javascript.md", "js", 1)
                + "step ??= await client.start({ journey: 'Login' })\n"
                "document.getElementById('app').append(`${step.type} ${step.callbacks?.length} ${await tokens.authorize.url()} ${step.getMessage?.()}`)\n")
        (place / "index.html").write_text(ping.PAGE)
        shutil.copy(pathlib.Path(app) / "cloakroom.js", place)
        subprocess.run(["esbuild", "--bundle", "--format=esm", "--target=es2022", "--external:/cloakroom.js", "--log-level=error",
                        f"--outfile={place}/page.js", str(source)], check=True, env={**os.environ, "NODE_PATH": PACKAGES})

    def __enter__(self):
        return self.folder.name

    def __exit__(self, *_):
        self.folder.cleanup()


def on(*names):
    """A test of each page: its function gets the browser, and is listed under the name of the page."""
    def add(function):
        for name in names:
            def one(browser, name=name):
                function(browser)
            one.__name__ = f"{name}_page_{function.__name__}"
            one.opens = lambda app, name=name: Bundle(name, app)
            one.missing = None if PACKAGES else "Ping's packages: PING_PACKAGES names none"
            ping.CASES.append(one)
        return function
    return add


def fill(browser, *values):
    """Fills in the fields from first to last."""
    boxes = browser.until(lambda: [one for one in browser.driver.find_elements("css selector", "#app input")][:len(values)], "no field")
    for box, value in zip(boxes, values, strict=True):
        box.send_keys(value)


def sign_in(browser, user="demo", password=PASSWORD):
    browser.find("#app input[type=password]")
    fill(browser, user, password)
    browser.button("Next")


def goes_by_another_provider(browser):
    browser.until(lambda: "/social/authorize" in browser.driver.current_url, "not at the other provider")
    browser.type("input:not([type=hidden])", "demo")
    browser.press("button, input[type=submit]")


def functions():
    """The functions of Ping's packages for an app, by their types."""
    place = pathlib.Path(PACKAGES) / "@forgerock"
    names = set()
    for name in "journey-client/dist/src/lib/client.store.d.ts", "oidc-client/dist/src/lib/client.store.d.ts", \
            "davinci-client/dist/src/lib/client.store.d.ts":
        text = re.sub(r"/\*.*?\*/", "", (place / name).read_text(), flags=re.DOTALL)
        names |= set(re.findall(r"^    +(\w+): (?:<[^(]*>)?\(", text, re.MULTILINE))
    for name in ("auth", "config", "fr-auth", "fr-user", "http-client", "oauth2-client", "session-manager", "token-manager", "token-storage",
                 "user-manager"):
        text = (place / "javascript-sdk/dist" / name / "index.d.ts").read_text()
        names |= set(re.findall(r"^    static (\w+)(?:<.*?>)?\(", text, re.MULTILINE))
    exported = re.findall(r"^export \{(.*?)\};", (place / "javascript-sdk/dist/index.d.ts").read_text(), re.MULTILINE | re.DOTALL)[0]
    names |= {name.strip() for name in exported.split(",")} - {""}
    step = (place / "journey-client/dist/src/lib/step.types.d.ts").read_text()
    return names | set(re.findall(r"^    (\w+): (?:<[^(]*>)?\(", step, re.MULTILINE))


@on("documented")
def runs_as_it_stands_there(browser):
    browser.open()
    browser.sees("Step 2 " + browser.demo.address + "/bff/standard/am/oauth2/alpha/authorize?")


@on("journey")
def has_each_function_in_the_document(browser):
    page = re.sub(r"```.*?```", "", (ROOT / "docs/migrating-from-javascript.md").read_text(), flags=re.DOTALL)
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", page))))
    found = functions()
    assert len(found) > 60 and {"background", "pollStatus", "getOAuth2Tokens", "FRAuth", "getStage"} <= found, sorted(found)
    # Classes of callbacks and lists of constants are parts of a step, and call nothing.
    missing = {name for name in found - words if not re.search(r"Callback$|Type$|Code$|Key$|Outcome$|^StepOptions$", name)}
    assert not missing, sorted(missing)
    browser.open()
    browser.find("#app input")


@on("journey", "legacy")
def registers_a_passkey_and_signs_in_with_it(browser):
    browser.add_passkeys()
    browser.open("/?journey=RegisterDevice")
    sign_in(browser)
    browser.button("Make a passkey")
    browser.sees("Hello Dana Demo (token)")
    browser.button("Sign out")
    browser.find("#app input[type=password]")
    browser.open("/?journey=Passkey")
    browser.find("#app input")
    fill(browser, "demo")
    browser.button("Next")
    browser.button("Use a passkey")
    browser.sees("Hello Dana Demo (token)")


@on("journey", "legacy")
def comes_back_from_another_provider(browser):
    browser.open("/?journey=Social")
    browser.button("Leave")
    goes_by_another_provider(browser)
    browser.sees("Hello Dana Demo (token)")


@on("journey", "legacy")
def steps_up_and_pays(browser):
    browser.open()
    sign_in(browser)
    browser.sees("Hello Dana Demo (token)")
    browser.button("Pay")
    browser.find("#app input[aria-label=Code]")
    fill(browser, "424242")
    browser.button("Confirm")
    browser.sees("Paid: true")
    # The stronger sign-in is the server's: the page still has the placeholders of its own.
    browser.button("Sign out")
    browser.find("#app input[type=password]")
    assert browser.run("return (await fetch('/api/accounts', { headers: { 'X-CSRF': '1' } })).status") == 401


@on("davinci")
def steps_up_and_pays_beside_its_flow(browser):
    browser.open()
    browser.find("#app input[type=password]")
    fill(browser, "demo", PASSWORD)
    browser.button("Sign On")
    browser.sees("Hello demo@example.com (token)")
    browser.button("Pay")
    browser.find("#app input[aria-label=Code]")
    fill(browser, "424242")
    browser.button("Confirm")
    browser.sees("Paid: true")
    browser.button("Sign out")
    browser.find("#app input[type=password]")
    assert browser.run("return (await fetch('/api/workforce/accounts', { headers: { 'X-CSRF': '1' } })).status") == 401


@on("journey")
def asks_about_its_session_and_gives_its_token_up(browser):
    browser.open()
    sign_in(browser)
    browser.sees("Hello Dana Demo (token)")
    browser.button("Check")
    browser.sees("Checked: ")
    none, token, url, renewed, revoked = json.loads(browser.text().split("Checked: ")[1].split("\n")[0])
    assert none == {"responseType": "none"}, none
    assert token["responseType"] == "id_token" and token["claims"]["placeholder"].startswith("This is no token"), token
    assert url.startswith(browser.demo.address + "/bff/standard/am/oauth2/alpha/authorize?"), url
    assert renewed["accessToken"].startswith("eyJ") and "error" not in revoked, (renewed, revoked)
    # The server has no token any more.
    assert browser.run("return (await fetch('/bff/standard/user', { headers: { 'X-CSRF': '1' } })).status") == 401


@on("legacy")
def says_that_a_password_is_wrong(browser):
    browser.open()
    sign_in(browser, password="wrong")
    browser.sees("Failed: ")
    assert "Hello" not in browser.text()


@on("davinci")
def registers_a_passkey_and_uses_it(browser):
    browser.add_passkeys()
    browser.open("/?policy=Passkey")
    browser.button("Make a passkey")
    browser.find("#app input[type=password]")
    fill(browser, "demo", PASSWORD)
    browser.button("Sign On")
    browser.button("Make it")
    browser.sees("Hello demo@example.com (token)")
    browser.button("Sign out")
    browser.button("Use a passkey")
    browser.button("Use it")
    browser.sees("Hello demo@example.com (token)")


@on("davinci")
def comes_back_from_the_provider_of_a_form(browser):
    browser.open("/?policy=Social")
    browser.button("Sign in with Google")
    goes_by_another_provider(browser)
    browser.sees("Hello demo@example.com (token)")
