internal import JSON

/// Signs in the user of a token that the application itself got from the other provider.
struct SocialNativeJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard let elsewhere = services.elsewhere else { return .refused }
        run.returnAddress = elsewhere.returnAddress
        var page = SimulatedPage(stage: "SocialNative")
        page.add(
            "IdPCallback",
            [
                "provider": "social", "clientId": .string(SocialProvider.client),
                "redirectUri": .string(run.returnAddress), "scopes": ["openid"],
                "nonce": .string(Identifier.random(16)), "acrValues": ["silver"], "request": "", "requestUri": "",
                "acceptsJSON": false,
            ], input: ["token": "", "token_type": ""])
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        // The other provider issues codes, and no other tokens.
        guard answers.text(0, "token_type") == "authorization_code", let elsewhere = services.elsewhere,
            let user = elsewhere.social.redeem(answers.text(0, "token"), run.returnAddress, now: services.now),
            services.directory.user(user) != nil
        else { return .failure(.custom(message: "The token is not one of the provider", detail: ["failureUrl": ""])) }
        return .success(user: user, level: 0, amr: ["SocialNative"])
    }
}
