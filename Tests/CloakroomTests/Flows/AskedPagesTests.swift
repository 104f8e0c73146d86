import BFF
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyClient
import JourneyProduct
import ProductKit
import TestSupport
import Testing

/// Every type of question over real HTTP: what the browser sees, what it may not answer, and what the provider makes of the
/// rest.
@Suite("A question")
struct AskedPagesTests {
    typealias Page = AskedPages.Page

    private static let long = JSONValue.string(String(repeating: "x", count: 8193))
    private static let longer = JSONValue.string(String(repeating: "x", count: 65_537))
    private static let login = Page(
        refused: [(0, 5, ["wrong-type"]), (0, long, ["too-long"]), (1, nil, ["wrong-type"]), (1, long, ["too-long"])],
        answers: [0: "demo", 1: "Ch4ng3it!"])
    private static let code = Page(refused: [(0, 424_242, ["wrong-type"])], answers: [0: "424242"])

    private static func options(_ journeys: [String]) -> Bench.Options {
        Bench.Options(adjust: { settings, _ in settings.clients[0].journey.journeys = journeys })
    }

    private static func number(_ lexeme: String) -> JSONValue {
        JSONNumber(lexeme: lexeme).map { .number($0) } ?? .null
    }

    private static let profile: [AskedPages] = [
        AskedPages(
            journey: "Profile", user: "demo",
            pages: [
                Page(
                    refused: [
                        (0, "Uppsala", ["wrong-type"]), (0, ["value": 5], ["wrong-type"]),
                        (0, ["validateOnly": true], ["required"]), (0, ["value": long], ["too-long"]),
                        (0, ["value": "x", "validateOnly": "no"], ["wrong-type"]),
                        (0, ["value": "x", "more": 1], ["wrong-type"]), (1, ["value": "43"], ["wrong-type"]),
                        (1, ["value": infinite], ["out-of-range"]), (2, ["value": "yes"], ["wrong-type"]),
                        (3, "sv", ["wrong-type"]), (3, ["language": "sv"], ["required"]),
                    ], answers: [0: ["value": ""], 1: ["value": -1], 2: ["value": true]]),
                // The same page again: what was answered wrongly says why.
                Page(answers: [0: ["value": "Uppsala", "validateOnly": true]]),
                Page(answers: [0: ["value": "Uppsala"], 1: ["value": 43], 3: ["language": "sv", "country": "SE"]]),
            ]),
        // A number that nobody touches keeps its spelling.
        AskedPages(journey: "Profile", user: "alice", pages: [Page()]),
        AskedPages(
            journey: "Profile", user: "bob",
            pages: [
                Page(
                    refused: [(0, ["value": "Malmö"], ["wrong-type"]), (2, 1, ["wrong-type"])],
                    answers: [0: "Malmö", 1: number("38.5"), 2: false])
            ]),
        AskedPages(
            journey: "Consent", user: "demo",
            pages: [Page(refused: [(0, "yes", ["wrong-type"]), (1, 1, ["wrong-type"])], answers: [0: true, 1: false])]),
        AskedPages(
            journey: "Consent", user: "demo", pages: [Page(answers: [1: true])],
            end: .failed("The consent for Billing is needed")),
    ]

    private static let infinite = number("1e999")

    private static let registration = AskedPages(
        journey: "Registration",
        pages: [
            Page(
                refused: [
                    (0, "newcomer", ["wrong-type"]), (0, ["value": nil], ["wrong-type"]),
                    (1, ["value": long], ["too-long"]), (5, ["question": "Mine?", "answer": "x"], ["not-offered"]),
                    (5, ["question": "What's your favorite color?"], ["required"]), (5, "blue", ["wrong-type"]),
                    (6, ["answer": "x"], ["required"]), (6, ["question": "Mine?", "answer": long], ["too-long"]),
                    (7, "yes", ["wrong-type"]),
                ],
                answers: [
                    0: ["value": "newcomer"], 1: ["value": "L0ngEnough!"], 2: ["value": "n@example.com"],
                    3: ["value": 18], 4: ["value": true],
                    5: ["question": "What's your favorite color?", "answer": "blue"],
                    6: ["question": "Mine?", "answer": "this"], 7: true,
                ])
        ])

