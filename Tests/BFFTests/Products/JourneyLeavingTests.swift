import HTTPCore
import JSON
import JourneyProduct
import TestSupport
import Testing

@testable import BFF

@Suite("A page of a journey that sends its user away")
struct JourneyLeavingTests {
    private static func page(_ outputs: String, type: String = "RedirectCallback") -> ClientResponse {
        .json(#"{"authId":"a1","callbacks":[{"type":"\#(type)","output":[\#(outputs)],"_id":0}]}"#)
    }

    private static func redirect(_ url: String, method: String = "GET") -> ClientResponse {
        page(
            #"{"name":"redirectUrl","value":"\#(url)"},{"name":"redirectMethod","value":"\#(method)"},"#
                + #"{"name":"trackingCookie","value":true}"#)
    }

    private func started(_ answer: ClientResponse) async throws -> (ScriptedSignIn, any OpenedFlow) {
        let bench = try ScriptedSignIn()
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: answer)
        guard case .page(let flow) = try await bench.client.start(StartRequest(), session: nil, bench.caller()) else {
            throw Failed()
        }
        return (bench, flow)
    }

    struct Failed: Error {}

    @Test("waits for them, says by which path they leave, and never where they go")
    func shown() async throws {
        let (_, flow) = try await started(Self.redirect("https://am.example.com/authorize?state=canary"))
        let way = Departure(address: "https://am.example.com/authorize?state=canary", state: "canary")
        let id = try #require(flow.page.questions.first?.id)
        #expect(flow.wait == .departure && flow.departures == [id: way])
        #expect(flow.document["callbacks"]?.array?.count == 1 && !flow.document.text.contains("canary"))
    }

    @Test("takes no answers, and what they bring back, with the cookies that AM has set")
    func returned() async throws {
        var first = Self.redirect("https://am.example.com/authorize?state=s")
        first.fields.append(HTTPField(.setCookie, known: "track=1; Path=/"))
        let (bench, flow) = try await started(first)
        guard case .wrong(let problems) = flow.judge(PageAnswers()) else { throw Failed() }
        #expect(problems.map(\.code) == ["not-answerable"])
        var answers = PageAnswers()
        answers.returned = ["state": "s", "code": "c d"]
        guard case .right(let send) = flow.judge(answers) else { throw Failed() }
        _ = try await send(nil, bench.caller())
        let sent = try #require(bench.network.requests.last)
        #expect(sent.parameters?.pairs.map { "\($0.name)=\($0.value)" } == ["code=c d", "state=s"])
        #expect(sent.fields[values: .cookie].joined().contains("track=1"))
    }

    @Test(
        "to a host that is not listed ends the flow, and the log may know the host",
        arguments: [("https://evil.example.com/x?secret", "evil.example.com"), ("//evil.example.com/", "absolute")])
    func elsewhere(_ address: String, _ said: String) async throws {
        let bench = try ScriptedSignIn()
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: Self.redirect(address))
        guard case .failure("link-not-allowed", let check?) = try await bench.start() else { throw Failed() }
        #expect(check.contains(said) && !check.contains("secret"))
    }

    @Test("or waits for a link says so, and takes nothing")
    func suspended() async throws {
        let (_, flow) = try await started(
            Self.page(#"{"name":"message","value":"Look."}"#, type: "SuspendedTextOutputCallback"))
        #expect(flow.wait == .link)
        #expect(flow.document["suspended"] == true)
        var answers = PageAnswers()
        guard case .wrong = flow.judge(answers) else { throw Failed() }
        answers.returned = [:]
        guard case .wrong = flow.judge(answers) else { throw Failed() }
    }

    @Test("is none where nobody is sent away, and takes nothing that was brought back")
    func elsewhereAnswered() async throws {
        let name = #"{"authId":"a1","callbacks":[{"type":"NameCallback","input":[{"name":"IDToken1","value":""}]}]}"#
        let (_, flow) = try await started(.json(name))
        var answers = PageAnswers()
        answers.returned = ["code": "c"]
        guard case .wrong(let problems) = flow.judge(answers) else { throw Failed() }
        #expect(problems.map(\.code) == ["not-answerable"])
    }

    @Test("goes on with a link by what names the journey alone; a link of another realm is none")
    func links() async throws {
        let bench = try ScriptedSignIn()
        bench.network.on(
            .post, ScriptedSignIn.authenticate, answering: .json(#"{"code":401,"message":"x"}"#, status: 401))
        var start = StartRequest()
        func uri(_ realm: String) -> JSONValue {
            .string("https://am.example.com/?realm=\(realm)&suspendedId=id%2B1")
        }
        start.noSession = true
        start.product.values["uri"] = uri("/")
        try bench.client.check(start)
        _ = try await bench.client.start(start, session: nil, bench.caller())
        let sent = try #require(bench.network.requests.last)
        #expect(sent.parameters?.pairs.map { "\($0.name)=\($0.value)" } == ["suspendedId=id+1", "noSession=true"])
        start.product.values["uri"] = uri("/alpha")
        #expect(throws: BFFError.malformed(field: "uri")) { try bench.client.check(start) }
    }
}
