internal import JSON

/// Asks for missing profile attributes of three types; an attribute without an answer keeps its initial value.
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

    /// Adds the question for the language; the callback for `bob` has no input.
    private static func withLanguage(_ page: SimulatedPage, _ user: String) -> SimulatedPage {
        var page = page
        page.add("LanguageCallback", [:], input: user == "bob" ? [:] : ["Language": "", "Country": ""])
        return page
    }

    /// The questions; for `alice` the size has a value, and for `bob` the callbacks lack `validateOnly`.
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

    /// A number whose spelling clients have to keep.
    private static let size: JSONValue = JSONNumber(lexeme: "42.50").map { .number($0) } ?? .null
}
