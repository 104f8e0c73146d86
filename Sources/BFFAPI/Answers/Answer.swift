internal import BFF
internal import HTTPServer

/// What a request led to, before it is put in HTTP.
enum Answer: Sendable {
    /// What an operation gave back: 200 with JSON, 204 without.
    case reply(Reply)
    /// A document that is always the same.
    case document(mediaType: String, [UInt8])
    /// 204 with further header fields.
    case empty([ResponseHeader])
    /// An API's answer, its header fields checked already.
    case passed(status: Int, [ResponseHeader], ResponseBody)
    /// A refusal or a failure.
    case problem(Problem)
}
