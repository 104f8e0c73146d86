// Compiled by run.sh together with Sources/YAML, not by the package.

/// One input: what is read keeps the limits, and written out with every text in quotes it reads as the same tree.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // A copy of exactly this size, so that AddressSanitizer sees the first byte read too far.
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
    let read = parse(bytes)
    precondition(read == parse(bytes), "read twice, and differently")
    switch read {
    case .success(nil): break
    case .success(let root?):
        precondition(String(validating: bytes, as: UTF8.self) != nil, "read what is no UTF-8")
        checkLimits(root)
        checkMarks(root, lineBound: count + 2)
        checkWriting(root)
    case .failure(let error):
        precondition((1...count + 2).contains(error.mark.line) && error.mark.column >= 1, "\(error)")
        if case .notUTF8 = error.reason {
            precondition(String(validating: bytes, as: UTF8.self) == nil, "refused UTF-8")
        }
    }
    return 0
}

private func parse(_ bytes: [UInt8]) -> Result<YAMLNode?, YAMLError> {
    Result { () throws(YAMLError) in try YAMLNode(parsing: bytes) }
}

private struct Size {
    var (nodes, bytes, levels) = (0, 0, 0)

    init(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let scalar): (nodes, bytes) = (1, scalar.text.utf8.count)
        case .sequence(let items): add(items)
        case .mapping(let pairs): add(pairs.flatMap { [$0.key, $0.value] })
        }
    }

    private mutating func add(_ items: [YAMLNode]) {
        nodes = 1
        for size in items.map({ Size($0) }) {
            nodes += size.nodes
            bytes += size.bytes
            levels = max(levels, size.levels)
        }
        levels += 1
    }
}

private func checkLimits(_ root: YAMLNode) {
    let size = Size(root)
    precondition(size.nodes <= YAMLLimits.nodes && size.bytes <= YAMLLimits.bytes && size.levels <= YAMLLimits.levels)
}

/// Also reads every scalar in every way, and compares the keys of every mapping.
private func checkMarks(_ node: YAMLNode, lineBound: Int) {
    precondition((1...lineBound).contains(node.mark.line) && node.mark.column >= 1)
    switch node.content {
    case .scalar(let scalar):
        precondition((scalar.bool != nil) == (scalar.kind == .bool))
        precondition(scalar.int == nil || scalar.kind == .integer)
        if let int = scalar.int { precondition(scalar.double == Double(int)) }
        if scalar.kind == .float { precondition(scalar.double != nil, scalar.text) }
    case .sequence(let items): items.forEach { checkMarks($0, lineBound: lineBound) }
    case .mapping(let pairs):
        let names = pairs.compactMap { $0.key.scalar.map { Array($0.text.utf8) } }
        precondition(Set(names).count == names.count, "a key is there twice")
        for pair in pairs {
            checkMarks(pair.key, lineBound: lineBound)
            checkMarks(pair.value, lineBound: lineBound)
        }
    }
}

private func checkWriting(_ root: YAMLNode) {
    let written = Array(text(of: root).utf8)
    guard written.count <= YAMLLimits.bytes else { return }
    guard case .success(let again?) = parse(written) else { preconditionFailure("unreadable") }
    precondition(Array(text(of: again).utf8) == written)
}

/// The flow style with a question mark before each key, because an implicit one may have 1024 characters only.
private func text(of node: YAMLNode) -> String {
    switch node.content {
    case .scalar(let scalar):
        "\"" + scalar.text.unicodeScalars.map(escaped).joined() + "\""
    case .sequence(let items): "[" + items.map(text).joined(separator: ", ") + "]"
    case .mapping(let pairs):
        "{" + pairs.map { "? \(text(of: $0.key)) : \(text(of: $0.value))" }.joined(separator: ", ") + "}"
    }
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar.isASCII, scalar.value > 0x20, scalar != "\"", scalar != "\\", scalar.value < 0x7F {
        return String(scalar)
    }
    let digits = String(scalar.value, radix: 16)
    return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
}
