import Basics
import HTTPCore
import JSON
import JourneyClient
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("An answer of AM")
struct JourneyNodeTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    private func start(_ answer: ClientResponse) async throws -> FlowStep {
        am.network.on(.post, ScriptedAM.authenticate, answering: answer)
        return try await am.journey().bound(to: desk.caller()).start("Login")
    }

    @Test func `with authId is a page`() async throws {
        let step = try await start(.json(loginPage))
        #expect(step.page?.actions.map(\.id) == ["IDToken1", "IDToken2"])
        #expect(step.flow.page.map { String(decoding: $0, as: UTF8.self) } == loginPage)
    }

    @Test func `without authId is a success, signed in only with a token`() async throws {
        let full = try await start(.json(success("t"))).success
        #expect((full?.session as? SSOSession)?.successURL == "/enduser/?realm=/alpha")
        #expect((full?.session as? SSOSession)?.realm == "/alpha")
        for body in [
            "{}", #"{"successUrl":"/x","realm":"/"}"#, #"{"tokenId":""}"#, #"{"tokenId":5}"#, #"{"authId":null}"#,
        ] {
            am.network.on(.post, ScriptedAM.authenticate, answering: .json(body))
            let step = try await am.journey().bound(to: Desk().caller())
                .start("Login", StartOptions(noSession: true))
            #expect(step.success?.isSignedIn == false)
            #expect(step.flow.isOver)
            // Nobody asked for that: the sign-in cannot work, and a user can do nothing about it.
            let unwanted = try await am.journey().bound(to: Desk().caller()).start("Login")
            guard case .configuration? = unwanted.cause else {
                Issue.record("expected a configuration error")
                return
            }
        }
    }

    @Test(arguments: [
        "a\\r\\nX-Evil: 1", "a\\u0000b", " a", "a ", "é", "a\\n", "a; other=1", "a,b", #"\"a\""#,
    ])
    func `with a token that no header field or cookie can carry is a failure, and the token goes nowhere`(
        token: String
    ) async throws {
        let step = try await start(.json(#"{"tokenId":"\#(token)","realm":"/alpha"}"#))
        guard case .malformed(200, _)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(try await desk.session.get() == nil)
    }

    @Test func `is shown and stored without texts that are longer than an address`() async throws {
        let long = "/" + String(repeating: "a", count: 5000)
        let step = try await start(.json(#"{"tokenId":"t","realm":"\#(long)","successUrl":"\#(long)"}"#))
        let session = step.success?.session as? SSOSession
        #expect(session?.value.reveal() == "t" && session?.realm == "" && session?.successURL == "")
    }

    @Test func `is no session because of a cookie where none was wanted`() async throws {
        var answer = ClientResponse.json(#"{"successUrl":"/","realm":"/"}"#)
        try answer.fields.set(.setCookie, checking: "\(ScriptedAM.cookieName)=stolen; Path=/")
        am.network.on(.post, ScriptedAM.authenticate, answering: answer)
        let step = try await am.journey().bound(to: desk.caller()).start("Login", StartOptions(noSession: true))
        #expect(step.success?.isSignedIn == false)
        #expect(try await desk.session.get() == nil)
    }

    @Test(arguments: [200, 201, 204, 302, 400, 401, 404, 500, 502])
    func `that is not JSON is a failure`(status: Int) async throws {
        let step = try await start(.html("<html>", status: status))
        #expect(step.cause != nil)
        #expect(step.flow.isOver)
    }

    @Test(arguments: [
        #"{"authId":"a","callbacks":{}}"#, #"{"authId":"a","callbacks":"x"}"#, #"{"authId":"a","callbacks":5}"#,
    ])
    func `with callbacks that are no list is a failure`(body: String) async throws {
        guard case .malformed(200, _)? = try await start(.json(body)).cause else {
            Issue.record("expected a malformed answer")
            return
        }
    }

    @Test(arguments: [
        #"{"authId":"a"}"#, #"{"authId":"a","callbacks":[]}"#, #"{"authId":"a","callbacks":null}"#,
        #"{"authId":"a","callbacks":[5,null,{},{"type":7},{"type":"NameCallback"},{"type":"NameCallback","input":{}}]}"#,
    ])
    func `with a page that lacks parts goes back as it came`(body: String) async throws {
        let step = try await start(.json(body))
        _ = try await am.journey().bound(to: desk.caller()).next(step.flow)
        #expect(am.sent(ScriptedAM.authenticate).last?.text == body)
    }

    @Test func `that leads elsewhere is a failure and is not followed`() async throws {
        let step = try await start(.redirect(to: "https://login.example.com/maintenance?token=canary"))
        guard case .unexpectedRedirect(302, let location)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(location?.reveal() == "https://login.example.com/maintenance?token=canary")
        #expect(!"\(step.node)".contains("canary"))
        #expect(am.network.requests.count == 2)
    }

    @Test(arguments: [201, 202, 500, 501, 502, 504])
    func `with another status is a failure, JSON or not`(status: Int) async throws {
        guard case .unexpectedStatus(status, _)? = try await start(.json(loginPage, status: status)).cause else {
            Issue.record("expected the status")
            return
        }
    }

    @Test(arguments: [429, 503])
    func `that says later keeps the flow at its step`(status: Int) async throws {
        let first = try await start(.json(loginPage))
        am.network.on(.post, ScriptedAM.authenticate, answering: .json("{}", status: status))
        let step = try await am.journey().bound(to: desk.caller()).next(first.flow)
        #expect(step.leavesFlowUntouched)
        #expect(step.flow.page == first.flow.page)
    }

    @Test(
        arguments: [
            (
                401, #"{"code":401,"reason":"Unauthorized","message":"Login failure","detail":{"failureUrl":""}}"#,
                JourneyErrorKind.authenticationFailed
            ),
            (401, #"{"code":401,"message":"Authentication Failed"}"#, .authenticationFailed),
            (401, #"{"code":401,"message":"User Locked Out."}"#, .authenticationFailed),
            (401, #"{"message":"Warning: You will be locked out after 1 more failure(s)."}"#, .authenticationFailed),
            (401, #"{"code":401,"message":"x","detail":{"errorCode":"110"}}"#, .journeyExpired),
            (401, #"{"code":401,"message":"x","detail":{"errorCode":110}}"#, .authenticationFailed),
            (401, #"{"code":401,"message":"x","detail":{"errorCode":"own"}}"#, .authenticationFailed),
            (401, #"{"message":"org.forgerock.SuspendedAuthSessionException: Token not found."}"#, .suspendedExpired),
            (403, #"{"detail":{"failedPolicyRequirements":[],"result":false}}"#, .policyFailed),
            (403, #"{"code":403,"message":"Forbidden"}"#, .authenticationFailed),
            (400, #"{"code":400,"message":"No Configuration found"}"#, .badRequest),
            (404, "{}", .badRequest),
            (404, #"{"code":404,"reason":"Not Found","message":"Realm &quot;/nosuch&quot; not found"}"#, .badRequest),
            (
                408, #"{"code":408,"reason":"Request Time-out","message":"Session has timed out"}"#,
                .journeyExpired
            ),
            (400, #"{"code":400,"message":"Authentication Error: Authentication timeout."}"#, .journeyExpired),
            (401, #"{"code":401,"message":"Authentication timeout"}"#, .authenticationFailed),
            (401, #"{"code":401,"message":"x","detail":{"errorCode":"128"}}"#, .journeyExpired),
            (400, #"{"code":400,"message":"x","detail":{"errorCode":"128"}}"#, .badRequest),
            (
                401, #"{"code":401,"reason":"Unauthorized","message":"Your account has been locked."}"#,
                .authenticationFailed
            ),
            (401, #"{"code":401,"reason":"Unauthorized","message":"User not Active"}"#, .authenticationFailed),
            (401, #"{"code":401,"message":"You have reached your session limit."}"#, .authenticationFailed),
            (400, #"{"code":400,"message":"Org is inactive"}"#, .badRequest),
            (400, #"{"code":400,"message":"AuthId JWT Signature not valid"}"#, .badRequest),
            (401, #"{"message":"x","detail":["any","type"]}"#, .authenticationFailed),
            (
                400,
                #"{"message":"Session Upgrade fails since user is different than original authenticated user"}"#,
                .accountMismatch
            ),
            (401, #"{"authId":"a","callbacks":[]}"#, .authenticationFailed),
        ] as [(Int, String, JourneyErrorKind)])
    func `with 4xx is an error of a kind, and the flow is over`(
        status: Int, body: String, kind: JourneyErrorKind
    ) async throws {
        let step = try await start(.json(body, status: status))
        let error = try #require(step.error)
        #expect(error.journeyKind == kind)
        #expect(error.status == status)
        #expect(step.flow.isOver)
        #expect(error.message == (try JSONValue(parsing: body)["message"]?.string ?? ""))
    }

    @Test(arguments: [#"{"code":1999}"#, #"{"code":"1999"}"#, #"{"code":"requestTimedOut"}"#])
    func `that says it took too long is no answer to the user`(body: String) async throws {
        guard case .noUsableAnswer(.timeout)? = try await start(.json(body, status: 400)).cause else {
            Issue.record("expected a timeout")
            return
        }
    }

    @Test(
        "with 200 that states the code of a failure is that failure, also where no session was wanted",
        arguments: [true, false])
    func statedFailure(_ noSession: Bool) async throws {
        let bound = try am.journey().bound(to: desk.caller())
        for (body, kind) in [
            (#"{"code":401,"reason":"Unauthorized","message":"Login failure"}"#, JourneyErrorKind.authenticationFailed),
            (#"{"code":"401","detail":{"errorCode":"110"}}"#, .journeyExpired), (#"{"code":400}"#, .badRequest),
        ] {
            am.network.on(.post, ScriptedAM.authenticate, answering: .json(body))
            let step = try await bound.start("Login", StartOptions(noSession: noSession))
            #expect(step.error?.journeyKind == kind && step.flow.isOver, "\(step.node)")
        }
        for body in [#"{"code":500}"#, #"{"code":1999}"#, #"{"code":"requestTimedOut"}"#] {
            am.network.on(.post, ScriptedAM.authenticate, answering: .json(body))
            let step = try await bound.start("Login", StartOptions(noSession: noSession))
            #expect(step.cause != nil && step.success == nil, "\(step.node)")
        }
        // A code that is no status, and one beside a session, are members like any other.
        am.network.on(.post, ScriptedAM.authenticate, answering: .json(#"{"tokenId":"t","code":401}"#))
        #expect(try await bound.start("Login").success?.isSignedIn == true)
        am.network.on(.post, ScriptedAM.authenticate, answering: .json(#"{"code":7}"#))
        #expect(try await bound.start("Login", StartOptions(noSession: true)).success != nil)
    }

    @Test func `names the properties that do not meet policies, in objects and in strings`() async throws {
        let body = #"""
            {"code":403,"detail":{"failedPolicyRequirements":[
            {"policyRequirements":[{"params":{"minLength":8},"policyRequirement":"MIN_LENGTH"}],"property":"password"},
            "{ \"property\": \"userName\", \"policyRequirements\": [ \"{ \\\"policyRequirement\\\": \\\"UNIQUE\\\" }\" ] }",
            "nonsense", 5],"result":false}}
            """#
        let error = try #require(try await start(.json(body, status: 403)).error)
        #expect(error.failedProperties.map(\.property) == ["password", "userName"])
        #expect(
            error.failedProperties[0].policies == [FailedPolicy(requirement: "MIN_LENGTH", params: ["minLength": 8])])
        #expect(error.failedProperties[1].policies == [FailedPolicy(requirement: "UNIQUE")])
    }

    @Test(arguments: [
        (String(repeating: "x", count: 1024), 1024), (String(repeating: "x", count: 1025), 1024),
        (String(repeating: "ä", count: 600), 1024), ("x" + String(repeating: "ä", count: 600), 1023),
        ("xx" + String(repeating: "🙂", count: 600), 1022),
    ])
    func `has a message of 1 KiB at most, cut between characters`(message: String, bytes: Int) async throws {
        let error = try #require(try await start(.json(#"{"message":"\#(message)"}"#, status: 401)).error)
        #expect(error.message.utf8.count == bytes && message.hasPrefix(error.message))
    }

    @Test(arguments: [
        "[]", #""text""#, "5", "null", "true", #"{"failedPolicyRequirements":"x"}"#, #"{"errorCode":110}"#,
        #"{"errorCode":"CONTRACT-7"}"#, #"{"errorCode":["110"]}"#, #"{"errorCode":{"errorCode":"110"}}"#,
    ])
    func `with details of an odd type is a plain refusal`(detail: String) async throws {
        for status in [401, 403] {
            let answer = ClientResponse.json(#"{"code":\#(status),"detail":\#(detail)}"#, status: status)
            let error = try #require(try await start(answer).error)
            #expect(error.journeyKind == .authenticationFailed && error.failedProperties.isEmpty)
        }
    }

    @Test func `names the question that asked for a property which does not meet policies`() throws {
        let page = try JourneyPage(
            try JSONValue(
                parsing: #"""
                    {"authId":"a","callbacks":[
                    {"type":"TextOutputCallback","output":[{"name":"message","value":"m"}]},
                    {"type":"StringAttributeInputCallback","output":[{"name":"name","value":"mail"}],
                    "input":[{"name":"IDToken2","value":""}]}]}
                    """#))
        let node = ContinueNode(input: .object(page.step), actions: page.callbacks)
        let body = #"""
            {"detail":{"failedPolicyRequirements":[
            {"property":"mail","policyRequirements":["{\"policyRequirement\":\"UNIQUE\"}"]},
            {"property":"sn","policyRequirements":[{"policyRequirement":"MIN_LENGTH","params":{"minLength":2}}]}]}}
            """#
        let error = ErrorNode(status: 403, input: try JSONValue(parsing: body))
        let details = error.policyDetails(after: node)
        #expect(details.map { $0["property"]?.string } == ["mail", "sn"])
        #expect(details.map { $0["id"]?.string } == ["IDToken2", nil])
        #expect(details[0]["requirements"]?[0]?["requirement"]?.string == "UNIQUE")
        #expect(details[1]["requirements"]?[0]?["params"]?["minLength"]?.int == 2)
        #expect(error.policyDetails(after: nil).map { $0["id"]?.string } == [nil, nil])
    }

    @Test func `that ended the flow cannot be answered again`() async throws {
        let step = try await start(.json("{}", status: 401))
        guard case .flowOver? = try await am.journey().bound(to: desk.caller()).next(step.flow).cause else {
            Issue.record("expected that the flow is over")
            return
        }
    }
}

@Suite("Resuming a journey")
struct ResumeTests {
    private let am: ScriptedAM
    private let desk = Desk()
    private let redirectPage = """
        {"authId":"foo","callbacks":[{"type":"RedirectCallback","output":[{"name":"redirectUrl",\
        "value":"https://accounts.example.com/auth?nonce=n&state=s1"},{"name":"redirectMethod","value":"GET"}]}]}
        """

    init() throws { am = try ScriptedAM() }

    @Test func `by a link sends its id and names no journey`() async throws {
        am.steps(loginPage)
        let step = try await am.journey().bound(to: desk.caller()).resume(suspendedID: "boP+1")
        #expect(step.page != nil)
        let sent = am.sent(ScriptedAM.authenticate)[0]
        #expect(sent.url.query == "suspendedId=boP%2B1")
        #expect(sent.text == "{}")
    }

    @Test func `by a link without an id is refused`() async throws {
        let step = try await am.journey().bound(to: desk.caller()).resume(suspendedID: "")
        #expect(step.cause != nil)
        #expect(am.network.requests.isEmpty)
    }

    @Test func `after a redirect posts the stored page unchanged, what came back in the query`() async throws {
        am.steps(redirectPage, success("t"))
        let bound = try am.journey().bound(to: desk.caller())
        let first = try await bound.start("Social")
        let returned = try #require(QueryParameters(parsing: "code=4%2F0A&state=s1&scope=email+openid"))
        #expect(try await bound.resume(first.flow, returned: returned).success != nil)
        let sent = am.sent(ScriptedAM.authenticate)[1]
        #expect(sent.text == redirectPage)
        #expect(sent.parameters == returned)
    }

    @Test(arguments: [
        "code=1&state=other", "code=1", "state=s1&goto=x", "state=s1&state=s1", "state=s1&authIndexValue=Other",
        "state=s1&ForceAuth=false",
    ])
    func `after a redirect refuses what the page did not ask for`(query: String) async throws {
        am.steps(redirectPage)
        let bound = try am.journey().bound(to: desk.caller())
        let first = try await bound.start("Social")
        let step = try await bound.resume(first.flow, returned: try #require(QueryParameters(parsing: query)))
        guard case .moduleFailed(.request, let error)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(error is ReturnError)
        #expect(am.sent(ScriptedAM.authenticate).count == 1)
        #expect(step.flow == first.flow)
    }
}
