package import BFF
internal import Basics
internal import HTTPCore
internal import JSON

/// Writes the nodes of DaVinci flows as PingOne does.
package enum DaVinciNodeDocument {
    /// The parts of a node's links.
    package struct Links: Sendable {
        /// The absolute address that the operations of the instance begin with.
        let base: String
        /// The absolute address below which the flow's own operations are.
        let flows: String
        /// The query that the links carry.
        let query: String
        /// The instance as browsers write it.
        let instance: String

        /// Makes the parts of links.
        package init(base: String, flows: String, query: String, instance: String) {
            self.base = base
            self.flows = flows
            self.query = query
            self.instance = instance
        }
    }

    /// A page: as PingOne sent it, with a handle in place of the interaction, and addresses of this server.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - flow: The flow.
    ///   - links: The parts of the links.
    /// - Returns: The document; nil for a page of a client that does not show PingOne's own.
    package static func page(_ page: FlowNode.Page, flow: String, _ links: Links) -> [UInt8]? {
        guard let own = page.providerPage else { return nil }
        let handle = StepHandle(flow: flow, step: page.step)
        var node: JSONObject = ["interactionId": .string(handle.text), "interactionToken": .string(handle.text)]
        for (name, value) in own where !["interactionId", "interactionToken", "_links"].contains(name) {
            node[name] = value
        }
        func link(_ path: String) -> JSONValue { ["href": .string("\(links.flows)/\(path)?\(links.query)")] }
        var all: JSONObject = ["next": link("next"), "self": ["href": .string(links.flows)]]
        if page.shown.questions.contains(where: { $0.departure != nil }) {
            all["continue"] = link("continue/\(handle.text)")
        }
        node["_links"] = .object(all)
        node["form"] = form(node["form"], page, handle, links)
        return JSONValue.object(node).serialized()
    }

    /// The form, whose fields are in the order of the page's questions.
    private static func form(
        _ form: JSONValue?, _ page: FlowNode.Page, _ handle: StepHandle, _ links: Links
    ) -> JSONValue? {
        guard var form = form?.object, var components = form["components"]?.object else { return form }
        var questions = page.shown.questions[...]
        for name in ["fields", "inputs"] {
            guard let fields = components[name]?.array else { continue }
            components[name] = .array(
                fields.map { field in
                    let question = questions.popFirst()
                    guard var changed = field.object else { return field }
                    if let departure = question?.departure {
                        changed["links"] = ["authenticate": ["href": .string("\(links.base)/go/\(departure)")]]
                    }
                    // The field of a challenge has lost its id on the way here.
                    if changed["challenge"] == "", changed["pollChallengeStatus"] == true {
                        changed["challenge"] = .string(PercentEncoding.encode(handle.challenge(of: links.instance)))
                    }
                    return .object(changed)
                })
        }
        form["components"] = .object(components)
        return .object(form)
    }

    /// The answer to a poll after which the page still waits.
    package static let waiting = Array(#"{"eventName":"rewindStateToLastRenderedUI","status":"continue"}"#.utf8)

    /// The status of a challenge; what the user decided is known to the flow, which the program asks next.
    package static func challenge(isComplete: Bool) -> [UInt8] {
        Array(
            (isComplete ? #"{"isChallengeComplete":true,"status":"complete"}"# : #"{"isChallengeComplete":false}"#).utf8
        )
    }

    /// The refusal of a page's answers, which can be given again.
    package static func refusal(_ refusal: FlowNode.Refusal) -> [UInt8] {
        let details = refusal.details.compactMap { detail -> JSONValue? in
            guard let target = detail["target"], target != "" else { return nil }
            return ["code": "INVALID_VALUE", "target": target, "message": detail["message"] ?? ""]
        }
        var document: JSONObject = [
            "code": "invalidValue", "message": .string(refusal.message), "errorCategory": "InvalidData",
            "httpResponseCode": 400,
        ]
        if !details.isEmpty {
            document["details"] = [
                [
                    "statusCode": 400,
                    "rawResponse": [
                        "code": "INVALID_DATA", "message": .string(refusal.message), "details": .array(details),
                    ],
                ]
            ]
        }
        return JSONValue.object(document).serialized()
    }

    /// The end of a flow without a sign-in.
    package static func failure(reason: String, message: String?) -> [UInt8] {
        let text = message ?? "The flow has ended without a sign-in."
        return JSONValue.object([
            "status": "FAILED", "error": ["code": .string(reason), "message": .string(text)],
        ]).serialized()
    }
}
