internal import JSON

/// What the profile lacks: attributes of three types, each of which keeps what it came with unless it is answered.
extension FormJourney {
    static let profile = FormJourney(forms: [
        Form { user, _ in
            var page = SimulatedPage(stage: "Profile", header: "Complete your profile")
            for question in questions(user.name) { question.add(to: &page) }
            return withLanguage(page, user.name)
        } judge: { answers, run, _ in
            guard let judged = AttributeQuestion.judge(questions(run.user ?? ""), answers) else { return .good }
            var page = SimulatedPage(stage: "Profile", header: "Complete your profile")
            for (question, failed) in judged { question.add(to: &page, failed: failed) }
            return .again(withLanguage(page, run.user ?? ""))
        }
    ])

    /// Asks for the language too, but of `bob`, whose callback has no place for an answer.
    private static func withLanguage(_ page: SimulatedPage, _ user: String) -> SimulatedPage {
        var page = page
        page.add("LanguageCallback", [:], input: user == "bob" ? [:] : ["Language": "", "Country": ""])
        return page
    }

    /// `alice` has a size already, and the server of `bob` cannot check without going on.
    private static func questions(_ user: String) -> [AttributeQuestion] {
        var questions = [
            AttributeQuestion.attribute("String", "city", "City", "Lund") { value in
                value.string?.isEmpty == false ? [] : [AttributeQuestion.failure("REQUIRED")]
            },
            .attribute("Number", "shoeSize", "Shoe size", user == "alice" ? size : .null) { value in
                guard value != .null else { return [] }
                guard let size = value.double else { return [AttributeQuestion.failure("IS_NUMBER")] }
                return size > 0 ? [] : [AttributeQuestion.failure("IS_NUMBER_GREATER_ZERO")]
            },
            .attribute("Boolean", "preferences/updates", "Send me news", false) { value in
                value.bool == nil ? [AttributeQuestion.failure("VALID_BOOLEAN")] : []
            },
        ]
        if user == "bob" { for index in questions.indices { questions[index].canCheck = false } }
        return questions
    }

    /// In a spelling that has to survive.
    private static let size: JSONValue = JSONNumber(lexeme: "42.50").map { .number($0) } ?? .null
}
