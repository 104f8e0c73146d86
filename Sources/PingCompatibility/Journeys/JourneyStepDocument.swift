package import BFF
internal import Basics
internal import JSON

/// Writes the pages and the ends of journeys as AM does.
package enum JourneyStepDocument {
    /// The step of a page: as AM sent it, with a handle as its `authId`, and addresses of this server.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - flow: The flow.
    ///   - base: The absolute address that the operations of the instance begin with.
    /// - Returns: The document; nil for a page of a client that does not show AM's own.
    package static func step(_ page: FlowNode.Page, flow: String, at base: String) -> [UInt8]? {
        guard let own = page.providerPage else { return nil }
        var step: JSONObject = ["authId": .string(StepHandle(flow: flow, step: page.step).text)]
        for (name, value) in own where !name.isSameText(as: "authId") && !name.isSameText(as: "tokenId") {
            step[name] = value
        }
        let questions = page.shown.questions
        let departure = questions.lazy.compactMap(\.departure).first
        let wait = questions.lazy.compactMap(\.nextPollIn).first
        step["callbacks"] = .array(
            (own["callbacks"]?.array ?? []).map { callback in
                switch callback["type"]?.string {
                case "RedirectCallback":
                    departure.map { replace("redirectUrl", with: .string("\(base)/go/\($0)"), in: callback) }
                        ?? callback
                case "PollingWaitCallback":
                    wait.map { replace("waitTime", with: .string(String($0.milliseconds)), in: callback) } ?? callback
                default: callback
                }
            })
        return JSONValue.object(step).serialized()
    }

    private static func replace(_ name: String, with value: JSONValue, in callback: JSONValue) -> JSONValue {
        guard var object = callback.object, let outputs = object["output"]?.array else { return callback }
        object["output"] = .array(
            outputs.map { $0["name"]?.string == name ? ["name": .string(name), "value": value] : $0 })
        return .object(object)
    }

    /// The end of a journey with a sign-in: an address and a realm, and no session.
    ///
    /// Ping's programs take a success without `successUrl` for a failure, so there always is one.
    ///
    /// - Parameter user: The answer to `user`, as JSON; empty where the journey made no session.
    /// - Returns: The document.
    package static func success(user: [UInt8]) -> [UInt8] {
        let session = (try? JSONValue(parsing: user))?["session"]
        let address = session?["successUrl"]?.string ?? ""
        let realm = session?["realm"]?.string ?? ""
        return JSONValue.object([
            "successUrl": .string(address.isEmpty ? "/" : address), "realm": .string(realm.isEmpty ? "/" : realm),
        ]).serialized()
    }
}

extension Duration {
    /// Whole milliseconds, rounded up.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
