package import Basics
package import SettingsKit

/// The declaration of one key of a section: its name, the form of its values and the property that it sets.
///
/// The property's initial value is the default. The reader, the list of known keys and the fingerprint come from the
/// declarations.
package struct Setting<Root: Sendable>: Sendable {
    /// Sets the property to the value that was read; does nothing when the key is absent or cannot be read.
    package typealias Change = (inout Root) -> Void

    /// The name of the key.
    package let key: String
    /// Reads the key; problems are reported even if there is no value whose property could be set.
    package let read: @Sendable (Section) -> Change
    /// The property's value as text, for the fingerprint.
    package let fact: @Sendable (Root) -> String

    /// Declares a key with a reader of its own.
    package init(
        _ key: String, fact: @escaping @Sendable (Root) -> String, read: @escaping @Sendable (Section) -> Change
    ) {
        self.key = key
        self.read = read
        self.fact = fact
    }

    /// Declares a key with one value.
    package init<Value>(_ key: String, _ path: any (WritableKeyPath<Root, Value> & Sendable), _ form: ValueForm<Value>)
    {
        self.init(key, fact: { "\($0[keyPath: path])" }) { section in
            let value = section.value(key, form)
            return { root in if let value { root[keyPath: path] = value } }
        }
    }

    /// Declares a key with one value that has no default.
    package init<Value>(_ key: String, _ path: any (WritableKeyPath<Root, Value?> & Sendable), _ form: ValueForm<Value>)
    {
        self.init(key, fact: { $0[keyPath: path].map { "\($0)" } ?? "" }) { section in
            let value = section.value(key, form)
            return { root in if let value { root[keyPath: path] = value } }
        }
    }

    /// Declares a key with a list of values; `isFilled` refuses an empty one.
    package init<Value>(
        _ key: String, list path: any (WritableKeyPath<Root, [Value]> & Sendable), _ form: ValueForm<Value>,
        isFilled: Bool = false
    ) {
        self.init(key, fact: { "\($0[keyPath: path])" }) { section in
            let values = isFilled ? section.someOf(key, form) : section.list(key, form)
            return { root in if let values { root[keyPath: path] = values } }
        }
    }

    /// Declares a key with a section of keys.
    ///
    /// - Parameters:
    ///   - key: The name of the section.
    ///   - path: The property that the section sets as a whole.
    ///   - part: The value of a section without keys.
    ///   - settings: The keys of the section.
    ///   - check: Reports values that do not go together.
    package init<Part: Sendable>(
        _ key: String, section path: any (WritableKeyPath<Root, Part> & Sendable), of part: Part,
        _ settings: [Setting<Part>], check: @escaping @Sendable (Section, Part) -> Void = { _, _ in }
    ) {
        self.init(key, fact: { settings.facts(of: $0[keyPath: path]).joined(separator: "\n") }) { section in
            let own = section.section(key)
            var read = part
            settings.read(own, into: &read)
            check(own, read)
            own.finish()
            return { [read] root in root[keyPath: path] = read }
        }
    }
}

extension Array {
    /// Reads the keys of all declarations; the result sets their properties.
    package func read<Root>(_ section: Section) -> Setting<Root>.Change where Element == Setting<Root> {
        let changes = map { $0.read(section) }
        return { root in for change in changes { change(&root) } }
    }

    /// Reads the keys of all declarations into their properties.
    package func read<Root>(_ section: Section, into root: inout Root) where Element == Setting<Root> {
        read(section)(&root)
    }

    /// The values of all properties as texts, for the fingerprint.
    package func facts<Root>(of root: Root) -> [String] where Element == Setting<Root> { map { $0.fact(root) } }
}
