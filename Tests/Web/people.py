"""What people need of the sample app: their language, a keyboard, an address that they may type in."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from web import PASSWORD, test


@test
def says_everything_in_both_languages(browser):
    browser.sign_in()
    found = browser.run("""
        const { texts } = await import('/texts.js')
        const holes = (text) => (text.match(/{\\w+}/g) ?? []).sort().join()
        const named = [...document.querySelectorAll('[data-text]')].map((one) => one.dataset.text)
        const all = new Set([...Object.keys(texts.en), ...Object.keys(texts.de), ...named])
        return [...all].filter((key) => !texts.en[key] || !texts.de[key] || holes(texts.en[key]) !== holes(texts.de[key]))""")
    assert found == [], found
    browser.sees("Token ends in")
    browser.press("[data-language=de]")
    browser.sees("Hallo, Dana Demo")
    shown = browser.text()
    assert "Token endet in" in shown and "Standardkonto" in shown, shown
    english = browser.run("""
        const { texts } = await import('/texts.js')
        const lines = document.body.innerText.split('\\n').map((line) => line.trim())
        return Object.entries(texts.en).filter(([key, text]) => text !== texts.de[key] && lines.includes(text)).map(([key]) => key)""")
    assert english == [], english
    browser.press("[data-language=en]")
    browser.sees("Hello, Dana Demo")


@test
def says_in_german_that_an_answer_was_lost(browser):
    browser.open()
    browser.press("[data-language=de]")
    browser.press("#login")
    browser.find("#flow input[type=password]")
    browser.driver.execute_script("window.fetch = () => Promise.reject(new TypeError('lost'))")
    browser.credentials()
    browser.until(lambda: "Der Server ist nicht erreichbar" in browser.find("#flow [role=alert]").text, "no message")


class Keyboard:
    """A user without a mouse; every stop of the focus must be visible, and after the former one in the page."""

    def __init__(self, browser):
        self.browser = browser
        browser.driver.execute_script("window.formerStop = null")

    def send(self, *keys):
        ActionChains(self.browser.driver).send_keys(*keys).perform()

    def tab(self):
        self.send(Keys.TAB)
        found = self.browser.driver.execute_script("""
            const one = document.activeElement
            const { outlineStyle, outlineWidth } = getComputedStyle(one)
            const isLater = !window.formerStop?.isConnected || Boolean(window.formerStop.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING)
            window.formerStop = one
            return [one.id || one.name || one.className || one.tagName, outlineStyle !== 'none' && parseFloat(outlineWidth) > 1, isLater]""")
        assert found[1], f"the focus cannot be seen at {found[0]}"
        assert found[2], f"the focus goes back to {found[0]}"
        return found[0]

    def goes_to(self, css):
        for _ in range(20):
            self.tab()
            if self.browser.driver.execute_script("return document.activeElement.matches(arguments[0])", css):
                return
        raise AssertionError(f"no {css} within twenty stops")

    def is_at(self, css):
        self.browser.until(lambda: self.browser.driver.execute_script("return document.activeElement.matches(arguments[0])", css),
                           f"the focus is not at {css}")
        self.browser.driver.execute_script("window.formerStop = document.activeElement")


@test
def signs_in_pays_and_leaves_by_the_keyboard(browser):
    browser.open()
    browser.find("#login")
    keys = Keyboard(browser)
    assert keys.tab() == "skip"
    keys.send(Keys.ENTER)
    keys.is_at("#main")
    keys.goes_to("#login")
    keys.send(Keys.ENTER)
    keys.is_at("#flow input[autocomplete~=username]")
    keys.send("demo")
    keys.goes_to("#flow input[type=password]")
    keys.send("wrong", Keys.ENTER)
    browser.until(lambda: browser.find("#alert").text, "no message")
    # The failure is said, and the way on is the next stop.
    keys.is_at("#start")
    assert keys.tab() == "login"
    keys.send(Keys.SPACE)
    keys.is_at("#flow input[autocomplete~=username]")
    keys.send("demo", Keys.TAB, PASSWORD, Keys.ENTER)
    keys.is_at("#hello")
    browser.until(lambda: len(browser.driver.find_elements("css selector", "#ledger li")) > 1, "no accounts")
    keys.goes_to("#pay button")
    keys.send(Keys.ENTER)
    keys.is_at("dialog input")
    # The dialog keeps the focus until it is left.
    keys.send(Keys.ESCAPE)
    browser.sees("The transfer was not made.")
    keys.is_at("#pay button")
    keys.send(Keys.ENTER)
    keys.is_at("dialog input")
    keys.send("424242", Keys.ENTER)
    browser.sees("The money is on its way.")
    keys.is_at("#pay button")
    keys.goes_to("#logout")
    keys.send(Keys.ENTER)
    keys.is_at("#start")


@test
def shows_nothing_of_the_user_when_the_browser_brings_the_page_back(browser):
    browser.sign_in()
    browser.driver.delete_all_cookies()
    # What a browser does that keeps a page for its back button: headless Chromium keeps none.
    hidden = browser.driver.execute_script("""
        window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
        const { hidden } = document.getElementById('main')
        window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
        return [hidden, document.getElementById('main').hidden]""")
    assert hidden == [True, True], hidden
    browser.find("#login")
    assert "Dana" not in browser.driver.execute_script("return document.body.textContent")


@test
def moves_from_the_address_of_the_machine_to_its_name(browser):
    browser.driver.get(browser.demo.address.replace("localhost", "127.0.0.1") + "/")
    browser.press("#login")
    browser.credentials()
    browser.sees("Hello, Dana Demo")
    assert browser.driver.current_url.startswith(browser.demo.address)
