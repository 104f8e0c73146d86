internal import BFF
internal import HTTPCore
internal import JSON

extension StartRequest {
    /// The allowed members of `start`, besides those of one product.
    static let members = [
        "acrValues", "prompt", "loginHint", "uiLocales", "parameters", "replace",
        "for", "returnTarget", "transaction",
    ]

    /// Reads the body of `start`; the use case checks what the client's configuration allows.
    ///
    /// `own` names the members that products read.
    init(_ body: BodyMembers, own: [String]) throws(Problem) {
        try body.allow(only: own + Self.members)
        self.init()
        transaction = try Self.transaction(body)
        if transaction != nil {
            returnTarget = try body.text("returnTarget", upTo: 64)
            return
        }
        product = StartMembers(try body.own(own))
        acrValues = try body.texts("acrValues", upTo: 256)
        prompt = try body.text("prompt", upTo: 64)
        loginHint = try body.text("loginHint", upTo: 256)
        uiLocales = try body.texts("uiLocales", upTo: 35)
        guard uiLocales.allSatisfy(AcceptLanguage.isTag) else {
            throw Problem(.malformed, member: "uiLocales", .outOfRange)
        }
        parameters = try Self.parameters(body)
        replace = try body.flag("replace")
        goal = try body.text("for", upTo: 64)
        returnTarget = try body.text("returnTarget", upTo: 64)
    }

    /// The id of a backchannel transaction, which leaves nothing else to be asked for but where to come back to.
    private static func transaction(_ body: BodyMembers) throws(Problem) -> String? {
        guard let id = try body.text("transaction", upTo: TransactionID.longest) else { return nil }
        // rule: a transaction stands alone
        try body.refuse(beside: ["transaction", "returnTarget"])
        // rule: a transaction's id has no characters but those of ids
        guard TransactionID.isOne(id) else { throw Problem(.malformed, member: "transaction", .outOfRange) }
        return id
    }

    private static func parameters(_ body: BodyMembers) throws(Problem) -> [String: String] {
        var parameters: [String: String] = [:]
        for (name, value) in try body.object("parameters") {
            guard let value = value.string else { throw Problem(.malformed, member: "parameters", .wrongType) }
            let name = try BodyMembers.checked(name, "parameters", 64)
            let text = try BodyMembers.checked(value, "parameters", 2048)
            guard parameters.updateValue(text, forKey: name) == nil else {
                throw Problem(.malformed, member: "parameters", .repeated)
            }
        }
        guard parameters.count <= 32 else { throw Problem(.malformed, member: "parameters", .outOfRange) }
        return parameters
    }
}
