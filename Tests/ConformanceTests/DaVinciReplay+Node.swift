import DaVinciClient
import HTTPCore
import JSON
import Orchestrate
import StorageKit
import TestSupport

extension DaVinciReplay {
    /// Compares the outcome with `expect`; without one the answer must at least have become a node or a typed error.
    mutating func node(_ step: FlowStep, _ setting: Setting, before: ContinueNode? = nil) async throws {
        if case .failure(let failure) = step.node {
            if case .notReached = failure.cause { comparison.differs("the provider was not reached") }
        }
        guard let expect = fixture.expect else { return }
        comparison.known(
            expect,
            [
                "node", "collectors", "fieldErrors", "recoverable", "hasContinueNode", "location", "httpStatus",
                "base64url", "submittedKeys", "eventNameDefault", "persistedCookies", "flowCookies", "mode",
                "pollInterval", "pollRetries", "reason", "refused", "withheld",
            ])
        if let word = expect["node"]?.string {
            let found = before.map { isPrevious(step, $0) } == true && word == "previous" ? word : step.node.word
            comparison.equal("node", found, word)
            if case .failure(let failure) = step.node, word != "failure" {
                comparison.differs("cause: \(failure.cause)")
            }
        }
        if let names = expect["persistedCookies"]?.array {
            let kept = try await setting.session.get()?.cookies.names ?? []
            comparison.equal("persistedCookies", kept.sorted(), names.compactMap(\.string).sorted())
        }
        if let names = expect["flowCookies"]?.array {
            let kept = step.flow.context[.cookies]?.names ?? []
            comparison.equal("flowCookies", kept.sorted(), names.compactMap(\.string).sorted())
        }
        page(step, expect)
        error(step, expect)
        failure(step, expect)
    }

    /// Whether the page of before is shown again, with one retry less.
    private func isPrevious(_ step: FlowStep, _ before: ContinueNode) -> Bool {
        guard case .continue(let page) = step.node else { return false }
        let left = { (node: ContinueNode) in node.collectors.lazy.compactMap { $0.members["retriesLeft"]?.int }.first }
        return page.collectors.map(\.id) == before.collectors.map(\.id) && left(page) == left(before).map { $0 - 1 }
    }

    private mutating func page(_ step: FlowStep, _ expect: JSONObject) {
        guard case .continue(let node) = step.node else {
            let own = ["collectors", "base64url", "mode", "pollInterval", "pollRetries", "refused", "withheld"]
            for name in own where expect[name] != nil {
                comparison.differs("expect.\(name): the node has none")
            }
            return
        }
        contract(node)
        if let types = expect["collectors"]?.array {
            let found = node.collectors.map { $0.type.hasSuffix("Collector") ? String($0.type.dropLast(9)) : $0.type }
            comparison.equal("collectors", found, types.compactMap(\.string))
        }
        for (path, value) in expect["base64url"]?.object ?? [:] {
            let options = node.collectors.lazy.compactMap { $0.members["publicKey"] }.first
            comparison.equal("base64url \(path)", Self.member(path, of: options), value)
        }
        let names = [("mode", "mode"), ("pollInterval", "pollInterval"), ("pollRetries", "retriesLeft")]
        for (name, member) in names {
            guard let value = expect[name] else { continue }
            comparison.equal(name, node.collectors.lazy.compactMap { $0.members[member] }.first, value)
        }
        for row in expect["refused"]?.array ?? [] {
            let values = row["values"]?.object?.map { ($0.name, $0.value) } ?? []
            let answers = Answers(Dictionary(values) { $1 }, action: row["action"]?.string)
            let codes = DaVinciPage(node).validate(answers).map { JSONValue.string($0.code.rawValue) }
            comparison.equal("refused \(row["values"]?.text ?? "")", .array(codes), row["codes"])
        }
        let shown = JSONValue.object(DaVinciPage(node).document).text
        for text in expect["withheld"]?.array?.compactMap(\.string) ?? [] where shown.contains(text) {
            comparison.differs("withheld: a browser is shown \(text)")
        }
    }

    /// What a browser gets of any page is what the contract says.
    private mutating func contract(_ node: ContinueNode) {
        var shown: JSONObject = [
            "type": "continue", "kind": "davinci", "flow": "f_6Hq0mXr1Tn3bZs8cVd2wEg", "step": 1, "expiresIn": 1,
        ]
        for (name, value) in DaVinciPage(node).document { shown[name] = value }
        for fault in (try? ContractFile.browsers.get().faults(in: .object(shown), as: "FlowNode")) ?? ["no contract"] {
            comparison.differs("contract: \(fault)")
        }
    }

    /// `allowCredentials[0].id` of a value.
    private static func member(_ path: String, of value: JSONValue?) -> JSONValue? {
        path.split { $0 == "." || $0 == "[" || $0 == "]" }.reduce(value) { value, part in
            Int(part).map { value?[$0] } ?? value?[String(part)]
        }
    }

    private mutating func error(_ step: FlowStep, _ expect: JSONObject) {
        guard case .error(let node) = step.node else {
            for name in ["fieldErrors", "recoverable", "hasContinueNode"] where expect[name] != nil {
                comparison.differs("expect.\(name): the node is no error")
            }
            return
        }
        for detail in node.shownErrorDetails {
            let faults = try? ContractFile.browsers.get().faults(in: detail, as: "RefusedValue")
            for fault in faults ?? ["no contract"] { comparison.differs("contract: \(fault)") }
        }
        if let errors = expect["fieldErrors"] {
            let found = node.errorDetails.map { ["target": .string($0.target), "code": .string($0.code)] as JSONValue }
            comparison.equal("fieldErrors", .array(found), errors)
        }
        for name in ["recoverable", "hasContinueNode"] {
            if let value = expect[name] { comparison.equal(name, .bool(node.page != nil), value) }
        }
    }

    private mutating func failure(_ step: FlowStep, _ expect: JSONObject) {
        guard ["location", "httpStatus", "reason"].contains(where: { expect[$0] != nil }) else { return }
        guard case .failure(let node) = step.node else { return comparison.differs("the node is no failure") }
        if let location = expect["location"] {
            let found = if case .unexpectedRedirect(_, .some) = node.cause { true } else { false }
            comparison.equal("location", .bool(found), location)
        }
        if let reason = expect["reason"]?.string {
            comparison.equal("reason", node.cause.davinci?.reason.rawValue, reason)
        }
        if let status = expect["httpStatus"]?.int, !"\(node.cause)".contains("\(status)") {
            comparison.differs("httpStatus: found \(node.cause), expected \(status)")
        }
    }
}
