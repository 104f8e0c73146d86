internal import JSON

/// A sign-in in English, French or German, whichever the caller's languages name first.
///
/// Its stage has the texts of all three languages; its refusals are in the chosen one.
struct LocalisedJourney: SimulatedJourney {
    private struct Words {
        let header, name, password, submit, refusal: String
    }

    private static let words: KeyValuePairs<String, Words> = [
        "en": Words(
            header: "Sign in", name: "User Name", password: "Password", submit: "Sign in",
            refusal: "The password is wrong."),
        "fr": Words(
            header: "Connexion", name: "Identifiant", password: "Mot de passe", submit: "Se connecter",
            refusal: "Le mot de passe est erroné."),
        "de": Words(
            header: "Anmeldung", name: "Benutzername", password: "Kennwort", submit: "Anmelden",
            refusal: "Das Kennwort ist falsch."),
    ]

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        let words = Self.words(services)
        let texts: JSONObject = [
            "submitButtonText": .object(JSONObject(Self.words.map { ($0.key, .string($0.value.submit)) }))
        ]
        var page = SimulatedPage(stage: texts.text, header: words.header)
        page.addName(words.name)
        page.addPassword(words.password)
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        let (name, failure) = LoginJourney.check(answers, services)
        guard failure != nil else { return .success(user: name, level: 0, amr: ["Localised"]) }
        return .failure(.custom(message: Self.words(services).refusal, detail: ["failureUrl": ""]))
    }

    private static func words(_ services: JourneyServices) -> Words {
        let asked = services.languages.split(separator: ",").map { $0.drop { $0 == " " }.prefix(2).lowercased() }
        let known = asked.lazy.compactMap { tag in words.first { $0.key == tag }?.value }.first
        return known ?? words[0].value
    }
}
