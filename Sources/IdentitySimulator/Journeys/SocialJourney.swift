internal import HTTPCore
internal import HTTPServer
internal import JSON

/// Sends the user to the other provider, and signs in the user whom the provider names.
struct SocialJourney: SimulatedJourney {
    /// True if the redirect to the provider is a form POST, and the redirect back too.
    var posts = false

    private static let cookie = "social-track"

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard let elsewhere = services.elsewhere else { return .refused }
        run.place = Identifier.random(16)
        run.returnAddress = services.settings.redirectURIs.first ?? elsewhere.returnAddress
        var request = QueryParameters()
        request.append("client_id", SocialProvider.client)
        request.append("response_type", "code")
        request.append("scope", "openid")
        request.append("redirect_uri", run.returnAddress)
        request.append("state", run.place)
        request.append("nonce", Identifier.random(16))
        let address = elsewhere.call.base + "/social/authorize"
        var page = SimulatedPage()
        var output: JSONObject = ["redirectUrl": .string(address + "?" + request.encoded), "redirectMethod": "GET"]
        if posts {
            request.append("response_mode", "form_post")
            let data = request.pairs.map { ($0.name, JSONValue.string($0.value)) }
            output = [
                "redirectUrl": .string(address), "redirectMethod": "POST", "redirectData": .object(JSONObject(data)),
            ]
        }
        output["trackingCookie"] = true
        page.add("RedirectCallback", output)
        page.cookies = ["\(Self.cookie)=\(run.place); Path=/am; HttpOnly"]
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard let elsewhere = services.elsewhere else { return .refused }
        let call = elsewhere.call
        guard CookieHeader(call.headers.values("cookie")).single(Self.cookie).map({ String($0) }) == run.place else {
            return .failure(.custom(message: "The cookie of the journey is missing", detail: [:]))
        }
        guard call.query.single("state") == run.place else {
            return .failure(.custom(message: "The state is another", detail: [:]))
        }
        if let error = call.query.single("error") {
            return .failure(.custom(message: "The other provider says \(error)", detail: [:]))
        }
        guard let code = call.query.single("code"),
            let user = elsewhere.social.redeem(code, run.returnAddress, now: services.now),
            services.directory.user(user) != nil
        else { return .refused }
        return .success(user: user, level: 0, amr: ["Social"])
    }
}
