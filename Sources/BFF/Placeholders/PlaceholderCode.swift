import Basics

/// The stored record of a code.
struct PlaceholderCode: RecordCodable, Equatable {
    static let version: UInt8 = 1

    let session: [UInt8]
    let instance: String
    let request: PlaceholderRequest
    var isUsed = false

    init(session: [UInt8], instance: String, request: PlaceholderRequest) {
        self.session = session
        self.instance = instance
        self.request = request
    }

    func write(into writer: inout RecordWriter) {
        writer.write(session)
        writer.write(instance)
        writer.write(request.redirectURI)
        writer.write(request.challenge)
        writer.write(request.nonce)
        writer.write(isUsed)
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        session = try reader.byteString()
        instance = try reader.string()
        request = PlaceholderRequest(
            redirectURI: try reader.optionalString(), challenge: try reader.optionalString(),
            nonce: try reader.optionalString())
        isUsed = try reader.bool()
    }
}
