"""What the browser tests share: a demo on free ports, Chromium, and words for what a user does."""

import http.server
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.support.ui import Select, WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSWORD = "Ch4ng3it!"
PATIENCE = float(os.environ.get("PATIENCE", "60"))
SHOTS = ROOT / ".build" / "web-screenshots"
TESTS = []

# What a test of the client alone begins with: answers as the server gives them.
FAKES = """
    const { Cloakroom, Page, Problem, Unreachable } = await import('/cloakroom.js')
    const problem = (status, kind, more = {}) => new Response(
      JSON.stringify({ type: '/problems/' + kind, title: kind, status, detail: kind, instance: 'i', ...more }),
      { status, headers: { 'Content-Type': 'application/problem+json', 'X-BFF-Problem': kind,
        ...(more.retryAfter ? { 'Retry-After': String(more.retryAfter) } : {}) } })
    const foreign = (status, type) => new Response(JSON.stringify({ type, title: 'x', status, stepUp: offer.stepUp }),
      { status, headers: { 'Content-Type': 'application/problem+json' } })
    const offer = { stepUp: { instance: 'standard', start: '/standard/start', for: 'high-value' } }
    const value = (object) => new Response(JSON.stringify(object), { headers: { 'Content-Type': 'application/json' } })
    const sent = []
    /** Answers the calls in turn, and every further one like the last. */
    const answers = (...list) => { window.fetch = async (address, init) => {
      const request = new Request(address, init)
      sent.push(request.method === 'GET' ? new URL(request.url).pathname : await request.text())
      return list[Math.min(sent.length, list.length) - 1]()
    } }
    /** Pauses of these milliseconds are over at once, and are noted. */
    const paused = []
    const real = window.setTimeout
    window.setTimeout = (work, time) => real(work, time < 60000 ? (paused.push(time), 0) : time)
"""

# What the page asks the server, by the last part of the path; `window.sessionEnds` has the seconds that are told in place of the server's.
COUNTS = """
    window.counted = {}
    const real = window.fetch
    window.fetch = async (address, init) => {
      const { pathname } = new URL(new Request(address, init).url)
      const name = pathname.split('/').pop()
      window.counted[name] = (window.counted[name] ?? 0) + 1
      if (name !== 'session' || !window.sessionEnds) return real(address, init)
      const session = await (await real(address, init)).json()
      const all = window.sessionEnds > 0 ? session.instances : []
      return new Response(JSON.stringify({ ...session, instances: all, expiresIn: { idle: window.sessionEnds, absolute: 36000 } }))
    }
"""

# Tells the page what the server or another tab says, and waits until all rooms of the page have heard it.
TELL = """
    const tell = (...list) => new Promise((done) => {
      const name = 'cloakroom ' + location.origin + '/bff'
      const [mouth, ear] = [new BroadcastChannel(name), new BroadcastChannel(name)]
      ear.onmessage = ({ data }) => { if (data.type === 'last') { mouth.close(); ear.close(); done() } }
      for (const change of [...list, { type: 'last' }]) mouth.postMessage(change)
    })
"""


def test(function):
    """Marks a function as a test; it gets a browser at a demo of its own."""
    TESTS.append(function)
    return function


