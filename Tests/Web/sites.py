"""What a browser does between origins and sites: CORS, and the cookies that go with a way back."""

import re

from web import PASSWORD, Demo, Origin, test

SIGNS_IN = """
    const { Cloakroom } = await import('/cloakroom.js')
    const room = new Cloakroom({ base: 'SERVER/bff' })
    const standard = room.instance('standard')
    const page = await standard.start()
    const end = await standard.next(page, page.answers().setName('demo').setPassword('PASSWORD').values)
    const accounts = await room.fetch('SERVER/api/accounts')
    return [end.type, (await room.session()).authenticated, accounts.status, (await accounts.json()).accounts.length > 0]"""


@test
def serves_a_page_of_a_listed_origin_and_of_no_other(browser):
    with Origin(browser.demo.app, None) as listed, Origin(browser.demo.app, None) as other:
        demo = Demo(browser.demo.app, "--cors-origin", listed.address)
        try:
            script = SIGNS_IN.replace("SERVER", demo.address).replace("PASSWORD", PASSWORD)
            browser.driver.get(listed.address)
            assert browser.run(script) == ["success", True, 200, True]
            # The other page is of the same site, so that its calls would have the cookie.
            browser.driver.get(other.address)
            assert browser.run(script) == "threw network"
            reads = """
                const found = []
                for (const init of [{}, { headers: { 'X-CSRF': '1' } }, { method: 'POST', body: '{}' }, { mode: 'no-cors' }]) {
                  for (const path of ['/bff/standard/user', '/bff/session', '/api/accounts', '/bff/logout', '/']) {
                    found.push(await fetch('SERVER' + path, { credentials: 'include', ...init })
                      .then(async (answer) => (await answer.text()) || answer.type, (error) => error.name))
                  }
                }
                const frame = document.createElement('iframe')
                frame.src = 'SERVER/'
                document.body.append(frame)
                await new Promise((done) => { frame.onload = done })
                let inside = 'nothing'
                try { inside = frame.contentDocument?.body.innerText ?? 'nothing' } catch { /* of another origin */ }
                const opened = await new Promise((done) => {
                  const source = new EventSource('SERVER/bff/events', { withCredentials: true })
                  source.onopen = () => done(true)
                  source.onerror = () => { source.close(); done(false) }
                })
                const socket = await new Promise((done) => {
                  const one = new WebSocket('SERVER/api/accounts'.replace('http', 'ws'))
                  one.onopen = () => done(true)
                  one.onerror = () => done(false)
                })
                return [[...new Set(found)].sort(), inside, opened, socket]""".replace("SERVER", demo.address)
            found = browser.run(reads)
            # A request without CORS is made, but its answer stays out of the page, and nothing came of it.
            assert found == [["TypeError"], "nothing", False, False], found
            browser.driver.get(listed.address)
            assert browser.run("return (await fetch('SERVER/bff/standard/user', { credentials: 'include', headers: { 'X-CSRF': '1' } })).status"
                               .replace("SERVER", demo.address)) == 200
            browser.collect()
            assert any("violates the following Content Security Policy directive: \"frame-ancestors" in line for line in browser.console)
            browser.console.clear()
        finally:
            demo.end()


def cookies(browser, path):
    """The cookies that the navigation to a path had, with its redirects, and those that the browser kept back, with its reasons."""
    numbers = {event["params"]["requestId"] for event in browser.traffic if event["method"] == "Network.requestWillBeSent"
               and path in event["params"]["request"]["url"]}
    assert numbers, f"no request for {path}"
    sent, kept = set(), {}
    host = browser.demo.address.split("//")[1]
    for event in browser.traffic:
        more = event["params"]
        if event["method"] != "Network.requestWillBeSentExtraInfo" or more["requestId"] not in numbers or more["headers"].get("Host") != host:
            continue
        for one in more["associatedCookies"]:
            # The name of the demo's cookies has its port.
            name = re.sub(r"-\d+", "", one["cookie"]["name"])
            if one["blockedReasons"]:
                kept[name] = one["blockedReasons"]
            else:
                sent.add(name)
    return sent, kept


@test
def comes_back_from_another_site_with_the_cookie_of_the_way_alone(browser):
    browser.begin("standard Social")
    browser.press("#flow button[name=leave]")
    browser.until(lambda: "/social/authorize" in browser.driver.current_url, "not at the other provider")
    # Another port of localhost would be of the same site.
    assert browser.demo.address.startswith("http://localhost:") and browser.driver.current_url.startswith("http://127.0.0.1:")
    browser.type("input:not([type=hidden])", "demo")
    browser.press("button, input[type=submit]")
    browser.find("#hello")
    browser.collect()
    sent, kept = cookies(browser, "/bff/standard/go/")
    assert sent == {"cloakroom-start"} and kept == {}, (sent, kept)
    sent, kept = cookies(browser, "/bff/standard/return")
    assert sent == {"cloakroom-return"} and list(kept) == ["cloakroom-start"], (sent, kept)
    assert all(reason.endswith("SameSiteStrict") for reason in kept["cloakroom-start"]), kept
