extension HTTPFields {
    /// The bytes of all names and values together.
    package var byteCount: Int {
        var count = 0
        for field in self { count += field.name.rawName.utf8.count + field.valueCount }
        return count
    }

    /// Lends the bytes of each name and value, in order, until one is refused.
    ///
    /// - Parameter body: Gets a name and a value; both end with the call. Returns false to stop.
    /// - Returns: False if a call returned false.
    package func forEachBytes(
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        for field in self {
            var name = field.name.rawName
            let goesOn = name.withUTF8 { name in
                field.withValueBytes { body(UnsafeRawBufferPointer(name), $0) }
            }
            if !goesOn { return false }
        }
        return true
    }
}
