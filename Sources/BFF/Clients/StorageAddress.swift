/// The address of one record of a browser session: client kind, purpose, storage name and account, never client or
/// instance.
///
/// Instances that name the same storage share it; a step-up, for example, shares the session that it makes stronger.
struct StorageAddress: Hashable, Sendable {
    enum Purpose: String, Sendable {
        case session
        case token
        case user
    }

    let kind: ProductName
    let purpose: Purpose
    let name: String
    let account: String

    /// The field in the session's hash; the account comes last and has no slash, so that no two addresses share a
    /// field.
    var field: String { "\(purpose.rawValue)/\(kind.rawValue)/\(name)/\(account)" }
}

/// The name of a product, such as `journey`; it contains no slash.
///
/// The API tells it to the browser, which renders the product's pages accordingly.
package struct ProductName: RawRepresentable, Hashable, Sendable {
    /// The name in the API and in stored sessions.
    package let rawValue: String

    /// Names a product.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
