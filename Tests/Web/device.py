"""Sessions bound to a device (docs/device-binding.md), in Chromium with keys in software, over TLS."""

import base64
import hashlib
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import tempfile
import threading

from web import PASSWORD, PATIENCE, ROOT, Browser, test

HOST, SISTER = "app.example.test", "spa.example.test"
MAIN, DEVICE = "__Host-Http-cloakroom", "__Host-cloakroom-device"
SETTINGS = """\
server: {{ listen: "127.0.0.1:{inner}", publicUrl: "https://{host}:{port}", trustedPeers: [127.0.0.1], files: page, corsOrigins: ["https://{sister}:{port}"] }}
session: {{ deviceBinding: {binding}, deviceCookie: 3m, store: "sqlite:sessions.sqlite", keys: [{{ file: session.key }}] }}
clients:
  standard:
    type: journey
    serverUrl: "{simulator}/am"
    insecureHttp: true
    realm: alpha
    journeys: [Login]
    oidc: {{ clientId: bff, clientSecretFile: client.secret, scopes: [openid, profile, email], redirectUri: "https://app.example.com/callback" }}
"""


class BoundServer:
    """A server behind a TLS front of its own, with sessions in a file so that it can be started again.

    The front answers for the sister host, refuses so many proofs with 503 as `refusals` says, and holds proofs back
    while `passage` is not set.
    """

    def __init__(self, demo, binding="offer"):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.place = pathlib.Path(self.folder.name)
        (self.place / "page").mkdir()
        (self.place / "page" / "index.html").write_text("<!doctype html><title>bound</title>")
        secret = self.place / "client.secret"
        secret.write_text("s/ecret+1")
        secret.chmod(0o600)
        self.program = os.environ.get("CLOAKROOM", str(ROOT / ".build/debug/cloakroom"))
        key = subprocess.run([self.program, "keygen"], capture_output=True, check=True, text=True).stdout
        (self.place / "session.key").write_text(key)
        (self.place / "session.key").chmod(0o600)
        self.certify()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.place / "cert.pem", self.place / "key.pem")
        self.front = socket.create_server(("127.0.0.1", 0))
        self.port = self.front.getsockname()[1]
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.inner = free.getsockname()[1]
        settings = SETTINGS.format(
            inner=self.inner, host=HOST, sister=SISTER, port=self.port, simulator=demo.places["simulator"], binding=binding)
        (self.place / "cloakroom.yaml").write_text(settings)
        (self.place / "cloakroom.yaml").chmod(0o600)
        self.address = f"https://{HOST}:{self.port}"
        self.places = {}
        self.paths = []
        self.refusals = 0
        self.passage = threading.Event()
        self.passage.set()
        threading.Thread(target=self.accept, args=(context,), daemon=True).start()
        self.start()

    def certify(self):
        """Makes a certificate, and the digest of its key by which Chromium accepts it."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST},DNS:{SISTER}",
             "-keyout", str(self.place / "key.pem"), "-out", str(self.place / "cert.pem")],
            check=True, capture_output=True)
        public = subprocess.run(
            ["openssl", "pkey", "-in", str(self.place / "key.pem"), "-pubout", "-outform", "DER"], check=True,
            capture_output=True).stdout
        self.pin = base64.b64encode(hashlib.sha256(public).digest()).decode()

    def start(self):
        self.process = subprocess.Popen([self.program, "serve", "--config", str(self.place / "cloakroom.yaml")])
        for _ in range(int(PATIENCE * 20)):
            try:
                socket.create_connection(("127.0.0.1", self.inner), 1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError(f"the server ended with {self.process.returncode}") from None
                threading.Event().wait(0.05)
        raise RuntimeError("the server does not listen")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.front.close()
        self.folder.cleanup()

    def accept(self, context):
        while True:
            try:
                plain, _ = self.front.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(context, plain), daemon=True).start()

    def serve(self, context, plain):
        try:
            with context.wrap_socket(plain, server_side=True) as outer, \
                    socket.create_connection(("127.0.0.1", self.inner)) as inner:
                answers = threading.Thread(target=self.copy, args=(inner, outer), daemon=True)
                answers.start()
                self.copy(outer, inner, notes=True)
                answers.join(PATIENCE)
        except OSError:
            pass

    def copy(self, source, target, notes=False):
        try:
            while data := source.recv(65536):
                if notes and self.answers(source, data):
                    continue
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def answers(self, browser, data):
        """Notes a call for a device; true if the front itself has answered the request."""
        if f"\r\nHost: {SISTER}:".encode() in data:
            page = b"<!doctype html><title>sister</title>"
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(page)}\r\n\r\n"
            browser.sendall(head.encode() + page)
            return True
        if data.startswith(b"POST /bff/device"):
            self.paths.append(data.split(b" ", 2)[1].decode())
        if not data.startswith(b"POST /bff/device/refresh"):
            return False
        self.passage.wait(PATIENCE)
        if self.refusals == 0:
            return False
        self.refusals -= 1
        browser.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        return True

    def proofs(self):
        return self.paths.count("/bff/device/refresh")


class BoundBrowser(Browser):
    """A Chromium that binds sessions with keys in software."""

    def __init__(self, server):
        features = "DeviceBoundSessions,EnableBoundSessionCredentialsSoftwareKeysForManualTesting"
        super().__init__(server, words=[
            f"--enable-features={features}", "--host-resolver-rules=MAP *.test 127.0.0.1",
            f"--ignore-certificate-errors-spki-list={server.pin}"])
        self.driver.get(server.address + "/")

    def fetch(self, path, body=None):
        """The status and the JSON of a call of the page."""
        return self.driver.execute_async_script("""
            const [path, body, done] = arguments
            const headers = {'X-CSRF': '1', ...(body ? {'Content-Type': 'application/json'} : {})}
            const method = body === null ? 'GET' : 'POST'
            fetch(path, {method, headers, body: body || undefined, credentials: 'include'}).then(async answer =>
                done([answer.status, await answer.json().catch(() => null)]), error => done([0, String(error)]))
            """, path, body)

    def begin(self, path):
        """Begins a call of the page; its status is in `ended`."""
        self.driver.execute_script("""
            window.ended = null
            fetch(arguments[0], {headers: {'X-CSRF': '1'}}).then(answer => { window.ended = answer.status })
            """, path)

    def ended(self):
        return self.driver.execute_script("return window.ended")

    def sign_in(self):
        _, page = self.fetch("/bff/standard/start", "{}")
        answers = {one["id"]: PASSWORD if one["secret"] else "demo" for one in self.inputs(page)}
        body = {"flow": page["flow"], "step": page["step"], "values": answers}
        status, done = self.fetch("/bff/standard/next", json.dumps(body))
        assert status == 200 and done["type"] == "success", (status, done)

    @staticmethod
    def inputs(page):
        kinds = {"NameCallback": False, "PasswordCallback": True}
        return [{"id": one["id"], "secret": kinds[one["type"]]} for one in page["callbacks"] if one["type"] in kinds]

    def state(self):
        return self.fetch("/bff/session")[1]["device"]

    def is_bound(self):
        self.until(lambda: self.state() == "bound", "the session is not bound")

    def cookies(self):
        found = self.driver.execute_cdp_cmd("Network.getCookies", {"urls": [self.demo.address + "/"]})["cookies"]
        return {one["name"]: one["value"] for one in found}

    def flags(self, name):
        """What the browser keeps besides the value of a cookie."""
        found = self.driver.execute_cdp_cmd("Network.getCookies", {"urls": [self.demo.address + "/"]})["cookies"]
        return [{key: one.get(key) for key in ("domain", "path", "secure", "httpOnly", "sameSite")} for one in found if one["name"] == name]

    def drop(self, name):
        self.driver.execute_cdp_cmd("Network.deleteCookies", {"name": name, "url": self.demo.address + "/"})

    def adopt(self, cookies):
        for name, value in cookies.items():
            self.driver.execute_cdp_cmd("Network.setCookie", {
                "name": name, "value": value, "url": self.demo.address + "/", "path": "/", "secure": True,
                "httpOnly": True, "sameSite": "Strict"})


@test
def binds_a_session_and_renews_its_cookie(browser):
    with BoundServer(browser.demo) as server:
        bound = BoundBrowser(server)
        try:
            bound.sign_in()
            bound.is_bound()
            assert server.paths == ["/bff/device"], server.paths
            # No domain of its own: the browser sends it to this host alone.
            assert bound.flags(MAIN) == [{"domain": HOST, "path": "/", "secure": True, "httpOnly": True, "sameSite": "Strict"}]
            assert bound.driver.execute_script("return document.cookie") == ""
            bound.drop(DEVICE)
            status, user = bound.fetch("/bff/standard/user")
            assert status == 200, (status, user)
            assert "/bff/device/refresh" in server.paths, server.paths
            # The binding outlives the server's process.
            server.stop()
            server.start()
            bound.drop(DEVICE)
            bound.until(lambda: bound.fetch("/bff/standard/user")[0] == 200, "not renewed after a restart")
            # A copy of the cookies is worth nothing once the device cookie is gone.
            cookies = bound.cookies()
            thief = BoundBrowser(server)
            try:
                thief.adopt({MAIN: cookies[MAIN]})
                status, problem = thief.fetch("/bff/standard/user")
                assert status == 401 and problem["type"].endswith("/device-proof-required"), (status, problem)
                assert thief.state() == "unproven"
            finally:
                thief.end()
            assert bound.fetch("/bff/standard/user")[0] == 200
            # The next sign-in of the browser is bound anew.
            assert bound.fetch("/bff/logout", "")[0] == 204
            assert MAIN not in bound.cookies() and DEVICE not in bound.cookies()
            bound.sign_in()
            bound.is_bound()
            bound.drop(DEVICE)
            assert bound.fetch("/bff/standard/user")[0] == 200
        finally:
            bound.end()


@test
def leaves_sessions_unbound_where_that_is_off(browser):
    with BoundServer(browser.demo, binding="off") as server:
        bound = BoundBrowser(server)
        try:
            bound.sign_in()
            assert "device" not in bound.fetch("/bff/session")[1]
            assert DEVICE not in bound.cookies() and server.paths == []
        finally:
            bound.end()


@test
def renews_once_for_two_tabs(browser):
    with BoundServer(browser.demo) as server:
        bound = BoundBrowser(server)
        try:
            bound.sign_in()
            bound.is_bound()
            tabs = [bound.driver.current_window_handle]
            bound.driver.switch_to.new_window("tab")
            bound.driver.get(server.address + "/")
            tabs.append(bound.driver.current_window_handle)
            proofs = server.proofs()
            bound.drop(DEVICE)
            server.passage.clear()
            for tab in tabs:
                bound.driver.switch_to.window(tab)
                bound.begin("/bff/standard/user")
            bound.until(lambda: server.proofs() > proofs, "no proof was sent")
            assert bound.ended() is None, "a call did not wait for the proof"
            server.passage.set()
            for tab in tabs:
                bound.driver.switch_to.window(tab)
                bound.until(lambda: bound.ended() == 200, "a call failed")
            assert server.proofs() == proofs + 1, server.paths
        finally:
            server.passage.set()
            bound.end()


@test
def renews_for_a_page_of_a_listed_origin(browser):
    with BoundServer(browser.demo) as server:
        bound = BoundBrowser(server)
        try:
            bound.sign_in()
            bound.is_bound()
            proofs = server.proofs()
            bound.driver.get(f"https://{SISTER}:{server.port}/")
            bound.drop(DEVICE)
            status, user = bound.fetch(server.address + "/bff/standard/user")
            assert status == 200, (status, user)
            assert server.proofs() == proofs + 1, server.paths
        finally:
            bound.end()


@test
def goes_on_after_a_proof_that_met_a_503(browser):
    with BoundServer(browser.demo) as server:
        bound = BoundBrowser(server)
        try:
            bound.sign_in()
            bound.is_bound()
            bound.drop(DEVICE)
            server.refusals = 1
            status, problem = bound.fetch("/bff/standard/user")
            assert status == 503 and problem["type"].endswith("/device-proof-missing"), (status, problem)
            assert server.refusals == 0 and MAIN in bound.cookies()
            bound.until(lambda: bound.fetch("/bff/standard/user")[0] == 200, "the binding is lost")
            assert bound.state() == "bound"
        finally:
            bound.end()
