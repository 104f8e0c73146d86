package import Basics
package import SettingsKit

/// The declaration of one key of a product's section: its name, the form of its values and the property that it sets.
///
/// The property's initial value is the default. The reader, the list of known keys and the fingerprint come from the
/// declarations.
package struct Setting<Root: Sendable>: Sendable {
    /// The name of the key.
    package let key: String
    /// Reads the key into the property, which keeps its default when the key is absent or cannot be read.
    package let read: @Sendable (Section, inout Root) -> Void
    /// The property's value as text, for the fingerprint.
    package let fact: @Sendable (Root) -> String

    /// Declares a key with a reader of its own.
    package init(
        _ key: String, fact: @escaping @Sendable (Root) -> String,
        read: @escaping @Sendable (Section, inout Root) -> Void
    ) {
        self.key = key
        self.read = read
        self.fact = fact
    }

    /// Declares a key with one value.
    package init<Value>(_ key: String, _ path: any (WritableKeyPath<Root, Value> & Sendable), _ form: ValueForm<Value>)
    {
        self.init(key, fact: { "\($0[keyPath: path])" }) { section, root in
            section.read(key, form, into: &root[keyPath: path])
        }
    }

    /// Declares a key with one value that has no default.
    package init<Value>(_ key: String, _ path: any (WritableKeyPath<Root, Value?> & Sendable), _ form: ValueForm<Value>)
    {
        self.init(key, fact: { $0[keyPath: path].map { "\($0)" } ?? "" }) { section, root in
            if let value = section.value(key, form) { root[keyPath: path] = value }
        }
    }

    /// Declares a key with a list of values; `isFilled` refuses an empty one.
    package init<Value>(
        _ key: String, list path: any (WritableKeyPath<Root, [Value]> & Sendable), _ form: ValueForm<Value>,
        isFilled: Bool = false
    ) {
        self.init(key, fact: { "\($0[keyPath: path])" }) { section, root in
            let values = isFilled ? section.someOf(key, form) : section.list(key, form)
            if let values { root[keyPath: path] = values }
        }
    }

    /// Declares a key with a section of keys.
    package init<Part: Sendable>(
        _ key: String, section path: any (WritableKeyPath<Root, Part> & Sendable), _ settings: [Setting<Part>],
        check: @escaping @Sendable (Section) -> Void = { _ in }
    ) {
        self.init(key, fact: { root in settings.map { $0.fact(root[keyPath: path]) }.joined(separator: "\n") }) {
            section, root in
            let part = section.section(key)
            for setting in settings { setting.read(part, &root[keyPath: path]) }
            check(part)
            part.finish()
        }
    }
}
