extension JSONValue {
    /// The value as compact JSON: members in order, numbers as they came, only what must be escaped is.
    public func serialized() -> [UInt8] {
        var out = OutputBytes(capacity: 2048)
        write(to: &out)
        return out.read { Array($0) }
    }

    /// The value as compact JSON text.
    public var text: String {
        var out = OutputBytes(capacity: 512)
        write(to: &out)
        return out.read { String(decoding: $0, as: UTF8.self) }
    }

    func write(to out: inout some ByteSink & ~Copyable) {
        switch self {
        case .null: out.append(ascii: "null")
        case .bool(true): out.append(ascii: "true")
        case .bool(false): out.append(ascii: "false")
        case .number(let number): out.append(plain: number.lexeme)
        case .string(let text): out.append(quoted: text)
        case .array(let elements):
            out.append(UInt8(ascii: "["))
            for index in elements.indices {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                elements[index].write(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let object): object.write(to: &out)
        }
    }
}

extension JSONObject {
    /// The object as compact JSON, see `JSONValue.serialized()`.
    public func serialized() -> [UInt8] { JSONValue.object(self).serialized() }

    /// The object as compact JSON text.
    public var text: String { JSONValue.object(self).text }

    fileprivate func write(to out: inout some ByteSink & ~Copyable) {
        switch storage {
        case .read(let source, let index): source.write(Int(index), to: &out)
        case .made(let members):
            out.append(UInt8(ascii: "{"))
            for index in members.indices {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                out.append(quoted: members[index].name)
                out.append(UInt8(ascii: ":"))
                members[index].value.write(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }
}
