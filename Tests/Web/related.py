"""Passkeys beyond one page: a page of another site at the server of a relying party, and passkeys to forget."""

import http.client
import http.server
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import threading

from web import PATIENCE, ROOT, Browser, test

PARTY, RELATED, OTHER = "bank.example", "shop.example.net", "else.example.org"
SETTINGS = """
server:
  listen: 127.0.0.1:0
  publicUrl: https://bank.example
  trustedPeers: []
  webAuthn: { relatedOrigins: ["https://shop.example.net"] }
session:
  keys: [{ id: k1, file: session.key }]
clients:
  standard:
    type: journey
    serverUrl: https://am.invalid/am
    realm: alpha
    journeys: [Login]
    oidc: { clientId: bff, clientSecret: s, scopes: [openid], redirectUri: "https://bank.example/bff/standard/code" }
"""


class Site:
    """A server of the relying party behind TLS, and empty pages of any other host at the same port."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        place = pathlib.Path(self.folder.name)
        program = os.environ.get("CLOAKROOM", str(ROOT / ".build/debug/cloakroom"))
        subprocess.run([program, "keygen", "--id", "k1", "--out", place / "session.key"], check=True, capture_output=True)
        (place / "cloakroom.yaml").write_text(SETTINGS)
        (place / "cloakroom.yaml").chmod(0o600)
        self.process = subprocess.Popen([program, "serve", "--config", place / "cloakroom.yaml"],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.port = self.listening()
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=test", "-keyout", place / "key.pem", "-out", place / "cert.pem"], check=True, capture_output=True)
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.headers["Host"] != PARTY:
                    return self.answer(200, [("Content-Type", "text/html")], b"<!doctype html><title>empty</title>")
                behind = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE)
                behind.request("GET", self.path, headers=dict(self.headers))
                answer = behind.getresponse()
                return self.answer(answer.status, answer.getheaders(), answer.read())

            def answer(self, status, fields, body):
                self.send_response_only(status)
                for name, value in fields:
                    if name.lower() not in ("content-length", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.front = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.front.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place / "cert.pem", place / "key.pem")
        self.front.socket = context.wrap_socket(self.front.socket, server_side=True)
        threading.Thread(target=self.front.serve_forever, daemon=True).start()

    def listening(self):
        for line in self.process.stdout:
            if "Listening" in line:
                return int(re.search(r" port=(\d+)", line).group(1))
        raise RuntimeError(f"the server ended with {self.process.wait()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.front.shutdown()
        self.front.server_close()
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.folder.cleanup()


MAKE = """
    const { id } = await navigator.credentials.create({ publicKey: { rp: { id: 'bank.example', name: 'Bank' },
      user: { id: new Uint8Array([1]), name: 'a', displayName: 'a' }, challenge: new Uint8Array(32),
      authenticatorSelection: { residentKey: 'required' }, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] } }).catch((error) => ({ id: error.name }))
    if (id === 'SecurityError') return id
    const found = await navigator.credentials.get({ publicKey: { rpId: 'bank.example', challenge: new Uint8Array(32) } })
    return found.id === id"""


@test
def a_listed_page_of_another_site_uses_passkeys_of_the_server(browser):
    with Site() as site:
        other = Browser(browser.demo, words=(
            "--ignore-certificate-errors", f"--host-resolver-rules=MAP *:443 127.0.0.1:{site.front.server_port}"))
        try:
            other.add_passkeys("internal")
            found = {}
            for host in PARTY, RELATED, OTHER:
                # The relying party's page is one that the server does not have: any page of its origin does.
                other.driver.get(f"https://{host}/")
                found[host] = other.run(MAKE)
            assert found == {PARTY: True, RELATED: True, OTHER: "SecurityError"}, found
        finally:
            other.end()


@test
def forgets_a_passkey_and_nothing_else(browser):
    browser.add_passkeys("internal")
    browser.open()
    browser.find("#login")
    found = browser.run("""
        const [{ forget }, { passkey }] = await Promise.all([import('/passkeys.js'), import('/cloakroom.js')])
        const challenge = 'AAAAAAAAAAAAAAAAAAAAAA'
        const made = { type: 'MetadataCallback', specialised: 'webauthn_registration', publicKey: { challenge,
          rp: { id: 'localhost', name: 'Demo' }, user: { id: 'AQ', name: 'a', displayName: 'a' },
          authenticatorSelection: { residentKey: 'required' }, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] } }
        const asked = { type: 'MetadataCallback', specialised: 'webauthn_authentication', publicKey: { challenge } }
        const first = await passkey(made)
        const answer = await passkey(asked)
        const signals = []
        const real = PublicKeyCredential.signalUnknownCredential.bind(PublicKeyCredential)
        PublicKeyCredential.signalUnknownCredential = (options) => { signals.push(options); return real(options) }
        const took = [await forget(asked, answer), await forget({ ...asked, publicKey: { challenge, rpId: 'other.example' } }, answer)]
        const not = [await forget(made, first), await forget(asked, null), await forget(asked, { error: { name: 'NotAllowedError' } }),
          await forget({}, answer)]
        delete PublicKeyCredential.signalUnknownCredential
        PublicKeyCredential.signalUnknownCredential = undefined
        not.push(await forget(asked, answer))
        const id = answer.credential.id
        return [took, not, signals.map((one) => [one.rpId, one.credentialId === id]), first.credential.id === id]""")
    assert found == [[True, False], [False] * 5, [["localhost", True], ["other.example", True]], True], found
