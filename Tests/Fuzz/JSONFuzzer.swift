// Compiled by run.sh together with Sources/JSON, not by the package.

/// One input: the parser and the scanner agree, and what was written reads back as the same value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // A copy of exactly this size, so that AddressSanitizer sees the first byte read too far.
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
    let limits = JSONLimits(maxBytes: 1 << 16, maxDepth: 32, maxMembers: 4096)
    let parsed: Result<JSONValue, JSONError> = Result { () throws(JSONError) in
        try JSONValue(parsing: bytes, limits: limits)
    }
    let scanned: Result<JSONScanner, JSONError> = Result { () throws(JSONError) in
        try JSONScanner(bytes, limits: limits)
    }
    switch (parsed, scanned) {
    case (.success(let value), .success(let scanner)): check(value, scanner, limits)
    case (.failure(let left), .failure(let right)): precondition(left == right, "\(left) and \(right)")
    default: preconditionFailure("parser and scanner disagree")
    }
    return 0
}

private func check(_ value: JSONValue, _ scanner: JSONScanner, _ limits: JSONLimits) {
    let written = value.serialized()
    var roomy = limits
    roomy.maxBytes = .max
    guard let again = try? JSONValue(parsing: written, limits: roomy) else { preconditionFailure("unreadable") }
    precondition(again == value && again.serialized() == written)
    precondition((try? scanner.value(at: scanner.root)) == value)
    let made = putTogether(value)
    precondition(made == value && value == made && made.serialized() == written)
    for (name, member) in value.object ?? [:] {
        guard let range = scanner.range(of: name) else { preconditionFailure("member not found") }
        precondition((try? scanner.value(at: range)) == member)
        precondition(scanner.string(at: range).map { JSONValue.string($0) } == member.string.map { .string($0) })
        precondition(scanner.int(at: range) == member.int && scanner.bool(at: range) == member.bool)
    }
    if let object = value.object { compareMembers(object, made.object ?? [:]) }
    touch(value)
}

/// The members found by one walk are those that are found by name, in the document and in an object made of it.
private func compareMembers(_ object: JSONObject, _ made: JSONObject) {
    let names = object.names.prefix(200).filter { !$0.isEmpty } + ["\u{0}none"]
    let set = JSONNames(names)
    for object in [object, made] {
        let members = JSONMembers(object, set)
        for (number, name) in names.enumerated() {
            let member = object[name]
            precondition(members[number] == member && members.has(number) == (member != nil))
            precondition(members.kind(number) == member?.kind)
            precondition(members.string(number) == member?.string && members.int(number) == member?.int)
            precondition(members.isText(number, "e") == (member?.string.map { Array($0.utf8) == [0x65] } ?? false))
        }
    }
}

/// The same value with objects of its own in place of those of the document.
private func putTogether(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(let elements): .array(elements.map(putTogether))
    case .object(let object): .object(JSONObject(object.map { ($0.name, putTogether($0.value)) }))
    default: value
    }
}

/// Reads every number in every way.
private func touch(_ value: JSONValue) {
    switch value {
    case .number(let number):
        precondition(JSONNumber(lexeme: number.lexeme) == number)
        if let int = number.int, int.magnitude < 1 << 53 {
            precondition(number.double == Double(int))
        }
    case .array(let elements): elements.forEach(touch)
    case .object(let object): for member in object { touch(member.value) }
    default: break
    }
}
