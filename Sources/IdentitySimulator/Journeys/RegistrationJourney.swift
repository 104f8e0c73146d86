internal import Basics
internal import JSON

/// Registers a user: name and password with policies, attributes of three types, security questions, and the terms.
///
/// Failed policies are sent as `failedPolicies` with status 200, in each of the shapes that AM has for policies and for
/// failures.
struct RegistrationJourney: SimulatedJourney {
    private static let predefined: JSONValue = ["What's your favorite color?", "Who was your first employer?"]

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        .page(page(questions(services).map { ($0, []) }))
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        let questions = questions(services)
        if let judged = AttributeQuestion.judge(questions, answers) { return .page(page(judged)) }
        func refused(_ message: String) -> JourneyTurn {
            .failure(.custom(message: message, detail: ["failureUrl": ""]))
        }
        let (own, last) = (questions.count + 1, questions.count + 2)
        for position in [own - 1, own] {
            let question = answers.value(position, "question") ?? .null
            let isOffered = Self.predefined.array?.contains(question) == true
            guard isOffered || position == own && question.string?.isEmpty == false,
                !answers.text(position, "answer").isEmpty
            else { return refused("A question about yourself is not answered") }
        }
        guard answers.value(last) == true else { return refused("The terms are not accepted") }
        let name = answers.text(0)
        let user = SimulatedUser(
            name: name, password: answers.text(1), givenName: "New", familyName: name, email: answers.text(2))
        guard services.directory.create(user) else { return .refused }
        return .success(user: name, level: 0, amr: ["Registration"])
    }

    private func page(_ judged: [(question: AttributeQuestion, failed: [JSONValue])]) -> SimulatedPage {
        var page = SimulatedPage(
            stage: "Registration", header: "Register", description: "Choose a name and a password.")
        for (question, failed) in judged { question.add(to: &page, failed: failed) }
        // The first callback does not allow the user's own questions: it lacks `allowUserDefinedQuestions`.
        for more: JSONObject in [[:], ["allowUserDefinedQuestions": true]] {
            var output: JSONObject = ["prompt": "Choose a question", "predefinedQuestions": Self.predefined]
            for (name, value) in more { output[name] = value }
            page.add("KbaCreateCallback", output, input: ["question": "", "answer": ""])
        }
        page.add(
            "TermsAndConditionsCallback",
            ["version": "1.0", "terms": "Be kind.", "createDate": "2019-07-11T22:23:55.737Z"], input: ["": false])
        return page
    }

    /// The questions with policies.
    private func questions(_ services: JourneyServices) -> [AttributeQuestion] {
        let directory = services.directory
        return [
            AttributeQuestion(
                type: "ValidatedCreateUsernameCallback",
                output: [
                    "policies": Self.policies(
                        "userName", [("REQUIRED", [:]), ("UNIQUE", [:]), ("MIN_LENGTH", ["minLength": 3])]),
                    "prompt": "Username",
                ], value: ""
            ) { Self.failures(ofName: $0.string ?? "", directory) },
            AttributeQuestion(
                type: "ValidatedCreatePasswordCallback",
                output: [
                    "echoOn": false,
                    "policies": Self.policies(
                        "password", [("LENGTH_BASED", Self.length), ("AT_LEAST_X_NUMBERS", ["numNums": 1])]),
                    "prompt": "Password",
                ]
            ) { Self.failures(ofPassword: $0.string ?? "") },
            // An object in place of a text with JSON; and a text that is no JSON.
            .attribute("String", "mail", "E-mail address", "") { value in
                let mail = value.string ?? ""
                if mail.isEmpty { return [["policyRequirement": "REQUIRED"]] }
                return mail.contains("@") ? [] : ["VALID_EMAIL_ADDRESS_FORMAT"]
            }.with(policies: ["policies": [["policyId": "valid-email-address-format"]]]),
            .attribute("Number", "age", "Age", .null) { value in
                (value.double ?? 18) < 18 ? [AttributeQuestion.failure("MINIMUM_NUMBER_VALUE")] : []
            }.with(policies: [["policyId": "minimum-number-value", "params": ["minimum": 18]]]),
            .attribute("Boolean", "preferences/updates", "Send me news", false),
        ]
    }

    private static let length: JSONObject = ["min-password-length": 8, "max-password-length": 64]

    /// Policies in the shape that has the most members.
    private static func policies(_ name: String, _ policies: [(requirement: String, params: JSONObject)]) -> JSONValue {
        let list = policies.map { requirement, params -> JSONValue in
            let id = String(requirement.lowercased().map { $0 == "_" ? "-" : $0 })
            var policy: JSONObject = ["policyRequirements": [.string(requirement)], "policyId": .string(id)]
            if !params.isEmpty { policy["params"] = .object(params) }
            return .object(policy)
        }
        return [
            "policyRequirements": .array(policies.map { .string($0.requirement) }), "name": .string(name),
            "policies": .array(list), "conditionalPolicies": nil, "fallbackPolicies": nil,
        ]
    }

    private static func failures(ofName name: String, _ directory: UserDirectory) -> [JSONValue] {
        if name.isEmpty { return [AttributeQuestion.failure("REQUIRED")] }
        var failures: [JSONValue] = []
        if name.count < 3 || name.utf8.count > 64 {
            failures.append(AttributeQuestion.failure("MIN_LENGTH", ["minLength": 3]))
        }
        if !name.utf8.allSatisfy(\.isLetterOrDigit) { failures.append(AttributeQuestion.failure("VALID_USERNAME")) }
        if directory.user(name) != nil { failures.append(AttributeQuestion.failure("UNIQUE")) }
        return failures
    }

    private static func failures(ofPassword password: String) -> [JSONValue] {
        var failures: [JSONValue] = []
        if !(8...64).contains(password.utf8.count) {
            failures.append(AttributeQuestion.failure("LENGTH_BASED", length))
        }
        if !password.utf8.contains(where: \.isDigit) {
            failures.append(AttributeQuestion.failure("AT_LEAST_X_NUMBERS", ["numNums": 1]))
        }
        return failures
    }
}