    private static let devices: [AskedPages] = [
        AskedPages(
            journey: "DeviceProfile", user: "demo",
            pages: [
                Page(
                    refused: [
                        (0, [:], ["required"]), (0, ["identifier": 5], ["wrong-type"]),
                        (0, ["identifier": "a", "metadata": "x"], ["wrong-type"]),
                        (0, ["identifier": "a", "metadata": ["x": longer]], ["too-long"]),
                        (
                            0, ["identifier": "a", "location": ["latitude": 91, "longitude": -181]],
                            ["out-of-range", "out-of-range"]
                        ),
                        (0, ["identifier": "a", "location": ["latitude": 1]], ["required"]),
                    ],
                    answers: [
                        0: [
                            "identifier": "a", "metadata": ["platform": "x"],
                            "location": ["latitude": number("55.7"), "longitude": number("13.2")],
                        ]
                    ])
            ]),
        AskedPages(
            journey: "DeviceProfile", user: "alice",
            pages: [
                Page(
                    refused: [(0, ["identifier": "a", "location": ["latitude": 1, "longitude": 1]], ["not-offered"])],
                    answers: [0: ["identifier": "a"]])
            ]),
        AskedPages(
            journey: "DeviceProfile", user: "bob",
            pages: [
                Page(
                    refused: [(0, ["identifier": "a", "metadata": [:]], ["not-offered"])],
                    answers: [0: ["identifier": "a", "location": ["latitude": -90, "longitude": 180]]])
            ]),
        AskedPages(journey: "DeviceProfile", user: "demo", pages: [Page()], end: .failed("There is no profile")),
        AskedPages(
            journey: "Binding", user: "demo",
            pages: [
                Page(
                    refused: [
                        (0, ["clientError": "Nothing"], ["not-offered"]), (0, [:], ["required"]),
                        (0, ["clientError": "Unsupported", "jws": "x"], ["wrong-type"]),
                    ], answers: [0: ["clientError": "Unsupported"]]), code,
            ]),
        AskedPages(
            journey: "Binding", user: "alice", pages: [Page(answers: [0: ["clientError": "Timeout"]])],
            end: .failed("The page says Timeout")),
        AskedPages(
            journey: "RecoveryCodes", user: "demo",
            pages: [
                Page(
                    refused: [(0, "x", ["not-answerable"]), (1, 5, ["not-offered"]), (1, "Done", ["wrong-type"])],
                    answers: [1: 0])
            ]),
        AskedPages(
            journey: "Totp", user: "demo", pages: [Page(refused: [(0, "x", ["not-answerable"])]), code],
            end: .failed("The code is wrong")),
    ]

    private static let programs: [AskedPages] = [
        AskedPages(
            journey: "Captcha", user: "demo",
            pages: [
                Page(
                    refused: [(0, 5, ["wrong-type"]), (0, longer, ["too-long"])],
                    answers: [0: "captcha-passed"])
            ]),
        AskedPages(
            journey: "Captcha", user: "alice",
            pages: [
                Page(
                    refused: [
                        (0, [:], ["required"]), (0, "captcha-passed", ["wrong-type"]),
                        (0, ["token": "t", "payload": "{}"], ["wrong-type"]),
                        (0, ["token": "t", "more": "x"], ["wrong-type"]), (0, ["clientError": long], ["too-long"]),
                    ], answers: [0: ["token": "captcha-passed", "action": "login", "payload": ["a": [1]]]])
            ]),
        AskedPages(
            journey: "Captcha", user: "bob", pages: [Page(answers: [0: ["clientError": "blocked"]])],
            end: .failed("The page says blocked")),
        AskedPages(
            journey: "Protect", user: "demo",
            pages: [
                Page(refused: [(0, ["clientError": 5], ["wrong-type"])]),
                Page(refused: [(0, ["signals": longer], ["too-long"])], answers: [0: ["signals": "s"]]),
            ]),
        AskedPages(
            journey: "Protect", user: "alice", pages: [Page(answers: [0: ["clientError": "no network"]])],
            end: .failed("The page says no network")),
        AskedPages(
            journey: "ProtectMetadata", user: "bob",
            pages: [
                Page(refused: [(0, ["signals": "s"], ["wrong-type"])]),
                Page(refused: [(0, ["signals": nil], ["wrong-type"])], answers: [0: ["signals": "s"]]),
            ]),
        AskedPages(
            journey: "ProtectMetadata", user: "demo",
            pages: [Page(), Page(answers: [0: ["clientError": "no signals"]])], end: .failed("The page says no signals")
        ),
        AskedPages(
            journey: "Recognize", user: "demo",
            pages: [
                Page(
                    refused: [
                        (0, [:], ["required"]), (0, ["recognizeId": "r"], ["required"]),
                        (0, ["signedJwt": "j", "recognizeId": 5], ["wrong-type"]),
                        (0, ["signedJwt": longer, "recognizeId": "r"], ["too-long"]),
                    ], answers: [0: ["signedJwt": "j", "recognizeId": "r"]])
            ]),
        AskedPages(
            journey: "Recognize", user: "alice",
            pages: [
                Page(
                    refused: [(0, ["signedJwt": "j"], ["required"])],
                    answers: [0: ["signedJwt": "j", "recognizeId": "r", "clientState": "c"]])
            ]),
        AskedPages(
            journey: "Recognize", user: "alice",
            pages: [Page(answers: [0: ["clientError": "no camera", "clientErrorCode": "7"]])],
            end: .failed("The page says no camera")),
        AskedPages(
            journey: "Recognize", user: "bob", pages: [Page(answers: [0: ["signedJwt": "j", "recognizeId": "r"]])]),
    ]

