import JSON
import JourneyProduct

@testable import BFF
@testable import BFFAPI

/// What an operation gives back, as browsers get it: tests read the documents of the API.
protocol Documented {
    var body: [UInt8] { get }
}

extension FlowNode: Documented {
    var body: [UInt8] { NodeDocument.document(self, at: "/bff/instance") }
}

extension User: Documented {
    var body: [UInt8] { UserDocument.document(self) }
}

extension SessionOverview: Documented {
    var body: [UInt8] { SessionDocument.document(self) }
}

extension RevocationOutcome: Documented {
    var body: [UInt8] { RevocationDocument.document(self) }
}

extension Reply where Content: Documented {
    var body: [UInt8] { content.body }
}

extension OpenedFlow {
    /// The node of its page, as browsers get it.
    var document: JSONValue {
        let page = FlowNode.Page(
            step: 1, expiresIn: 0, purpose: nil, refusal: nil, isCrossBrowser: false, shown: page)
        let node = FlowNode(kind: .journey, flow: nil, .page(page))
        return (try? JSONValue(parsing: node.body)) ?? .null
    }
}
