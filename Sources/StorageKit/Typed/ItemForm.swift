internal import Basics
internal import JSON

/// Encodes an item to bytes and decodes it; nil if that fails.
struct ItemForm<Item: Sendable>: Sendable {
    let encode: @Sendable (Item) -> [UInt8]?
    let decode: @Sendable ([UInt8]) -> Item?
}

extension ItemForm {
    /// JSON by the rules of `JSONCodec`.
    static func json() -> ItemForm where Item: Codable {
        let codec = JSONCodec()
        return ItemForm(encode: { try? codec.encode($0) }, decode: { try? codec.decode(Item.self, from: $0) })
    }

    /// The item's own stored form.
    static func record() -> ItemForm where Item: RecordCodable {
        ItemForm(encode: { $0.encoded }, decode: { try? Item(decoding: $0) })
    }
}
