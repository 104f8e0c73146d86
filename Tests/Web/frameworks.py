"""The components, the nginx block and the dev server of the documents, as they stand there: each signs a user in."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from web import COUNTS, PASSWORD, PATIENCE, ROOT, TELL, Browser, Demo, test

PARTS = pathlib.Path(__file__).with_name("Frameworks")
LIBRARIES = {**os.environ, "NODE_PATH": os.environ.get("LIBRARIES", "/usr/share/nodejs")}
CLIENT = ROOT / "web/client"
# The module of Vue 3; without it the component is compiled by Debian's Vue 2.6.
VUE = os.environ.get("VUE", "")
PAGE = '<!doctype html><title>Shop</title><main></main>{}<script type="module" src="/page.js"></script>\n'


def block(document, kind, number=0):
    """A block of code of a document."""
    return re.findall(rf"```{kind}\n(.*?)```", (ROOT / "docs" / document).read_text(), re.DOTALL)[number]


def run(*words, folder=None):
    done = subprocess.run([str(word) for word in words], env=LIBRARIES, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class Place:
    """A folder for a page, with the client, and a demo that serves it."""

    def __init__(self, *words):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.path.chmod(0o755)
        self.words = words
        self.demo = None
        for name in "cloakroom.js", "cloakroom.d.ts":
            shutil.copy(CLIENT / name, self.path)

    def bundle(self, name, before=""):
        shutil.copy(PARTS / f"{name}.js", self.path / "main.js")
        run("esbuild", "--bundle", "--format=esm", "--target=es2022", "--jsx=automatic", "--log-level=error",
            '--define:process.env.NODE_ENV="development"', f"--outfile={self.path}/page.js", "main.js", folder=self.path)
        (self.path / "index.html").write_text(PAGE.format(before))

    def serve(self):
        app = tempfile.TemporaryDirectory(dir=self.path)
        for name in "index.html", "page.js", "render.js", "cloakroom.js":
            if (self.path / name).exists():
                shutil.copy(self.path / name, app.name)
        self.demo = Demo(app.name, *self.words)
        return self.demo

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.demo:
            self.demo.end()
        self.folder.cleanup()


# A tab with a user who is signed in: a return from another site, and an answer whose reload came before the new cookie.
RETURNS = """
    const real = window.fetch
    const answer = (status, body) => new Response(JSON.stringify(body), { status, headers: {
      'Content-Type': status === 200 ? 'application/json' : 'application/problem+json' } })
    let isKnown = false
    window.asked = {}
    window.fetch = async (address, init) => {
      const { pathname } = new URL(new Request(address, init).url)
      const name = pathname.split('/').pop()
      window.asked[name] = (window.asked[name] ?? 0) + 1
      if (name === 'resume') return answer(200, { type: 'continue', kind: 'journey', flow: 'f', step: 2, expiresIn: 600,
        callbacks: [{ id: 'c', type: 'TextInputCallback', answer: { type: 'string', title: 'Code of the other site' } }] })
      if (pathname.includes('/flows/')) { isKnown = true; return answer(410, { type: '/problems/flow-expired', status: 410 }) }
      if (name === 'user' && !isKnown && sessionStorage.getItem('lost')) return answer(401, { type: '/problems/signed-out', status: 401 })
      return real(address, init)
    }