class Demo:
    """Server, simulator and ledger in one process, on free ports."""

    def __init__(self, app, *more):
        self.app = pathlib.Path(app)
        program = os.environ.get("DEMO", str(ROOT / ".build/debug/cloakroom-demo"))
        ports = [word for name in ("", "admin-", "simulator-", "ledger-") for word in (f"--{name}port", "0")]
        self.process = subprocess.Popen(
            [program, *ports, "--json", "--files", str(app), *more], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("ready "):
                self.places = json.loads(line[6:])
                break
        else:
            raise RuntimeError(f"the demo ended with {self.process.wait()}")
        self.address = self.places["cloakroom"]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def simulator(self, path):
        with urllib.request.urlopen(self.places["simulator"] + path, timeout=PATIENCE) as answer:
            return json.load(answer)


class Origin:
    """A server with an empty page, the client, and answers of a test: `answer(number)` is the status, the body that is
    announced and how much of it is sent; the connection then stays open for as long as `holds` says."""

    def __init__(self, app, answer, holds=False):
        self.calls = []
        self.over = threading.Event()
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def respond(self):
                sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.path == "/":
                    return self.write(200, "text/html", b"<!doctype html><title>empty</title>")
                if self.path == "/cloakroom.js":
                    return self.write(200, "text/javascript", (pathlib.Path(app) / "cloakroom.js").read_bytes())
                if not self.path.startswith(("/bff/", "/api/")):
                    return self.write(404, "text/plain", b"")
                origin.calls.append((self.command, self.path, sent.decode()))
                status, body, count = answer(len(origin.calls))
                self.write(status, "application/json", body.encode(), count)
                if count is not None and holds:
                    origin.over.wait(PATIENCE)
                return None

            do_GET = do_POST = respond

            def write(self, status, kind, body, count=None):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:count])
                self.wfile.flush()
                self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """One Chromium with a profile of its own."""

    def __init__(self, demo, blocks_cookies=False, words=()):
        self.demo = demo
        options = webdriver.ChromeOptions()
        if blocks_cookies:
            options.add_experimental_option("prefs", {"profile.default_content_setting_values.cookies": 2})
        options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=en",
                     "--window-size=1000,1000", f"--user-data-dir={self.profile.name}", *words):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(PATIENCE)
        self.traffic, self.console = [], []

    def end(self):
        self.collect()
        self.driver.quit()
        self.profile.cleanup()

    def collect(self):
        """Reads the logs of the browser, which it empties."""
        self.traffic += [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        self.console += [entry["message"] for entry in self.driver.get_log("browser")]

    # MARK: Waiting

    def until(self, condition, what):
        def look(_):
            try:
                return condition()
            except StaleElementReferenceException:
                return None
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(look, f"{what}; the page shows: {self.text()[:400]!r}")

    def text(self):
        return self.driver.execute_script("return document.body ? document.body.innerText : ''")

    def find(self, css):
        """The visible element for a selector."""
        def visible():
            return next((one for one in self.driver.find_elements(By.CSS_SELECTOR, css) if one.is_displayed()), None)
        return self.until(visible, f"no {css}")

    def sees(self, text):
        self.until(lambda: text in self.text(), f"no text {text!r}")

    def press(self, css):
        """Clicks what is enabled by then."""
        def pressed():
            one = next((o for o in self.driver.find_elements(By.CSS_SELECTOR, css) if o.is_displayed() and o.is_enabled()), None)
            if one is None:
                return False
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", one)
            one.click()
            return True
        self.until(pressed, f"cannot press {css}")

    def button(self, text):
        """Clicks the enabled button with a text."""
        def pressed():
            for one in self.driver.find_elements(By.CSS_SELECTOR, "button"):
                if one.is_displayed() and one.is_enabled() and one.text.strip() == text:
                    self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", one)
                    one.click()
                    return True
            return False
        self.until(pressed, f"no button {text!r}")

    def type(self, css, text):
        box = self.find(css)
        box.clear()
        box.send_keys(text)

    # MARK: What a user does

    def run(self, script):
        """The value that the body of an async function returns; what it throws is a text with its reason."""
        return self.driver.execute_async_script(
            "const done = arguments[0];"
            "(async () => {" + script + "})().then(done, (error) => done('threw ' + (error.reason ?? error.kind ?? error)))")

    def open(self, path="/"):
        self.driver.get(self.demo.address + path)

    def begin(self, way=None):
        """Opens the app and begins a journey or a flow, "standard Kitchen"."""
        self.open()
        if way is None:
            return self.press("#login")
        self.press("summary")
        Select(self.find("#way")).select_by_value(way)
        self.press("#begin")

    def credentials(self, user="demo", password=PASSWORD, button="#flow button[name=go]"):
        self.type("#flow input[autocomplete~=username]", user)
        self.type("#flow input[type=password]", password)
        self.press(button)

    def sign_in(self, user="demo"):
        self.begin()
        self.credentials(user)
        self.find("#hello")

    def add_passkeys(self, transport="usb"):
        """Adds an authenticator that keeps passkeys and knows its user."""
        options = VirtualAuthenticatorOptions()
        options.transport = transport
        options.protocol = "ctap2"
        options.has_resident_key = options.has_user_verification = options.is_user_verified = True
        self.driver.add_virtual_authenticator(options)

    def make_passkey(self):
        """Registers a passkey for demo, and signs out."""
        self.begin("standard RegisterDevice")
        self.credentials()
        self.button("Create a passkey")
        self.find("#hello")
        self.press("#logout")
        self.find("#login")

    def begin_passkey(self):
        """Begins a sign-in with a passkey, up to the page that asks for it."""
        self.begin("standard Passkey")
        self.type("#flow input", "demo")
        self.press("#flow button[name=go]")

    def shot(self, name):
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SHOTS / f"{name}.png"))

    def new_tab(self):
        self.driver.switch_to.new_window("tab")

    def tab(self, number):
        self.driver.switch_to.window(self.driver.window_handles[number])
