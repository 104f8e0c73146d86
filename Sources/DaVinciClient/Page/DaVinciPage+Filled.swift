internal import Basics
package import JSON
package import Orchestrate

extension DaVinciPage {
    /// Reads the answers out of a request as Ping's client for JavaScript sends it to PingOne: the values of the form
    /// by key, and the pressed button.
    ///
    /// That client sends every value, untouched ones as an empty text or object; these count as no answer where the
    /// question takes none such.
    ///
    /// - Parameter request: The body of the request.
    /// - Returns: The answers by question; `validate(_:)` judges them.
    /// - Throws: The problems of a request that is not for this page.
    package func answers(filledIn request: JSONObject) throws(InvalidAnswersError) -> Answers {
        let parameters = request["parameters"]
        // A poll of a challenge's status names no node.
        let isStatus = request["id"] == nil && parameters?["eventType"] == "polling"
        // rule: a request is for the node that is shown
        guard isStatus || (request["id"]?.string ?? "") == (step["id"]?.string ?? "") else {
            throw Self.notThisPage("", .notAnswerable, "the flow shows another page")
        }
        let data = parameters?["data"]
        var answers = Answers()
        for (key, value) in data?["formData"]?.object ?? [:] {
            let asked = collectors.filter { $0.field.key == key }
            if case .poll(let poll)? = form.collectors.first(where: { $0.isPoll })?.input, poll.key == key { continue }
            guard let collector = asked.first(where: { $0.takesAnswer }) ?? asked.first else {
                throw Self.notThisPage(key, .unknownQuestion, "the page has no such question")
            }
            answers.values[collector.id] = collector.input.answer(filled: value)
        }
        let key = data?["actionKey"]?.string ?? ""
        switch parameters?["eventType"]?.string {
        case "polling":
            // Without an action the answers would count as a pressed button.
            // rule: a poll is for a page that polls
            if pollQuestion == nil { throw Self.notThisPage("", .unknownAction, "the page is not polled") }
            answers.action = pollQuestion?.id
        case "submit": answers.action = key.isEmpty ? nil : try pressed(key)
        case "action":
            if let question = credentialQuestions.first, !collectors.contains(where: { $0.field.key == key }) {
                // The browser could not provide the credential, and says so by the name of the error.
                answers.values[question.id] = ["error": ["name": .string(key)]]
            } else {
                answers.action = try pressed(key)
            }
        default: throw Self.notThisPage("", .notAnswerable, "the request says nothing of what the user did")
        }
        return answers
    }

    /// The id of the button with a key.
    private func pressed(_ key: String) throws(InvalidAnswersError) -> String {
        guard let button = collectors.first(where: { $0.field.key == key }) else {
            throw Self.notThisPage(key, .unknownAction, "the page has no such action")
        }
        return button.id
    }

    private static func notThisPage(
        _ id: String, _ code: AnswerProblem.Code, _ message: String
    ) -> InvalidAnswersError {
        InvalidAnswersError([AnswerProblem(id: id, code: code, message: message)])
    }

    /// PingOne's answer that the page was made from, without interaction, links and what no page may show.
    ///
    /// The addresses of other identity providers and the ids of challenges are empty: both open the flow.
    ///
    /// - Parameter withheld: The ids of the questions for credentials whose options are not shown.
    /// - Returns: The page as Ping's programs may see it.
    package func shownStep(withheld: [String]) -> JSONObject {
        var shown = step
        // rule: a page of DaVinci for Ping's programs has nothing that continues it
        for name in ["interactionId", "interactionToken", "continueToken", "session", "_links"] { shown[name] = nil }
        var passwords: Set<String> = []
        var fields = collectors.map { collector -> JSONValue in
            guard var field = collector.field.json.object else { return collector.field.json }
            // rule: a page that is polled no more has nothing to poll with
            if collector.field.type == "POLLING", field[PollRequest.spent] != nil {
                for name in [PollRequest.spent, "challenge", "pollChallengeStatus"] { field[name] = nil }
            }
            switch collector.input {
            case .button(.departure): field["links"] = ["authenticate": ["href": ""]]
            case .poll: if field["challenge"] != nil { field["challenge"] = "" }
            case .credential where withheld.contains(collector.id):
                for name in ["publicKeyCredentialCreationOptions", "publicKeyCredentialRequestOptions"] {
                    field[name] = nil
                }
            case .password: if let key = collector.field.key { passwords.insert(key) }
            default: break
            }
            return .object(field)
        }
        guard var form = step["form"]?.object else { return shown }
        var components = form["components"]?.object ?? [:]
        let inputs = fields.count - (components["fields"]?.array?.count ?? 0)
        if components["inputs"] != nil { components["inputs"] = .array(Array(fields.suffix(max(0, inputs)))) }
        fields.removeLast(max(0, inputs))
        components["fields"] = .array(fields)
        form["components"] = .object(components)
        shown["form"] = .object(form)
        if !passwords.isEmpty, var given = step["formData"]?.object, let values = given["value"]?.object {
            given["value"] = .object(
                JSONObject(values.filter { !passwords.contains($0.name) }.map { ($0.name, $0.value) }))
            shown["formData"] = .object(given)
        }
        return shown
    }
}

extension Collector {
    /// True if the collector polls the page.
    fileprivate var isPoll: Bool { if case .poll = input { true } else { false } }
}

extension CollectorInput {
    /// The answer that a value of the form stands for; nil for a value that says that the question was left alone.
    fileprivate func answer(filled value: JSONValue) -> JSONValue? {
        let isNothing = value == "" || value == [:] || value.isNull
        switch self {
        case .nothing, .poll, .button: return nil
        case .text(let input) where input.isProtect && isNothing: return nil
        case .deviceType, .recognize, .metadata: return isNothing ? nil : value
        case .device: return isNothing ? nil : value["id"] ?? value
        case .phone: return isNothing || value["phoneNumber"] == "" ? nil : value
        case .credential: return isNothing ? nil : Self.credential(value)
        case .text, .password, .choice, .boolean: return value
        }
    }

    /// The credential as browsers give it, of the object that Ping's client makes of one: there bytes are in base64.
    private static func credential(_ value: JSONValue) -> JSONValue {
        guard let made = (value["attestationValue"] ?? value["assertionValue"])?.object else { return value }
        func url(_ text: JSONValue?) -> JSONValue? {
            guard let text = text?.string else { return text }
            return .string(String(decoding: text.utf8.compactMap(Self.urlByte), as: UTF8.self))
        }
        var credential = made
        credential["rawId"] = url(made["rawId"])
        var response = JSONObject()
        for (name, part) in made["response"]?.object ?? [:] { response[name] = url(part) }
        credential["response"] = .object(response)
        return ["credential": .object(credential)]
    }

    /// A character of base64 in base64url; nil for padding.
    private static func urlByte(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: byte
        }
    }
}