"""


def goes_on(browser):
    """Goes on after another site, and finds the user whom an answer signed in that a reload lost."""
    script = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": RETURNS})["identifier"]
    keep = "sessionStorage.setItem(`cloakroom ${location.origin}/bff standard`, JSON.stringify({ flow: 'f', step: 1, pending: 1 }))"
    browser.driver.execute_script(keep)
    browser.open("/?back=1#resume=handle")
    browser.sees("Code of the other site")
    browser.driver.execute_script(keep + "; sessionStorage.setItem('lost', 'yes')")
    browser.open()
    browser.until(lambda: browser.driver.execute_script("return window.asked?.start") or "Hello" in browser.text(), "no page")
    browser.sees("Hello, Dana Demo")
    browser.driver.execute_script("sessionStorage.clear()")
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
    browser.open()
    browser.sees("Hello, Dana Demo")


def hears_little(browser, tell):
    """Asks for nothing after changes that say nothing of who is signed in, and for the session after the others."""
    browser.driver.execute_script(COUNTS)
    events = "['state', 'refreshed', 'expiring', 'visible'].map((type) => ({ type, instance: 'standard', server: true }))"
    assert browser.run(tell + f"await tell(...{events}, {{ type: 'end', reason: 'time', server: true }}); return window.counted") == {}
    browser.run(tell + "return await tell({ type: 'signed-in', instance: 'standard' }, { type: 'end', reason: 'signed-out', server: true })")
    browser.until(lambda: browser.driver.execute_script("return window.counted.session") == 2, "the session is not asked")
    assert browser.driver.execute_script("return window.counted") == {"session": 2}


def hides_what_the_browser_kept(browser):
    """Shows nothing of the user between a return from the browser's cache of pages and the answer about the session."""
    browser.driver.execute_script("""
        const real = window.fetch
        const isOpen = new Promise((done) => { window.answer = done })
        window.fetch = async (address, init) => { await isOpen; return real(address, init) }
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))""")
    browser.until(lambda: "Dana" not in browser.text(), "the user is still shown")
    browser.driver.execute_script("window.answer()")
    browser.sees("Hello, Dana Demo")


def signs_in_and_out(demo, is_text_refused=True):
    """What a user does with the page, which a second tab hears of."""
    browser = Browser(demo)
    try:
        browser.open()

        def fill(password):
            browser.until(lambda: len(browser.driver.find_elements("css selector", "form input")) == 2, "no form")
            browser.type("form input[type=text]", "demo")
            browser.type("form input[type=password]", password)
            browser.button("Continue")
        fill(PASSWORD)
        browser.sees("Hello, Dana Demo")
        browser.driver.refresh()
        browser.sees("Hello, Dana Demo")
        goes_on(browser)
        hears_little(browser, TELL)
        hides_what_the_browser_kept(browser)
        browser.new_tab()
        browser.open()
        browser.sees("Hello, Dana Demo")
        browser.button("Sign out")
        browser.find("form input[type=password]")
        browser.tab(0)
        browser.find("form input[type=password]")
        assert "Dana" not in browser.text()
        # A flow stays as it is when another tab signs in.
        browser.type("form input[type=text]", "alice")
        browser.driver.execute_script(COUNTS)
        assert browser.run(TELL + """
            await tell(...['signed-in', 'signed-out', 'stepped-up', 'unknown'].map((type) => ({ type, instance: 'standard' })))
            return window.counted""") == {}
        assert browser.find("form input[type=text]").get_attribute("value") == "alice"
        if is_text_refused:
            fill("wrong")
            browser.until(lambda: browser.find("[role=alert]").text, "no message")
            fill(PASSWORD)
            browser.sees("Hello, Dana Demo")
        browser.collect()
        refused = [line for line in browser.console if "Content Security Policy" in line]
        assert not refused, refused
    finally:
        browser.end()


@test
def the_react_component_is_typed_and_signs_in(browser):
    with Place() as place:
        (place.path / "App.tsx").write_text(block("spa.md", "tsx"))
        shutil.copy(PARTS / "react.d.ts", place.path)
        run("tsc", "--noEmit", "--strict", "--noUnusedLocals", "--target", "es2022", "--module", "esnext", "--moduleResolution", "node",
            "--jsx", "react-jsx", "--lib", "es2022,dom,dom.iterable", "App.tsx", "react.d.ts", folder=place.path)
        place.bundle("react")
        signs_in_and_out(place.serve())


