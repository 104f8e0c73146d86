import BFF

@testable import BFFAPI

/// What an operation gives back, as browsers get it: tests read the documents of the API.
protocol Documented {
    var body: [UInt8] { get }
}

extension FlowNode: Documented {
    var body: [UInt8] { NodeDocument.document(self) }
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
