/// The way from the document to a value, as a list that grows without copying.
final class CodingPath {
    private let parent: CodingPath?
    private let key: any CodingKey

    init(_ parent: CodingPath?, _ key: any CodingKey) {
        self.parent = parent
        self.key = key
    }

    fileprivate var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var next: CodingPath? = self
        while let path = next {
            keys.append(path.key)
            next = path.parent
        }
        return keys.reversed()
    }
}

extension CodingPath? {
    /// The keys from the outermost; none for the document itself.
    var keys: [any CodingKey] { self?.keys ?? [] }
}

/// The place of an element in an array.
struct IndexKey: CodingKey {
    let index: Int

    init(_ index: Int) {
        self.index = index
    }

    init?(intValue: Int) {
        self.init(intValue)
    }

    init?(stringValue: String) {
        nil
    }

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }
}

/// The member that `superEncoder()` and `superDecoder()` use when they are given no key.
struct SuperKey: CodingKey {
    init() {}

    init?(intValue: Int) {
        nil
    }

    init?(stringValue: String) {
        nil
    }

    var intValue: Int? { nil }
    var stringValue: String { "super" }
}