    private static let elsewhere: [AskedPages] = [
        AskedPages(
            journey: "SelectProvider",
            pages: [
                Page(
                    refused: [(0, "github", ["not-offered"]), (0, 0, ["wrong-type"])],
                    answers: [0: "localAuthentication", 1: "demo", 2: "Ch4ng3it!"])
            ]),
        AskedPages(
            journey: "SelectProvider",
            pages: [Page(answers: [0: "social"])], end: .page(["RedirectCallback"])),
        AskedPages(
            journey: "SocialNative",
            pages: [
                Page(
                    refused: [
                        (0, "token", ["wrong-type"]), (0, ["token": "t"], ["required"]),
                        (0, ["token": "t", "tokenType": "magic"], ["not-offered"]),
                        (0, ["token": longer, "tokenType": "id_token"], ["too-long"]),
                    ], answers: [0: ["token": "t", "tokenType": "id_token"]])
            ], end: .failed("The token is not one of the provider")),
        AskedPages(
            journey: "Polling", user: "demo",
            pages: [
                Page(
                    refused: [(0, "x", ["not-answerable"]), (1, 7, ["not-offered"])], answers: [1: 0])
            ], end: .failed("Login failure")),
        AskedPages(
            journey: "EmailLink", pages: [Page(answers: [0: "demo"])], end: .page(["SuspendedTextOutputCallback"])),
    ]

    private static let small: [AskedPages] = [
        AskedPages(
            journey: "Kitchen",
            pages: [
                Page(
                    refused: [
                        (0, "x", ["not-answerable"]), (1, "red", ["wrong-type"]), (1, 3, ["not-offered"]),
                        (2, long, ["too-long"]), (2, true, ["wrong-type"]), (3, 5, ["wrong-type"]),
                        (3, longer, ["too-long"]), (4, 2, ["not-offered"]), (4, "Continue", ["wrong-type"]),
                    ], answers: [1: 2, 2: "nick", 3: "c", 4: 0]), login,
            ]),
        AskedPages(
            journey: "Strange",
            pages: [Page(refused: [(1, [:], ["not-answerable"])], answers: [0: "demo", 2: "Ch4ng3it!"])]),
    ]

    private static let all = profile + [registration] + devices + programs + elsewhere + small

    @Test(
        "of each type is refused a wrong answer with its codes, and goes with a right one to the provider's judgement")
    func everyType() async throws {
        try await withBench(Self.options(Set(Self.all.map(\.journey)).sorted())) { bench in
            var seen: Set<String> = []
            for asked in Self.all { seen.formUnion(try await asked.run(bench)) }
            #expect(seen.subtracting(["UnsupportedCallback"]).sorted() == CallbackCatalogue.standard.wireTypes)
        }
    }