@test
def the_vue_component_signs_in(browser):
    with Place() as place:
        (place.path / "App.vue").write_text(block("spa.md", "vue"))
        if VUE:
            shutil.copy(VUE, place.path / "vue.esm-browser.mjs")
            run("node", PARTS / "component.cjs", place.path, place.path / "vue.esm-browser.mjs")
            (place.path / "vue.esm-browser.mjs").rename(place.path / "vue.esm-browser.js")
        else:
            run("node", PARTS / "component.cjs", place.path)
        place.bundle("vue3" if VUE else "vue", before='<script src="/render.js"></script>')
        signs_in_and_out(place.serve())


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def twenty_lines(place):
    for name, kind in ("index.html", "html"), ("shop.js", "js"):
        (place.path / name).write_text(block("spa.md", kind))


class Front:
    """A demo behind another server: its address is that server's."""

    def __init__(self, demo, port):
        self.address, self.app = f"http://localhost:{port}", demo.app


def twenty_lines_sign_in(front, browser):
    """The form of the twenty lines, with an API call through the same front."""
    browser.driver.get(front.address + "/basket")
    boxes = browser.until(lambda: browser.driver.find_elements("css selector", "input"), "no input")
    boxes[0].send_keys("demo")
    boxes[1].send_keys(PASSWORD)
    browser.button("Continue")
    browser.sees("Hello, Dana Demo")
    assert browser.run("return (await fetch('/api/accounts', { headers: { 'X-CSRF': '1' } })).status") == 200
    return browser.run("return [(await fetch('/problems/csrf')).status, (await fetch('/bff/session')).status]")


@test
def the_block_of_nginx_serves_an_app_and_signs_in(browser):
    port = free_port()
    with Place("--cors-origin", f"http://localhost:{port}") as place:
        twenty_lines(place)
        demo = place.serve()
        text = block("spa.md", "nginx")
        for old, new in ("/srv/app", str(place.path)), ("http://127.0.0.1:8080", demo.address.replace("localhost", "127.0.0.1")):
            assert old in text, old
            text = text.replace(old, new)
        with tempfile.TemporaryDirectory() as work:
            config = pathlib.Path(work, "nginx.conf")
            config.write_text(
                f"daemon off; master_process off; pid {work}/pid; error_log stderr; events {{}}\n"
                f"http {{ access_log off; client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/f;\n"
                f"uwsgi_temp_path {work}/u; scgi_temp_path {work}/s; types {{ text/html html; text/javascript js; }}\n"
                f"server {{ listen 127.0.0.1:{port};\n{text}\n}} }}\n")
            run("nginx", "-t", "-p", work, "-c", config)
            nginx = subprocess.Popen(["nginx", "-p", work, "-c", str(config)])
            try:
                wait_for(port)
                assert twenty_lines_sign_in(Front(demo, port), browser) == [200, 403]
            finally:
                nginx.terminate()
                nginx.wait(PATIENCE)


@test
def the_proxies_of_vite_and_webpack_pass_calls_on(browser):
    vite, webpack = ("vite.config.js", ".mjs", 0), ("webpack.config.js", ".cjs", 1)
    for (name, ending, number), change, option in [
            (vite, "true", "--cors-origin"), (vite, "false", "--cors-origin"), (vite, "false", "--public-url"), (webpack, "true", "--cors-origin")]:
        port = free_port()
        with Place(option, f"http://localhost:{port}") as place:
            twenty_lines(place)
            demo = place.serve()
            text = block("dev-servers.md", "js", number)
            assert text.startswith(f"// {name}") and "http://localhost:8080" in text and "changeOrigin: true" in text
            config = place.path / name.replace(".js", ending)
            config.write_text(text.replace("http://localhost:8080", demo.places["listens"]).replace("changeOrigin: true", f"changeOrigin: {change}"))
            server = subprocess.Popen(["node", str(PARTS / "dev-server.cjs"), str(config), str(place.path), str(port)], env=LIBRARIES)
            try:
                wait_for(port)
                browser.driver.delete_all_cookies()
                assert twenty_lines_sign_in(Front(demo, port), browser)[1] == 403
            finally:
                server.terminate()
                server.wait(PATIENCE)


def wait_for(port):
    """Until a server listens; the test's own time limit is that of a wait."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
