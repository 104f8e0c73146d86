import JSON

/// A flow as the model knows it: what was shown of it, what was sent to it, and what ended it.
struct FlowModel {
    let id: String
    let instance: Instance
    /// What began it.
    let start: Exchange
    /// The session that it is of.
    let tag: String?
    /// The highest step that was told, and when first.
    private(set) var step: Int64 = 1
    /// The body that a step was answered with, by step: a second one gets nothing.
    private(set) var taken: [Int64: String] = [:]
    /// When it was told that it is over.
    private(set) var overSince: Duration?
    /// Who was typed into the pages that were taken.
    private(set) var user: String?
    /// Who has typed a name in it.
    private(set) var users: Set<String> = []
    /// The pages that are polled, by their steps.
    private(set) var polled: Set<Int64> = []
    /// What was shown last at a step, without what changes by itself.
    private(set) var shown: [Int64: Set<String>] = [:]

    init(_ id: String, _ instance: Instance, _ start: Exchange, tag: String?) {
        (self.id, self.instance, self.start, self.tag) = (id, instance, start, tag)
    }

    /// Whether it is one of pages alone, which the user fills in.
    var isPlain: Bool { start.name == "start" && way == nil }

    /// The journey or policy that it was begun with, other than the client's first.
    var way: String? {
        start.request.body?["journey"]?.string ?? start.request.body?["acrValues"]?.array?.first?.string
    }

    /// Whether it may take the place of another user.
    var replaces: Bool { start.request.body?["replace"]?.bool == true }

    /// Whether a request is a poll, of which all are the same: one that names what is polled, or sends a page that waits
    /// back without an answer.
    func isPoll(_ exchange: Exchange) -> Bool {
        exchange.name == "poll" || exchange.step.map(polled.contains) ?? false
    }

    /// The questions of a page as text, without what differs each time that it is shown.
    static func page(_ node: JSONObject) -> String {
        node.questions.map { question in
            var question = question
            (question["nextPollIn"], question["go"]) = (nil, nil)
            return question.text
        }.joined()
    }

    /// An answer has told of it.
    mutating func told(_ node: JSONObject, _ exchange: Exchange, _ users: [String]) {
        if let shown = node["step"]?.int {
            step = max(step, shown)
            if node.waitQuestion != nil { polled.insert(shown) }
            self.shown[shown, default: []].insert(Self.page(node))
        } else if ["success", "failure"].contains(node["type"]?.string) {
            overSince = overSince ?? exchange.ended
        }
        guard let asked = exchange.step, exchange.name == "next" else { return }
        if taken[asked] == nil { taken[asked] = exchange.words }
        if let typed = exchange.typed(among: users) {
            user = typed
            self.users.insert(typed)
        }
    }

    /// It was said that its sign-in was of another user, or too weak: it is over.
    mutating func ended(_ exchange: Exchange) { overSince = overSince ?? exchange.ended }
}
