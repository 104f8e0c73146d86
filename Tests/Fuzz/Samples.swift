// Compiled by run.sh with the fuzzers of pages, not by the package.

import JSON

/// What is shown nests a little deeper than what came.
let roomy: JSONLimits = {
    var limits = JSONLimits()
    limits.maxBytes = .max
    limits.maxDepth = 1000
    limits.maxMembers = .max
    return limits
}()

/// Something that a schema of ours allows.
func sample(_ schema: JSONValue, _ depth: Int) -> JSONValue {
    precondition(depth < 16, "a schema without end")
    if let value = schema["const"] { return value }
    if let first = schema["enum"]?[0] { return first }
    if let value = schema["oneOf"]?[0]?["const"] { return value }
    switch schema["type"]?.string ?? schema["type"]?[0]?.string {
    case "string": return .string(String(repeating: "x", count: Int(min(schema["minLength"]?.int ?? 1, 64))))
    case "boolean": return true
    case "integer", "number": return schema["minimum"] ?? 1
    case "array": return .array(schema["items"].map { [sample($0, depth + 1)] } ?? [])
    case "object":
        var object = JSONObject()
        let wanted = schema["required"] ?? schema["oneOf"]?[0]?["required"] ?? schema["anyOf"]?[0]?["required"]
        for name in wanted?.array?.compactMap(\.string) ?? schema["properties"]?.object?.names ?? [] {
            object[name] = sample(schema["properties"]?[name] ?? true, depth + 1)
        }
        return .object(object)
    default: return "x"
    }
}