    @Test("that broke a policy says which, whatever shape that comes in")
    func failedPolicies() async throws {
        try await withBench(Self.options(["Registration"])) { bench in
            let browser = bench.browser()
            var page = try await browser.start()
            func failed(_ place: Int) -> [JSONValue] {
                (page["callbacks"]?[place]?["failedPolicies"]?.array ?? []).map { $0["requirement"] ?? .null }
            }
            page = try await browser.answer(
                page, [0: ["value": "a"], 1: ["value": "short", "validateOnly": true], 3: ["value": 12]])
            #expect(failed(0) == ["MIN_LENGTH"] && failed(1) == ["LENGTH_BASED", "AT_LEAST_X_NUMBERS"])
            #expect(failed(2) == ["REQUIRED"] && failed(3) == ["MINIMUM_NUMBER_VALUE"] && failed(4) == [])
            #expect(
                page["callbacks.1.failedPolicies.0.params"] == ["min-password-length": 8, "max-password-length": 64])
            #expect(page["callbacks.3.value"] == 12)
            page = try await browser.answer(page, [2: ["value": "nobody"]])
            #expect(failed(2) == ["VALID_EMAIL_ADDRESS_FORMAT"])
        }
    }

    @Test("for a token of another provider takes one that it gave, once")
    func nativeToken() async throws {
        try await withBench(Self.options(["SocialNative"])) { bench in
            let browser = bench.browser()
            func page() async throws -> (page: Browser.Answer, code: JSONValue) {
                let page = try await browser.start("standard", ["forceAuth": true])
                var form = QueryParameters()
                for (name, member) in [("client_id", "clientId"), ("redirect_uri", "redirectUri"), ("nonce", "nonce")] {
                    form.append(name, try #require(page["callbacks.0.\(member)"]?.string))
                }
                for (name, value) in [
                    ("response_type", "code"), ("state", "s"), ("user", "alice"), ("decision", "allow"),
                ] { form.append(name, value) }
                let back = try await browser.open(bench.simulator.baseURL + "/social/decision", form: form)
                let query = try #require(back.location?.split(separator: "?").last)
                return (page, .string(try #require(QueryParameters(parsing: query)?.single("code"))))
            }
            let (first, code) = try await page()
            let end = try await browser.answer(first, [0: ["token": code, "tokenType": "authorization_code"]])
            #expect(end["user.claims.preferred_username"] == "alice", "\(end.json.text)")
            let (second, _) = try await page()
            let again = try await browser.answer(second, [0: ["token": code, "tokenType": "authorization_code"]])
            #expect(again["message"] == "The token is not one of the provider")
        }
    }

    /// Who is asked, what of the one question that is shown a browser needs, and what is not for it.
    private static let members: [(journey: String, user: String, shown: [String], kept: [String])] = [
        ("Binding", "demo", ["nativeOnly", "authenticationType", "timeout"], ["challenge"]),
        ("Binding", "alice", ["nativeOnly", "title"], ["challenge"]),
        ("Captcha", "alice", ["siteKey", "apiUri", "divClass"], []), ("Captcha", "bob", ["siteKey"], ["apiUri"]),
        ("Protect", "alice", ["envId", "signalsInitializationOptions"], []),
        ("Protect", "bob", ["envId"], ["signalsInitializationOptions"]),
        ("ProtectMetadata", "alice", ["specialised", "data.envId", "data.signalsInitializationOptions"], []),
        (
            "Recognize", "demo", ["operationType", "authenticationServiceUrl", "webSDKOptions"],
            ["host", "apiKey", "mobileSDKOptions", "imageEncryptionKeyId", "imageEncryptionPublicKey"]
        ), ("Recognize", "alice", ["specialised", "data.operationType"], ["data.host", "data.apiKey"]),
        ("Recognize", "bob", ["authenticationServiceUrl"], ["websocketURL", "apiKey"]),
    ]

    @Test("shows what a program of the page needs, and nothing that is for others")
    func members() async throws {
        try await withBench(Self.options(Set(Self.members.map(\.journey)).sorted())) { bench in
            for (journey, user, shown, kept) in Self.members {
                let browser = bench.browser()
                let first = try await browser.start("standard", ["journey": .string(journey)])
                let page = try await browser.answer(first, user)
                #expect(page["callbacks"]?.array?.count == 1, "\(journey) of \(user)")
                for name in shown { #expect(page["callbacks.0." + name] != nil, "\(journey) of \(user): \(name)") }
                for name in kept { #expect(page["callbacks.0." + name] == nil, "\(journey) of \(user): \(name)") }
            }
        }
    }

    @Test("with a QR code has its address, also where only a script says it", arguments: ["demo", "alice"])
    func authenticatorApp(user: String) async throws {
        try await withBench(Self.options(["Totp"])) { bench in
            let browser = bench.browser()
            let page = try await browser.answer(try await browser.start(), user)
            let questions = page["callbacks"]?.array ?? []
            let uris = questions.compactMap { $0["uri"]?.string }
            let uri = try #require(uris.first)
            #expect(questions.count { $0["specialised"] == "qr_code" } == 1)
            let app = try AuthenticatorApp(scanning: uri)
            let code = try await browser.answer(page, [questions.count - 1: 0])
            let end = try await browser.answer(code, [0: .string(app.code(at: bench.time.now()))])
            #expect(end["signedIn"] == true, "\(end.json.text)")
        }
    }

    @Test("that shows recovery codes has them, or says that it cannot")
    func recoveryCodes() async throws {
        try await withBench(Self.options(["RecoveryCodes"])) { bench in
            for (user, count) in [("demo", 10), ("bob", 0)] {
                let browser = bench.browser()
                let page = try await browser.answer(try await browser.start(), user)
                #expect(page["callbacks.0.specialised"] == "recovery_codes")
                #expect(page["callbacks.0.codes"]?.array?.count == count)
                #expect(page["callbacks.0.deviceName"]?.string == (count > 0 ? "Your phone" : nil))
                #expect(try await browser.answer(page, [1: 0])["signedIn"] == true)
            }
        }
    }
}
