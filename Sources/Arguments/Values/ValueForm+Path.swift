public import Basics

extension ValueForm where Value == String {
    /// A form for the path of a file: any text but an empty one.
    public static var path: Self { ValueForm(expected: "a path") { $0.isEmpty ? nil : $0 } }
}
