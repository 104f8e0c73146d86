"""Hooks for schemathesis: cookies of a signed-in browser, and inputs that the contract allows in words."""

import json
import random
import urllib.request
from http.cookiejar import CookieJar

import schemathesis

PASSWORD = "Ch4ng3it!"
CLIENT = "standard"


class Browser:
    """A browser that is signed in as demo, with the cookies of its jar."""

    def __init__(self, base):
        self.base = base
        self.jar = CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data)
        request.add_header("X-CSRF", "1")
        request.add_header("Content-Type", "application/json")
        with self.opener.open(request, timeout=30) as answer:
            return json.load(answer)

    def sign_in(self):
        page = self.call(f"/bff/{CLIENT}/start", {})
        values = {"IDToken1": "demo", "IDToken2": PASSWORD}
        node = self.call(f"/bff/{CLIENT}/next", {"flow": page["flow"], "step": page["step"], "values": values})
        if node["type"] != "success":
            raise RuntimeError(f"the demo signed nobody in: {node['type']}")

    def cookies(self):
        if not any(cookie.name.startswith("cloakroom") for cookie in self.jar) or not self.is_signed_in():
            self.jar.clear()
            self.sign_in()
        return {cookie.name: cookie.value for cookie in self.jar}

    def is_signed_in(self):
        return self.call("/bff/session")["authenticated"]


    def visit(self):
        """The cookies of a browser in which a flow was begun and nobody is signed in."""
        if not list(self.jar):
            self.call(f"/bff/{CLIENT}/start", {})
        return {cookie.name: cookie.value for cookie in self.jar}


browsers = {}


def browser(kind, case, kwargs):
    """The browser of this kind at the server that the call goes to."""
    base = (kwargs.get("base_url") or case.operation.schema.get_base_url()).rstrip("/")
    return browsers.setdefault((kind, base), Browser(base))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Chains of calls are those of a browser in which nobody is signed in; of the others every second one is signed in."""
    if not case.operation.path.startswith(("/bff/", "/api/")):
        return
    if case.meta is not None and case.meta.phase.name.value == "stateful":
        case.cookies = browser("visitor", case, kwargs).visit()
    elif random.Random(case.id).random() < 0.5:
        case.cookies = browser("user", case, kwargs).cookies()
    else:
        case.cookies = {}


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what the contract allows beside its schemas: a body, or a member of it, that is null; an empty list."""
    body = case.body
    if body is None or body == []:
        return False
    return not (isinstance(body, dict) and any(value is None for value in body.values()))
